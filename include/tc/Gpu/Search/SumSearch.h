//===- SumSearch.h - Choosing schedules for a sum ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_SUMSEARCH_H
#define TC_GPU_SEARCH_SUMSEARCH_H

#include "tc/Gpu/Search/ScheduleSearch.h"

namespace tc::model {

class SearchMemo;

struct SumSearchResult {
  /// One for each term, in their order. The last one stores the sums.
  std::vector<Schedule> terms;
  /// The predicted times of one kernel for all terms, and of kernels for each
  /// with a microsecond between two.
  double seconds = 0, separateSeconds = 0;
};

/// Finds schedules with which one kernel adds up contractions that have the
/// same output, each of which but the first has a beta of one. Indices of C
/// come first in each, in C's order, whatever they are called there.
///
/// The terms' tiles of C and their threads are the same, and everything else is
/// chosen for each term by itself (`search`). Tiles of C are looked at that, of
/// all of about as many elements, have the least traffic for all terms
/// together: what A and B move for each element of C, counted in sectors.
/// Deterministic. Fails if no tile fits all terms.
///
/// With `reducesC`, the one kernel adds all elements of C up in place of
/// storing them; the separate kernels store them, and adding up is not counted.
///
/// @param memo  of the same target, where the separate kernels are searched
///              for; null if they are searched for anew
Result<SumSearchResult> searchSum(const std::vector<Contraction> &terms,
                                  const Target &target, bool reducesC = false,
                                  SearchMemo *memo = nullptr);

} // namespace tc::model

#endif // TC_GPU_SEARCH_SUMSEARCH_H
