//===- FilesTest.cpp - Whole files, and tensors made anew -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"
#include "tc/Reference/HostTensor.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;

TEST(FilesTest, ReplacesAndReads) {
  std::string path = testing::TempDir() + "/tc-files-test";
  ASSERT_TRUE(replaceFile(path, "first, and longer"));
  ASSERT_TRUE(replaceFile(path, std::string("se\0cond", 7)));
  Result<std::string> text = readFile(path);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(*text, std::string("se\0cond", 7));
}

TEST(FilesTest, ErrorsNameThePath) {
  EXPECT_EQ(readFile("/nonexistent/x").error(),
            "/nonexistent/x: No such file or directory");
  EXPECT_EQ(readFile("/").error(), "/: is a directory");
  EXPECT_EQ(replaceFile("/nonexistent/x", "").error(),
            "/nonexistent/x: No such file or directory");
  EXPECT_EQ(replaceFile(testing::TempDir(), "")
                .error()
                .find(testing::TempDir() + ": "),
            0u);
}

TEST(HostTensorTest, Reset) {
  TensorArgument argument;
  argument.name = "C";
  argument.labels = {"i"};
  argument.extents = {9};
  argument.strides = {2};
  Result<HostTensor> tensor =
      HostTensor::create(argument, Contents::Random, Random(3, 2));
  ASSERT_TRUE(tensor) << tensor.error();
  std::memset(tensor->data(), 0, tensor->bytes());
  tensor->reset();
  for (int64_t p = 0; p < 17; ++p)
    EXPECT_EQ(tensor->bits<double>(p), tensor->initialBits<double>(p)) << p;
}
