//===- PackageLinksTest.cpp - Kernels that compute chains -----------------===//
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
static std::string errorOfChain(const std::vector<std::string> &path,
                                const char *value) {
  return errorWith(chainKernel(), path, value);
}

TEST(PackageLinksTest, RoundTrip) {
  Kernel kernel = chainKernel(model::ElementType::F32);
  // A second link, whose B is the result of the first one.
  Kernel second =
      makeKernel({"q", "p"}, {"p", "r"}, {"p", "q"},
                 {{"p", 5}, {"q", 3}, {"r", 3}}, model::ElementType::F32);
  second.tensors[0] = makeTensor("A2", {"r", "q"}, {{"q", 3}, {"r", 3}},
                                 model::ElementType::F32);
  second.tensors[1].name = "B2";
  second.chainedInput = 1;
  second.schedule = "#tc.schedule<>";
  kernel.links.push_back(second);
  std::string text = toJson(makePackage(kernel));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(toJson(*package), text);
  const Kernel &read = package->kernels[0];
  ASSERT_EQ(read.links.size(), 2u);
  EXPECT_EQ(read.chainedInput, 0u);
  EXPECT_EQ(read.links[0].chainedInput, std::nullopt);
  EXPECT_EQ(read.links[1].chainedInput, 1u);
  EXPECT_EQ(read.links[0].epilogue, "abs(x)");
  EXPECT_EQ(read.links[0].alpha.value, 2.0);
  EXPECT_EQ(read.links[1].tensors[1].labels, (Labels{"p", "r"}));
  EXPECT_EQ(read.links[1].tensors[1].extents, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(read.links[1].tensors[1].strides, (std::vector<int64_t>{3, 1}));
  // The first A is in the place of the chained input; the other inputs come
  // last.
  std::vector<std::string> names;
  for (const TensorArgument *tensor : tensorsOf(read))
    names.push_back(tensor->name);
  EXPECT_EQ(names, (Labels{"A1", "B", "C", "B1", "A2"}));
}

TEST(PackageLinksTest, BadLinks) {
  const std::string kernel = "$.kernels[0]", link = kernel + ".links[0]";
  EXPECT_EQ(errorOfChain({"links"}, "[]"),
            kernel + ".links: expected at least one link");
  EXPECT_EQ(errorOfChain({"links", "0", "output"}, nullptr),
            link + ": missing key \"output\"");
  EXPECT_EQ(errorOfChain({"links", "0", "feeds", "input"}, "\"c\""),
            link + ".feeds.input: expected \"a\" or \"b\"");
  EXPECT_EQ(errorOfChain({"links", "0", "feeds", "indices"}, "[\"i\"]"),
            link + ".feeds.indices: expected as many as the output of the link "
                   "has, 2");
  EXPECT_EQ(errorOfChain({"links", "0", "output"}, "[\"x\", \"w\"]"),
            link + ".feeds: index \"w\" of the link's output is in neither of "
                   "its inputs");
  EXPECT_EQ(errorOfChain({"links", "0", "output"}, "[\"y\", \"y\"]"),
            kernel + ".arguments[2].extents[0]: index \"i\" has extent 5 here "
                     "and 3 before");
  EXPECT_EQ(errorOfChain({"links", "0", "epilogue"}, "\"x + c\""),
            link + ".epilogue: must only use x in a link");
  EXPECT_EQ(errorOfChain({"links", "0", "accumulator"}, "\"f32\""),
            link + ".accumulator: is not the type of sums of products of f64");
  EXPECT_EQ(errorOfChain({"arguments", "3", "name"}, "\"B2\""),
            kernel + ".arguments[3].name: expected \"B1\", not \"B2\"");
  EXPECT_EQ(errorOfChain({"arguments", "3", "access"}, "\"read_write\""),
            kernel + ".arguments[3].access: expected \"read\"");
  EXPECT_EQ(errorOfChain({"arguments", "3", "extents"}, "[4]"),
            link + ".feeds: index \"y\" of the link's output is in neither of "
                   "its inputs");
  Kernel unchained = chainKernel();
  unchained.chainedInput.reset();
  EXPECT_EQ(verify(makePackage(unchained)).error(),
            kernel +
                ".links: each but the first must compute with what the one "
                "before does, as A or as B");
  Kernel sum = chainKernel();
  sum.terms = sumKernel().terms;
  EXPECT_EQ(verify(makePackage(sum)).error(),
            kernel + ".terms: cannot be beside links");
}

TEST(PackageLinksTest, ComplexNumbers) {
  Kernel kernel = chainKernel(model::ElementType::C64);
  Kernel &link = kernel.links[0];
  link.epilogue.clear();
  link.alpha.value = {0.5, -2};
  link.conjugatesA = true;
  std::string text = toJson(makePackage(kernel));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(toJson(*package), text);
  const Kernel &read = package->kernels[0].links[0];
  EXPECT_EQ(read.alpha.value, model::Constant(0.5, -2));
  EXPECT_TRUE(read.conjugatesA);
  EXPECT_FALSE(read.conjugatesB);
  const std::string path = "$.kernels[0].links[0]";
  EXPECT_EQ(errorWith(kernel, {"links", "0", "conjugate_a"}, "1"),
            path + ".conjugate_a: expected true or false");
  EXPECT_EQ(errorOfChain({"links", "0", "conjugate_b"}, "true"),
            path + ".conjugate_b: applies to complex numbers, but B1 has f64");
  link.epilogue = "abs(x)";
  EXPECT_EQ(verify(makePackage(kernel)).error(),
            path + ".epilogue: applies to real numbers");
}

TEST(PackageLinksTest, Softmax) {
  Kernel kernel = chainKernel();
  kernel.softmax = true;
  std::string text = toJson(makePackage(kernel));
  Result<Package> package = fromJson(text);
  ASSERT_TRUE(package) << package.error();
  EXPECT_TRUE(package->kernels[0].softmax);
  EXPECT_EQ(toJson(*package), text);
  const std::string path = "$.kernels[0]";
  EXPECT_EQ(errorWith(kernel, {"links", "0", "feeds", "through"}, "\"max\""),
            path + ".links[0].feeds.through: expected \"softmax\", and that of "
                   "the last link only");
  Kernel complexNumbers = chainKernel(model::ElementType::C64);
  complexNumbers.links[0].epilogue.clear();
  complexNumbers.softmax = true;
  EXPECT_EQ(verify(makePackage(complexNumbers)).error(),
            path + ".links[0].feeds: passes through a softmax, but its numbers "
                   "are complex");
  Kernel link = kernel;
  link.softmax = false;
  link.links[0].softmax = true;
  EXPECT_EQ(verify(makePackage(link)).error(),
            path + ".links[0]: must not take a softmax");
  Kernel alone = kernel;
  alone.links.clear();
  alone.chainedInput.reset();
  EXPECT_EQ(verify(makePackage(alone)).error(),
            path + ".links: must compute what a softmax is taken of");
}
