//===- Statistics.cpp - Figures of repeated measurements --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Statistics.h"

#include <algorithm>

using namespace tc;
using namespace tc::bench;

double bench::quantile(const std::vector<double> &ascending, double q) {
  double place = q * static_cast<double>(ascending.size() - 1);
  auto below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, ascending.size() - 1);
  double share = place - static_cast<double>(below);
  return ascending[below] + share * (ascending[above] - ascending[below]);
}

Summary bench::summarize(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {samples.front(), quantile(samples, 0.25), quantile(samples, 0.5),
          quantile(samples, 0.75), samples.back()};
}

std::vector<size_t> bench::orderOfRound(size_t contenders, size_t round) {
  std::vector<size_t> order(contenders);
  for (size_t i = 0; i < contenders; ++i)
    order[i] = (round + i) % contenders;
  return order;
}
