//===- WorkProgressTest.cpp - Progress of long work -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Run/WorkProgress.h"

#include "gtest/gtest.h"

#include <vector>

using namespace tc::run;

namespace {

TEST(WorkProgress, TellsNowAndThenWhatIsLeft) {
  std::vector<std::string> lines;
  Progress keep = [&](const std::string &line) { lines.push_back(line); };
  WorkProgress told("simulated", "blocks", keep, "; some advice");
  told.tell(0.1, 1, 1000);
  told.tell(1.9, 19, 1000);
  EXPECT_TRUE(lines.empty());
  told.tell(2, 20, 1000);
  told.tell(6.9, 69, 1000);
  told.tell(7, 50, 1000);
  told.tell(100, 60, 10000);
  told.tell(200, 10, 10000);
  told.tell(300, 1000, 1000);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "simulated 20 of 1000 blocks, 98 s left; some advice",
                       "simulated 50 of 1000 blocks, 3 min left",
                       "simulated 60 of 10000 blocks, 5 h left",
                       "simulated 10 of 10000 blocks, 56 h left"}));
}

TEST(WorkProgress, SaysNothingOfNothing) {
  Progress fail = [](const std::string &line) { ADD_FAILURE() << line; };
  WorkProgress told("simulated", "blocks", fail);
  told.tell(10, 0, 10);
  told.tell(20, 10, 10);
}

} // namespace
