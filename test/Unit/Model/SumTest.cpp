//===- SumTest.cpp - Kernels that add contractions up -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Model/SumExchange.h"
#include "tc/Model/SumSearch.h"
#include "tc/Model/Target.h"

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

TEST(SumTest, EveryPlaceHasOneSum) {
  for (int64_t bits : {4, 5})
    for (int64_t elements : {1, 16, 60, 1728, 8192}) {
      std::set<int64_t> places;
      for (int64_t place = 0; place < elements; ++place)
        places.insert(exchangePlace(place, bits));
      EXPECT_EQ(static_cast<int64_t>(places.size()), elements);
      // In as many bytes as the tile has, in full rows of banks.
      EXPECT_LT(*places.rbegin(), (elements + 31) / 32 * 32);
    }
  EXPECT_EQ(bankBits(4), 5);
  EXPECT_EQ(bankBits(8), 4);
}

TEST(SumTest, NeighboursAlongAnyDimensionAreInOtherBanks) {
  // Sixteen sums that differ in one of the groups of four bits of their places.
  for (auto [step, begin] :
       {std::pair(1, 0), std::pair(1, 0x4d0), std::pair(16, 3),
        std::pair(16, 0xa0d), std::pair(256, 0), std::pair(256, 0x77)}) {
    std::set<int64_t> banks;
    for (int64_t i = 0; i < 16; ++i)
      banks.insert(exchangePlace(begin + i * step, 4) % 16);
    EXPECT_EQ(banks.size(), 16u) << step << " from " << begin;
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
  KernelLayout walking = layout;
  walking.mapping.stationary = Stationary::B;
  EXPECT_EQ(checkTerms(plain, layout, plain, walking).error(),
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
  // Where a kernel more costs more than it computes.
  Extents small = {{"m", 5}, {"n", 7}, {"k", 3}};
  std::vector<Contraction> terms = {contract("mk", "kn", "mn", small),
                                    contract("nk", "km", "mn", small)};
  terms[1].readsC = true;
  Result<SumSearchResult> result = searchSum(terms, target("sm_90"));
  ASSERT_TRUE(result) << result.error();
  EXPECT_LT(result->seconds, result->separateSeconds);
}

TEST(SumTest, BatchIndicesHaveTilesOfOne) {
  Extents extents = {{"b", 9}, {"m", 8}, {"n", 8}, {"k", 6}};
  // The batch of the first term is an M of the second.
  std::vector<Contraction> terms = {contract("bmk", "bkn", "bmn", extents),
                                    contract("bmk", "kn", "bmn", extents)};
  Result<SumSearchResult> result = searchSum(terms, target("sm_90"));
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->terms[1].m.front().label, "b");
  EXPECT_EQ(result->terms[1].m.front().extent, 1);
}
