//===- DynamicShapeTest.cpp - Tests of kernels on any shape ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "tc/Package/DynamicShape.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;
using model::RunTimeQuantity;

/// C[i,j] = A[i,k] * B[k,j], tuned for 32 x 16 x 48, in tiles of 8 x 4 x 16.
static Kernel makeShaped() {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 32}, {"j", 16}, {"k", 48}});
  kernel.gridDims = {{"i", 32, 8}, {"j", 16, 4}};
  kernel.grid = {16, 1, 1};
  DynamicShape shape;
  shape.indices = {{"i", 8, 8}, {"j", 4, 1}, {"k", 16, 16}};
  shape.tensors = {{2, "k"}, {}, {}};
  shape.offsetBits = 32;
  shape.arguments = {{RunTimeQuantity::Extent, "i", 0, false, 4},
                     {RunTimeQuantity::Stride, "i", 2, false, 8},
                     {RunTimeQuantity::Offset, "", 1, false, 4},
                     {RunTimeQuantity::Steps, "", 0, false, 4},
                     {RunTimeQuantity::GridM, "", 0, false, 4},
                     {RunTimeQuantity::GridM, "", 0, true, 8}};
  kernel.dynamicShape = std::move(shape);
  return kernel;
}

static KernelShape contiguous(int64_t i, int64_t j, int64_t k) {
  Result<KernelShape> shape =
      contiguousShape(makeShaped(), {{"i", i}, {"j", j}, {"k", k}});
  EXPECT_TRUE(shape) << shape.error();
  return *shape;
}

static std::string errorOf(const KernelShape &shape) {
  Result<Kernel> bound = bindShape(makeShaped(), shape);
  return bound ? "" : bound.error();
}

TEST(DynamicShapeTest, RoundTrip) {
  Package package = makePackage(makeShaped());
  std::string text = toJson(package);
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  const DynamicShape &shape = *read->kernels[0].dynamicShape;
  EXPECT_EQ(shape.indices[2].tile, 16);
  EXPECT_EQ(shape.tensors[0].strideOne, "k");
  EXPECT_EQ(shape.arguments.size(), 6u);
  EXPECT_TRUE(shape.arguments[5].isReciprocal);
}

TEST(DynamicShapeTest, BoundKernelsAreOfTheShape) {
  Result<Kernel> bound = bindShape(makeShaped(), contiguous(16, 7, 96));
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->grid, (Dim3{2 * 2, 1, 1}));
  EXPECT_EQ(bound->tensors[0].extents, (std::vector<int64_t>{16, 96}));
  EXPECT_EQ(bound->tensors[1].strides, (std::vector<int64_t>{7, 1}));
  EXPECT_EQ(bound->gridDims[1].extent, 7);
  Status status = verify(makePackage(*bound));
  EXPECT_TRUE(status) << status.error();

  auto numberAt = [&](size_t place) {
    std::vector<std::byte> bytes = shapeArguments(*bound)[place];
    uint64_t number = 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  };
  EXPECT_EQ(numberAt(0), 16u);
  EXPECT_EQ(numberAt(1), 7u);
  EXPECT_EQ(numberAt(2), 0u);
  EXPECT_EQ(numberAt(3), 6u);
  EXPECT_EQ(numberAt(4), 2u);
  EXPECT_EQ(numberAt(5), uint64_t(1) << 62);
}

TEST(DynamicShapeTest, ShapesMustBeTaken) {
  EXPECT_EQ(errorOf(contiguous(16, 7, 96)), "");
  EXPECT_EQ(errorOf(contiguous(12, 7, 96)),
            "extent of index 'i' is 12, but must be a multiple of 8");
  EXPECT_EQ(errorOf(contiguous(8, 0, 96)),
            "extent of index 'j' is 0, but must be at least 1");
  EXPECT_EQ(errorOf(contiguous(8, 1, 2147483632)),
            "extent of index 'k' is 2147483632, but the kernel takes "
            "2147483615 at the most");
  EXPECT_EQ(errorOf(contiguous(1 << 20, 1, 1 << 16)),
            "A reaches 68720590880 elements far, but the kernel has offsets of "
            "32 bits");

  KernelShape shape = contiguous(16, 7, 96);
  shape[1].extents[0] = 95;
  EXPECT_EQ(errorOf(shape),
            "extent of B along index 'k' is 95, but elsewhere 96");
  shape = contiguous(16, 7, 96);
  shape[0].strides = {97, 1};
  EXPECT_EQ(errorOf(shape),
            "stride of A along index 'i' is 97, but must be a multiple of 2");
  shape[0].strides = {98, 2};
  EXPECT_EQ(errorOf(shape), "stride of A along index 'k' is 2, but must be 1");
  shape[0].strides = {98, 1};
  EXPECT_EQ(errorOf(shape), "");
  shape[0].offset = 3;
  EXPECT_EQ(errorOf(shape), "offset of A is 3, but must be a multiple of 2");
  shape = contiguous(16, 7, 96);
  shape[0].extents.pop_back();
  EXPECT_EQ(errorOf(shape), "A has 2 dimensions, and the shape given for it 1");
  shape = contiguous(16, 7, 96);
  shape[2].strides = {6, 1};
  EXPECT_EQ(errorOf(shape), "elements of C may overlap: sorted by size, "
                            "strides must step over all that the smaller ones "
                            "reach");
  shape[2].strides = {0, 1};
  EXPECT_EQ(errorOf(shape), "elements of C overlap: a stride is 0");
  shape[2].strides = {-7, 1};
  EXPECT_EQ(errorOf(shape), "tensor C reaches position -105, which is before "
                            "its base pointer");
  shape[2].offset = 105;
  EXPECT_EQ(errorOf(shape), "");
}

TEST(DynamicShapeTest, StridesOfDiagonalsAddUp) {
  Kernel kernel = makeKernel({"i", "i"}, {}, {"i"}, {{"i", 4}});
  kernel.tensors[0].strides = {1, -1};
  kernel.tensors[0].offset = 3;
  kernel.dynamicShape.emplace();
  kernel.dynamicShape->indices = {{"i", 4, 1}};
  kernel.dynamicShape->tensors.resize(3);
  KernelShape shape = shapeOf(kernel);
  EXPECT_TRUE(bindShape(kernel, shape));
  shape[0].strides = {7, -7};
  shape[0].offset = 21;
  EXPECT_TRUE(bindShape(kernel, shape));
  shape[0].strides = {11, -7};
  Result<Kernel> bound = bindShape(kernel, shape);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error(), "stride of A along index 'i' is 4, but must be 0");
}

TEST(DynamicShapeTest, ContiguousShapesNeedAllExtents) {
  Kernel kernel = makeShaped();
  Result<KernelShape> shape = contiguousShape(kernel, {{"i", 1}, {"j", 2}});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error(), "extent of index 'k' is missing");
  shape = contiguousShape(kernel, {{"i", 1}, {"j", 2}, {"k", 3}, {"l", 4}});
  ASSERT_FALSE(shape);
  EXPECT_EQ(shape.error(), "kernel contract has no index 'l'");
}

TEST(DynamicShapeTest, KernelsOfKnownShapeTakeTheirOwnOnly) {
  Kernel kernel = makeShaped();
  kernel.dynamicShape.reset();
  EXPECT_TRUE(bindShape(kernel, shapeOf(kernel)));
  EXPECT_TRUE(shapeArguments(kernel).empty());
  Result<Kernel> bound = bindShape(kernel, contiguous(32, 16, 16));
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error(),
            "kernel contract was compiled for another shape of A");
}

TEST(DynamicShapeTest, LaunchesTakeTheNearestVersion) {
  Package package = makePackage(makeShaped());
  Kernel general = package.kernels[0];
  general.entry = "general";
  general.versionOf = "contract";
  for (DynamicShape::Index &index : general.dynamicShape->indices)
    index.multiple = 1;
  Kernel small = package.kernels[0];
  small.entry = "small";
  small.versionOf = "contract";
  Result<Kernel> bound = bindShape(small, contiguous(8, 4, 16));
  ASSERT_TRUE(bound) << bound.error();
  package.kernels = {package.kernels[0], general, *bound};
  Status status = verify(package);
  ASSERT_TRUE(status) << status.error();

  auto chosen = [&](int64_t i, int64_t j, int64_t k) {
    Result<size_t> choice = chooseForShape(package, 0, contiguous(i, j, k));
    EXPECT_TRUE(choice) << choice.error();
    return *choice;
  };
  EXPECT_EQ(chosen(32, 16, 48), 0u);
  EXPECT_EQ(chosen(64, 32, 96), 0u);
  EXPECT_EQ(chosen(8, 4, 16), 2u);
  EXPECT_EQ(chosen(8, 8, 16), 2u);
  EXPECT_EQ(chosen(7, 8, 16), 1u);
  EXPECT_DOUBLE_EQ(distanceOf(package.kernels[0], contiguous(8, 32, 96)), 4);

  KernelShape odd = contiguous(7, 8, 16);
  odd[0].strides = {17, 1};
  Result<size_t> choice = chooseForShape(package, 0, odd);
  ASSERT_FALSE(choice);
}

/// The same kernel, three blocks of which share the sum of each tile: 32
/// elements of 8 bytes of each, behind a counter for each tile.
static Kernel makeSharing() {
  Kernel kernel = makeShaped();
  kernel.mapping.splitK = 3;
  kernel.grid = {16 * 3, 1, 1};
  kernel.workspace = Workspace{128 + 48 * 256, 128, 128};
  return kernel;
}

TEST(DynamicShapeTest, WorkspacesAreOfTheGrid) {
  Kernel kernel = makeSharing();
  Status status = verify(makePackage(kernel));
  ASSERT_TRUE(status) << status.error();
  Result<Kernel> bound = bindShape(kernel, contiguous(16, 7, 16));
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->grid, (Dim3{2 * 2 * 3, 1, 1}));
  EXPECT_EQ(bound->workspace->zeroedBytes, 128);
  EXPECT_EQ(bound->workspace->bytes, 128 + 12 * 256);
  status = verify(makePackage(*bound));
  EXPECT_TRUE(status) << status.error();
  // Counters of more than 32 tiles are in two lines.
  bound = bindShape(kernel, contiguous(8 * 33, 1, 16));
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->workspace->zeroedBytes, 256);
  EXPECT_EQ(bound->workspace->bytes, 256 + 99 * 256);

  kernel.workspace->bytes += 8;
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].arguments: expected a workspace of 12416 bytes, of "
            "which 128 must be zero, for the representative shape");
}

TEST(DynamicShapeTest, SumsOfAllElementsHaveNoStrides) {
  Kernel kernel = makeShaped();
  kernel.reduces = true;
  kernel.tensors[2].strides = {0, 0};
  kernel.dynamicShape->arguments.erase(kernel.dynamicShape->arguments.begin() +
                                       1);
  kernel.workspace = Workspace{128 + 16 * 8, 128, 128};
  Status status = verify(makePackage(kernel));
  ASSERT_TRUE(status) << status.error();
  Result<KernelShape> shape =
      contiguousShape(kernel, {{"i", 64}, {"j", 5}, {"k", 16}});
  ASSERT_TRUE(shape);
  EXPECT_EQ((*shape)[2].strides, (std::vector<int64_t>{0, 0}));
  Result<Kernel> bound = bindShape(kernel, *shape);
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->workspace->bytes, 128 + 16 * 8);
  (*shape)[2].strides = {5, 1};
  EXPECT_EQ(bindShape(kernel, *shape).error(),
            "stride of C along index 'i' is 5, but must be 0");
}

TEST(DynamicShapeTest, ComplexNumbersCountTwice) {
  Kernel kernel = makeShaped();
  for (TensorArgument &tensor : kernel.tensors)
    tensor.type = model::ElementType::C64;
  kernel.accumulatorType = model::ElementType::C64;
  Status status = verify(makePackage(kernel));
  ASSERT_TRUE(status) << status.error();
  KernelShape shape = contiguous(16, 7, 96);
  shape[1].offset = 3;
  Result<Kernel> bound = bindShape(kernel, shape);
  ASSERT_TRUE(bound) << bound.error();
  std::vector<std::vector<std::byte>> arguments = shapeArguments(*bound);
  EXPECT_EQ(arguments[0].front(), std::byte(16));
  EXPECT_EQ(arguments[1].front(), std::byte(2 * 7));
  EXPECT_EQ(arguments[2].front(), std::byte(2 * 3));
  EXPECT_EQ(bindShape(kernel, contiguous(1 << 20, 1, 1024)).error(),
            "A reaches 2147518528 real numbers far, but the kernel has offsets "
            "of 32 bits");
}

/// The same kernel with a tensor in its epilogue, the stride of which along j
/// and the offset of which are arguments.
static Kernel makeBiased() {
  Kernel kernel = makeShaped();
  TensorArgument &bias = kernel.auxiliaries.emplace_back();
  bias.name = "bias";
  bias.labels = {"j", "i"};
  bias.extents = {16, 32};
  bias.strides = {32, 1};
  kernel.epilogue = "x + bias[j,i]";
  DynamicShape &shape = *kernel.dynamicShape;
  shape.tensors.push_back({2, "i"});
  auto steps = shape.arguments.begin() + 3;
  shape.arguments.insert(steps, {{RunTimeQuantity::Stride, "j", 3, false, 4},
                                 {RunTimeQuantity::Offset, "", 3, false, 4}});
  return kernel;
}

TEST(DynamicShapeTest, AuxiliaryTensorsHaveShapes) {
  Kernel kernel = makeBiased();
  Status status = verify(makePackage(kernel));
  ASSERT_TRUE(status) << status.error();
  Result<Package> read = fromJson(toJson(makePackage(kernel)));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->kernels[0].dynamicShape->arguments[3].tensor, 3u);
  KernelShape shape = shapeOf(kernel);
  for (size_t i = 0; i < 3; ++i)
    shape[i] = contiguous(24, 7, 16)[i];
  shape[3] = {{7, 24}, {30, 1}, 4};
  Result<Kernel> bound = bindShape(kernel, shape);
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->auxiliaries[0].extents, (std::vector<int64_t>{7, 24}));
  EXPECT_EQ(bound->auxiliaries[0].strides, (std::vector<int64_t>{30, 1}));
  std::vector<std::vector<std::byte>> arguments = shapeArguments(*bound);
  EXPECT_EQ(arguments[3].front(), std::byte(30));
  EXPECT_EQ(arguments[4].front(), std::byte(4));
  shape[3].strides = {1, 8};
  EXPECT_EQ(bindShape(kernel, shape).error(),
            "stride of bias along index 'j' is 1, but must be a multiple of 2");
  shape[3] = {{7, 23}, {30, 1}, 4};
  EXPECT_EQ(bindShape(kernel, shape).error(),
            "extent of bias along index 'i' is 23, but elsewhere 24");
  shape.pop_back();
  EXPECT_EQ(bindShape(kernel, shape).error(),
            "kernel contract has 4 tensors, and there are shapes for 3");
  kernel.dynamicShape->tensors.pop_back();
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].dynamic_shape.tensors: expected 4, one for each "
            "tensor");
}

TEST(DynamicShapeTest, DescriptionsMustFit) {
  const std::string path = "$.kernels[0]";
  auto errorAfter = [](auto change) {
    Kernel kernel = makeShaped();
    change(kernel);
    Status status = verify(makePackage(kernel));
    return status ? "" : status.error();
  };
  EXPECT_EQ(errorAfter([](Kernel &) {}), "");
  EXPECT_EQ(errorAfter([](Kernel &k) { k.dynamicShape->indices.pop_back(); }),
            path + ".dynamic_shape.indices: not all indices are there");
  EXPECT_EQ(
      errorAfter([](Kernel &k) { k.dynamicShape->indices[0].label = "k"; }),
      path + ".dynamic_shape.indices[2].index: \"k\" is no index of the "
             "kernel, or occurs twice");
  EXPECT_EQ(errorAfter([](Kernel &k) { k.dynamicShape->indices[0].tile = 0; }),
            path + ".dynamic_shape.indices[0].tile: must be from 1 to 2^28");
  EXPECT_EQ(errorAfter([](Kernel &k) { k.dynamicShape->offsetBits = 16; }),
            path + ".dynamic_shape.offset_bits: expected 32 or 64");
  EXPECT_EQ(
      errorAfter([](Kernel &k) { k.dynamicShape->tensors[1].strideOne = "i"; }),
      path + ".dynamic_shape.tensors[1].stride_one: \"i\" is no index of the "
             "tensor");
  EXPECT_EQ(
      errorAfter([](Kernel &k) { k.dynamicShape->arguments[0].label = "z"; }),
      path + ".dynamic_shape.arguments.index: \"z\" is no index that a "
             "\"extent\" can be of");
  EXPECT_EQ(
      errorAfter([](Kernel &k) { k.dynamicShape->arguments[5].bytes = 4; }),
      path + ".dynamic_shape.arguments.bytes: expected 4 or 8, and 8 for "
             "a reciprocal");
  EXPECT_EQ(errorAfter([](Kernel &k) {
              k.dynamicShape->arguments[0].isReciprocal = true;
              k.dynamicShape->arguments[0].bytes = 8;
            }),
            path + ".dynamic_shape.arguments.reciprocal: only what is divided "
                   "by has one");
  EXPECT_EQ(
      errorAfter([](Kernel &k) { k.dynamicShape->indices[0].multiple = 64; }),
      path + ".dynamic_shape: the representative shape is not one that "
             "the kernel takes: extent of index 'i' is 32, but must be a "
             "multiple of 64");
}
