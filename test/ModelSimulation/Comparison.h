//===- Comparison.h - Predicted and counted figures -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs the model's counts with the simulator's.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_MODELSIMULATION_COMPARISON_H
#define TC_TEST_MODELSIMULATION_COMPARISON_H

#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Simulator/Simulator.h"

#include <string>
#include <vector>

namespace tc::model::test {

/// One figure that both know.
struct Quantity {
  /// The part of a kernel's work that it counts: accesses to the tensors, to
  /// the panels by their copies and by the product, to the partial sums,
  /// multiply-adds, barriers.
  enum class Part {
    Tensors,
    PanelStores,
    PanelLoads,
    PartStores,
    PartLoads,
    Products,
    Barriers
  };

  std::string name;
  Part part = Part::Tensors;
  double predicted = 0, counted = 0;

  /// The difference as a fraction of the counted figure; one if only that is
  /// zero.
  double deviation() const;
};

/// All figures that both know. A contraction that reads C is taken to scale it
/// by a beta other than one.
std::vector<Quantity> compare(const Contraction &contraction,
                              const KernelLayout &layout,
                              const AccessCounts &predicted,
                              const sim::Counters &counted);

/// Both figures, for messages.
std::string describe(const Quantity &quantity);

} // namespace tc::model::test

#endif // TC_TEST_MODELSIMULATION_COMPARISON_H
