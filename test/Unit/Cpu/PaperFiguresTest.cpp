//===- HierarchyPaperTest.cpp - Figures of papers, reproduced -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predictions that the papers print, beside what this model predicts.
// docs/model-papers.md has the table and says why figures differ.
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Cpu/CpuMovement.h"
#include "tc/Hierarchy/TileGranules.h"

#include <cmath>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// The first index of the papers' lists has stride one.
std::string reversed(const std::string &labels) {
  return {labels.rbegin(), labels.rend()};
}

/// The Intel i7-4770K, on which Li et al. count misses (section 6.1); bytes per
/// cycle as they measured on the i7-6700K (table 3).
CpuTarget desktop() {
  CpuTarget target;
  target.name = "i7-4770K";
  target.cores = 1;
  target.clockHertz = 3.5e9;
  target.vectorBytes = 32;
  target.vectorRegisters = 16;
  target.fmaPerCycleF64 = 8;
  target.fmaPerCycleF32 = 16;
  target.caches = {{"L1", 32 * 1024, 8, 64, 1, 19.36 * 3.5e9},
                   {"L2", 256 * 1024, 8, 64, 1, 18.32 * 3.5e9},
                   {"L3", 8 * 1024 * 1024, 16, 64, 1, 12.8 * 3.5e9}};
  target.memoryBytesPerSecond = 6.4 * 3.5e9;
  return target;
}

struct Table2Row {
  const char *c, *a, *b;
  Extents extents;
  /// Predicted operations per line of the computation, for L1, L2 and L3: the
  /// paper's last column, which has more digits than that of the lines.
  std::array<double, 3> intensity;
  /// The lines that this model predicts, over the paper's.
  std::array<double, 3> ratio;
};

// Table 2, columns "Computation, Predict". The paper does not say which tiles
// it found; these are the blocks that the search chooses for the machine.
TEST(HierarchyPaper, Table2) {
  const Table2Row rows[] = {
      {"abcdef",
       "degb",
       "gfac",
       {{"a", 24},
        {"b", 16},
        {"c", 16},
        {"d", 24},
        {"e", 16},
        {"f", 16},
        {"g", 24}},
       {231.23, 278.48, 381.02},
       {0.755, 0.909, 1.000}},
      {"abcd",
       "aebf",
       "dfce",
       {{"a", 72}, {"b", 72}, {"c", 72}, {"d", 72}, {"e", 72}, {"f", 72}},
       {114.28, 1039.8, 2769.79},
       {0.635, 5.779, 1.002}},
      // The extents are not in the paper. Its intensities and lines make 2 N =
      // 6.88e9 operations, and 324 a line if A and C move once needs
      // 1/d + 1/f = 4/81.
      {"abcde",
       "efbca",
       "fd",
       {{"a", 48}, {"b", 32}, {"c", 32}, {"d", 81}, {"e", 32}, {"f", 27}},
       {291.6, 318.94, 324},
       {0.900, 0.984, 1.000}},
      {"abcd",
       "ea",
       "ebcd",
       {{"a", 72}, {"b", 72}, {"c", 72}, {"d", 72}, {"e", 72}},
       {288.00, 566.96, 575.94},
       {1.000, 0.984, 1.000}}};
  CpuTarget target = desktop();
  for (const Table2Row &row : rows) {
    Contraction contraction = contract(reversed(row.a), reversed(row.b),
                                       reversed(row.c), row.extents);
    Result<CpuSchedule> schedule = searchCpuSchedule(contraction, target);
    ASSERT_TRUE(schedule) << row.c << ": " << schedule.error();
    Result<std::vector<CpuLevelUse>> uses =
        levelUses(contraction, *schedule, target);
    ASSERT_TRUE(uses) << row.c << ": " << uses.error();
    for (unsigned cache = 0; cache < 3; ++cache) {
      double predicted =
          2 * contraction.fusedMultiplyAdds() / row.intensity[cache];
      double lines = 0;
      for (double bytes : (*uses)[cache].moved)
        lines += bytes / 64;
      EXPECT_NEAR(lines / predicted, row.ratio[cache], 0.0006)
          << row.c << ", L" << cache + 1;
    }
  }
}

// The L3 line of abcd-aebf-dfce follows from one tile: its 29.946 times the
// lines of one tensor are 1 + 5184 / 192 + 72 / 37, with C stationary in a tile
// of 192 x (72 x 37), which fits 8 MB.
TEST(HierarchyPaper, TheTileBehindAFigureOfTable2) {
  const double m = 192, n = 72 * 37, k = 72 * 2;
  constexpr PerTensor<bool> alongM = {{true, false, true}},
                            alongN = {{false, true, true}},
                            alongK = {{true, true, false}};
  PerTensor<double> tile = {{8 * m * k, 8 * k * n, 8 * m * n}};
  PerTensor<double> ofAllK = {{36 * tile[0], 36 * tile[1], tile[2]}};
  const TilingLoops loops = {{36, alongK, tile},
                             {5184 / m, alongM, ofAllK},
                             {5184 / n, alongN, ofAllK}};
  MemoryLevel cache = memoryHierarchy(desktop())[3];
  EXPECT_TRUE(fits(cache, tile));
  double visits = 0;
  for (Tensor tensor : allTensors)
    visits += countVisits(loops, tensor, cache);
  double operations = 2 * std::pow(72.0, 6), lines = std::pow(72.0, 4) / 8;
  EXPECT_NEAR(visits, operations / 2769.79 / lines, 1e-4);
}

/// Transactions of 128 bytes for all visits of a tensor's tile.
double transactions(const Contraction &contraction, Tensor tensor,
                    const Extents &tile) {
  std::vector<TileDim> dims;
  for (const auto &[label, extent] : tile) {
    unsigned index = *contraction.find(label);
    dims.push_back({index, contraction.indices[index].extent, extent, 1});
  }
  return countTileGranules(contraction, tensor, dims, 128);
}

// Kim et al. (CGO 2019), equation 1 with the tiles of section III-C: C[abcd] =
// A[aebf] B[dfce], all extents 16, 16 x 16 threads. Algorithm 3 by hand:
//   A: cont 16, TBx 16: 16 / min(16, 16) = 1 a row, times TBk 16, times REGx 4
//      = 64 a step; 16 steps; 64 blocks.
//   B: cont 4: 16 / min(4, 16) = 4 a row of 16 threads, 16 rows = 64 a step.
//   C: 1 a row, 4 x 4 x 4 rows.
TEST(HierarchyPaper, Algorithm3OfCogent) {
  Contraction contraction = contract(
      reversed("aebf"), reversed("dfce"), reversed("abcd"),
      {{"a", 16}, {"b", 16}, {"c", 16}, {"d", 16}, {"e", 16}, {"f", 16}});
  const double steps = 16, blocks = 64;
  Extents tile = {{"a", 16}, {"b", 4}, {"c", 4}, {"d", 4}, {"e", 1}, {"f", 16}};
  EXPECT_EQ(transactions(contraction, Tensor::A, tile),
            (16 / 16) * 16 * 4 * steps * blocks);
  EXPECT_EQ(transactions(contraction, Tensor::B, tile),
            (16 / 4) * 16 * steps * blocks);
  // C is stored once, not in every step.
  tile[4].second = tile[5].second = 16;
  EXPECT_EQ(transactions(contraction, Tensor::C, tile), 4 * 4 * 4 * blocks);
}

// The algorithm counts a row that is no multiple of a transaction as one. Here
// rows of 24 doubles, 192 bytes, lie one after the other: four of them are six
// transactions, where the algorithm has four, and its users would count eight
// by rounding each up.
TEST(HierarchyPaper, Algorithm3RefinedForRowsThatShareTransactions) {
  Contraction contraction =
      contract("bea", "c", "cbea", {{"a", 24}, {"b", 4}, {"c", 2}, {"e", 4}});
  Extents tile = {{"a", 24}, {"b", 1}, {"c", 2}, {"e", 4}};
  EXPECT_EQ(transactions(contraction, Tensor::A, tile), 4 * 6);
  // Two rows apart from each other share none.
  tile[3].second = 1;
  EXPECT_EQ(transactions(contraction, Tensor::A, tile), 4 * 4 * 2);
}

} // namespace
