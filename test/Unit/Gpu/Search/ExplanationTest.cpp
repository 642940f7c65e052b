//===- ExplanationTest.cpp - Tests of explanations ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Search/Explanation.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

Contraction product(int64_t m, int64_t n, int64_t k,
                    ElementType type = ElementType::F64) {
  return contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", k}}, type);
}

Schedule tiles(int64_t m, int64_t n, int64_t k, int64_t registers) {
  return {"sm_90", {{"m", m}}, {{"n", n}}, {{"k", k}}, registers, registers};
}

bool startsWith(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

TEST(Explanation, TheChoiceAndItsRunnersUp) {
  Contraction contraction = product(1000, 900, 800);
  Result<Explanation> result = explain(contraction, target("sm_90"), 4);
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->candidates.size(), 5u);
  EXPECT_FALSE(result->isGiven);
  EXPECT_EQ(result->target.name, "sm_90");
  EXPECT_EQ(result->compulsoryBytes[Tensor::A], 8.0 * 1000 * 800);
  EXPECT_EQ(result->compulsoryBytes[Tensor::C], 8.0 * 1000 * 900);
  EXPECT_GT(result->statistics.evaluated, 0);

  const ExplainedCandidate &chosen = result->candidates[0];
  Result<Schedule> searched = searchSchedule(contraction, target("sm_90"));
  ASSERT_TRUE(searched);
  EXPECT_EQ(chosen.schedule, *searched);
  EXPECT_TRUE(startsWith(chosen.reason, "limited by ")) << chosen.reason;
  for (size_t i = 0; i < result->candidates.size(); ++i) {
    const ExplainedCandidate &candidate = result->candidates[i];
    EXPECT_GE(candidate.cost.seconds(), result->rooflineSeconds);
    EXPECT_FALSE(candidate.reason.empty());
    EXPECT_EQ(startsWith(candidate.reason, "limited by "), i == 0);
    EXPECT_EQ(candidate.layout.blockM, candidate.schedule.blockM());
  }
}

TEST(Explanation, AGivenScheduleBesideTheChoice) {
  Contraction contraction = product(4096, 4096, 4096);
  Schedule poor = tiles(16, 16, 8, 1);
  Result<Explanation> result = explain(contraction, target("sm_90"), poor, 2);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(result->isGiven);
  ASSERT_EQ(result->candidates.size(), 4u);
  EXPECT_EQ(result->candidates[0].schedule, poor);
  EXPECT_TRUE(
      startsWith(result->candidates[0].reason, "limited by shared, at "))
      << result->candidates[0].reason;
  EXPECT_NE(result->candidates[1].reason.find(
                " times as long as the given schedule, limited by "),
            std::string::npos)
      << result->candidates[1].reason;
}

// The given schedule is the chosen one: it is not listed twice.
TEST(Explanation, TheChoiceIsGiven) {
  Contraction contraction = product(640, 512, 256);
  Result<Schedule> schedule = searchSchedule(contraction, target("sm_90"));
  ASSERT_TRUE(schedule);
  Result<Explanation> result =
      explain(contraction, target("sm_90"), *schedule, 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->candidates.size(), 1u);
  EXPECT_TRUE(startsWith(result->candidates[0].reason, "limited by "));
}

/// The reasons why schedules lose against one that is faster.
std::string reasonOf(const Contraction &contraction, const Target &chip) {
  Result<Explanation> result = explain(contraction, chip, 12);
  if (!result)
    return result.error();
  std::string reasons;
  for (const ExplainedCandidate &candidate : result->candidates)
    reasons += candidate.reason + "\n";
  return reasons;
}

TEST(Explanation, ReasonsNameLevelsAndWaits) {
  // Few blocks, so that some shapes leave the chip empty.
  std::string small = reasonOf(product(256, 256, 4096), target("sm_90"));
  EXPECT_NE(small.find("blocks leave places for"), std::string::npos) << small;
  // Bound by the pipe: smaller register tiles need more wavefronts.
  std::string large =
      reasonOf(product(3072, 3072, 4096, ElementType::F32), target("sm_90"));
  EXPECT_NE(large.find("times the wavefronts"), std::string::npos) << large;
}

// A judge's order stands before the model's, and its times are reported.
TEST(Explanation, AJudgesChoice) {
  Contraction contraction = product(1000, 900, 800);
  SearchOptions options;
  options.runnersUp = 2;
  options.distinguishesRegisterTiles = true;
  Result<SearchResult> found = search(contraction, target("sm_90"), options);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->candidates.size(), 3u);
  JudgedSchedules judged{"the clock",
                         {found->candidates[2].schedule,
                          found->candidates[0].schedule,
                          found->candidates[1].schedule},
                         {2e-6, 4e-6, std::nullopt}};
  Result<Explanation> result = explain(contraction, target("sm_90"), judged, 3);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->judge, "the clock");
  ASSERT_EQ(result->candidates.size(), 4u);
  EXPECT_FALSE(result->isGiven);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result->candidates[i].schedule, judged.schedules[i]);
    EXPECT_EQ(result->candidates[i].judgedSeconds, judged.seconds[i]);
  }
  EXPECT_TRUE(startsWith(result->candidates[0].reason, "limited by "));
  EXPECT_TRUE(startsWith(result->candidates[1].reason,
                         "2 times as long to the judge, "))
      << result->candidates[1].reason;
  EXPECT_TRUE(startsWith(result->candidates[2].reason, "not judged; "));
  EXPECT_FALSE(result->candidates[3].judgedSeconds);
}

TEST(Explanation, Errors) {
  Contraction contraction = product(64, 64, 64);
  Result<Explanation> result =
      explain(contraction, target("sm_90"), tiles(128, 64, 8, 4), 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "schedule: tile of index 'm' is 128, but its extent is 64");
}

} // namespace
