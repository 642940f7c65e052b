//===- AheadSteps.h - Trees of contractions by ahead-of-time kernels ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of an order, once, or again and again for slices, each of which
// reads its parts of the inputs, and writes a part of the output or adds to it.
// Threads share the steps; or slices whose temporaries stay in a core's caches,
// of which groups have sums of their own, as many whatever the threads are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ONDEMAND_AHEADSTEPS_H
#define TC_LIB_ONDEMAND_AHEADSTEPS_H

#include "AheadOrder.h"

#include "tc/CpuRuntime/Contraction.h"

#include <optional>
#include <vector>

namespace tc {

/// It does not change: any number of threads may run it at once.
class AheadSteps {
public:
  /// Nothing if these kernels do not compute a step.
  ///
  /// @param network     of contiguous tensors of one type, which is that of
  ///                    its sums
  /// @param parameters  the positions of the inputs, and behind them that of
  ///                    the output, in what `run` takes
  static std::optional<AheadSteps> make(const model::Network &network,
                                        const AheadOrder &order,
                                        const std::vector<size_t> &parameters,
                                        unsigned threads);
  /// One contraction of parameters, with the output last.
  AheadSteps(const cpu::Problem &problem,
             const model::PerTensor<size_t> &parameters, unsigned threads);

  /// Time that all slices take.
  double seconds() const;

  /// Bytes that `run` works in.
  int64_t workspaceBytes() const { return bytesOfWorkspace; }

  /// Computes output = alpha * product + beta * output; both factors have the
  /// type of sums. The workspace is aligned as the order's memory is.
  cpu::Outcome run(const std::vector<const void *> &tensors, char *workspace,
                   const void *alpha, const void *beta) const;

private:
  /// A parameter, or bytes from the workspace's begin.
  struct Place {
    std::optional<size_t> parameter;
    int64_t offset = 0;
  };
  struct Step {
    cpu::Contraction contraction;
    model::PerTensor<Place> places;
  };
  /// An index that is cut.
  struct Cut {
    int64_t parts = 1;
    bool isSummed = false;
    /// The last part is shorter, and slices that have it are of another kind.
    bool isRagged = false;
    /// From a part to the next one, of each parameter.
    std::vector<int64_t> bytes;
  };
  /// Steps of slices that have the same extents, and how many these are.
  struct Kind {
    std::vector<Step> steps;
    double count = 1;
  };

  /// Slices of one cut, among threads.
  struct SharedSlices {
    unsigned threads = 1;
    bool isFree = true;
    /// Of consecutive slices, each of which one thread runs.
    int64_t groups = 1;
    /// Of a thread's temporaries, and of a group's sums, which lie behind those
    /// of all threads.
    int64_t temporaryBytes = 0, sumBytes = 0;
    /// Adds the sums of groups up, where there are several.
    std::optional<cpu::Contraction> sumOfGroups;
  };

  AheadSteps() = default;
  void share(const model::Network &network, const AheadOrder &order,
             unsigned threads);
  cpu::Outcome runStepsOf(const Kind &kind,
                          const std::vector<const void *> &tensors,
                          char *temporaries, const void *alpha,
                          const void *beta) const;
  cpu::Outcome runShared(const std::vector<const void *> &tensors,
                         char *workspace, const void *alpha,
                         const void *beta) const;
  bool addKind(const model::SliceKind &slices, const model::Network &whole,
               const AheadOrder &order, const std::vector<size_t> &parameters,
               unsigned threads);
  void addCut(const model::Network &network, const model::Slice &slice,
              const std::vector<size_t> &parameters);

  /// Those of whole parts first; each ragged cut doubles their number.
  std::vector<Kind> kinds;
  std::vector<Cut> cuts;
  /// Positions of the inputs and the output, and one of the type of sums.
  size_t mostParameters = 0, output = 0;
  std::vector<std::byte> one;
  int64_t bytesOfWorkspace = 0;
  /// None if the threads share steps.
  std::optional<SharedSlices> shared;
};

} // namespace tc

#endif // TC_LIB_ONDEMAND_AHEADSTEPS_H
