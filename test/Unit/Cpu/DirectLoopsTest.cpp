//===- DirectLoopsTest.cpp - Loops without panels -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuMovement.h"
#include "tc/Cpu/CpuStrategy.h"

#include "TestCpu.h"

#include "Problem/TestContractions.h"

#include <map>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

/// A product of a matrix and a vector, with vectors along the summed index.
static Contraction matrixVector() {
  return contract("ij", "j", "i", {{"i", 30}, {"j", 21}});
}

static CpuSchedule directSchedule() {
  CpuSchedule schedule;
  schedule.target = "x";
  schedule.strategy = Strategy::Direct;
  schedule.loops = {"i", "j"};
  schedule.vectorIndex = "j";
  schedule.columnIndex = "i";
  schedule.registerRows = 8;
  schedule.registerColumns = 4;
  schedule.lanes = 4;
  return schedule;
}

static std::string errorOf(const CpuSchedule &schedule,
                           const Contraction &contraction = matrixVector()) {
  Result<CpuLayout> layout = layOut(contraction, schedule);
  return layout ? "none" : layout.error();
}

TEST(DirectLoops, Layout) {
  Contraction contraction = matrixVector();
  Result<CpuLayout> layout = layOut(contraction, directSchedule());
  ASSERT_TRUE(bool(layout)) << layout.error();
  ASSERT_TRUE(layout->direct);
  EXPECT_TRUE(layout->direct->sumsVectors);
  ASSERT_EQ(layout->direct->outputs.size(), 1u);
  ASSERT_EQ(layout->direct->summed.size(), 1u);
  EXPECT_EQ(layout->direct->columnPlace, 0u);
  EXPECT_EQ(layout->direct->outputs[0].blocks(), 8);
  EXPECT_EQ(layout->direct->outputs[0].lastTile(), 2);
  EXPECT_EQ(layout->direct->vector().blocks(), 3);
  EXPECT_EQ(layout->panelBytes(contraction), 0);
}

TEST(DirectLoops, ThreadsShareTheOutermostLoops) {
  Contraction contraction =
      contract("aij", "ajk", "aik", {{"a", 3}, {"i", 40}, {"j", 7}, {"k", 9}});
  CpuSchedule schedule = directSchedule();
  schedule.loops = {"a", "i", "k", "j"};
  schedule.vectorIndex = "k";
  schedule.threads.batch = 2;
  Result<CpuLayout> layout = layOut(contraction, schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->threads, 2);
  // Three trips are too few for equal shares, 3 x 10 are not.
  EXPECT_EQ(layout->direct->sharedOut, 2u);
}

TEST(DirectLoops, Errors) {
  EXPECT_EQ(errorOf(directSchedule()), "none");
  CpuSchedule schedule = directSchedule();
  schedule.loops = {"i", "x"};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'loops' names 'x', which is no index");
  schedule.loops = {"i", "i"};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'loops' names index 'i' twice");
  schedule.loops = {"j", "i"};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'loops' names 'i', an index of "
                               "C, inside of a summed one");
  schedule.loops = {"j"};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'loops' does not name index 'i'");
  schedule = directSchedule();
  schedule.vectorIndex = "k";
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'vector' must be one of 'loops', but is 'k'");
  schedule = directSchedule();
  schedule.columnIndex = "j";
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'columns' must be an index of C "
                               "other than 'vector', but is 'j'");
  schedule.columnIndex = "";
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'columns' must be one of 'loops', but is ''");
  schedule = directSchedule();
  schedule.m = {{"i", 4}};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: strategy = direct has no blocks "
                               "but one along a summed index, in 'k'");
  schedule = directSchedule();
  schedule.k = {{"j", 4}};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'k' must have a block of 1 to 21 "
                               "of 'j', a summed index other than 'vector', "
                               "but has 4");
  schedule.k = {{"x", 4}};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'k' names 'x', which is none of 'loops'");
  schedule = directSchedule();
  schedule.transpose[Tensor::A] = {"j", "i"};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'transpose' needs strategy = ttgt");
  schedule = directSchedule();
  schedule.stream = true;
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: strategy = direct stores through the cache");
  schedule = directSchedule();
  schedule.registerRows = 6;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: the rows of the register tile, "
                               "6, must be a multiple of 'lanes', 4");
  schedule = directSchedule();
  schedule.threads.m = 2;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: with strategy = direct, "
                               "'threads' shares all loops over C out as "
                               "'batch'");
  schedule.threads = {9, 1, 1};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'threads' shares the loops over "
                               "C out in 9 ways, but they make 8 trips");
  Contraction contraction = matrixVector();
  contraction.hasPrologue[Tensor::B] = true;
  EXPECT_EQ(errorOf(directSchedule(), contraction),
            "cpu_schedule: strategy = direct has no prologue");
  Contraction threeIndices =
      contract("ijk", "jk", "i", {{"i", 30}, {"j", 21}, {"k", 5}});
  schedule = directSchedule();
  schedule.loops = {"i", "j", "k"};
  EXPECT_EQ(errorOf(schedule, threeIndices),
            "cpu_schedule: 'loops' must end with 'j', as vectors are summed "
            "along it");
  schedule = directSchedule();
  schedule.strategy = Strategy::GETT;
  schedule.loops.clear();
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'vector' and 'columns' need strategy = direct");
}

/// A contraction of tensors with an extent of 500 along each index.
static Contraction contractEqual(const std::string &a, const std::string &b,
                                 const std::string &c) {
  std::map<std::string, int64_t> extents;
  for (char label : a + b)
    extents[std::string(1, label)] = 500;
  return contract(a, b, c, {extents.begin(), extents.end()});
}

/// Returns the model's choice.
static StrategyChoice choose(const Contraction &contraction) {
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(contraction, testCpu());
  EXPECT_TRUE(bool(choices)) << choices.error();
  return choices ? fastestStrategy(*choices) : StrategyChoice();
}

TEST(DirectLoops, AreForWhatIsUsedAFewTimes) {
  struct {
    const char *a, *b, *c;
    Strategy expected;
  } cases[] = {{"ij", "j", "i", Strategy::Direct},
               {"ji", "j", "i", Strategy::Direct},
               {"bj", "bj", "b", Strategy::Direct},
               {"jb", "jb", "b", Strategy::Direct},
               {"ij", "jk", "ik", Strategy::GETT}};
  for (const auto &[a, b, c, expected] : cases)
    EXPECT_EQ(choose(contractEqual(a, b, c)).strategy, expected)
        << a << ' ' << b;
}

TEST(DirectLoops, HaveToGain) {
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(contractEqual("ij", "jk", "ik"), testCpu());
  ASSERT_TRUE(bool(choices)) << choices.error();
  StrategyChoice &direct = choices->back();
  ASSERT_EQ(direct.strategy, Strategy::Direct);
  direct.oneThreadSeconds = choices->front().oneThreadSeconds / 1.04;
  EXPECT_EQ(fastestStrategy(*choices).strategy, Strategy::GETT);
  direct.oneThreadSeconds = choices->front().oneThreadSeconds / 1.06;
  EXPECT_EQ(&fastestStrategy(*choices), &direct);
}

TEST(DirectLoops, TilesThatDoNotFollowOneAnotherReadMoreLines) {
  // The other input's elements along j lie side by side, but are 500 rows of k
  // apart in time.
  auto secondsOf = [](std::vector<std::string> loops) {
    CpuSchedule schedule = directSchedule();
    schedule.loops = std::move(loops);
    schedule.vectorIndex = "i";
    schedule.columnIndex = "";
    schedule.registerColumns = 1;
    Result<CpuTime> time = predictTime(
        contract("kji", "kj", "i", {{"i", 8}, {"j", 500}, {"k", 500}}),
        schedule, testCpu());
    EXPECT_TRUE(bool(time)) << time.error();
    return time ? time->total() : 0;
  };
  EXPECT_GT(secondsOf({"i", "j", "k"}), 2 * secondsOf({"i", "k", "j"}));
}

TEST(DirectLoops, TilesWhoseLinesShareOneSetDoNotStay) {
  // The sixteen lines of a vector's elements in C, of which the next tile along
  // j takes the next elements, are a multiple of the bytes of a way apart.
  auto secondsOf = [](int64_t j) {
    CpuSchedule schedule = directSchedule();
    schedule.loops = {"i", "j", "k"};
    schedule.vectorIndex = "i";
    schedule.columnIndex = "";
    schedule.registerRows = 16;
    schedule.registerColumns = 1;
    Result<CpuTime> time = predictTime(
        contract("ki", "kj", "ij", {{"i", 512}, {"j", j}, {"k", 2}}), schedule,
        testCpu());
    EXPECT_TRUE(bool(time)) << time.error();
    return time ? time->total() / static_cast<double>(j) : 0;
  };
  EXPECT_GT(secondsOf(512), 1.5 * secondsOf(520));
}

TEST(DirectLoops, VectorsLieAlongAnIndexOfStrideOne) {
  auto vectorOf = [](const char *a, const char *b, const char *c) {
    return choose(contractEqual(a, b, c)).schedule.vectorIndex;
  };
  EXPECT_EQ(vectorOf("ij", "j", "i"), "j");
  EXPECT_EQ(vectorOf("ji", "j", "i"), "i");
  EXPECT_EQ(vectorOf("bj", "bj", "b"), "j");
  EXPECT_EQ(vectorOf("jb", "jb", "b"), "b");
}

TEST(DirectLoops, MayBringTheNumbersOfASmallMatrixTogether) {
  // An operator of spectral elements, along the fastest index: vectors lie
  // along the rows of the small matrix, whose stride is not one.
  StrategyChoice choice =
      choose(contract("ab", "cb", "ac", {{"a", 2000}, {"b", 10}, {"c", 12}}));
  EXPECT_EQ(choice.strategy, Strategy::Direct);
  EXPECT_EQ(choice.schedule.vectorIndex, "c");
  // Of large ones, each number is brought together too often.
  EXPECT_EQ(choose(contractEqual("ab", "cb", "ac")).strategy, Strategy::GETT);
}

TEST(DirectLoops, BlocksOfSummedValuesLetVectorsRunAlongMemory) {
  Contraction contraction =
      contract("ji", "j", "i", {{"i", 4000}, {"j", 4000}});
  StrategyChoice choice = choose(contraction);
  ASSERT_EQ(choice.strategy, Strategy::Direct);
  EXPECT_EQ(choice.schedule.vectorIndex, "i");
  ASSERT_EQ(choice.schedule.k.size(), 1u);
  EXPECT_EQ(choice.schedule.k.front().label, "j");
  // Sums in a narrower type cannot wait in C.
  contraction.needsWholeSums = true;
  EXPECT_TRUE(choose(contraction).schedule.k.empty());
}

TEST(DirectLoops, MoveEachByteOnceWhereNothingIsUsedAgain) {
  Contraction contraction =
      contract("bj", "bj", "b", {{"b", 100000}, {"j", 64}});
  Result<std::vector<CpuLevelUse>> uses =
      levelUses(contraction, choose(contraction).schedule, testCpu());
  ASSERT_TRUE(bool(uses)) << uses.error();
  for (const CpuLevelUse &use : *uses)
    for (Tensor tensor : {Tensor::A, Tensor::B})
      EXPECT_EQ(use.moved[tensor], 100000.0 * 64 * 8) << use.name;
}
