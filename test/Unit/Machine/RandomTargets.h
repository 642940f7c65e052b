//===- RandomTargets.h - Searches for any target ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws targets whose figures are anywhere within their limits, and searches
// for contractions on those that the check accepts: no search may fail to end.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MACHINE_RANDOMTARGETS_H
#define TC_TEST_UNIT_MACHINE_RANDOMTARGETS_H

#include "Problem/TestContractions.h"
#include "tc/Machine/TargetFigures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace tc::model::test {

/// Seconds of the processor that a search may take: some hundred times the time
/// that it takes for targets that exist, so that it holds with sanitizers, too.
inline constexpr double maxSeconds = 30;

inline double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Sets some figures to others within their limits: limits, powers of two, and
/// anything between.
class FigureDrawer {
public:
  FigureDrawer(std::mt19937 &random, int64_t oneOf)
      : random(random), oneOf(oneOf) {}

  template <typename T> void operator()(const Figure &figure, T &value) {
    if constexpr (!std::is_same_v<T, std::string>) {
      if (uniform(random, 1, oneOf) != 1)
        return;
      double least = std::max(figure.least, 0.5);
      double part = static_cast<double>(uniform(random, 0, 1000)) / 1000;
      double drawn = least * std::pow(figure.largest / least, part);
      switch (uniform(random, 0, 4)) {
      case 0:
        drawn = figure.least;
        break;
      case 1:
        drawn = figure.largest;
        break;
      case 2:
      case 3:
        drawn = std::exp2(std::round(std::log2(drawn)));
        break;
      default:
        break;
      }
      value = static_cast<T>(
          std::min(std::max(drawn, figure.least), figure.largest));
    }
  }

private:
  std::mt19937 &random;
  int64_t oneOf;
};

/// The contractions that are searched for on drawn targets.
inline std::vector<Contraction> drawnContractions() {
  return {
      contract("ik", "kj", "ij", {{"i", 4096}, {"j", 4096}, {"k", 4096}}),
      contract("ik", "kj", "ij", {{"i", 5}, {"j", 3}, {"k", 1000000}}),
      contract("i", "i", "", {{"i", 100000007}}, ElementType::F32),
      contract("abcd", "deac", "bea",
               {{"a", 24}, {"b", 48}, {"c", 17}, {"d", 36}, {"e", 31}},
               ElementType::F32),
      contract(
          "aebf", "dfce", "abcd",
          {{"a", 72}, {"b", 72}, {"c", 24}, {"d", 72}, {"e", 72}, {"f", 72}})};
}

/// So many indices of M, K and N, in another order in each tensor and, if the
/// step is larger than one, none of stride one.
inline Contraction manyIndices(int outer, int summed, int64_t extent,
                               int64_t step) {
  PerTensor<std::vector<std::string>> lists;
  Extents extents;
  auto add = [&](const std::string &role, int count,
                 std::initializer_list<Tensor> tensors) {
    for (int i = 0; i < count; ++i) {
      std::string label = role + std::to_string(i);
      extents.emplace_back(label, extent);
      for (Tensor tensor : tensors)
        lists[tensor].push_back(label);
    }
  };
  add("m", outer, {Tensor::A, Tensor::C});
  add("k", summed, {Tensor::A, Tensor::B});
  add("n", outer, {Tensor::B, Tensor::C});
  std::reverse(lists[Tensor::B].begin(), lists[Tensor::B].end());
  std::rotate(lists[Tensor::C].begin(), lists[Tensor::C].begin() + 9,
              lists[Tensor::C].end());
  Result<Contraction> result = makeContiguous(lists, extents, ElementType::F64);
  if (!result) {
    ADD_FAILURE() << result.error();
    return {};
  }
  for (Index &index : result->indices)
    for (Tensor tensor : allTensors)
      index.stride[tensor] *= step;
  return *result;
}

/// Runs a search, which `what` describes where it takes too long.
template <typename Search>
void expectToEnd(const std::string &what, const Search &run) {
  double begin = processorSeconds();
  run();
  EXPECT_LT(processorSeconds() - begin, maxSeconds) << what;
}

/// Searches for contractions of as many indices as a tensor can have, and as
/// fit memory.
template <typename Search>
void expectToEndForManyIndices(const Search &search) {
  for (const Contraction &problem :
       {manyIndices(22, 42, 1, 1), manyIndices(15, 15, 2, 1),
        manyIndices(15, 15, 2, 2)})
    expectToEnd(
        std::to_string(problem.indices.size()) + " indices, the first of " +
            std::to_string(problem.indices.front().extent) + " elements",
        [&] { EXPECT_TRUE(search(problem)); });
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_MACHINE_RANDOMTARGETS_H
