//===- TrafficTest.cpp - Tests of the count of global traffic -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed forms, a worked example of Kim et al., CGO 2019, and an enumeration of
// every element of every tile of random contractions.
//
//===----------------------------------------------------------------------===//

#include "Gpu/Layout/TestSchedules.h"
#include "RandomCases.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Hierarchy/TileGranules.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

Traffic count(const Contraction &contraction, const Schedule &schedule) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target("sm_90"));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return {};
  }
  return countTraffic(contraction, *layout, target("sm_90"));
}

/// Visits every tile that `dims` cut a tensor into and collects the sectors of
/// its elements.
double enumerateSectors(const Contraction &contraction, Tensor tensor,
                        const std::vector<TileDim> &dims) {
  int64_t perSector = 32 / byteWidth(contraction.elementType[tensor]);
  double total = 0;
  std::vector<int64_t> tile(dims.size(), 0);
  while (true) {
    // A floor that is right for negative numbers too.
    std::set<int64_t> sectors;
    std::vector<int64_t> start(dims.size()), end(dims.size()), at;
    for (size_t i = 0; i < dims.size(); ++i) {
      start[i] = tile[i] * dims[i].tile;
      end[i] = std::min(start[i] + dims[i].tile, dims[i].extent);
    }
    at = start;
    for (bool more = true; more;) {
      int64_t address = contraction.offset[tensor] + (int64_t(1) << 20);
      for (size_t i = 0; i < dims.size(); ++i)
        address += at[i] * contraction.indices[dims[i].index].stride[tensor];
      sectors.insert(address / perSector);
      more = false;
      for (size_t i = 0; i < dims.size() && !more; ++i) {
        more = ++at[i] < end[i];
        if (!more)
          at[i] = start[i];
      }
    }
    total += static_cast<double>(sectors.size());
    size_t i = 0;
    for (; i < dims.size(); ++i) {
      if (++tile[i] < dims[i].tiles())
        break;
      tile[i] = 0;
    }
    if (i == dims.size())
      return total;
  }
}

TEST(Traffic, MatrixProductInClosedForm) {
  // C[m, n] += A[m, k] B[k, n] with full, aligned tiles: A is read once per
  // column of blocks, B once per row of blocks.
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 256}, {"n", 512}, {"k", 64}});
  Schedule schedule{"sm_90", {{"m", 64}}, {{"n", 128}}, {{"k", 8}}, 8, 8};
  Traffic traffic = count(product, schedule);
  EXPECT_EQ(traffic.sectors[Tensor::A], 256 * 64 / 4 * (512 / 128));
  EXPECT_EQ(traffic.sectors[Tensor::B], 64 * 512 / 4 * (256 / 64));
  EXPECT_EQ(traffic.sectors[Tensor::C], 256 * 512 / 4);

  product.readsC = true;
  EXPECT_EQ(count(product, schedule).sectors[Tensor::C], 2 * 256 * 512 / 4);

  Traffic least = compulsoryTraffic(product, target("sm_90"));
  EXPECT_EQ(least.sectors[Tensor::A], 256 * 64 / 4);
  EXPECT_EQ(least.sectors[Tensor::C], 2 * 256 * 512 / 4);
}

TEST(Traffic, ShortRunsWasteSectors) {
  // With a K tile of one, each element of A costs a sector of its own.
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 64}});
  Schedule schedule{"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 1}}, 8, 8};
  EXPECT_EQ(count(product, schedule).sectors[Tensor::A], 64 * 64);
  schedule.k[0].extent = 2;
  EXPECT_EQ(count(product, schedule).sectors[Tensor::A], 64 * 32);
}

TEST(Traffic, MisalignedRowsTouchOneSectorMore) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 4}, {"n", 4}, {"k", 8}});
  Schedule schedule{"sm_90", {{"m", 4}}, {{"n", 4}}, {{"k", 4}}, 1, 1};
  EXPECT_EQ(count(product, schedule).sectors[Tensor::A], 8);
  product.offset[Tensor::A] = 1;
  EXPECT_EQ(count(product, schedule).sectors[Tensor::A], 16);
}

TEST(Traffic, RunsContinueAcrossWholeExtents) {
  // Tiles of whole extents make the tensor one run, though no row is a multiple
  // of a sector.
  Contraction product =
      contract("abk", "n", "abkn", {{"a", 3}, {"b", 5}, {"k", 7}, {"n", 2}});
  Schedule schedule{"sm_90", {{"a", 3}, {"b", 5}, {"k", 7}}, {{"n", 2}}, {}, 1,
                    1};
  EXPECT_EQ(count(product, schedule).sectors[Tensor::A], (3 * 5 * 7 + 3) / 4);
}

TEST(Traffic, RaggedTilesMoveOnlyWhatIsInBounds) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 20}, {"n", 8}, {"k", 8}});
  Schedule schedule{"sm_90", {{"m", 16}}, {{"n", 8}}, {{"k", 8}}, 2, 2};
  Traffic traffic = count(product, schedule);
  EXPECT_EQ(traffic.sectors[Tensor::A], 20 * 8 / 4);
  EXPECT_EQ(traffic.sectors[Tensor::B], 2 * 8 * 8 / 4);
  EXPECT_EQ(traffic.sectors[Tensor::C], 20 * 8 / 4);
}

// Equation 1 of Kim et al. with the tiles of section III-C, where all extents
// are 16 and a tile of A takes 16 of a, 1 of e, 4 of b and 16 of f, one of B 4
// of d, 16 of f, 4 of c and 1 of e. Its first index has stride one, so lists
// are reversed here. In the terms of algorithm 3, on sectors of 4 doubles:
//   A: a run of 16 (4 sectors), 4 * 16 of them, 16 steps.
//   B: a run of 4 (1 sector), 16 * 4 of them, 16 steps.
//   C: a run of 16 (4 sectors), 4 * 4 * 4 of them.
// There are 1 * 4 * 4 * 4 blocks.
TEST(Traffic, WorkedExampleOfThePaper) {
  Contraction contraction = contract(
      "fbea", "ecfd", "dcba",
      {{"a", 16}, {"b", 16}, {"c", 16}, {"d", 16}, {"e", 16}, {"f", 16}});
  Schedule schedule{"sm_90",
                    {{"b", 4}, {"a", 16}},
                    {{"c", 4}, {"d", 4}},
                    {{"e", 1}, {"f", 16}},
                    4,
                    4};
  Traffic traffic = count(contraction, schedule);
  EXPECT_EQ(traffic.sectors[Tensor::A], 4.0 * (4 * 16) * 16 * 64);
  EXPECT_EQ(traffic.sectors[Tensor::B], 1.0 * (16 * 4) * 16 * 64);
  EXPECT_EQ(traffic.sectors[Tensor::C], 4.0 * (4 * 4 * 4) * 64);
}

TEST(Traffic, AgreesWithEnumeration) {
  std::mt19937 random(20190216);
  const unsigned trials = randomCases(3000);
  unsigned compared = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    if (!layout)
      continue;
    ++compared;
    for (Tensor tensor : allTensors) {
      std::vector<TileDim> dims;
      for (const std::vector<TileDim> *role :
           {&layout->batch, &layout->m, &layout->n, &layout->k})
        dims.insert(dims.end(), role->begin(), role->end());
      // Blocks and steps that differ in other tensors' indices read again, but
      // C is only stored at the end.
      double expected;
      if (tensor == Tensor::C) {
        dims.resize(dims.size() - layout->k.size());
        expected = enumerateSectors(contraction, tensor, dims) *
                   (contraction.readsC ? 2 : 1);
      } else {
        expected = enumerateSectors(contraction, tensor, dims);
      }
      double counted =
          countTraffic(contraction, *layout, target("sm_90")).sectors[tensor];
      ASSERT_EQ(counted, expected)
          << "trial " << trial << ", tensor " << static_cast<int>(tensor);
    }
  }
  EXPECT_GT(compared, trials * 2 / 3);
}

TEST(Traffic, ViewsWithSmallGapsOutsideLargeOnes) {
  // Elements 0, 10, 12, 22, 24 and so on: every other gap is within a sector,
  // at times, while the others are not. Contiguous tensors never look like
  // that.
  Contraction view;
  view.indices = {{"x", 2, Role::M, {{40, 0, 1}}},
                  {"y", 7, Role::M, {{42, 0, 2}}}};
  view.factorType = view.accumulatorType = ElementType::F32;
  for (ElementType type : {ElementType::F32, ElementType::F64}) {
    view.elementType = {{type, type, type}};
    for (int64_t offset : {0, 1, 5}) {
      view.offset[Tensor::A] = offset;
      for (int64_t tile : {2, 3, 7}) {
        std::vector<TileDim> dims = {{0, 2, 2, 1}, {1, 7, tile, 2}};
        EXPECT_EQ(countTileGranules(view, Tensor::A, dims, 32),
                  enumerateSectors(view, Tensor::A, dims));
      }
    }
  }
}

TEST(Traffic, InterleavedRowsAreBoundedFromAbove) {
  // A sliding window, A[x + y]: its rows overlap.
  Contraction window;
  window.indices = {{"x", 8, Role::M, {{1, 0, 1}}},
                    {"y", 8, Role::K, {{1, 1, 0}}}};
  std::vector<TileDim> dims = {{0, 8, 8, 1}, {1, 8, 8, 1}};
  double counted = countTileGranules(window, Tensor::A, dims, 32);
  EXPECT_GE(counted, enumerateSectors(window, Tensor::A, dims));
  EXPECT_LE(counted, 4);
}

} // namespace
