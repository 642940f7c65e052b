//===- PackageFieldsTest.cpp - Each field of a package's kernels ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes each field of kernels alone: descriptions say it, and are read as
// they were written.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/PackageFields.h"
#include "Problem/ValueChanges.h"
#include "TestKernels.h"

#include <gtest/gtest.h>
#include <set>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

using Names = std::set<std::string>;

Package matrixProduct() {
  Kernel kernel =
      makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                 {{"i", 4}, {"j", 5}, {"k", 6}}, model::ElementType::F32);
  setTiles(kernel, {{"i", 2}, {"j", 5}});
  kernel.schedule = "a schedule";
  // The value of factors that are arguments.
  kernel.alpha.value = 0;
  return makePackage(kernel);
}

/// The changes that a description does not tell, and how many of those that it
/// tells are of packages that are valid: they are read as they were written.
std::pair<Names, size_t> changeEach(Package package) {
  Kernel &kernel = package.kernels.front();
  const std::string text = toJson(package);
  Names untold;
  size_t valid = 0;
  forEachChange(kernel, [&](const std::string &name, FieldUse) {
    std::string changed = toJson(package);
    if (changed == text) {
      untold.insert(name);
      return;
    }
    if (Result<Package> read = fromJson(changed)) {
      ++valid;
      EXPECT_EQ(keyOf(read->kernels.front()), keyOf(kernel)) << name;
    }
  });
  return {untold, valid};
}

TEST(PackageFieldsTest, DescriptionsTellEachField) {
  auto [untold, valid] = changeEach(matrixProduct());
  // Only kernels of other programs have code that no expression says; no input
  // is neither read nor written; without its semiring there is no identity.
  EXPECT_EQ(untold, Names({"other_code", "tensors[0].is_read",
                           "tensors[1].is_read", "identity"}));
  EXPECT_GE(valid, 15u);
}

TEST(PackageFieldsTest, DescriptionsTellEachFieldThatMayBeAbsent) {
  Package package = matrixProduct();
  Kernel &kernel = package.kernels.front();
  kernel.symbol = "symbol";
  kernel.semiring = model::Semiring::UserDefined;
  kernel.product = "x * y";
  kernel.combine = "x + y";
  kernel.epilogue = "x + bias[i]";
  kernel.factorType = model::ElementType::F32;
  kernel.auxiliaries = {
      makeTensor("bias", {"i"}, {{"i", 4}}, model::ElementType::F32)};
  kernel.workspace = Workspace{64, 32, 16};
  DynamicShape shape;
  shape.indices = {{"i", 2, 1}};
  shape.tensors = {{1, "i"}, {1, "j"}, {1, "i"}, {1, "i"}};
  shape.arguments = {{model::RunTimeQuantity::Stride, "j", 1, false, 4},
                     {model::RunTimeQuantity::Tiles, "i", 0, true, 8}};
  kernel.dynamicShape = shape;
  auto [untold, valid] = changeEach(package);
  EXPECT_EQ(untold, Names({"other_code", "tensors[0].is_read",
                           "tensors[1].is_read", "auxiliaries[0].is_read",
                           // Indices have no tensor.
                           "dynamic_shape.arguments[1].tensor"}));
  // Such a shape lacks most indices.
  EXPECT_EQ(valid, 0u);
}

} // namespace
