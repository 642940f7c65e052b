//===- GeometryTest.cpp - Positions of elements -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Geometry.h"
#include "TestKernels.h"
#include "tc/Package/Blocks.h"

#include <gtest/gtest.h>

#include <set>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

static Geometry geometry(const Labels &labels, std::vector<int64_t> extents,
                         std::vector<int64_t> strides, int64_t offset = 0) {
  TensorArgument tensor;
  tensor.name = "T";
  tensor.labels = labels;
  tensor.extents = std::move(extents);
  tensor.strides = std::move(strides);
  tensor.offset = offset;
  Result<Geometry> result = geometryOf(tensor);
  EXPECT_TRUE(result);
  return *result;
}

static std::vector<int64_t> positions(const Geometry &geometry, int64_t begin,
                                      int64_t end) {
  std::vector<int64_t> result;
  forEachPosition(geometry, begin, end,
                  [&](int64_t position) { result.push_back(position); });
  return result;
}

TEST(GeometryTest, Contiguous) {
  Geometry g = geometry({"a", "b"}, {2, 3}, {3, 1});
  EXPECT_TRUE(g.isDense());
  EXPECT_TRUE(g.isNested());
  EXPECT_EQ(g.bufferElements(), 6);
  EXPECT_EQ(positions(g, 0, 6), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(positions(g, 2, 4), (std::vector<int64_t>{2, 3}));
}

TEST(GeometryTest, StridedWithOffset) {
  Geometry g = geometry({"a", "b"}, {2, 3}, {10, 2}, 5);
  EXPECT_FALSE(g.isDense());
  EXPECT_TRUE(g.isNested());
  EXPECT_EQ(g.bufferElements(), 5 + 10 + 4 + 1);
  EXPECT_EQ(positions(g, 0, 6), (std::vector<int64_t>{5, 7, 9, 15, 17, 19}));
}

TEST(GeometryTest, BackwardStride) {
  Geometry g = geometry({"a", "b"}, {3, 2}, {-2, 1}, 4);
  EXPECT_TRUE(g.isDense());
  EXPECT_EQ(g.first, 0);
  EXPECT_EQ(g.last, 5);
  EXPECT_EQ(positions(g, 0, 6), (std::vector<int64_t>{4, 5, 2, 3, 0, 1}));
}

TEST(GeometryTest, DiagonalIsOneDimension) {
  Geometry g = geometry({"a", "b", "a"}, {3, 2, 3}, {6, 3, 1});
  EXPECT_EQ(g.labels, (Labels{"a", "b"}));
  EXPECT_EQ(positions(g, 0, 6), (std::vector<int64_t>{0, 3, 7, 10, 14, 17}));
}

TEST(GeometryTest, Scalar) {
  Geometry g = geometry({}, {}, {}, 2);
  EXPECT_EQ(g.elements(), 1);
  EXPECT_EQ(g.bufferElements(), 3);
  EXPECT_EQ(positions(g, 0, 1), (std::vector<int64_t>{2}));
}

TEST(GeometryTest, NestedMeansWithoutOverlap) {
  EXPECT_TRUE(geometry({"a", "b"}, {3, 4}, {4, 1}).isNested());
  EXPECT_FALSE(geometry({"a", "b"}, {3, 4}, {3, 1}).isNested());
  EXPECT_FALSE(geometry({"a", "b"}, {3, 4}, {0, 1}).isNested());
  // An index that does not move does not matter.
  EXPECT_TRUE(geometry({"a", "b"}, {1, 4}, {0, 1}).isNested());
}

TEST(GeometryTest, DecoderFindsExactlyTheElements) {
  Geometry g = geometry({"a", "b", "c"}, {3, 2, 4}, {-40, 17, 3}, 90);
  ASSERT_TRUE(g.isNested());
  PositionDecoder decoder(g);
  std::set<int64_t> expected;
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t c = 0; c < 4; ++c) {
        int64_t position = 90 - 40 * a + 17 * b + 3 * c;
        expected.insert(position);
        EXPECT_EQ(decoder.coordinates(position),
                  (std::vector<int64_t>{a, b, c}));
      }
  for (int64_t p = 0; p <= g.bufferElements() + 5; ++p) {
    EXPECT_EQ(decoder.contains(p), expected.count(p) == 1) << p;
    if (!expected.count(p))
      EXPECT_FALSE(decoder.coordinates(p)) << p;
  }
}

TEST(GeometryTest, NormalForm) {
  Kernel kernel = makeKernel(
      {"b", "m", "k", "x", "x"}, {"b", "k", "n", "y"}, {"n", "b", "m"},
      {{"b", 2}, {"m", 3}, {"k", 5}, {"x", 7}, {"n", 11}, {"y", 13}});
  model::Contraction contraction = contractionOf(kernel);
  auto roleOf = [&](const char *label) {
    return contraction.indices[*contraction.find(label)].role;
  };
  EXPECT_EQ(roleOf("b"), model::Role::Batch);
  EXPECT_EQ(roleOf("m"), model::Role::M);
  EXPECT_EQ(roleOf("n"), model::Role::N);
  for (const char *label : {"k", "x", "y"})
    EXPECT_EQ(roleOf(label), model::Role::K) << label;
  const model::Index &x = contraction.indices[*contraction.find("x")];
  EXPECT_EQ(x.stride[model::Tensor::A], 7 + 1);
  EXPECT_EQ(x.stride[model::Tensor::B], 0);
  EXPECT_EQ(contraction.fusedMultiplyAdds(), 2. * 3 * 5 * 7 * 11 * 13);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

TEST(BlocksTest, TilesPartitionTheOutput) {
  // Ragged along two of three indices, and listed in another order than C's.
  Kernel kernel = makeKernel({"i", "j", "k"}, {"k", "l"}, {"l", "i", "j"},
                             {{"i", 5}, {"j", 6}, {"k", 2}, {"l", 7}});
  setTiles(kernel, {{"i", 2}, {"j", 3}, {"l", 4}});
  std::swap(kernel.gridDims[0], kernel.gridDims[2]);
  ASSERT_EQ(kernel.grid[0], 3 * 2 * 2);
  Geometry c = *geometryOf(kernel.tensors[2]);
  std::map<std::vector<int64_t>, int> owners;
  for (int64_t block = 0; block < kernel.grid[0]; ++block) {
    Box box = boxesOfBlock(kernel, c, block).at(0);
    int64_t count = 0;
    for (int64_t x = box[0].begin; x < box[0].end; ++x)
      for (int64_t y = box[1].begin; y < box[1].end; ++y)
        for (int64_t z = box[2].begin; z < box[2].end; ++z, ++count)
          ++owners[{x, y, z}];
    EXPECT_EQ(count, elementsOf(box));
  }
  EXPECT_EQ(owners.size(), size_t(7 * 5 * 6));
  for (const auto &[coordinates, count] : owners)
    EXPECT_EQ(count, 1);
}

TEST(BlocksTest, FirstGridDimensionIsFastest) {
  Kernel kernel = matmulKernel(); // tiles: 3 along i, 2 along j
  Geometry c = *geometryOf(kernel.tensors[2]);
  Box box = boxesOfBlock(kernel, c, 4).at(0); // i: 4 % 3 = 1, j: 4 / 3 = 1
  EXPECT_EQ(box[0].begin, 2);
  EXPECT_EQ(box[0].end, 4);
  EXPECT_EQ(box[1].begin, 4);
  EXPECT_EQ(box[1].end, 7);
}

/// The number of the blocks that each element of a matrix C belongs to.
static std::map<std::pair<int64_t, int64_t>, int>
ownersOf(const Kernel &kernel, const std::vector<int64_t> &blocks) {
  Geometry c = *geometryOf(kernel.tensors[2]);
  std::map<std::pair<int64_t, int64_t>, int> owners;
  for (int64_t block : blocks)
    for (const Box &box : boxesOfBlock(kernel, c, block))
      for (int64_t i = box[0].begin; i < box[0].end; ++i)
        for (int64_t j = box[1].begin; j < box[1].end; ++j)
          ++owners[{i, j}];
  return owners;
}

TEST(BlocksTest, AnyMappingPartitionsTheOutput) {
  for (int64_t raster : {0, 1, 2, 3})
    for (auto [stationary, tilesPerBlock] :
         {std::pair(model::Stationary::Output, 1),
          std::pair(model::Stationary::A, 2),
          std::pair(model::Stationary::A, 5),
          std::pair(model::Stationary::B, 2)})
      for (int64_t split : {1, 3}) {
        Kernel kernel = matmulKernel(); // tiles: 3 along i, 2 along j
        kernel.mapping = {raster, stationary, tilesPerBlock, split};
        std::vector<int64_t> blocks;
        for (int64_t block = 0; block < countBlocks(kernel); ++block)
          blocks.push_back(block);
        auto owners = ownersOf(kernel, blocks);
        EXPECT_EQ(owners.size(), size_t(5 * 7));
        for (const auto &[element, count] : owners)
          EXPECT_EQ(count, 1);
      }
}

TEST(BlocksTest, WordsFollowTheMapping) {
  Kernel kernel = matmulKernel(); // tiles: 3 along i, 2 along j; both ragged
  using Blocks = std::vector<int64_t>;
  // Rows 0 and 1 of both columns, then row 2.
  kernel.mapping.rasterM = 2;
  EXPECT_EQ(*parseBlocks("middle", kernel), (Blocks{1 + 2 * 1}));
  // Tiles (1, 1) and (2, 1).
  EXPECT_EQ(*parseBlocks("edge", kernel), (Blocks{3, 5}));
  // Naming a part of a sum names all parts.
  kernel.mapping = {0, model::Stationary::Output, 1, 4};
  kernel.grid = {24, 1, 1};
  EXPECT_EQ(*parseBlocks("first", kernel), (Blocks{0, 1, 2, 3}));
  EXPECT_EQ(*parseBlocks("6,5", kernel), (Blocks{4, 5, 6, 7}));
  EXPECT_EQ(ownersOf(kernel, {4, 5, 6, 7}).size(), size_t(2 * 4));
  // A persistent block along N owns both columns of its row.
  kernel.mapping = {0, model::Stationary::A, 2, 1};
  kernel.grid = {3, 1, 1};
  EXPECT_EQ(*parseBlocks("middle", kernel), (Blocks{1}));
  EXPECT_EQ(ownersOf(kernel, {1}).size(), size_t(2 * 7));
}

TEST(BlocksTest, Parse) {
  Kernel kernel = matmulKernel(); // tiles: 3 along i, 2 along j; both ragged
  using Blocks = std::vector<int64_t>;
  EXPECT_EQ(*parseBlocks("all", kernel), Blocks{});
  EXPECT_EQ(*parseBlocks("3,0,3", kernel), (Blocks{0, 3}));
  EXPECT_EQ(*parseBlocks("first", kernel), (Blocks{0}));
  EXPECT_EQ(*parseBlocks("last", kernel), (Blocks{5}));
  EXPECT_EQ(*parseBlocks("middle", kernel), (Blocks{1 + 3 * 1}));
  // The last of i with the middle of j, and the other way round.
  EXPECT_EQ(*parseBlocks("edge", kernel), (Blocks{1 + 3 * 1, 2 + 3 * 1}));
  setTiles(kernel, {{"i", 1}, {"j", 7}});
  EXPECT_EQ(*parseBlocks("edge", kernel), (Blocks{4}));

  struct {
    const char *text, *error;
  } bad[] = {
      {"5", "block 5 is outside the grid of 5 blocks"},
      {"", "\"\" is not a block; expected a number, first, middle, last, edge "
           "or all"},
      {"1,", "\"\" is not a block; expected a number, first, middle, last, "
             "edge or all"},
      {"-1", "\"-1\" is not a block; expected a number, first, middle, last, "
             "edge or all"},
      {"1x", "\"1x\" is not a block; expected a number, first, middle, last, "
             "edge or all"},
      {"99999999999999999999", "\"99999999999999999999\" is not a block; "
                               "expected a number, first, middle, last, edge "
                               "or all"},
  };
  for (const auto &test : bad) {
    Result<Blocks> blocks = parseBlocks(test.text, kernel);
    ASSERT_FALSE(blocks) << test.text;
    EXPECT_EQ(blocks.error(), test.error);
  }
}
