//===- OrderTextTest.cpp - An order in words --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "tc/Program/OrderText.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::model;

TEST(OrderText, DrawsTheTree) {
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 10}, {'j', 20}, {'k', 30}, {'l', 2}});
  PricedSteps times;
  OrderResult found = *searchOrder(network, times);
  EXPECT_EQ(orderText(network, found, "a machine"),
            "order of 3 tensors for a machine: 4480 s predicted, 320 B of "
            "temporaries\n"
            "  [i, l]                1180 s  400 products      2.031 KiB\n"
            "  |- input 0 [i, j]\n"
            "  `- [j, l]             3300 s  1.2e+03 products  5.469 KiB\n"
            "     |- input 1 [j, k]\n"
            "     `- input 2 [k, l]\n"
            "  (0 (1 2)) is the best of all 3 trees; 4 steps were predicted\n");
}

TEST(OrderText, NamesInputsInBrackets) {
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 2}, {'j', 3}, {'k', 5}, {'l', 7}});
  EXPECT_EQ(bracketsOf(*treeOf(network, {{1, 2}, {0, 1}})), "(0 (1 2))");
  EXPECT_EQ(bracketsOf(*treeOf(network, {{0, 1}, {0, 1}})), "(2 (0 1))");
}
