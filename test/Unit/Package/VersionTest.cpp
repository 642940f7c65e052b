//===- VersionTest.cpp - Kernels in place of others -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

/// Two kernels of the same product, the second of which demands less.
static Package packageOfTwo() {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}});
  Package package = makePackage(kernel);
  Kernel version = package.kernels[0];
  version.entry = "contract_unaligned";
  version.versionOf = "contract";
  for (TensorArgument &tensor : version.tensors)
    tensor.alignment = 8;
  package.kernels.push_back(version);
  return package;
}

static std::string errorOf(const Package &package) {
  Status status = verify(package);
  return status ? "" : status.error();
}

TEST(VersionTest, RoundTrip) {
  std::string text = toJson(packageOfTwo());
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(package->kernels[0].versionOf, "");
  EXPECT_EQ(package->kernels[1].versionOf, "contract");
  EXPECT_EQ(toJson(*package), text);
}

TEST(VersionTest, ComputeTheSame) {
  const std::string path = "$.kernels[1].version_of: ";
  Package package = packageOfTwo();
  package.kernels[1].versionOf = "other";
  EXPECT_EQ(errorOf(package), path + "no earlier kernel that is no version "
                                     "itself is called \"other\"");
  package.kernels[1].versionOf = "contract_unaligned";
  EXPECT_EQ(errorOf(package), path + "no earlier kernel that is no version "
                                     "itself is called \"contract_unaligned\"");
  package = packageOfTwo();
  package.kernels[1].tensors[0].offset = 1;
  EXPECT_EQ(errorOf(package), path + "\"contract\" has another tensor A");
  package = packageOfTwo();
  package.kernels[1].tensors[1].strides = {1, 3};
  EXPECT_EQ(errorOf(package), path + "\"contract\" has another tensor B");
  package = packageOfTwo();
  package.kernels[1].epilogue = "x * x";
  EXPECT_EQ(errorOf(package), path + "\"contract\" computes something else");
  package = packageOfTwo();
  package.kernels[1].alpha.value = 2;
  EXPECT_EQ(errorOf(package), path + "\"contract\" has another alpha");
  package = packageOfTwo();
  setBeta(package.kernels[1], {0.0, true});
  EXPECT_EQ(errorOf(package), path + "\"contract\" has another beta");
  // Other contractions count as much.
  for (Kernel kernel : {sumKernel(), chainKernel(), sharingKernel()}) {
    package = makePackage(kernel);
    kernel.entry = "version";
    kernel.versionOf = "contract";
    package.kernels.push_back(kernel);
    EXPECT_EQ(errorOf(package), "");
    package.kernels[1].others[0].alpha.value = 3;
    EXPECT_EQ(errorOf(package), path + "\"contract\" computes something else");
    package.kernels[1].others[0] = kernel.others[0];
    package.kernels[1].others[0].prologueA = "abs(x)";
    EXPECT_EQ(errorOf(package), path + "\"contract\" computes something else");
  }
  package = packageOfTwo();
  package.kernels[1].auxiliaries = {
      makeTensor("s", {"j"}, {{"j", 7}}, model::ElementType::F64)};
  EXPECT_EQ(errorOf(package), path + "\"contract\" takes 3 tensors, not 4");
}
