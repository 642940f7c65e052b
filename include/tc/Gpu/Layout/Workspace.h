//===- Workspace.h - Workspace for partial sums -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that share the sum of a tile of C add it up in global memory: each
// leaves its partial sums there, and the last to do so adds them up. For that,
// tiles have counters, 4 bytes each, of the blocks that have arrived. Where the
// whole output is added up, all blocks take part, each with one number.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_WORKSPACE_H
#define TC_GPU_LAYOUT_WORKSPACE_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// The workspace of a kernel: the counters, of the tiles in the order of their
/// blocks, then the partial sums, of one block after the other.
struct WorkspaceLayout {
  /// Zero if blocks have nothing to add up.
  int64_t bytes = 0;
  int64_t counters = 0;
  /// The offset of the partial sums: the bytes before it must be zero at first.
  int64_t partialsOffset = 0;
  /// Partial sums of one block, whether or not they lie in C.
  int64_t elementsPerBlock = 0;
};

/// The workspace begins, and the partial sums begin in it, at multiples of so
/// many bytes: a cache line.
inline constexpr int64_t workspaceAlignment = 128;

/// Bytes of a counter.
inline constexpr int64_t counterBytes = 4;

/// The sums that the blocks of a kernel add up together, however many there
/// are.
struct SharedSums {
  /// Blocks that arrive at a counter; zero if all of the grid do.
  int64_t parts = 0;
  /// The elements and bytes that each leaves.
  int64_t elementsPerBlock = 0;
  int64_t bytesPerBlock = 0;
};

/// None if blocks have nothing to add up.
std::optional<SharedSums> sharedSumsOf(const Contraction &contraction,
                                       const KernelLayout &layout);

/// `WorkspaceLayout::partialsOffset` in a grid of so many blocks. `Arithmetic`
/// has `constant`, and `ceilDivide` and `multiply` by a constant.
template <typename Arithmetic, typename Value>
Value partialsOffset(const SharedSums &sums, Value blocks,
                     Arithmetic &arithmetic) {
  constexpr int64_t countersOfLine = workspaceAlignment / counterBytes;
  if (sums.parts == 0)
    return arithmetic.constant(workspaceAlignment);
  return arithmetic.multiply(
      arithmetic.ceilDivide(blocks, countersOfLine * sums.parts),
      workspaceAlignment);
}

/// The layout of a kernel's workspace; sizes saturate.
WorkspaceLayout workspaceOf(const Contraction &contraction,
                            const KernelLayout &layout);
WorkspaceLayout workspaceOf(const SharedSums &sums, int64_t blocks);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_WORKSPACE_H
