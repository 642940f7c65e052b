//===- Machine.h - Latencies and rates of machines --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Latencies and rates of a multiprocessor and of the memory behind it. All are
// the machine's: none is fitted to a kernel. lib/Timing/Machine.cpp has the
// source of each.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TIMING_MACHINE_H
#define TC_TIMING_MACHINE_H

#include "tc/MachineCode/Opcodes.h"

namespace tc::timing {

/// Times are in cycles of the multiprocessor's clock.
struct Machine {
  model::Target target;

  // Latencies from the issue of an instruction to that of one that waits for
  // the scoreboard which it raises, nothing else in the way.
  double sharedLatency = 0; ///< of a load of 4 bytes a lane
  double l1Latency = 0, l2Latency = 0, dramLatency = 0;
  double specialLatency = 0; ///< of special functions
  double doubleLatency = 0;  ///< of DFMA, beyond its cycles in the pipe
  double matrixLatency = 0;  ///< of matrix products, beyond theirs
  double operandLatency = 0; ///< until memory instructions have their operands
  double barrierLatency = 0; ///< from the last arrival

  /// Cycles in which an instruction reads its registers, one of each bank a
  /// cycle.
  double readCycles = 0;
  /// Memory instructions that a sub-core may hold back, and the cycles that it
  /// takes for the addresses of each.
  unsigned memoryQueue = 0;
  double addressCycles = 0;
  /// True if loads of shared memory of more than 4 bytes a lane return two
  /// registers a cycle where pairs of lanes have one address.
  bool packsPairs = false;
  /// Of the L1 cache, whose tags are looked up.
  double linesPerCycle = 0;

  /// From a miss of the instruction caches to the line, 0 if all code is there;
  /// and the lines that are fetched ahead.
  double fetchLatency = 0;
  unsigned linesAhead = 0;

  /// Translations of addresses that a multiprocessor keeps, the bytes of a
  /// page, and the cycles between two translations that it does not have; no
  /// entries if that is not known.
  unsigned translationEntries = 0;
  std::uint64_t pageBytes = 0;
  double translationCycles = 0;

  // Bytes a cycle, of all multiprocessors but for the first.
  double portBytes = 0; ///< from the L2 cache to one multiprocessor
  double l2Bytes = 0;
  double dramBytes = 0; ///< as copies attain it

  /// The time of an empty kernel.
  double launchSeconds = 0;

  /// The offset of a kernel's first parameter in constant bank 0, and those of
  /// the extents of blocks and of the grid, and of the stack's address.
  unsigned parameterOffset = 0, blockOffset = 0, gridOffset = 0;
  unsigned stackOffset = 0;

  unsigned subcores() const {
    return static_cast<unsigned>(target.multiprocessor.partitions);
  }
  /// Cycles from issue until the scoreboard of an instruction is clear that
  /// does not go to memory.
  double latencyOf(const sass::Instruction &instruction) const;
  /// Cycles for which an instruction keeps its pipe.
  double busyCyclesOf(const sass::Instruction &instruction) const;
};

Machine machineOf(const model::Target &target);

/// The machine that a file describes or, if none is named, the one that is
/// built in for a listing's architecture. It is an error if the file describes
/// another architecture.
Result<Machine> machineFor(const sass::Listing &listing,
                           const std::string &targetFile);

} // namespace tc::timing

#endif // TC_TIMING_MACHINE_H
