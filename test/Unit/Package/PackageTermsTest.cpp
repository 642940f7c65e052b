//===- PackageTermsTest.cpp - Kernels that add contractions up --*- C++ -*-===//
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

/// The error about the kernel's description after such a change.
static std::string errorOfSum(const std::vector<std::string> &path,
                              const char *value) {
  return errorWith(sumKernel(), path, value);
}

TEST(PackageTermsTest, RoundTrip) {
  Kernel kernel = sumKernel(model::ElementType::F32);
  kernel.terms[0].precision = model::Precision::TF32x3;
  kernel.terms[0].prologueA = "relu(x)";
  kernel.terms[0].factorType = model::ElementType::F32;
  kernel.terms[0].tensors[0].type = model::ElementType::F16;
  kernel.terms.push_back(kernel.terms[0]);
  kernel.terms[1].tensors[0].name = "A2";
  kernel.terms[1].tensors[1].name = "B2";
  std::string text = toJson(makePackage(kernel));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(toJson(*package), text);
  const std::vector<Kernel> &terms = package->kernels[0].terms;
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].tensors[2].labels, (Labels{"x", "y"}));
  EXPECT_EQ(terms[0].alpha.value, -1.0);
  EXPECT_EQ(terms[0].precision, model::Precision::TF32x3);
  EXPECT_EQ(terms[0].prologueA, "relu(x)");
  EXPECT_EQ(terms[0].factorType, model::ElementType::F32);
  EXPECT_EQ(terms[1].tensors[1].name, "B2");
  // The inputs of terms are arguments after C.
  std::vector<std::string> names;
  for (const TensorArgument *tensor : tensorsOf(package->kernels[0]))
    names.push_back(tensor->name);
  EXPECT_EQ(names, (Labels{"A", "B", "C", "A1", "B1", "A2", "B2"}));
}

TEST(PackageTermsTest, BadTerms) {
  const std::string kernel = "$.kernels[0]", term = kernel + ".terms[0]";
  EXPECT_EQ(errorOfSum({"terms"}, "[]"),
            kernel + ".terms: expected at least one term");
  EXPECT_EQ(errorOfSum({"arguments", "4"}, nullptr),
            kernel +
                ".terms: expected two tensors in the arguments for each term");
  EXPECT_EQ(errorOfSum({"terms", "0", "output"}, nullptr),
            term + ": missing key \"output\"");
  EXPECT_EQ(errorOfSum({"terms", "0", "epilogue"}, "\"x\""),
            term + ": unknown key \"epilogue\"");
  EXPECT_EQ(errorOfSum({"terms", "0", "alpha"}, "{\"argument\": 5}"),
            term + ".alpha: missing key \"value\"");
  EXPECT_EQ(errorOfSum({"terms", "0", "output"}, "[\"x\"]"),
            term + ".output: 1 indices, but C has 2");
  EXPECT_EQ(errorOfSum({"terms", "0", "output"}, "[\"x\", \"w\"]"),
            term + ".output[1]: index \"w\" is in neither A1 nor B1");
  EXPECT_EQ(errorOfSum({"terms", "0", "output"}, "[\"y\", \"x\"]"),
            term + ".output[0]: index \"y\" has extent 7, but C has 5");
  EXPECT_EQ(errorOfSum({"arguments", "3", "name"}, "\"A\""),
            kernel + ".arguments[3].name: expected \"A1\", not \"A\"");
  EXPECT_EQ(errorOfSum({"arguments", "4", "access"}, "\"write\""),
            kernel + ".arguments[4].access: expected \"read\"");
  EXPECT_EQ(errorOfSum({"arguments", "4", "extents"}, "[5, 5]"),
            kernel + ".arguments[4].extents[0]: index \"z\" has extent 5 here "
                     "and 4 before");
  EXPECT_EQ(errorOfSum({"arguments", "3", "type"}, "\"f32\""),
            term + ": has factors of f32, but sums are in f64");
  EXPECT_EQ(
      errorOfSum({"mapping", "tiles_per_block"}, "2"),
      kernel +
          ".mapping.tiles_per_block: must be 1 where the output is stationary, "
          "not 2");
  EXPECT_EQ(
      errorOfSum({"mapping"},
                 R"({"raster_m": 0, "stationary": "a", "tiles_per_block": 2,
                          "split_k": 1})"),
      kernel + ".mapping: must neither loop over tiles nor split K where there "
               "are terms");
}

TEST(PackageTermsTest, WhatSumsMustNotBe) {
  Kernel kernel = sumKernel();
  ASSERT_TRUE(verify(makePackage(kernel)));
  kernel.alpha.isArgument = true;
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].alpha: must be a value where there are terms");
  kernel = sumKernel();
  kernel.terms[0].tensors[2].labels = {"x", "x"};
  kernel.tensors[2].extents = {5, 5};
  kernel.tensors[1].extents = {3, 5};
  kernel.gridDims[1] = {"j", 5, 4};
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].terms[0].output[1]: \"x\" occurs twice");
  kernel = sumKernel();
  kernel.semiring = model::Semiring::MaxPlus;
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].semiring: must be plus_times where there are terms");
  kernel = sumKernel(model::ElementType::C64);
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            "$.kernels[0].accumulator: must not be complex where there are "
            "terms");
}
