//===- CpuStrategyTest.cpp - GETT, TTGT and loops over GEMM ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStrategy.h"

#include "TestCpu.h"

#include "Problem/Suites.h"
#include "Problem/TestContractions.h"

#include "tc/Problem/ComplexParts.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

using Labels = std::vector<std::string>;

/// The example of section 4: A and B are matrices, C is folded.
static Contraction folded() {
  return contract("kca", "kb", "cba",
                  {{"a", 8}, {"b", 40}, {"c", 12}, {"k", 32}});
}

static std::vector<StrategyChoice>
consider(const Contraction &contraction,
         std::optional<int64_t> limit = std::nullopt) {
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(contraction, testCpu(), limit);
  EXPECT_TRUE(bool(choices)) << choices.error();
  return choices ? *choices : std::vector<StrategyChoice>(3);
}

TEST(CpuStrategy, Names) {
  for (Strategy strategy : allStrategies)
    EXPECT_EQ(symbolizeStrategy(stringify(strategy)), strategy);
  EXPECT_EQ(symbolizeStrategy("auto"), std::nullopt);
}

TEST(CpuStrategy, CopiesWhatIsNoMatrix) {
  PerTensor<Labels> lists = chooseTranspositions(folded());
  EXPECT_TRUE(lists[Tensor::A].empty());
  EXPECT_TRUE(lists[Tensor::B].empty());
  // a and c are neighbours as in A, and a, of stride one in C, keeps it.
  EXPECT_EQ(lists[Tensor::C], (Labels{"b", "c", "a"}));
}

TEST(CpuStrategy, CopiesNothingOfMatrices) {
  // All eight layouts of a matrix product.
  for (const char *a : {"mk", "km"})
    for (const char *b : {"kn", "nk"})
      for (const char *c : {"mn", "nm"}) {
        PerTensor<Labels> lists = chooseTranspositions(
            contract(a, b, c, {{"m", 8}, {"n", 12}, {"k", 16}}));
        for (Tensor tensor : allTensors)
          EXPECT_TRUE(lists[tensor].empty()) << a << b << c;
      }
}

TEST(CpuStrategy, CopiesTheSmallerTensors) {
  // m's two indices come in another order in A than in C.
  Extents extents = {{"a", 8}, {"b", 40}, {"n", 2}, {"k", 32}};
  PerTensor<Labels> lists =
      chooseTranspositions(contract("kab", "kn", "nba", extents));
  EXPECT_TRUE(lists[Tensor::A].empty());
  EXPECT_EQ(lists[Tensor::C], (Labels{"a", "b", "n"}));
  extents = {{"a", 8}, {"b", 40}, {"n", 32}, {"k", 2}};
  lists = chooseTranspositions(contract("kab", "kn", "nba", extents));
  EXPECT_EQ(lists[Tensor::A], (Labels{"k", "b", "a"}));
  EXPECT_TRUE(lists[Tensor::C].empty());
}

TEST(CpuStrategy, CopiesSidesWithoutStrideOne) {
  // The batch index has stride one in A, so no matrix has.
  PerTensor<Labels> lists = chooseTranspositions(contract(
      "mkz", "zkn", "zmn", {{"m", 8}, {"n", 12}, {"k", 16}, {"z", 3}}));
  EXPECT_EQ(lists[Tensor::A], (Labels{"z", "k", "m"}));
  EXPECT_TRUE(lists[Tensor::B].empty());
  EXPECT_TRUE(lists[Tensor::C].empty());
}

TEST(CpuStrategy, ProductMergesIndices) {
  CpuSchedule schedule;
  schedule.strategy = Strategy::TTGT;
  schedule.transpose[Tensor::C] = {"b", "c", "a"};
  Result<Contraction> product = productOf(folded(), schedule);
  ASSERT_TRUE(bool(product)) << product.error();
  ASSERT_EQ(product->indices.size(), 3u);
  std::optional<unsigned> merged = product->find("ca");
  ASSERT_TRUE(merged);
  const Index &index = product->indices[*merged];
  EXPECT_EQ(index.extent, 96);
  EXPECT_EQ(index.role, Role::M);
  EXPECT_EQ(index.stride[Tensor::A], 1);
  EXPECT_EQ(index.stride[Tensor::B], 0);
  EXPECT_EQ(index.stride[Tensor::C], 1);
  EXPECT_EQ(product->indices[*product->find("b")].stride[Tensor::C], 96);
  EXPECT_EQ(workspaceBytes(folded(), schedule), 8 * 40 * 12 * 8);
}

TEST(CpuStrategy, MergedLabelsAreNew) {
  PerTensor<Labels> lists;
  lists[Tensor::A] = {"k", "c", "a"};
  lists[Tensor::B] = {"k", "ca"};
  lists[Tensor::C] = {"ca", "c", "a"};
  Result<Contraction> contraction = makeContiguous(
      lists, {{"a", 2}, {"c", 3}, {"ca", 5}, {"k", 7}}, ElementType::F64);
  ASSERT_TRUE(bool(contraction));
  CpuSchedule schedule;
  schedule.strategy = Strategy::TTGT;
  Result<Contraction> product = productOf(*contraction, schedule);
  ASSERT_TRUE(bool(product)) << product.error();
  EXPECT_TRUE(product->find("ca_"));
  EXPECT_TRUE(product->find("ca"));
}

TEST(CpuStrategy, Workspace) {
  CpuSchedule schedule;
  schedule.strategy = Strategy::TTGT;
  schedule.transpose[Tensor::C] = {"b", "c", "a"};
  EXPECT_TRUE(bool(checkWorkspace(folded(), schedule, std::nullopt)));
  EXPECT_TRUE(bool(checkWorkspace(folded(), schedule, 30720)));
  Status status = checkWorkspace(folded(), schedule, 30719);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error(), "transposed copies take 30720 B, more than the "
                            "limit of 30719 B");
}

TEST(CpuStrategy, LoopsKeepIndicesOfStrideOne) {
  Result<std::vector<Labels>> lists = enumerateLoops(folded());
  ASSERT_TRUE(bool(lists)) << lists.error();
  // a and b have stride one; of M only a may be in the product.
  EXPECT_EQ(*lists, (std::vector<Labels>{{"c"}}));
}

TEST(CpuStrategy, LoopsTryAllOtherIndices) {
  // k may be j or l; loops that sum are innermost.
  Result<std::vector<Labels>> lists = enumerateLoops(
      contract("jlim", "jln", "imn",
               {{"i", 2}, {"m", 8}, {"n", 8}, {"j", 3}, {"l", 5}}));
  ASSERT_TRUE(bool(lists)) << lists.error();
  EXPECT_EQ(*lists, (std::vector<Labels>{{"i", "l"}, {"i", "j"}}));
}

TEST(CpuStrategy, ConsidersTheSuite) {
  for (ElementType type : {ElementType::F32, ElementType::F64}) {
    unsigned withLoops = 0;
    for (const SuiteCase &problem : tccgSuite(type)) {
      std::vector<StrategyChoice> choices = consider(problem.contraction);
      ASSERT_EQ(choices.size(), allStrategies.size() - 1);
      for (const StrategyChoice &choice : choices) {
        if (!choice.unavailable.empty())
          continue;
        Result<CpuLayout> layout = layOut(problem.contraction, choice.schedule);
        ASSERT_TRUE(bool(layout)) << problem.name << layout.error();
        EXPECT_EQ(choice.schedule.strategy, choice.strategy);
        // No strategy is faster than the multiplications.
        double least = problem.contraction.fusedMultiplyAdds() /
                       testCpu().productsPerCycle(problem.contraction) /
                       testCpu().clockHertz;
        EXPECT_GT(choice.time.total(), least) << problem.name;
        EXPECT_EQ(choice.time.transpose > 0, choice.workspaceBytes > 0);
        EXPECT_LE(fastestStrategy(choices).time.total(),
                  choice.time.total() *
                      (choice.strategy == Strategy::Direct ? 1.2 : 1.05));
      }
      EXPECT_TRUE(choices[1].unavailable.empty()) << problem.name;
      // Copies are matrices: one M, one N and one K index.
      Result<Contraction> product =
          productOf(problem.contraction, choices[1].schedule);
      ASSERT_TRUE(bool(product)) << product.error();
      EXPECT_EQ(product->indices.size(), 3u) << problem.name;
      withLoops += choices[2].unavailable.empty();
    }
    EXPECT_EQ(withLoops, 33u);
  }
}

TEST(CpuStrategy, RandomContractions) {
  std::mt19937 random(20161113);
  for (int i = 0; i < 300; ++i) {
    Contraction contraction = randomContraction(random);
    for (Tensor tensor : allTensors)
      contraction.elementType[tensor] = ElementType::F64;
    for (const StrategyChoice &choice : consider(contraction))
      if (choice.unavailable.empty())
        EXPECT_GT(choice.time.total(), 0) << i;
  }
}

TEST(CpuStrategy, LimitRulesOutCopies) {
  std::vector<StrategyChoice> choices = consider(folded(), 1000);
  EXPECT_EQ(choices[1].unavailable, "transposed copies take 30720 B, more than "
                                    "the limit of 1000 B");
  EXPECT_NE(fastestStrategy(choices).strategy, Strategy::TTGT);
}

TEST(CpuStrategy, PrefersGETTAmongEqual) {
  // A matrix product is the same by any strategy.
  std::vector<StrategyChoice> choices = consider(
      contract("mk", "kn", "mn", {{"m", 800}, {"n", 600}, {"k", 700}}));
  EXPECT_EQ(choices[0].time.total(), choices[1].time.total());
  EXPECT_EQ(fastestStrategy(choices).strategy, Strategy::GETT);
  // Nor is a small gain enough.
  choices[2].oneThreadSeconds = choices[0].oneThreadSeconds * 0.97;
  EXPECT_EQ(fastestStrategy(choices).strategy, Strategy::GETT);
  choices[2].oneThreadSeconds = choices[0].oneThreadSeconds * 0.9;
  EXPECT_EQ(fastestStrategy(choices).strategy, Strategy::LoG);
}

/// The choices for a product of square matrices of complex numbers that may be
/// multiplied by three real products.
static std::vector<StrategyChoice> considerForms(int64_t extent) {
  Result<Contraction> complex = makeContiguous(
      {{labels("mk"), labels("kn"), labels("mn")}},
      {{"m", extent}, {"n", extent}, {"k", extent}}, ElementType::C64);
  std::vector<Contraction> forms = {joinParts(toRealParts(*complex)),
                                    toThreeProducts(*complex)};
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(forms, testCpu());
  EXPECT_TRUE(bool(choices)) << choices.error();
  return choices ? *choices : std::vector<StrategyChoice>(4);
}

TEST(CpuStrategy, ThreeProductsOfLargeMatrices) {
  std::vector<StrategyChoice> choices = considerForms(1024);
  ASSERT_EQ(choices.size(), allStrategies.size());
  EXPECT_EQ(choices.front().name(), "gett");
  EXPECT_EQ(choices[1].unavailable, "complex numbers need strategy gett");
  const StrategyChoice &three = choices.back();
  EXPECT_EQ(three.name(), "gett-3m");
  ASSERT_FALSE(three.schedule.k.empty());
  EXPECT_EQ(three.schedule.k.front().label, "re_im_3m");
  EXPECT_EQ(three.schedule.k.front().extent, 3);
  // A quarter of the multiplications is saved, and some of that lost again.
  EXPECT_LT(three.time.multiply, 0.8 * choices.front().time.multiply);
  EXPECT_GT(three.time.output, choices.front().time.output);
  EXPECT_EQ(&fastestStrategy(choices), &three);
  EXPECT_EQ(&fastestStrategy(choices, Strategy::GETT), &three);
  EXPECT_EQ(&fastestStrategy(choices, Strategy::LoG), &choices[2]);
  // The time of several threads does not count, or results would depend on
  // their number.
  choices.front().time = CpuTime();
  EXPECT_EQ(&fastestStrategy(choices), &three);
}

TEST(CpuStrategy, FourProductsOfSmallMatrices) {
  std::vector<StrategyChoice> choices = considerForms(4);
  EXPECT_EQ(&fastestStrategy(choices), &choices.front());
}

TEST(CpuStrategy, TheLibraryIsCalledWhereElementsAreReadOnce) {
  Result<Contraction> dot = makeContiguous({{labels("i"), labels("i"), {}}},
                                           {{"i", 1000003}}, ElementType::C64);
  StrategyChoice library = considerLibrary(*dot, testCpu(), 4);
  EXPECT_EQ(library.unavailable, "");
  EXPECT_EQ(library.objection, "");
  EXPECT_EQ(library.name(), "library");
  EXPECT_GE(library.oneThreadSeconds, library.time.total());
  Contraction form = joinParts(toRealParts(*dot));
  Result<CpuLayout> layout = layOut(form, library.schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_TRUE(layout->callsLibrary);
  EXPECT_EQ(layout->threads, library.schedule.threads.count());
  EXPECT_EQ(layout->panelBytes(form), 0);
  // The time is this machine's, the others are those of the tests' CPU.
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(form, testCpu());
  ASSERT_TRUE(bool(choices)) << choices.error();
  library.oneThreadSeconds = 1e-9;
  choices->push_back(library);
  EXPECT_EQ(&fastestStrategy(*choices), &choices->back());
  choices->back().objection = "who calls it has not got it";
  EXPECT_EQ(&fastestStrategy(*choices), &choices->front());
  EXPECT_EQ(&fastestStrategy(*choices, Strategy::Library), &choices->back());
}

TEST(CpuStrategy, LoopsThatGatherAreDoubted) {
  // B's elements are far apart along j, and A's along i.
  Contraction product = contract("ij", "ji", "", {{"i", 1000}, {"j", 1000}});
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(product, testCpu());
  ASSERT_TRUE(bool(choices)) << choices.error();
  choices->push_back(considerLibrary(product, testCpu(), 1));
  StrategyChoice &direct = (*choices)[3];
  ASSERT_EQ(direct.name(), "direct");
  EXPECT_TRUE(direct.gathers);
  direct.oneThreadSeconds = 1e-9;
  choices->back().oneThreadSeconds = 1.9e-9;
  EXPECT_EQ(fastestStrategy(*choices).name(), "library");
  choices->back().oneThreadSeconds = 2.1e-9;
  EXPECT_EQ(fastestStrategy(*choices).name(), "direct");
  direct.gathers = false;
  choices->back().oneThreadSeconds = 1.1e-9;
  EXPECT_EQ(fastestStrategy(*choices).name(), "direct");
  EXPECT_FALSE(consider(contract("ij", "ij", "", {{"i", 1000}, {"j", 1000}}))[3]
                   .gathers);
}

TEST(CpuStrategy, TheLibraryIsNotCalledForPanels) {
  Contraction product =
      contract("ij", "jk", "ik", {{"i", 300}, {"j", 300}, {"k", 300}});
  StrategyChoice library = considerLibrary(product, testCpu(), 1);
  EXPECT_EQ(library.unavailable, "");
  EXPECT_EQ(library.objection, "it would pack panels, too");
  EXPECT_EQ(considerLibrary(product, testCpu(), 1, "first").objection, "first");
}

TEST(CpuStrategy, TheLibraryComputesSumsOfProducts) {
  Contraction product = contract("i", "i", "", {{"i", 300}});
  CpuSchedule schedule = considerLibrary(product, testCpu(), 1).schedule;
  product.hasEpilogue = true;
  EXPECT_NE(considerLibrary(product, testCpu(), 1).unavailable, "");
  EXPECT_EQ(layOut(product, schedule).error(),
            "cpu_schedule: strategy = library has no epilogue");
  product.hasEpilogue = false;
  product.semiring = Semiring::MinPlus;
  EXPECT_NE(considerLibrary(product, testCpu(), 1).unavailable, "");
  EXPECT_EQ(layOut(product, schedule).error(),
            "cpu_schedule: strategy = library has no semiring min_plus");
  EXPECT_EQ(considerLibrary(Error{"none"}, testCpu(), 1).unavailable, "none");
}
