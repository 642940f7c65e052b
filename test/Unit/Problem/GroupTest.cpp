//===- GroupTest.cpp - Contractions that make one kernel ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Group.h"

#include <gtest/gtest.h>

using namespace tc::model;

static std::vector<std::string> operandNames(const Group &group) {
  std::vector<std::string> names;
  for (const GroupTensor &operand : group.operands())
    names.push_back(nameOf(operand));
  return names;
}

using Names = std::vector<std::string>;
using Nodes = std::vector<unsigned>;

TEST(GroupTest, OneContractionHasItsTensors) {
  Group alone;
  EXPECT_EQ(operandNames(alone), (Names{"A", "B", "C"}));
  EXPECT_EQ(alone.storedNodes(), Nodes{0});
  EXPECT_FALSE(findFault(alone));
}

TEST(GroupTest, SumsHaveOneOutput) {
  Group sum{3, {accumulateEdge(1), accumulateEdge(2)}};
  EXPECT_FALSE(findFault(sum));
  EXPECT_EQ(operandNames(sum), (Names{"A", "B", "C", "A1", "B1", "A2", "B2"}));
  EXPECT_EQ(sum.storedNodes(), Nodes{0});
  EXPECT_EQ(sum.operandOf({2, Tensor::C}), (GroupTensor{0, Tensor::C}));
  EXPECT_TRUE(sum.has(EdgeKind::Accumulate));
  EXPECT_FALSE(sum.has(EdgeKind::Feed));
}

TEST(GroupTest, ChainsKeepWhatIsFedOnTheChip) {
  Group chain{3,
              {feedEdge(1, 2, Tensor::B),
               feedEdge(2, 0, Tensor::A, EdgeFunction::Softmax)}};
  EXPECT_FALSE(findFault(chain));
  EXPECT_EQ(operandNames(chain), (Names{"A1", "B", "C", "B1", "A2"}));
  EXPECT_EQ(chain.storedNodes(), Nodes{0});
  EXPECT_EQ(chain.operandOf({1, Tensor::C}), std::nullopt);
  EXPECT_EQ(chain.operandOf({0, Tensor::A}), std::nullopt);
  EXPECT_EQ(chain.order(), (Nodes{1, 2, 0}));
  EXPECT_EQ(chain.edgeInto(0, Tensor::A)->from, 2u);
  EXPECT_EQ(chain.edgeFromOutput(1)->to, 2u);
}

TEST(GroupTest, SharedInputsAreOneOperand) {
  Group shared{
      3,
      {shareEdge(Tensor::A, 1, Tensor::B), shareEdge(Tensor::A, 2, Tensor::A)}};
  EXPECT_FALSE(findFault(shared));
  EXPECT_EQ(operandNames(shared),
            (Names{"A", "B", "C", "A1", "C1", "B2", "C2"}));
  EXPECT_EQ(shared.storedNodes(), (Nodes{0, 1, 2}));
  EXPECT_EQ(shared.operandOf({1, Tensor::B}), (GroupTensor{0, Tensor::A}));
}

TEST(GroupTest, NamesOfTensors) {
  for (unsigned node : {0u, 1u, 10u, 4294967295u})
    for (Tensor tensor : allTensors)
      EXPECT_EQ(symbolizeGroupTensor(nameOf({node, tensor})),
                (GroupTensor{node, tensor}));
  for (const char *name :
       {"", "D", "a", "A0", "A01", "A-1", "A1 ", "A+1", "A4294967296", "1A"})
    EXPECT_FALSE(symbolizeGroupTensor(name)) << name;
}

TEST(GroupTest, TraitsOfEdges) {
  EXPECT_EQ(traitsOf(EdgeKind::Accumulate).memory, EdgeMemory::Sink);
  EXPECT_EQ(traitsOf(EdgeKind::Share).memory, EdgeMemory::Source);
  EXPECT_TRUE(isOnChip(feedEdge(1, 0, Tensor::A)));
  EXPECT_EQ(tiedNode(accumulateEdge(2)), 2u);
  EXPECT_EQ(tiedNode(feedEdge(1, 2, Tensor::A)), 1u);
  EXPECT_EQ(tiedNode(shareEdge(Tensor::A, 3, Tensor::B)), 3u);
  EXPECT_TRUE((Group{2, {accumulateEdge(1)}}.combinesSums()));
  EXPECT_FALSE((Group{2, {feedEdge(1, 0, Tensor::A)}}.combinesSums()));
}

TEST(GroupTest, NamesOfFunctions) {
  for (EdgeFunction function : edgeFunctions)
    EXPECT_EQ(symbolizeEdgeFunction(stringify(function)), function);
  // The identity is said by leaving it out.
  for (const char *name : {"identity", "", "Softmax", "softmax "})
    EXPECT_FALSE(symbolizeEdgeFunction(name)) << name;
}

TEST(GroupTest, FaultsOfEdges) {
  auto faultOf = [](const Group &group) {
    std::optional<GroupFault> fault = findFault(group);
    return fault ? std::to_string(fault->node) + " " + fault->message : "";
  };
  EXPECT_EQ(faultOf({2, {}}), "1 is not connected to the others");
  EXPECT_EQ(faultOf({2, {accumulateEdge(2)}}),
            "0 has an edge of contraction 2, but there are 2");
  EXPECT_EQ(faultOf({2, {accumulateEdge(1), accumulateEdge(1)}}),
            "1 is connected to the others twice");
  EXPECT_EQ(faultOf({2, {accumulateEdge(0)}}),
            "0 is the kernel's own, so no edge may lead from its output");
  EXPECT_EQ(
      faultOf({3, {feedEdge(2, 0, Tensor::A), feedEdge(1, 0, Tensor::B)}}),
      "1 must compute an input of the contraction after it");
  EXPECT_EQ(
      faultOf({2, {{1, Tensor::C, 1, Tensor::C, EdgeFunction::Identity}}}),
      "1 adds to the output of another contraction than the kernel's "
      "own");
  EXPECT_EQ(
      faultOf({2, {{0, Tensor::A, 1, Tensor::C, EdgeFunction::Identity}}}),
      "1 must share an input with the kernel's own contraction");
  EXPECT_EQ(faultOf({3,
                     {shareEdge(Tensor::A, 1, Tensor::A),
                      shareEdge(Tensor::B, 2, Tensor::A)}}),
            "2 must share the input that the others share");
  EXPECT_EQ(faultOf({3, {accumulateEdge(1), feedEdge(2, 0, Tensor::A)}}),
            "2 is connected to the others in another way than they are to each "
            "other");
  EXPECT_EQ(faultOf({3,
                     {feedEdge(1, 2, Tensor::A, EdgeFunction::Softmax),
                      feedEdge(2, 0, Tensor::A)}}),
            "1 must not pass its output through a softmax: only the kernel's "
            "own contraction takes one");
}
