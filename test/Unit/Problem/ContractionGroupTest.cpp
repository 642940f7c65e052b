//===- ContractionGroupTest.cpp - Contractions of a group -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Problem/ContractionGroup.h"

#include <gtest/gtest.h>

using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Indices by their labels, of both contractions.
std::vector<std::string> linkedLabels(const LinkedIndices &linked,
                                      const Contraction &first,
                                      const Contraction &second) {
  std::vector<std::string> labels;
  for (auto [one, other] : linked)
    labels.push_back(first.indices[one].label + second.indices[other].label);
  return labels;
}

using Labels = std::vector<std::string>;

} // namespace

TEST(ContractionGroupTest, EdgesLinkTheIndicesOfATensor) {
  Contraction scores =
      contract("qd", "kd", "qk", {{"q", 8}, {"k", 12}, {"d", 8}});
  Contraction values =
      contract("ab", "bd", "ad", {{"a", 8}, {"b", 12}, {"d", 8}});
  IndexedEdge edge = indexEdge(
      feedEdge(1, 0, Tensor::A), scores, values, [](const GroupTensor &tensor) {
        return tensor.node == 1 ? Labels{"q", "k"} : Labels{"a", "b"};
      });
  EXPECT_EQ(linkedLabels(edge.indices, scores, values), (Labels{"qa", "kb"}));
  EXPECT_TRUE(edge.isLast());
  ContractionGroup group{{values, scores}, {edge}};
  EXPECT_EQ(group.order(), (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(group.producerOf(0)->from, 1u);
  EXPECT_EQ(group.producerOf(1), nullptr);
  EXPECT_EQ(group.consumerOf(1)->sink, Tensor::A);
  EXPECT_EQ(group.consumerOf(0), nullptr);
  EXPECT_EQ(group.sharedInput(0), std::nullopt);
}

TEST(ContractionGroupTest, SharedIndicesGoThroughTheKernelsOwn) {
  Contraction own = contract("mk", "kn", "mn", {{"m", 8}, {"k", 4}, {"n", 3}});
  Contraction second =
      contract("xz", "yz", "xy", {{"x", 5}, {"y", 8}, {"z", 4}});
  Contraction third =
      contract("ab", "bc", "ac", {{"a", 8}, {"b", 4}, {"c", 9}});
  auto labelsOf = [](const GroupTensor &tensor) {
    return tensor.node == 0   ? Labels{"m", "k"}
           : tensor.node == 1 ? Labels{"y", "z"}
                              : Labels{"a", "b"};
  };
  ContractionGroup group{
      {own, second, third},
      {indexEdge(shareEdge(Tensor::A, 1, Tensor::B), own, second, labelsOf),
       indexEdge(shareEdge(Tensor::A, 2, Tensor::A), own, third, labelsOf)}};
  EXPECT_EQ(linkedLabels(group.sharedIndices(0, 1), own, second),
            (Labels{"my", "kz"}));
  EXPECT_EQ(linkedLabels(group.sharedIndices(1, 2), second, third),
            (Labels{"ya", "zb"}));
  EXPECT_EQ(linkedLabels(group.sharedIndices(2, 0), third, own),
            (Labels{"am", "bk"}));
  EXPECT_EQ(group.sharedInput(0), Tensor::A);
  EXPECT_EQ(group.sharedInput(1), Tensor::B);
  EXPECT_EQ(group.producerOf(0), nullptr);
}
