//===- Workspace.cpp - Where partial sums are -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Model/Workspace.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

WorkspaceLayout workspaceOf(const Contraction &contraction,
                            const KernelLayout &layout) {
  WorkspaceLayout workspace;
  if (layout.mapping.splitK == 1)
    return workspace;
  constexpr int64_t counterBytes = 4;
  workspace.counters = layout.blocks / layout.mapping.splitK;
  workspace.partialsOffset =
      roundUp(counterBytes * workspace.counters, workspaceAlignment);
  workspace.elementsPerBlock = layout.blockM * layout.blockN;
  workspace.bytes = saturatingAdd(
      workspace.partialsOffset,
      saturatingMultiply(
          saturatingMultiply(layout.blocks, workspace.elementsPerBlock),
          byteWidth(contraction.accumulatorType)));
  return workspace;
}

} // namespace tc::model
