//===- WarpTest.cpp - Votes, matches, reductions, and hints ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <functional>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

using Values = std::vector<std::uint64_t>;

/// One row for each of 32 lanes.
static std::vector<Values>
lanes(const std::function<std::uint64_t(std::uint32_t)> &value) {
  std::vector<Values> rows;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    rows.push_back({value(lane)});
  return rows;
}

TEST(Vote, All32Lanes) {
  auto vote = [](const std::string &instruction, const std::string &type,
                 const std::vector<Values> &rows) {
    Values results = apply(instruction, type, {"pred"}, rows);
    for (std::uint64_t result : results)
      EXPECT_EQ(result, results[0]) << instruction;
    return results[0];
  };
  auto none = lanes([](std::uint32_t) { return 0; });
  auto one = lanes([](std::uint32_t lane) { return lane == 9; });
  auto every = lanes([](std::uint32_t) { return 1; });
  const std::string all = "vote.sync.all.pred %d, %a, -1;",
                    any = "vote.sync.any.pred %d, %a, 0xffffffff;",
                    uniform = "vote.sync.uni.pred %d, %a, -1;",
                    ballot = "vote.sync.ballot.b32 %d, %a, -1;";
  EXPECT_EQ(vote(all, "pred", none), 0u);
  EXPECT_EQ(vote(all, "pred", one), 0u);
  EXPECT_EQ(vote(all, "pred", every), 1u);
  EXPECT_EQ(vote(any, "pred", none), 0u);
  EXPECT_EQ(vote(any, "pred", one), 1u);
  EXPECT_EQ(vote(any, "pred", every), 1u);
  EXPECT_EQ(vote(uniform, "pred", none), 1u);
  EXPECT_EQ(vote(uniform, "pred", one), 0u);
  EXPECT_EQ(vote(uniform, "pred", every), 1u);
  EXPECT_EQ(vote(ballot, "b32", none), 0u);
  EXPECT_EQ(vote(ballot, "b32", one), 1u << 9);
  EXPECT_EQ(vote(ballot, "b32", every), 0xffffffffu);
  // Negated votes.
  EXPECT_EQ(vote("vote.sync.all.pred %d, !%a, -1;", "pred", none), 1u);
  EXPECT_EQ(vote("vote.sync.ballot.b32 %d, !%a, -1;", "b32", one),
            ~(std::uint32_t(1) << 9));
}

TEST(Vote, SomeLanes) {
  // Of the lanes below 8, which alone vote, the even ones say yes.
  auto rows = lanes([](std::uint32_t lane) { return lane; });
  const std::string begin = ".reg .pred %few, %yes; .reg .b32 %m;\n"
                            "setp.lt.u32 %few, %a, 8; and.b32 %m, %a, 1;\n"
                            "setp.eq.u32 %yes, %m, 0; mov.u32 %d, 77;\n";
  Values votes = apply(begin + "@%few vote.sync.ballot.b32 %d, %yes, 255;",
                       "b32", {"b32"}, rows);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(votes[lane], lane < 8 ? 0x55u : 77u);
}

TEST(Match, AnyAndAll) {
  auto thirds = lanes([](std::uint32_t lane) { return lane % 3; });
  Values any = apply("match.any.sync.b32 %d, %a, -1;", "b32", {"b32"}, thirds);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(any[lane], (0x49249249u << lane % 3) & 0xffffffffu);
  auto same = lanes([](std::uint32_t) { return std::uint64_t(5) << 40; });
  auto almost = lanes([](std::uint32_t lane) {
    return (lane == 31) + (std::uint64_t(5) << 40);
  });
  auto check = [](const std::vector<Values> &rows, std::uint32_t mask) {
    EXPECT_EQ(apply("match.all.sync.b64 %d, %a, -1;", "b32", {"b64"}, rows),
              Values(32, mask));
    EXPECT_EQ(apply(".reg .b32 %m; match.all.sync.b64 %m|%d, %a, -1;", "pred",
                    {"b64"}, rows),
              Values(32, mask != 0));
  };
  check(same, 0xffffffff);
  check(almost, 0);
  Values wide = apply("match.any.sync.b64 %d, %a, -1;", "b32", {"b64"}, almost);
  EXPECT_EQ(wide[0], 0x7fffffffu);
  EXPECT_EQ(wide[31], 0x80000000u);
}

TEST(Reduce, EveryOperation) {
  auto reduce = [](const std::string &operation, const std::string &members,
                   const std::vector<Values> &rows) {
    return apply("mov.u32 %d, 7;\n" + members + "redux.sync." + operation +
                     " %d, %a, " + (members.empty() ? "-1" : "0x6") + ";",
                 "b32", {"b32"}, rows);
  };
  auto signs = lanes([](std::uint32_t lane) {
    return s32(static_cast<std::int32_t>(lane) - 16);
  });
  EXPECT_EQ(reduce("add.s32", "", signs), Values(32, s32(-16)));
  EXPECT_EQ(reduce("add.u32", "", signs), Values(32, s32(-16)));
  EXPECT_EQ(reduce("min.s32", "", signs), Values(32, s32(-16)));
  EXPECT_EQ(reduce("max.s32", "", signs), Values(32, 15u));
  EXPECT_EQ(reduce("min.u32", "", signs), Values(32, 0u));
  EXPECT_EQ(reduce("max.u32", "", signs), Values(32, s32(-1)));
  EXPECT_EQ(reduce("and.b32", "", signs), Values(32, 0u));
  EXPECT_EQ(reduce("or.b32", "", signs), Values(32, s32(-1)));
  auto single = lanes([](std::uint32_t lane) { return 1u << (lane & 7); });
  EXPECT_EQ(reduce("xor.b32", "", single), Values(32, 0u));
  // Of lanes 1 and 2 only.
  Values few = reduce("add.u32",
                      ".reg .pred %p, %q; setp.eq.u32 %p, %a, 2; setp.eq.u32 "
                      "%q, %a, 4; or.pred %p, %p, %q;\n"
                      ".reg .b32 %lane; mov.u32 %lane, %laneid; "
                      "setp.lt.and.u32 %p, %lane, 8, %p;\n@%p ",
                      single);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(few[lane], lane == 1 || lane == 2 ? 6u : 7u);
}

TEST(Elect, TheFirstLane) {
  auto rows = lanes([](std::uint32_t lane) { return lane; });
  EXPECT_EQ(apply(".reg .pred %p; elect.sync %d|%p, -1;", "b32", {"b32"}, rows),
            Values(32, 0u));
  Values leaders =
      apply(".reg .pred %p; setp.ge.u32 %p, %a, 5; setp.ne.u32 %d, %a, %a;\n"
            "@%p elect.sync _|%d, 0xffffffe0;",
            "pred", {"b32"}, rows);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(leaders[lane], lane == 5);
}

TEST(Vote, LanesThatAreMissing) {
  const std::string begin = ".reg .pred %p<3>; .reg .b32 %r<4>, %t;\n"
                            "mov.u32 %t, %tid.x; setp.lt.u32 %p0, %t, 8;\n";
  auto fault = [&](const std::string &body) {
    LaunchConfig config;
    config.block = {32, 1, 1};
    Result<Counters> result = runText(kernel("", begin + body), config, {}, {});
    return result ? "" : result.error();
  };
  const char *missing =
      "k.ptx:7: not all lanes of the member mask have come here together";
  for (const char *instruction :
       {"vote.sync.any.pred %p1, %p0, -1;",
        "vote.sync.ballot.b32 %r1, %p0, -1;", "match.any.sync.b32 %r1, %t, -1;",
        "match.all.sync.b32 %r1, %t, -1;", "redux.sync.add.u32 %r1, %t, -1;",
        "elect.sync %r1|%p1, -1;"})
    EXPECT_EQ(fault(std::string("@%p0 ") + instruction).substr(0, 65), missing)
        << instruction;
  EXPECT_EQ(fault("@%p0 vote.sync.any.pred %p1, %p0, 255;"), "");
}

TEST(Hints, DoNothing) {
  std::vector<std::uint32_t> memory(1);
  LaunchConfig config;
  config.block = {32, 1, 1};
  // Prefetching needs no memory there.
  Result<Counters> result = runText(
      kernel(".param .u64 p",
             ".reg .b64 %p, %d; .reg .b32 %r;\n"
             "ld.param.u64 %p, [p]; mov.u32 %r, 20;\n"
             "setmaxnreg.dec.sync.aligned.u32 24;\n"
             "setmaxnreg.inc.sync.aligned.u32 240;\n"
             "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
             "prefetch.global.L2 [%p+1024];\nprefetch.L1 [%p];\n"
             "prefetch.global.L2::evict_last [%p];\nprefetchu.L1 [%p];\n"
             "applypriority.global.L2::evict_normal [%p], 128;\n"
             "createpolicy.fractional.L2::evict_last.b64 %d, 1.0;\n"
             "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 "
             "%d;\nnanosleep.u32 %r;\nnanosleep.u32 20;\n"),
      config, {bufferOf(memory, "m")}, {KernelArgument::address(0)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->buffers[0].loadBytes, 0u);
}

TEST(Hints, NotInTheSubset) {
  const std::pair<const char *, const char *> cases[] = {
      {"setmaxnreg.inc.sync.aligned.u32 20;",
       "the number of registers must be a multiple of 8 from 24 to 256"},
      {"setmaxnreg.sync.aligned.u32 24;", "expected modifier '.dec'"},
      {"griddepcontrol.launch;", "expected modifier '.wait'"},
      {"prefetch.global.L3 [%rd1];", "expected modifier '.L2'"},
      {"applypriority.global.L2::evict_normal [%rd1], 64;",
       "operand 2 must be 128"},
      {"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 1, 1;",
       "expected modifier '.fractional'"},
      {"vote.all.pred %p1, %p2;", "expected modifier '.sync'"},
      {"vote.sync.most.pred %p1, %p2, -1;", "missing or unsupported mode"},
      {"vote.sync.all.pred %p1, 1, -1;", "operand 2 must be a predicate"},
      {"redux.sync.mul.s32 %r1, %r2, -1;", "missing or unsupported operation"},
      {"redux.sync.and.s32 %r1, %r2, -1;", "unsupported modifier '.s32'"},
      {"match.any.sync.b32 %r1|%p1, %r2, -1;", "operand 1 must be a register"},
      {"elect.sync %r1, -1;", "operand 1 must be a register and a predicate"},
  };
  for (const auto &[instruction, message] : cases) {
    std::string text = instruction;
    text.pop_back();
    EXPECT_EQ(instructionError(instruction),
              "k.ptx:9: " + std::string(message) + " in '" + text + "'");
  }
}
