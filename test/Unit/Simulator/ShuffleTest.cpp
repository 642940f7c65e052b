//===- ShuffleTest.cpp - Exchanges between lanes --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

using Values = std::vector<std::uint64_t>;

/// The result in each of 32 lanes of shuffling values 100, 101, ..., plus 1000
/// where the predicate is false. `operands` are b and c.
static Values shuffle(const std::string &mode, const std::string &operands) {
  std::vector<Values> rows;
  for (std::uint64_t i = 0; i < 32; ++i)
    rows.push_back({100 + i});
  return apply(".reg .pred %ok; shfl.sync." + mode + ".b32 %d|%ok, %a, " +
                   operands + ", 0xffffffff; @!%ok add.u32 %d, %d, 1000;",
               "b32", {"b32"}, rows);
}

/// The same, given the source of a lane, or -1 if there is none.
template <typename F> static Values from(F source) {
  Values values;
  for (int i = 0; i < 32; ++i)
    values.push_back(
        static_cast<std::uint64_t>(source(i) < 0 ? 1100 + i : 100 + source(i)));
  return values;
}

TEST(Shuffle, WholeWarp) {
  EXPECT_EQ(shuffle("up", "3, 0"), from([](int i) { return i - 3; }));
  EXPECT_EQ(shuffle("down", "3, 31"),
            from([](int i) { return i + 3 > 31 ? -1 : i + 3; }));
  EXPECT_EQ(shuffle("bfly", "17, 31"), from([](int i) { return i ^ 17; }));
  EXPECT_EQ(shuffle("idx", "9, 31"), from([](int) { return 9; }));
  // Only five bits count.
  EXPECT_EQ(shuffle("idx", "41, 31"), from([](int) { return 9; }));
  EXPECT_EQ(shuffle("up", "32, 0"), from([](int i) { return i; }));
  EXPECT_EQ(shuffle("up", "31, 0"), from([](int i) { return i - 31; }));
}

TEST(Shuffle, Segments) {
  // Of eight lanes: the segment mask is 24.
  EXPECT_EQ(shuffle("up", "3, 0x1800"),
            from([](int i) { return i % 8 < 3 ? -1 : i - 3; }));
  EXPECT_EQ(shuffle("down", "3, 0x181f"),
            from([](int i) { return i % 8 > 4 ? -1 : i + 3; }));
  EXPECT_EQ(shuffle("bfly", "4, 0x181f"), from([](int i) { return i ^ 4; }));
  // A butterfly may go back to an earlier segment, not on to a later one.
  EXPECT_EQ(shuffle("bfly", "8, 0x181f"),
            from([](int i) { return (i & 8) == 0 ? -1 : i ^ 8; }));
  EXPECT_EQ(shuffle("idx", "5, 0x181f"),
            from([](int i) { return i / 8 * 8 + 5; }));
  // A bound inside the segment.
  EXPECT_EQ(shuffle("idx", "5, 0x1803"), from([](int) { return -1; }));
  EXPECT_EQ(shuffle("down", "1, 0x1803"),
            from([](int i) { return i % 8 > 2 ? -1 : i + 1; }));
}

TEST(Shuffle, EachLaneChooses) {
  std::vector<Values> rows;
  for (std::uint64_t i = 0; i < 32; ++i)
    rows.push_back({100 + i, 31 - i});
  Values reversed = apply("shfl.sync.idx.b32 %d, %a, %b, 31, -1;", "b32",
                          {"b32", "b32"}, rows);
  EXPECT_EQ(reversed, from([](int i) { return 31 - i; }));
  // In place.
  reversed = apply("shfl.sync.idx.b32 %a, %a, %b, 31, -1; mov.b32 %d, %a;",
                   "b32", {"b32", "b32"}, rows);
  EXPECT_EQ(reversed, from([](int i) { return 31 - i; }));
}

static std::string fault(const std::string &body) {
  LaunchConfig config;
  config.block = {32, 1, 1};
  Result<Counters> result =
      runText(kernel("", ".reg .b32 %r<4>; .reg .pred %p;\n"
                         "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 8;\n" +
                             body),
              config, {}, {});
  return result ? "" : result.error();
}

TEST(Shuffle, LanesThatTakeNoPart) {
  EXPECT_EQ(fault("@%p shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xff;"), "");
  EXPECT_EQ(fault("@%p shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;"),
            "k.ptx:7: not all lanes of the member mask have come here together "
            "in 'shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff', block (0,0,0), "
            "thread (0,0,0)");
  EXPECT_EQ(fault("@%p shfl.sync.down.b32 %r1, %r0, 2, 31, 0xff;"),
            "k.ptx:7: lane 8, whose value is asked for, does not take part in "
            "'shfl.sync.down.b32 %r1, %r0, 2, 31, 0xff', block (0,0,0), thread "
            "(6,0,0)");
  // Results of lanes that take no part stay as they are: here, unwritten.
  EXPECT_EQ(fault("@%p shfl.sync.idx.b32 %r1, %r0, 1, 31, 0xff;\n"
                  "add.u32 %r2, %r1, 1;"),
            "k.ptx:8: register '%r1' is read, which nothing has written in "
            "'add.u32 %r2, %r1, 1', block (0,0,0), thread (8,0,0)");
}

TEST(Shuffle, Forms) {
  EXPECT_EQ(instructionError("shfl.sync.idx.b32 %r1|%p1, %r2, 1, 31, -1;"), "");
  for (const char *bad : {"shfl.idx.b32 %r1, %r2, 1, 31, -1;",
                          "shfl.sync.b32 %r1, %r2, 1, 31, -1;",
                          "shfl.sync.idx.u32 %r1, %r2, 1, 31, -1;",
                          "shfl.sync.idx.b64 %rd1, %rd2, 1, 31, -1;",
                          "shfl.sync.idx.b32 %r1, %r2, 1, 31;",
                          "shfl.sync.idx.b32 %r1|%r3, %r2, 1, 31, -1;",
                          "shfl.sync.idx.b32 %p1|%p2, %r2, 1, 31, -1;",
                          "shfl.sync.idx.b32 %r1, %rd2, 1, 31, -1;"})
    EXPECT_EQ(instructionError(bad).substr(0, 8), "k.ptx:9:") << bad;
}
