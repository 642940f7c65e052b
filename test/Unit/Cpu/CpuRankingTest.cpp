//===- CpuRankingTest.cpp - Many schedules by predicted time --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/TargetFile.h"

#include <set>

using namespace tc::model;
using tc::Result;
using tc::model::test::contract;

namespace {

CpuTarget skylake() {
  Result<CpuTarget> target = loadCpuTarget(TC_TARGET_INPUTS "/i7-6700k.json");
  EXPECT_TRUE(target) << target.error();
  return *target;
}

std::vector<CpuCandidate> rank(const std::vector<Contraction> &forms,
                               int64_t threads, size_t most,
                               std::optional<int64_t> limit = std::nullopt) {
  Result<std::vector<CpuCandidate>> ranked =
      rankCpuSchedules(forms, skylake(), limit, threads, most);
  EXPECT_TRUE(ranked) << ranked.error();
  return *ranked;
}

TEST(CpuRankingTest, TheChoiceComesFirstAndOthersByTime) {
  Contraction contraction =
      contract("aeb", "ced", "abcd",
               {{"a", 24}, {"b", 16}, {"c", 20}, {"d", 24}, {"e", 48}},
               ElementType::F32);
  for (int64_t threads : {1, 4}) {
    auto choices = considerStrategies(contraction, skylake(), {}, threads);
    ASSERT_TRUE(choices);
    std::vector<CpuCandidate> all = rank({contraction}, threads, 100000);
    EXPECT_TRUE(all.front().schedule == fastestStrategy(*choices).schedule);
    EXPECT_GT(all.size(), 100u);
    std::set<Strategy> strategies;
    std::set<std::array<Role, 3>> orders;
    for (size_t i = 0; i < all.size(); ++i) {
      strategies.insert(all[i].schedule.strategy);
      orders.insert(all[i].schedule.order);
      EXPECT_TRUE(layOut(contraction, all[i].schedule));
      EXPECT_LE(all[i].schedule.threads.count(), threads);
      for (size_t j = 0; j < i; ++j)
        EXPECT_FALSE(all[i].schedule == all[j].schedule);
      if (i > 1)
        EXPECT_GE(all[i].time.total(), all[i - 1].time.total());
    }
    EXPECT_EQ(strategies.size(), allStrategies.size() - 1);
    EXPECT_GT(orders.size(), 2u);
    std::vector<CpuCandidate> few = rank({contraction}, threads, 7);
    ASSERT_EQ(few.size(), 7u);
    for (size_t i = 0; i < few.size(); ++i)
      EXPECT_TRUE(few[i].schedule == all[i].schedule);
  }
}

TEST(CpuRankingTest, OfMatricesNothingIsCopiedOrLoopedOver) {
  Contraction contraction =
      contract("ik", "kj", "ij", {{"i", 200}, {"j", 300}, {"k", 400}});
  for (const CpuCandidate &candidate : rank({contraction}, 1, 100000)) {
    EXPECT_NE(candidate.schedule.strategy, Strategy::TTGT);
    EXPECT_NE(candidate.schedule.strategy, Strategy::LoG);
  }
}

TEST(CpuRankingTest, CopiesStayWithinTheLimit) {
  Contraction contraction =
      contract("aeb", "ced", "abcd",
               {{"a", 24}, {"b", 16}, {"c", 20}, {"d", 24}, {"e", 48}});
  for (const CpuCandidate &candidate : rank({contraction}, 1, 100000, 0))
    EXPECT_EQ(workspaceBytes(contraction, candidate.schedule), 0);
}

} // namespace
