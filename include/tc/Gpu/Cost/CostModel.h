//===- CostModel.h - Predicted times of kernels -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part of the machine has work to do for a kernel and a rate at which it
// does it. All parts work at the same time, so a kernel takes as long as the
// slowest (Li et al., SC 2019, equation 3), or as long as its blocks, wave by
// wave, where they wait for something. docs/model.md derives it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_COST_COSTMODEL_H
#define TC_GPU_COST_COSTMODEL_H

#include "tc/Gpu/Cost/Traffic.h"

#include <array>
#include <string_view>

namespace tc::model {

/// The parts of the machine whose work bounds a kernel's time: the traffic from
/// DRAM to the L2 cache and from there to the multiprocessors, the tag lookups
/// of cache lines on the way, the traffic between shared memory and
/// registers, the issue of instructions, and the pipe that does the arithmetic.
enum class Level : unsigned { DRAM, L2, Lookup, Shared, Issue, Pipe };
inline constexpr unsigned numLevels = 6;
/// The name of a level in reports: "DRAM", "L2", "lookup", "shared", "issue",
/// "FMA".
std::string_view stringify(Level level);
/// The unit of a level's work: "bytes", "lines", "wavefronts", ...
std::string_view unitOf(Level level);

/// The work of one level for a whole kernel.
struct LevelCost {
  /// In the level's unit.
  double work = 0;
  /// Bytes that move, by the tensor that they are of. Zero for levels that
  /// move none, and for shared memory, where shared tiles are copies.
  PerTensor<double> bytes = {};
  /// The work at the rate of the whole chip, evenly loaded.
  double seconds = 0;
};

/// The occupancy of the chip by a kernel's blocks.
struct Occupancy {
  int64_t residentBlocks = 0; ///< most that one multiprocessor holds at once
  int64_t residentWarps = 0;
  /// Of the warps that a multiprocessor can hold.
  double fraction = 0;
  /// "registers", "shared memory", "threads" or "blocks".
  std::string_view limitedBy;
  /// Blocks of the grid over those that the chip holds at once.
  double waves = 0;
};

/// The cost of one step of the K loop to a multiprocessor, in cycles of each of
/// the units that it uses.
struct StepCycles {
  double pipe = 0;   ///< of the pipe for fused multiply-adds
  double issue = 0;  ///< of the schedulers
  double shared = 0; ///< of shared memory

  /// The units work at the same time.
  double limit() const;

  StepCycles &operator+=(const StepCycles &other);
  StepCycles operator*(double factor) const;
};

/// The predicted cost of a kernel.
struct Cost {
  std::array<LevelCost, numLevels> levels = {};
  /// The tag lookups of lines, by the tensor that they are of.
  PerTensor<double> tagLookups = {};
  StepCycles step;
  Occupancy occupancy;
  /// Running the blocks wave by wave if nothing but latency and the last,
  /// partly filled wave kept all levels from working at the same time: a bound
  /// on the execution that is near it in long loops, by which the search
  /// compares.
  double wavesSeconds = 0;
  /// Running the blocks on the multiprocessor with the most of them, with all
  /// that they wait for, at the rates that are attained.
  double executionSeconds = 0;

  LevelCost &operator[](Level level) {
    return levels[static_cast<unsigned>(level)];
  }
  const LevelCost &operator[](Level level) const {
    return levels[static_cast<unsigned>(level)];
  }
  /// The largest of the levels' times.
  double longestLevel() const;
  /// That, or the time of execution if it is longer: the predicted time.
  double seconds() const;
  /// The larger of the longest level's time and that of the waves: the time
  /// that the search compares, and bounds from below before it knows a kernel.
  double steadySeconds() const;
  /// The times of all levels and of the waves, longest first.
  std::array<double, numLevels + 1> ranked() const;
  /// The limiting factor in the steady state: a level's name, or "latency and
  /// waves" where the waves take a twentieth longer than any level.
  std::string_view limit() const;
};

/// Of kernels with these costs, the one to take: of those within `tolerance` of
/// the fastest, the ones with the fewest instructions and wavefronts of shared
/// memory, which count twice, or 2% more; of these the ones within `tolerance`
/// of the least time of the second most constrained level, and so on (Li et
/// al., SC 2019, equations 6 and 7); the first of those that are left. `costs`
/// is not empty.
size_t chooseByConstraints(const std::vector<const Cost *> &costs,
                           double tolerance);

/// The cost of a feasible kernel whose traffic is known.
Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const Target &target);

/// Cycles that a multiprocessor needs at the least for one value of k of a
/// block whose threads are mapped like that, other blocks beside it. Infinite
/// if a thread has too few registers for it.
double boundCyclesPerK(const Contraction &contraction,
                       const KernelLayout &threads, const Target &target);

/// The least work of kernels that map the tiles of C to blocks in one way.
struct MappedWork {
  double tiles = 0;      ///< of C
  double tileCycles = 0; ///< that a multiprocessor needs for one, at the least
  /// One operand's traffic may be saved by keeping it.
  bool isPersistent = false;
  /// Bytes of partial sums. If there are any, the work is shared out evenly, at
  /// best.
  double partBytes = 0;
};

/// The bytes of the L2 cache's rate that a sector takes if all of its line is
/// asked for at once.
double leastL2BytesPerSector(const Target &target);

/// A time that no such kernel can beat whose visits move that traffic, and the
/// sectors of each tensor at least once.
double boundSeconds(const MappedWork &work, const Traffic &traffic,
                    const Target &target);

/// The roofline: the larger of the time for moving each tensor once and that of
/// the multiply-adds at the rate of the pipe.
double rooflineSeconds(const Contraction &contraction, const Target &target);

/// The number of blocks of the kernel that fit on one multiprocessor at once,
/// and the resource that keeps more of them out.
Occupancy occupancyOf(const KernelLayout &layout, const Target &target);

} // namespace tc::model

#endif // TC_GPU_COST_COSTMODEL_H
