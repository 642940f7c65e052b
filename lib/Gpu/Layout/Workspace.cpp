//===- Workspace.cpp - Workspace for partial sums -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/Workspace.h"

#include "tc/Gpu/Layout/DynamicShape.h"
#include "tc/Support/Arithmetic.h"

namespace tc::model {

std::optional<SharedSums> sharedSumsOf(const Contraction &contraction,
                                       const KernelLayout &layout) {
  if (contraction.reducesC)
    return SharedSums{
        /*parts=*/0, /*elementsPerBlock=*/1,
        byteWidth(reductionTypeOf(contraction.elementType[Tensor::C]))};
  if (layout.mapping.splitK == 1)
    return std::nullopt;
  int64_t elements = layout.blockM * layout.blockN;
  return SharedSums{layout.mapping.splitK, elements,
                    elements * byteWidth(contraction.accumulatorType)};
}

WorkspaceLayout workspaceOf(const SharedSums &sums, int64_t blocks) {
  WorkspaceLayout workspace;
  ShapeArithmetic arithmetic;
  workspace.counters = sums.parts == 0 ? 1 : blocks / sums.parts;
  workspace.elementsPerBlock = sums.elementsPerBlock;
  workspace.partialsOffset = partialsOffset(sums, blocks, arithmetic);
  workspace.bytes = saturatingAdd(
      workspace.partialsOffset, saturatingMultiply(blocks, sums.bytesPerBlock));
  return workspace;
}

WorkspaceLayout workspaceOf(const Contraction &contraction,
                            const KernelLayout &layout) {
  std::optional<SharedSums> sums = sharedSumsOf(contraction, layout);
  return sums ? workspaceOf(*sums, layout.blocks) : WorkspaceLayout();
}

} // namespace tc::model
