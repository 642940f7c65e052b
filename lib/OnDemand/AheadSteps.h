//===- AheadSteps.h - Trees of contractions by ahead-of-time kernels ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of an order, once, or again and again for slices, each of which
// reads its parts of the inputs, and writes a part of the output or adds to it.
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

  /// Computes output = alpha * product + beta * output; both factors have the
  /// type of sums.
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

  AheadSteps() = default;
  bool addKind(const model::SliceKind &slices, const model::Network &whole,
               const AheadOrder &order, const std::vector<size_t> &parameters,
               unsigned threads);
  void addCut(const model::Network &network, const model::Slice &slice,
              const std::vector<size_t> &parameters);

  /// Those of whole parts first; each ragged cut doubles their number.
  std::vector<Kind> kinds;
  std::vector<Cut> cuts;
  /// Positions of the inputs and the output, and one of the type of sums.
  size_t mostParameters = 0;
  std::vector<std::byte> one;
};

} // namespace tc

#endif // TC_LIB_ONDEMAND_AHEADSTEPS_H
