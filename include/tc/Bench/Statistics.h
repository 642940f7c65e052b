//===- Statistics.h - Figures of repeated measurements ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_STATISTICS_H
#define TC_BENCH_STATISTICS_H

#include <cstddef>
#include <vector>

namespace tc::bench {

struct Summary {
  double least = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, most = 0;
};

/// The quantile `q` in [0, 1] of ascending numbers, at least one: linear
/// between neighbours (R's type 7, NumPy's default).
double quantile(const std::vector<double> &ascending, double q);

/// Zeros for no sample.
Summary summarize(std::vector<double> samples);

/// The order in which contenders run in a round: all of 0 .. contenders - 1,
/// rotated by one from round to round, so that each is first, last and in the
/// middle equally often.
std::vector<size_t> orderOfRound(size_t contenders, size_t round);

} // namespace tc::bench

#endif // TC_BENCH_STATISTICS_H
