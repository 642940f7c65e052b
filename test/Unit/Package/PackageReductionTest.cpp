//===- PackageReductionTest.cpp - Kernels that add elements up ---*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;
using nlohmann::ordered_json;

static std::string errorOf(const Kernel &kernel) {
  Status status = verify(makePackage(kernel));
  return status ? "" : status.error();
}

TEST(PackageReductionTest, RoundTrip) {
  std::string text = toJson(makePackage(reducingKernel()));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_TRUE(package->kernels[0].reduces);
  EXPECT_EQ(toJson(*package), text);
  ordered_json json = ordered_json::parse(text);
  EXPECT_EQ(json["kernels"][0]["reduce"], "add");
  json["kernels"][0]["reduce"] = "multiply";
  EXPECT_EQ(fromJson(json.dump()).error(),
            "$.kernels[0].reduce: expected \"add\"");
}

TEST(PackageReductionTest, BadKernels) {
  const std::string path = "$.kernels[0]";
  EXPECT_EQ(errorOf(reducingKernel()), "");
  Kernel kernel = reducingKernel();
  kernel.tensors[2].strides[0] = 7;
  EXPECT_EQ(errorOf(kernel),
            path + ".arguments[2].strides[0]: must be 0 where elements of C "
                   "are added up, not 7");
  kernel = reducingKernel();
  setBeta(kernel, {1.0, false});
  EXPECT_EQ(errorOf(kernel), path + ".arguments[2].access: expected \"write\" "
                                    "where elements of C are added up");
  kernel = reducingKernel();
  kernel.workspace->bytes -= 1;
  EXPECT_EQ(errorOf(kernel),
            path + ".reduce: needs a workspace with 48 bytes for the parts of "
                   "all blocks");
  kernel.workspace.reset();
  EXPECT_EQ(errorOf(kernel),
            path + ".reduce: needs a workspace with 48 bytes for the parts of "
                   "all blocks");
  kernel = reducingKernel();
  kernel.mapping.splitK = 2;
  EXPECT_EQ(errorOf(kernel),
            path + ".mapping: must neither loop over tiles nor split K "
                   "where elements of C are added up");
  // Without it, elements that lie in one place are an error.
  kernel = reducingKernel();
  kernel.reduces = false;
  EXPECT_EQ(errorOf(kernel),
            path + ".arguments[2].strides: elements of C overlap");
}
