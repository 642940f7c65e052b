//===- FilesTest.cpp - Whole files ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Files.h"
#include "Support/TemporaryFolder.h"

#include <gtest/gtest.h>

using namespace tc;

TEST(FilesTest, ReplacesAndReads) {
  TemporaryFolder folder;
  const std::string path = folder.path("text");
  ASSERT_TRUE(replaceFile(path, "first, and longer"));
  ASSERT_TRUE(replaceFile(path, std::string("se\0cond", 7)));
  Result<std::string> text = readFile(path);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(*text, std::string("se\0cond", 7));
}

TEST(FilesTest, ErrorsNameThePath) {
  EXPECT_EQ(readFile("/nonexistent/x").error(),
            "/nonexistent/x: No such file or directory");
  EXPECT_EQ(readFile("/nonexistent/\n").error(),
            "/nonexistent/\\x0a: No such file or directory");
  EXPECT_EQ(readFileBeneath("/nonexistent", "x\ny").error(),
            "/nonexistent/x\\x0ay: No such file or directory");
  EXPECT_EQ(replaceFile("/nonexistent/\n", "").error(),
            "/nonexistent/\\x0a: No such file or directory");
  EXPECT_EQ(readFile("/").error(), "/: is a directory");
  EXPECT_EQ(replaceFile("/nonexistent/x", "").error(),
            "/nonexistent/x: No such file or directory");
  const TemporaryFolder folder;
  EXPECT_EQ(replaceFile(folder.name(), "").error().find(folder.name() + ": "),
            0u);
}

TEST(FilesTest, NamesHaveNoNul) {
  TemporaryFolder folder;
  const std::string path = folder.path("text");
  ASSERT_TRUE(replaceFile(path, "whole"));
  std::string longer = path + std::string("\0.old", 5);
  std::string text = path + "\\x00.old: has a NUL character, which no name of "
                            "a file can have";
  EXPECT_EQ(readFile(longer).error(), text);
  EXPECT_EQ(replaceFile(longer, "other").error(), text);
  EXPECT_EQ(readFileBeneath("", longer).error(), text);
  for (Beneath way : {Beneath::Kernel, Beneath::Walk})
    EXPECT_EQ(readFileBeneath(folder.name(), std::string("text\0", 5),
                              largestInput, way)
                  .error()
                  .find("text\\x00: has a NUL character"),
              folder.path("").size());
  EXPECT_EQ(*readFile(path), "whole");
}
