//===- Workspace.cpp - Where partial sums are -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/Workspace.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

WorkspaceLayout workspaceOf(const Contraction &contraction,
                            const KernelLayout &layout) {
  WorkspaceLayout workspace;
  if (layout.mapping.splitK == 1 && !contraction.reducesC)
    return workspace;
  constexpr int64_t counterBytes = 4;
  ElementType type = contraction.accumulatorType;
  workspace.counters = layout.blocks / layout.mapping.splitK;
  workspace.elementsPerBlock = layout.blockM * layout.blockN;
  if (contraction.reducesC) {
    type = reductionTypeOf(contraction.elementType[Tensor::C]);
    workspace.counters = 1;
    workspace.elementsPerBlock = 1;
  }
  workspace.partialsOffset =
      roundUp(counterBytes * workspace.counters, workspaceAlignment);
  workspace.bytes = saturatingAdd(
      workspace.partialsOffset,
      saturatingMultiply(
          saturatingMultiply(layout.blocks, workspace.elementsPerBlock),
          byteWidth(type)));
  return workspace;
}

} // namespace tc::model
