//===- Annealing.cpp - Simulated annealing of a tree ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// S. Kirkpatrick et al., "Optimization by Simulated Annealing", Science 220
// (1983), of the tree's rotations.
//
//===----------------------------------------------------------------------===//

#include "WorkingTree.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::model;

void tc::model::anneal(WorkingTree &tree, std::mt19937_64 &random,
                       const std::function<bool()> &mayBe,
                       SearchBudget &budget) {
  if (tree.inputs() < 3)
    return;
  constexpr double firstTemperature = 0.1, lastTemperature = 1e-5;
  // Nanoseconds of a rotation, about.
  // A limit of memory is asked for all steps.
  const double ofRotation =
      600 + (mayBe ? 60 * static_cast<double>(tree.nodes().size()) : 0);
  const auto rotations =
      static_cast<uint64_t>(std::max(0.0, budget.rest() / ofRotation));
  WorkingTree::Steps best = tree.steps();
  double least = tree.seconds();
  // The best tree of all is kept where a change would leave it, which is not
  // made.
  bool isBest = false, isLeft = false;
  double temperature = 0;
  auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  auto accept = [&](double change) {
    if (change > 0 &&
        uniform() >= std::exp(-change / (temperature * tree.seconds())))
      return false;
    isLeft = isBest && change > 0;
    return !isLeft && (!mayBe || mayBe());
  };
  auto keep = [&] {
    if (isBest)
      best = tree.steps();
    isBest = isLeft = false;
  };
  for (uint64_t number = 0; number < rotations; ++number) {
    constexpr uint64_t sameTemperature = 256;
    if (number % sameTemperature == 0)
      temperature =
          firstTemperature * std::pow(lastTemperature / firstTemperature,
                                      static_cast<double>(number) /
                                          static_cast<double>(rotations));
    if (number % (4 * sameTemperature) == 0)
      tree.addTimesUp();
    tree.rotate(random, accept);
    if (isLeft)
      keep();
    if (tree.seconds() < least * (1 - 1e-9)) {
      least = tree.seconds();
      isBest = true;
    }
  }
  keep();
  budget.spend(static_cast<double>(rotations) * ofRotation);
  tree.setSteps(best);
}
