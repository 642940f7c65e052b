//===- Trace.h - Paths of warps through machine code ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the integers, predicates and jumps of a block's warps, as far as
// they follow from the launch: trip counts of loops, and the addresses of
// accesses. Values that depend on data of the tensors stay unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TIMING_TRACE_H
#define TC_TIMING_TRACE_H

#include "tc/MachineCode/Analysis.h"
#include "tc/Timing/Machine.h"

#include <cstddef>
#include <map>

namespace tc::timing {

/// The launch of a kernel.
struct Launch {
  std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Of a block, static and dynamic.
  std::int64_t sharedBytes = 0;
  /// Of a thread.
  std::int64_t registers = 32;
  /// The kernel's parameters as they lie in constant memory.
  std::vector<std::byte> parameters;
  /// Constant memory but for bank 0, by bank, and the known contents of global
  /// memory, by address: tables that the code looks places up in.
  std::map<std::uint64_t, std::vector<std::byte>> constants;
  std::map<std::uint64_t, std::vector<std::byte>> memory;
  /// Bytes of global memory that all blocks together load; 0 if that is not
  /// known.
  double distinctBytes = 0;
  /// Warp instructions of one block that are followed before that counts as
  /// hung.
  std::uint64_t instructionLimit = std::uint64_t(1) << 27;

  std::uint64_t blocks() const {
    return std::uint64_t(grid[0]) * grid[1] * grid[2];
  }
  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  unsigned warps() const { return (threads() + 31) / 32; }
};

/// Checks that a multiprocessor of the machine can hold a block.
Status verify(const Launch &launch, const Machine &machine);

/// The accesses of one instruction's executions, summed up.
struct Accesses {
  std::uint64_t executions = 0;
  /// Those for which the guard held in any lane.
  std::uint64_t active = 0;
  /// Wavefronts of shared memory: 128 bytes are served at a time, one word of
  /// each of 32 banks.
  std::uint64_t wavefronts = 0;
  /// 32-byte sectors, and lines of 128 bytes, of global memory.
  std::uint64_t sectors = 0, lines = 0;
  /// Bytes of global memory that lanes store, each for itself.
  std::uint64_t stored = 0;
  /// Pages whose translations are not kept.
  double translations = 0;
};

/// The pages that the accesses of a warp touch, in their order.
struct PageTrace {
  std::vector<std::uint64_t> pages;
  /// Of each access, its instruction and where its pages end.
  std::vector<std::pair<std::uint32_t, std::size_t>> accesses;
};

/// The trace of one warp.
struct WarpTrace {
  /// The basic blocks that it runs through, by number.
  std::vector<std::uint32_t> path;
  /// By instruction of the function.
  std::vector<Accesses> accesses;
  PageTrace pages;
};

/// The trace of one block.
struct BlockTrace {
  std::vector<sass::BasicBlock> blocks;
  std::vector<WarpTrace> warps;
  /// Jumps, by instruction, whose condition was not known: they were not taken.
  std::vector<std::uint32_t> undecided;
  /// Accesses whose addresses were not known, taken to be contiguous.
  std::uint64_t unknownAccesses = 0;
};

/// Follows the warps of block number `block` (x fastest). An error if a loop
/// with multiplications depends on an unknown value, if the block takes more
/// than `maxTracedInstructions`, or if there is no such block.
Result<BlockTrace> traceBlock(const sass::Function &function,
                              const sass::FunctionCounts &counts,
                              const Launch &launch, const Machine &machine,
                              std::uint64_t block);

/// Counts the translations that a block needs whose warps go on by turns, if so
/// many are kept for it, those that were used last.
void countTranslations(BlockTrace &trace, std::size_t entries);

/// Of the sectors that the blocks [first, first + count) load with the first
/// instructions of each warp that do, the part that is distinct: what blocks
/// that run at once fetch from DRAM. 1 if no address is known.
double distinctPart(const sass::Function &function, const Launch &launch,
                    const Machine &machine, std::uint64_t first,
                    std::uint64_t count);

} // namespace tc::timing

#endif // TC_TIMING_TRACE_H
