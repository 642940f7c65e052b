//===- SearchMemoTest.cpp - Searches that are made once -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu/Layout/TestSchedules.h"

#include "tc/Gpu/Search/SearchMemo.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

static Contraction productOf(int64_t depth) {
  return contract("mk", "kn", "mn", {{"m", 32}, {"n", 32}, {"k", depth}});
}

TEST(SearchMemo, StatementsThatAreAlikeAreSearchedForOnce) {
  Target machine = target("sm_90");
  SearchMemo memo(machine);
  Schedule anew = *searchSchedule(productOf(16), machine);
  for (int statement = 0; statement < 100; ++statement) {
    const Result<SearchResult> &found = memo.search(productOf(16));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->candidates.front().schedule, anew);
  }
  EXPECT_EQ(memo.searches(), 1u);
  // Any difference counts.
  EXPECT_TRUE(memo.search(productOf(17)));
  Contraction other = productOf(16);
  other.hasEpilogue = true;
  EXPECT_TRUE(memo.search(other));
  other.baseAlignment[Tensor::A] = 1;
  EXPECT_TRUE(memo.search(other));
  EXPECT_EQ(memo.searches(), 4u);
}

TEST(SearchMemo, ChainsShareTheirSeparateKernels) {
  Target machine = target("sm_90");
  SearchMemo memo(machine);
  Contraction link = productOf(32);
  auto chainOf = [&](unsigned length) {
    ContractionGroup group{std::vector<Contraction>(length, link), {}};
    for (unsigned node = 1; node < length; ++node)
      group.edges.push_back(
          {feedEdge(node, (node + 1) % length, Tensor::A),
           linkIndices(link, {"m", "n"}, link, {"m", "k"}, Tensor::A)});
    return group;
  };
  for (unsigned length : {2, 3, 4}) {
    const Result<GroupSearchResult> &found = memo.searchGroup(chainOf(length));
    Result<GroupSearchResult> anew = searchGroup(chainOf(length), machine);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->schedules, anew->schedules);
    EXPECT_EQ(found->separateSeconds, anew->separateSeconds);
  }
  // Three chains, and one kernel by itself.
  EXPECT_EQ(memo.searches(), 4u);
}
