//===- TestContractions.h - Contractions that tests start from --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short ways to write contractions, and random ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PROBLEM_TESTCONTRACTIONS_H
#define TC_TEST_UNIT_PROBLEM_TESTCONTRACTIONS_H

#include "tc/Problem/Contraction.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tc::model::test {

using Extents = std::vector<std::pair<std::string, int64_t>>;

/// One single-letter label per character.
inline std::vector<std::string> labels(const std::string &text) {
  std::vector<std::string> list;
  for (char c : text)
    list.emplace_back(1, c);
  return list;
}

/// Row-major contiguous tensors: the last letter of a list has stride one.
inline Contraction contract(const std::string &a, const std::string &b,
                            const std::string &c, const Extents &extents,
                            ElementType type = ElementType::F64) {
  Result<Contraction> result =
      makeContiguous({{labels(a), labels(b), labels(c)}}, extents, type);
  if (!result) {
    ADD_FAILURE() << result.error();
    return {};
  }
  return *result;
}

/// C[m,n], or C[n,m], of A[m,k] and B[k,n], with 8, 6 and 4 values of m, n and
/// k.
inline Contraction complexMatmul(bool swapsOutput = false,
                                 ElementType type = ElementType::C64) {
  Result<Contraction> result = makeContiguous(
      {{labels("mk"), labels("kn"), labels(swapsOutput ? "nm" : "mn")}},
      {{"m", 8}, {"n", 6}, {"k", 4}}, type);
  EXPECT_TRUE(result);
  return std::move(*result);
}

/// A number from `low` to `high`. Unlike the standard's distributions, it gives
/// the same numbers with every library.
inline int64_t uniform(std::mt19937 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

/// A contraction of up to seven small indices in random order and roles, at
/// times with gaps between rows, reversed dimensions and an offset.
Contraction randomContraction(std::mt19937 &random);

} // namespace tc::model::test

#endif // TC_TEST_UNIT_PROBLEM_TESTCONTRACTIONS_H
