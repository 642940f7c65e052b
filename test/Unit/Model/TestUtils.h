//===- TestUtils.h - Help for tests of the model ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short ways to write contractions and schedules, and random ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MODEL_TESTUTILS_H
#define TC_TEST_UNIT_MODEL_TESTUTILS_H

#include "tc/Gpu/Layout/KernelLayout.h"

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

inline const Target &target(const std::string &name) {
  return **findTarget(name);
}

/// A number from `low` to `high`. Unlike the standard's distributions, it gives
/// the same numbers with every library.
inline int64_t uniform(std::mt19937 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

/// A contraction of up to seven small indices in random order and roles, at
/// times with gaps between rows, reversed dimensions and an offset.
Contraction randomContraction(std::mt19937 &random);

/// A schedule of random tiles, feasible or not.
Schedule randomSchedule(const Contraction &contraction, std::mt19937 &random);
/// Maps a schedule's tiles to blocks in a random way: in groups of rows, with
/// an operand stationary, for which a tile must span K, or with shared sums,
/// for which K may have too few tiles.
void mapRandomly(Schedule &schedule, const Contraction &contraction,
                 std::mt19937 &random);

} // namespace tc::model::test

#endif // TC_TEST_UNIT_MODEL_TESTUTILS_H
