//===- PackageBranchesTest.cpp - Kernels with several outputs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrokenPackage.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

static std::string errorOfFan(const std::vector<std::string> &path,
                              const char *value) {
  return errorWith(fanKernel(), path, value);
}

TEST(PackageBranchesTest, RoundTrip) {
  std::string text = toJson(makePackage(fanKernel()));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(toJson(*package), text);
  const Kernel &read = package->kernels[0];
  ASSERT_EQ(read.branches.size(), 1u);
  EXPECT_EQ(read.sharedInput, 0u);
  const Kernel &branch = read.branches[0];
  EXPECT_EQ(branch.sharedInput, 1u);
  EXPECT_EQ(branch.alpha.value, 2.0);
  EXPECT_EQ(branch.tensors[1].labels, (Labels{"x", "z"}));
  EXPECT_EQ(branch.tensors[1].extents, (std::vector<int64_t>{5, 3}));
  // The input that all have in common is an argument once.
  std::vector<std::string> names;
  for (const TensorArgument *tensor : tensorsOf(read))
    names.push_back(tensor->name);
  EXPECT_EQ(names, (Labels{"A", "B", "C", "A1", "C1"}));
  EXPECT_EQ(outputsOf(read), (std::vector<size_t>{2, 4}));
  EXPECT_EQ(placesOfBranch(read, 0), (std::array<size_t, 3>{3, 0, 4}));
}

TEST(PackageBranchesTest, OwnTheTilesOfWhatIsShared) {
  Kernel branch = branchOf(fanKernel(), 0);
  ASSERT_EQ(branch.gridDims.size(), 1u);
  EXPECT_EQ(branch.gridDims[0].label, "x");
  EXPECT_EQ(branch.gridDims[0].extent, 5);
  EXPECT_EQ(branch.gridDims[0].tile, 2);
  EXPECT_EQ(branch.grid, (Dim3{3, 1, 1}));
}

TEST(PackageBranchesTest, BadBranches) {
  const std::string kernel = "$.kernels[0]", branch = kernel + ".branches[0]";
  EXPECT_EQ(errorOfFan({"branches"}, "[]"),
            kernel + ".branches: expected at least one branch");
  EXPECT_EQ(errorOfFan({"branches", "0", "shares"}, nullptr),
            branch + ": missing key \"shares\"");
  EXPECT_EQ(errorOfFan({"branches", "0", "shares", "as"}, "\"c\""),
            branch + ".shares.as: expected \"a\" or \"b\"");
  EXPECT_EQ(errorOfFan({"branches", "0", "shares", "indices"}, "[\"x\"]"),
            branch + ".shares.indices: expected as many as the input in common "
                     "has, 2");
  EXPECT_EQ(errorOfFan({"branches", "0", "epilogue"}, "\"x + c\""),
            branch + ".epilogue: must only use x in a branch");
  EXPECT_EQ(errorOfFan({"branches", "0", "accumulator"}, "\"f32\""),
            branch +
                ".accumulator: is not the type of sums of products of f64");
  EXPECT_EQ(errorOfFan({"arguments", "4", "access"}, "\"read_write\""),
            kernel + ".arguments[4].access: expected \"write\"");
  EXPECT_EQ(errorOfFan({"arguments", "3", "name"}, "\"B1\""),
            kernel + ".arguments[3].name: expected \"A1\", not \"B1\"");
  EXPECT_EQ(errorOfFan({"arguments", "4", "indices"}, "[\"y\", \"w\"]"),
            kernel +
                ".arguments[4].indices[1]: index \"w\" of C is in neither A "
                "nor B");
  // Nobody knows which rows of B a block owns.
  Kernel columns = fanKernel();
  columns.gridDims = {{"i", 5, 5}, {"j", 7, 3}};
  EXPECT_EQ(verify(makePackage(columns)).error(),
            branch +
                ".shares: index \"j\" of the kernel has several tiles, so it "
                "must be one of the input in common, and of C of the branch");
  Kernel apart = fanKernel();
  apart.sharedInput.reset();
  EXPECT_EQ(verify(makePackage(apart)).error(),
            kernel + ".branches: must have an input in common");
  Kernel sum = fanKernel();
  sum.terms = sumKernel().terms;
  EXPECT_EQ(verify(makePackage(sum)).error(),
            kernel + ".terms: cannot be beside branches");
  Kernel integers = fanKernel(model::ElementType::I64);
  EXPECT_EQ(verify(makePackage(integers)).error(),
            branch + ": must be of floating-point numbers, but A1 has i64");
  // A diagonal of B's would be cut across blocks.
  Kernel diagonal = fanKernel();
  diagonal.tensors[0] = makeTensor("A", {"i", "k"}, {{"i", 5}, {"k", 5}},
                                   model::ElementType::F64);
  diagonal.tensors[1] = makeTensor("B", {"k", "j"}, {{"k", 5}, {"j", 7}},
                                   model::ElementType::F64);
  diagonal.branches[0].tensors[0] = makeTensor(
      "A1", {"y", "x"}, {{"y", 2}, {"x", 5}}, model::ElementType::F64);
  diagonal.branches[0].tensors[1] =
      makeTensor("A", {"x", "x"}, {{"x", 5}}, model::ElementType::F64);
  EXPECT_EQ(verify(makePackage(diagonal)).error(),
            branch + ".shares: index \"i\" of the kernel has several tiles, so "
                     "it must be once in the input in common, here and there");
}
