//===- ScheduleSearch.h - Choosing a schedule -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_SCHEDULESEARCH_H
#define TC_GPU_SEARCH_SCHEDULESEARCH_H

#include "tc/Gpu/Cost/CostModel.h"

#include <optional>
#include <vector>

namespace tc::model {

/// Predictions that are this close, relatively, are not distinguished by them.
inline constexpr double nearTie = 0.03;

/// The properties that the kernel of a term of a sum shares with those of the
/// others.
struct SumTile {
  /// Tiles along the indices of C, by their positions among the contraction's.
  std::vector<int64_t> extents;
  int64_t threads = 1;
  /// True if another term stores the sums, and this one's stay in registers.
  bool keepsSums = false;
};

struct SearchOptions {
  /// Blocks of other shapes that are reported beside the chosen kernel.
  unsigned runnersUp = 0;
  /// True if blocks of one shape with other register tiles count as others.
  bool distinguishesRegisterTiles = false;
  /// True if blocks may be numbered otherwise than in one group of M tiles.
  bool rasterises = true;
  /// True if something else than the output may be stationary, and if blocks
  /// may share sums.
  bool persistent = true, splitsK = true;
  /// Kernels, mapped in any way, after which the search ends.
  int64_t mostEvaluated = 100000;
  /// If there is one, only kernels with that tile are looked at.
  std::optional<SumTile> sumTile;
};

/// A schedule and what it is predicted to cost.
struct Candidate {
  Schedule schedule;
  Cost cost;
};

/// Counts of what the search has looked at.
struct SearchStatistics {
  int64_t branches = 0;  ///< block tiles that the pruned space holds
  int64_t expanded = 0;  ///< of these, the ones that the bound did not exclude
  int64_t evaluated = 0; ///< kernels whose cost was worked out
  /// Of these, the ones that map another one's tiles to blocks otherwise, which
  /// takes a fraction of the time.
  int64_t mapped = 0;
  /// True if the search has ended because its budget of kernels was spent,
  /// before the bound excluded what was left.
  bool isCut = false;
};

struct SearchResult {
  /// The chosen kernel, then the fastest one of every other block shape (its
  /// extents along M and N, and those of the register tile if these distinguish
  /// shapes apart), by ascending time: as many as were asked for, or as there
  /// are.
  std::vector<Candidate> candidates;
  SearchStatistics statistics;
};

/// Returns true if a layout is one that the search may choose: besides what
/// `layOut` requires, it has at most 512 threads, 16 accesses of one thread in
/// flight for each operand (48 in a term of a sum, if they are asynchronous and
/// at constant distances), and 16 registers to spare, as their number is an
/// estimate and a spill costs more than what a larger tile gains.
bool isAdmissible(const KernelLayout &layout, const Target &target,
                  bool isTerm = false);

/// Finds the feasible schedule of least cost: the best in the space of tiles
/// that docs/model.md describes. Deterministic. Fails if no schedule is
/// feasible, naming what even a block of one element exceeds. The number of
/// kernels that are costed is limited, whatever target and contraction are.
Result<SearchResult> search(const Contraction &contraction,
                            const Target &target,
                            const SearchOptions &options = {});

/// The schedule that `search` chooses.
Result<Schedule> searchSchedule(const Contraction &contraction,
                                const Target &target);

} // namespace tc::model

#endif // TC_GPU_SEARCH_SCHEDULESEARCH_H
