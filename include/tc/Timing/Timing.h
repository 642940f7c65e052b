//===- Timing.h - Predicted times of machine code ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the scheduled code of a kernel's warps on one multiprocessor: the times
// of issue, the waits, and from these the time of the grid. docs/timing.md
// explains the method and its limits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TIMING_TIMING_H
#define TC_TIMING_TIMING_H

#include "tc/Timing/Trace.h"

namespace tc::timing {

/// The use of a sub-core's issue slots: an instruction, or the wait of the warp
/// that issued next.
enum class Spent : std::uint8_t {
  Issue,     ///< an instruction
  Stall,     ///< a stall count: a result of fixed latency
  Banks,     ///< the register file
  Fetch,     ///< code that had not been fetched
  Tensor,    ///< the pipe, which was busy
  FMA,       ///< the same
  ALU,       ///< the same
  FP64,      ///< the same
  OtherPipe, ///< the same, of any other
  Queue,     ///< the queue of memory instructions, which was full
  Results,   ///< a scoreboard of arithmetic or of special registers
  Shared,    ///< a scoreboard of shared memory
  Global,    ///< a scoreboard of global memory, or of asynchronous copies
  Barrier,   ///< the other warps of the block
  Idle,      ///< nothing: all warps of the sub-core had ended
};
inline constexpr std::size_t numSpent =
    static_cast<std::size_t>(Spent::Idle) + 1;
/// As keys of JSON, "shared", and as words of a report.
std::string_view stringify(Spent spent);
std::string_view describe(Spent spent);

/// The units beside the issue slots that are busy.
enum class Unit : std::uint8_t {
  Tensor,
  FMA,
  ALU,
  FP64,
  Shared, ///< wavefronts of shared memory
  L2,     ///< this multiprocessor's share of it
  DRAM,   ///< likewise
};
inline constexpr std::size_t numUnits =
    static_cast<std::size_t>(Unit::DRAM) + 1;
std::string_view stringify(Unit unit);

/// A stretch of time of one unit, or of the issue slot of sub-core 0.
struct Event {
  double begin = 0, end = 0;
};

/// The timeline of one round of the main loop.
struct Timeline {
  double begin = 0, end = 0;
  /// Of sub-core 0.
  std::vector<Event> issue;
  /// Pipes are those of sub-core 0.
  std::array<std::vector<Event>, numUnits> units;
};

/// A run of blocks on one multiprocessor, in cycles.
struct Run {
  double cycles = 0;
  /// Averages over the sub-cores; they add up to `cycles`.
  std::array<double, numSpent> spent = {};
  /// Averages over the sub-cores, where each has one.
  std::array<double, numUnits> busy = {};
  /// Warp instructions.
  double instructions = 0;
};

struct Prediction {
  /// Of the kernel, from its first block to its last store.
  double seconds = 0;
  /// True if that is the time at the part of the peak rate that the best
  /// library sustains, and the blocks alone would take less.
  bool isSustainedRate = false;
  /// Of the launch, before that.
  double launchSeconds = 0;
  /// The multiprocessor that has most to do.
  Run run;
  std::int64_t residentBlocks = 0;
  std::string limitedBy; ///< the resource that keeps more blocks out
  /// Blocks that it runs one after another and at once.
  std::int64_t blocksPerMultiprocessor = 0;
  /// Kinds of blocks, by their work; the figures below are of the most common.
  std::size_t kinds = 1;
  /// Of the loads from the L2 cache, the part that comes from DRAM.
  double dramPart = 0;
  /// Of the loop that was simulated for some rounds only; 0 without one.
  std::uint64_t trips = 0, simulatedTrips = 0;
  double cyclesPerTrip = 0;
  /// The first instruction of that loop.
  std::optional<std::uint32_t> loop;
  /// Warp instructions of the whole grid, if all blocks do what one does.
  double instructions = 0;
  Timeline timeline;
  std::vector<std::uint32_t> undecided;
  std::uint64_t unknownAccesses = 0;

  /// The limiting factor of the time: the unit or the wait that takes most.
  std::string limit() const;
};

/// Runs `blocks` blocks with the same trace, `atOnce` of them at a time, on one
/// multiprocessor that shares the L2 cache and DRAM with `multiprocessors - 1`
/// others. An error if warps wait for one another for ever.
Result<Run> simulate(const sass::Function &function, const BlockTrace &trace,
                     const Machine &machine, unsigned blocks, unsigned atOnce,
                     unsigned multiprocessors, double dramPart,
                     Timeline *timeline = nullptr);

/// Predicts the time of a launch.
Result<Prediction> predict(const sass::Function &function, const Launch &launch,
                           const Machine &machine);

} // namespace tc::timing

#endif // TC_TIMING_TIMING_H
