//===- SumTest.cpp - Kernels that add contractions up -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/SumExchange.h"
#include "tc/Gpu/Search/SumSearch.h"
#include "tc/Machine/Target.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

/// A kernel of a product of 8 x 6 and 6 x 8 in tiles of 4 x 4.
static KernelLayout layoutOf(const Contraction &contraction, int64_t registerM,
                             int64_t registerN) {
  Schedule schedule;
  schedule.target = "sm_90";
  for (const Index &index : contraction.indices)
    (index.role == Role::M   ? schedule.m
     : index.role == Role::N ? schedule.n
                             : schedule.k)
        .push_back({index.label, index.role == Role::K ? 6 : 4});
  schedule.registerM = registerM;
  schedule.registerN = registerN;
  Result<KernelLayout> layout = layOut(contraction, schedule, target("sm_90"));
  EXPECT_TRUE(layout) << layout.error();
  return *layout;
}

static const Extents extents = {{"m", 8}, {"n", 8}, {"k", 6}};

/// Checks that each sum has a place of its own, in as many bytes as they have.
static void expectPlaces(const SumPlaces &places, int64_t sums) {
  std::set<int64_t> seen;
  for (int64_t place = 0; place < sums; ++place)
    seen.insert(places(place));
  EXPECT_EQ(static_cast<int64_t>(seen.size()), sums);
  EXPECT_LT(*seen.rbegin(), (sums + 31) / 32 * 32);
}

TEST(SumTest, EveryPlaceHasOneSum) {
  Contraction plain = contract("mk", "kn", "mn", extents);
  KernelLayout a = layoutOf(plain, 2, 2), b = layoutOf(plain, 4, 1);
  expectPlaces(placeSums(a, b, 8), 16);
  // Of tiles that are no powers of two, all bits flip some of the bank.
  a.m[0].tile = a.blockM = 12;
  a.n[0].tile = a.blockN = 100;
  SumPlaces places = placeSums(a, a, 4);
  EXPECT_EQ(places.bits, 5);
  expectPlaces(places, 1200);
  EXPECT_EQ(places(0b100001), 0b100000);
}

TEST(SumTest, LanesAreInBanksOfTheirOwn) {
  // Tiles of 4^6 in three partitions, whose lanes lie along other indices.
  Extents all;
  for (char label : std::string("abcdefk"))
    all.emplace_back(std::string(1, label), 16);
  std::vector<KernelLayout> layouts;
  for (auto [a, b] : {std::pair("abck", "kdef"), std::pair("adek", "kbcf"),
                      std::pair("kbdf", "acek"), std::pair("fedk", "kcba")}) {
    Contraction contraction = contract(a, b, "abcdef", all);
    contraction.isTerm = true;
    for (Instruction instruction :
         {Instruction::FMA, Instruction::MmaM16N8K8}) {
      Schedule schedule;
      for (const Index &index : contraction.indices)
        (index.role == Role::M   ? schedule.m
         : index.role == Role::N ? schedule.n
                                 : schedule.k)
            .push_back({index.label, index.role == Role::K ? 8 : 4});
      schedule.registerM = schedule.registerN = 4;
      schedule.instruction = instruction;
      Result<KernelLayout> layout =
          layOut(contraction, schedule, target("sm_90"));
      ASSERT_TRUE(layout) << layout.error();
      layouts.push_back(*layout);
    }
  }
  for (const KernelLayout &from : layouts)
    for (const KernelLayout &to : layouts) {
      SumPlaces places = placeSums(from, to, 8);
      expectPlaces(places, 4096);
      for (const KernelLayout *layout : {&from, &to})
        for (int64_t first = 0; first < layout->threads; first += 16) {
          std::set<int64_t> banks;
          for (int64_t lane = first; lane < first + 16; ++lane)
            banks.insert(places(firstPlace(*layout, lane)) % 16);
          EXPECT_EQ(banks.size(), 16u);
        }
    }
}

TEST(SumTest, ComparesWhatThreadsHold) {
  Contraction plain = contract("mk", "kn", "mn", extents);
  Contraction turned = contract("kn", "mk", "mn", extents);
  KernelLayout layout = layoutOf(plain, 2, 2);
  EXPECT_EQ(compareSums(layout, layout), SumOrder::Same);
  EXPECT_EQ(compareSums(layout, layoutOf(turned, 2, 2)), SumOrder::Transposed);
  EXPECT_EQ(compareSums(layout, layoutOf(plain, 4, 1)), SumOrder::Other);
  EXPECT_EQ(compareSums(layout, layoutOf(turned, 4, 1)), SumOrder::Other);
}

TEST(SumTest, TermsAreOrderedByWhatThreadsHold) {
  Contraction plain = contract("mk", "kn", "mn", extents);
  KernelLayout a = layoutOf(plain, 2, 2), b = layoutOf(plain, 4, 1);
  using Order = std::vector<size_t>;
  EXPECT_EQ(orderTerms({&a}, {1}), (Order{0}));
  EXPECT_EQ(orderTerms({&a, &b, &a}, {1, 1, 1}), (Order{1, 0, 2}));
  EXPECT_EQ(orderTerms({&a, &b, &a, &b}, {1, 1, 1, 1}), (Order{0, 2, 1, 3}));
  // Equal factors meet.
  EXPECT_EQ(orderTerms({&a, &a, &a, &a}, {1, -1, 1, -1}), (Order{0, 2, 1, 3}));
}

TEST(SumTest, ChecksTerms) {
  Contraction plain = contract("mk", "kn", "mn", extents);
  KernelLayout layout = layoutOf(plain, 2, 2);
  EXPECT_TRUE(checkTerms(plain, layout, plain, layoutOf(plain, 4, 1)));
  EXPECT_EQ(checkTerms(plain, layout, plain, layoutOf(plain, 2, 1)).error(),
            "a block has 4 threads for one term of the sum and 8 for another");
  Contraction vector = contract("mk", "k", "m", {{"m", 8}, {"k", 6}});
  EXPECT_EQ(checkTerms(plain, layout, vector, layoutOf(vector, 1, 1)).error(),
            "C has 2 indices in one term of the sum and 1 in another");
  KernelLayout persistent = layout;
  persistent.mapping.stationary = Stationary::B;
  EXPECT_EQ(checkTerms(plain, layout, plain, persistent).error(),
            "B is stationary, but sums of several terms stay in place");
  KernelLayout split = layout;
  split.mapping.splitK = 2;
  EXPECT_EQ(checkTerms(plain, split, plain, layout).error(),
            "K is split over 2 blocks, but sums of several terms must not be "
            "shared");
}

/// The doubles of CCSD(T), C[a..f] += A B: three of the indices of C are in A,
/// one of the first three and two of the others, or two and one.
static std::vector<Contraction> doubles(int64_t extent) {
  std::vector<Contraction> terms;
  Extents all;
  for (char label : std::string("abcdefk"))
    all.emplace_back(std::string(1, label), extent);
  for (int one = 0; one < 3; ++one)
    for (int other = 0; other < 3; ++other)
      for (bool isFirst : {true, false}) {
        std::string a = "k", b = "k";
        for (int i = 0; i < 3; ++i) {
          ((i == one) == isFirst ? a : b) += "abc"[i];
          ((i == other) == isFirst ? b : a) += "def"[i];
        }
        terms.push_back(contract(a, b, "abcdef", all));
        terms.back().readsC = terms.size() > 1;
      }
  return terms;
}

TEST(SumTest, DoublesOfCoupledClusterAreOneKernel) {
  for (const char *name : {"sm_75", "sm_80", "sm_90"}) {
    std::vector<Contraction> terms = doubles(16);
    ASSERT_EQ(terms.size(), 18u);
    Result<SumSearchResult> result = searchSum(terms, target(name));
    ASSERT_TRUE(result) << result.error();
    // C is stored once instead of eighteen times, which is of little account
    // where f64 is as slow as on sm_75.
    bool isSlow = std::string(name) == "sm_75";
    EXPECT_LT(result->seconds, result->separateSeconds / (isSlow ? 1 : 1.5))
        << name;
    ASSERT_EQ(result->terms.size(), terms.size());
    std::vector<KernelLayout> layouts;
    for (size_t i = 0; i < terms.size(); ++i) {
      terms[i].isTerm = true;
      Result<KernelLayout> layout =
          layOut(terms[i], result->terms[i], target(name));
      ASSERT_TRUE(layout) << layout.error();
      layouts.push_back(*layout);
      Status status = checkTerms(terms[0], layouts[0], terms[i], *layout);
      EXPECT_TRUE(status) << status.error();
      EXPECT_LE(exchangeBytes(*layout, ElementType::F64),
                target(name).multiprocessor.sharedBytesPerBlock);
    }
  }
}

TEST(SumTest, SmallSumsAreOneKernel) {
  // Here, one kernel more costs more than it computes.
  Extents small = {{"m", 5}, {"n", 7}, {"k", 3}};
  std::vector<Contraction> terms = {contract("mk", "kn", "mn", small),
                                    contract("nk", "km", "mn", small)};
  terms[1].readsC = true;
  Result<SumSearchResult> result = searchSum(terms, target("sm_90"));
  ASSERT_TRUE(result) << result.error();
  EXPECT_LT(result->seconds, result->separateSeconds);
}

TEST(SumTest, BatchIndicesHaveTilesOfOne) {
  Extents ofBatches = {{"b", 9}, {"m", 8}, {"n", 8}, {"k", 6}};
  // The batch of the first term is an M of the second.
  std::vector<Contraction> terms = {contract("bmk", "bkn", "bmn", ofBatches),
                                    contract("bmk", "kn", "bmn", ofBatches)};
  Result<SumSearchResult> result = searchSum(terms, target("sm_90"));
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->terms[1].m.front().label, "b");
  EXPECT_EQ(result->terms[1].m.front().extent, 1);
}

/// The transposed gradient of 10,000 spectral elements: three fields, each
/// differentiated along another axis.
static std::vector<Contraction> transposedGradient(int64_t points) {
  Extents ofElements = {
      {"e", 10000}, {"k", points}, {"j", points}, {"i", points}, {"l", points}};
  std::vector<Contraction> terms;
  for (auto [d, u] : {std::pair("li", "ekjl"), std::pair("lj", "ekli"),
                      std::pair("lk", "elji")}) {
    terms.push_back(contract(d, u, "ekji", ofElements));
    terms.back().readsC = true;
  }
  return terms;
}

TEST(SumTest, TransposedGradientsMoveFieldsAboutOnce) {
  for (const char *name : {"sm_80", "sm_90"})
    for (int64_t points = 4; points <= 15; ++points) {
      std::vector<Contraction> terms = transposedGradient(points);
      Result<SumSearchResult> result = searchSum(terms, target(name));
      ASSERT_TRUE(result) << result.error();
      EXPECT_LT(result->seconds, result->separateSeconds) << points;
      double sectors = 0, least = 0;
      for (size_t i = 0; i < terms.size(); ++i) {
        terms[i].isTerm = true;
        Result<KernelLayout> layout =
            layOut(terms[i], result->terms[i], target(name));
        ASSERT_TRUE(layout) << layout.error();
        Traffic moved = countTraffic(terms[i], *layout, target(name));
        Traffic compulsory = compulsoryTraffic(terms[i], target(name));
        // The small matrix stays in the L2 cache, and C is moved once.
        for (Tensor tensor : {Tensor::B, Tensor::C})
          if (tensor == Tensor::B || i == 0) {
            sectors += moved.sectors[tensor];
            least += compulsory.sectors[tensor];
          }
      }
      EXPECT_LE(sectors / least, 1.01) << name << ", " << points;
    }
}
