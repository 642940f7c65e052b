//===- FoundKernels.cpp - Kernels that a search has found -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoundKernels.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

void FoundKernels::add(const FoundKernel &kernel) {
  least = std::min(least, kernel.seconds);
  if (kernel.seconds > slowest)
    return;
  kernels.push_back(kernel);
  double &ofShape =
      shapes
          .try_emplace(shapeOf(kernel), std::numeric_limits<double>::infinity())
          .first->second;
  if (kernel.seconds < ofShape) {
    ofShape = kernel.seconds;
    lowerThreshold();
  }
}

void FoundKernels::lowerThreshold() {
  if (shapes.size() <= runnersUp)
    return;
  std::vector<double> times;
  times.reserve(shapes.size());
  for (const auto &[shape, seconds] : shapes)
    times.push_back(seconds);
  std::nth_element(times.begin(), times.begin() + runnersUp, times.end());
  double fastest = *std::min_element(times.begin(), times.end());
  slowest = std::max(times[runnersUp], fastest * (1 + nearTie));
}

std::vector<FoundKernel> FoundKernels::fastest(size_t count) const {
  std::vector<const FoundKernel *> order;
  order.reserve(kernels.size());
  for (const FoundKernel &kernel : kernels)
    order.push_back(&kernel);
  count = std::min(count, order.size());
  auto key = [](const FoundKernel &kernel) {
    const GridMapping &mapping = kernel.mapping;
    return std::tuple(kernel.seconds, kernel.m, kernel.n, kernel.k,
                      kernel.registerM, kernel.registerN, kernel.stages,
                      mapping.stationary, mapping.tilesPerBlock,
                      mapping.splitK);
  };
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](const FoundKernel *a, const FoundKernel *b) {
                      return key(*a) < key(*b);
                    });
  std::vector<FoundKernel> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i)
    result.push_back(*order[i]);
  return result;
}

std::vector<const FoundKernel *> FoundKernels::choose() const {
  std::vector<const FoundKernel *> near;
  std::vector<const Cost *> costs;
  double fastest = std::numeric_limits<double>::infinity();
  for (const FoundKernel &kernel : kernels)
    if (kernel.seconds <= least * (1 + nearTie))
      fastest = std::min(fastest, kernel.cost.seconds());
  for (const FoundKernel &kernel : kernels) {
    if (kernel.seconds > least * (1 + nearTie) ||
        kernel.cost.seconds() > fastest * (1 + nearTie))
      continue;
    near.push_back(&kernel);
    costs.push_back(&kernel.cost);
  }
  const FoundKernel *chosen = near[chooseByConstraints(costs, nearTie)];

  std::map<Shape, const FoundKernel *> best;
  for (const FoundKernel &kernel : kernels) {
    const FoundKernel *&present = best[shapeOf(kernel)];
    if (!present || kernel.seconds < present->seconds)
      present = &kernel;
  }
  best.erase(shapeOf(*chosen));
  std::vector<const FoundKernel *> result;
  result.reserve(best.size());
  for (const auto &[shape, kernel] : best)
    result.push_back(kernel);
  std::sort(result.begin(), result.end(),
            [&](const FoundKernel *a, const FoundKernel *b) {
              return std::tuple(a->seconds, shapeOf(*a)) <
                     std::tuple(b->seconds, shapeOf(*b));
            });
  result.resize(std::min(result.size(), runnersUp));
  result.insert(result.begin(), chosen);
  return result;
}

} // namespace tc::model
