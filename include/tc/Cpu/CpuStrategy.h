//===- CpuStrategy.h - GETT, TTGT and loops over GEMM -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategies by which a CPU computes a contraction (Springer and
// Bientinesi, "Design of a High-Performance GEMM-like Tensor-Tensor
// Multiplication", TOMS 2018, sections 3 to 5): the schedule that each would
// have, the time that the model predicts for it, and the choice among them.
// docs/cpu-strategies.md explains them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPU_CPUSTRATEGY_H
#define TC_CPU_CPUSTRATEGY_H

#include "tc/Cpu/CpuSchedule.h"

namespace tc::model {

//===----------------------------------------------------------------------===//
// Operands of a strategy's products
//===----------------------------------------------------------------------===//

/// The positions in Contraction::indices of the indices with an extent above
/// one that a tensor holds, those of the largest stride first, so that a
/// contiguous tensor's come in its own order. A summed index that has a stride
/// in neither input counts as held by A.
std::vector<unsigned> heldIndices(const Contraction &contraction,
                                  Tensor tensor);

/// The held indices but for those with a stride of zero, which a copy has none
/// of: it is never larger than the tensor.
std::vector<unsigned> copiedIndices(const Contraction &contraction,
                                    Tensor tensor);

/// The contraction of the copies of TTGT: strides are those of the copies that
/// `CpuSchedule::transpose` orders, indices of extent one are left out, and
/// those that move together in all three tensors are merged into one whose
/// label joins theirs. With any other strategy, the contraction itself. Fails
/// if a list does not name each index that its tensor holds once.
Result<Contraction> productOf(const Contraction &contraction,
                              const CpuSchedule &schedule);

/// The GETT schedule of that product.
CpuSchedule scheduleOfProduct(const CpuSchedule &schedule);

/// Bytes of the copies that TTGT makes; zero with any other strategy.
int64_t workspaceBytes(const Contraction &contraction,
                       const CpuSchedule &schedule);

/// The bytes that copies may take where nobody says: no more than the tensors
/// as they are stored, nor than a quarter of the machine's memory. Neither
/// depends on how much of that is free.
int64_t defaultWorkspaceLimit(const Contraction &contraction,
                              const CpuTarget &target);

/// Checks that a schedule's copies are within a limit in bytes, if one is
/// given. An error names both figures.
Status checkWorkspace(const Contraction &contraction,
                      const CpuSchedule &schedule,
                      std::optional<int64_t> limit);

//===----------------------------------------------------------------------===//
// The schedules of each strategy
//===----------------------------------------------------------------------===//

/// The copies that TTGT makes: as few bytes as possible, copies that keep the
/// index of stride one counting less (section 4). Lists are empty for tensors
/// that are matrices already.
PerTensor<std::vector<std::string>>
chooseTranspositions(const Contraction &contraction,
                     const CpuCosts &costs = {});

/// The indices that loops over GEMM may loop over, one list for each choice of
/// at most one M, one N and one K index for the matrix product. Indices of
/// stride one have to be among these three; fails with the reason if they
/// cannot be (section 5).
Result<std::vector<std::vector<std::string>>>
enumerateLoops(const Contraction &contraction);

//===----------------------------------------------------------------------===//
// Prediction and choice
//===----------------------------------------------------------------------===//

/// The time that the model predicts, in seconds, by what it is spent on.
struct CpuTime {
  /// Multiplying panels, padding included.
  double multiply = 0;
  /// Updating C, as far as it does not hide behind the multiplications.
  double output = 0;
  /// Filling panels from A and B.
  double pack = 0;
  /// The copies of TTGT.
  double transpose = 0;
  /// The work that is done once for each slice or call: tables, empty panels.
  double setup = 0;

  /// The time for moving data.
  double moving() const { return output + pack + transpose; }
  double total() const { return multiply + moving() + setup; }
};

/// Predicts the time of a schedule that `layOut` accepts, all tensors being in
/// the innermost cache that holds all of them, or else in memory. Threads share
/// all evenly but the copies of TTGT and what each sets up for itself.
Result<CpuTime> predictTime(const Contraction &contraction,
                            const CpuSchedule &schedule,
                            const CpuTarget &target);

/// A schedule and its predicted time.
struct CpuCandidate {
  CpuSchedule schedule;
  CpuTime time;
};

/// All that the search for a GETT schedule for one thread considers. Fails
/// where `searchCpuSchedule` does.
Result<std::vector<CpuCandidate>>
enumerateCpuSchedules(const Contraction &contraction, const CpuTarget &target);

/// The outcome of one strategy for a contraction.
struct StrategyChoice {
  Strategy strategy = Strategy::GETT;
  /// True if complex numbers are multiplied by three real products.
  bool threeProducts = false;
  /// The reason why it cannot be used; empty if it can.
  std::string unavailable;
  /// The reason for which it is not chosen unless it is asked for; empty if
  /// there is none.
  std::string objection;
  /// True if vectors of an input are made of numbers that do not lie side by
  /// side, without panels.
  bool gathers = false;
  /// If it can be used:
  CpuSchedule schedule;
  CpuTime time;
  int64_t workspaceBytes = 0;
  /// The time in seconds that one thread would take. It decides among
  /// strategies, loops and numbers of real products, so that results do not
  /// depend on the number of threads.
  double oneThreadSeconds = 0;

  /// The strategy's name, with "-3m" behind it where it has these.
  std::string name() const;
};

/// All strategies but Library, in the order of `allStrategies`, each with the
/// best schedule that it has. Copies may take up to `workspaceLimit` bytes, or
/// else the default. Schedules are chosen for one thread, and then products are
/// shared out among up to `threads`, so that bits do not depend on these. Fails
/// where `searchCpuSchedule` does.
Result<std::vector<StrategyChoice>>
considerStrategies(const Contraction &contraction, const CpuTarget &target,
                   std::optional<int64_t> workspaceLimit = std::nullopt,
                   int64_t threads = 1);

/// All strategies of a contraction that may take one of several forms
/// (ComplexParts.h): those of the first one, and GETT of the others.
Result<std::vector<StrategyChoice>> considerStrategies(
    const std::vector<Contraction> &forms, const CpuTarget &target,
    std::optional<int64_t> workspaceLimit = std::nullopt, int64_t threads = 1);

/// Strategy::Library, for a contraction whose complex numbers are as they are,
/// or the reason why the library does not compute it: the time is the one that
/// the library's own plan predicts, for the CPU at hand. It is not chosen by
/// itself for the reason that `objection` says, if that is not empty, and where
/// the library would pack panels, which code for the shape at hand does better.
StrategyChoice considerLibrary(const Result<Contraction> &contraction,
                               const CpuTarget &target, int64_t threads,
                               std::string objection = "");

/// Schedules of all strategies and forms for up to `threads`, at most so many
/// and at least one: the one that `considerStrategies` and `fastestStrategy`
/// choose, then the others by ascending predicted time. Besides what the
/// searches consider, there are smaller blocks, and all orders of the loops
/// over blocks; strategies that copy nothing, or have no loops, are GETT.
/// Copies may take up to `workspaceLimit` bytes, or else the default.
Result<std::vector<CpuCandidate>>
rankCpuSchedules(const std::vector<Contraction> &forms, const CpuTarget &target,
                 std::optional<int64_t> workspaceLimit, int64_t threads,
                 size_t most);

/// The one of least predicted time on one thread, but the first, GETT, unless
/// another gains 5% on it. Those to which there is an objection do not count.
/// Loops that gather are taken in place of the library where they are predicted
/// to take half of its time.
const StrategyChoice &
fastestStrategy(const std::vector<StrategyChoice> &choices);

/// The fastest of those with one strategy, of which there has to be one.
const StrategyChoice &
fastestStrategy(const std::vector<StrategyChoice> &choices, Strategy strategy);

} // namespace tc::model

#endif // TC_CPU_CPUSTRATEGY_H
