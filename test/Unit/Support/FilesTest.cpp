//===- FilesTest.cpp - Whole files ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"

#include <gtest/gtest.h>

using namespace tc;

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
