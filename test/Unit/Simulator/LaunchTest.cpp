//===- LaunchTest.cpp - Launches that fit and that do not ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids, blocks, arguments, and the choice of blocks to run.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

static std::string
launchError(const std::string &text, const LaunchConfig &config,
            const std::vector<KernelArgument> &arguments = {}) {
  std::vector<std::uint32_t> data(16);
  Result<Counters> result =
      runText(text, config, {bufferOf(data, "data")}, arguments);
  return result ? "" : result.error();
}

static LaunchConfig shape(std::array<std::uint32_t, 3> grid,
                          std::array<std::uint32_t, 3> block) {
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  return config;
}

TEST(Launch, SpecialRegisters) {
  // Every thread of every block stores its coordinates as one number.
  std::string text = kernel(".param .u64 out", R"(
    .reg .b32 %r<19>; .reg .b64 %rd<3>;
    mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
    mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;
    mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z;
    mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y; mov.u32 %r15, %nctaid.z;
    mad.lo.u32 %r11, %r8, %r10, %r7;
    mad.lo.u32 %r11, %r11, %r9, %r6;
    mad.lo.u32 %r11, %r11, %r5, %r2;
    mad.lo.u32 %r11, %r11, %r4, %r1;
    mad.lo.u32 %r11, %r11, %r3, %r0;
    ld.param.u64 %rd0, [out];
    mad.wide.u32 %rd1, %r11, 4, %rd0;
    mov.u32 %r12, %laneid; mov.u32 %r13, %warpid;
    mad.lo.u32 %r14, %r13, WARP_SZ, %r12;
    mad.lo.u32 %r14, %r15, 1000, %r14;
    st.global.u32 [%rd1], %r14;
  )");
  std::vector<std::uint32_t> out(2 * 3 * 2 * 5 * 3 * 4);
  Result<Counters> result =
      runText(text, shape({2, 3, 2}, {5, 3, 4}), {bufferOf(out, "out")},
              {KernelArgument::address(0)});
  ASSERT_TRUE(result) << result.error();
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 2000 + i % 60) << i;
  EXPECT_EQ(result->blocks, 12u);
}

TEST(Launch, ChosenBlocks) {
  std::string text = kernel(".param .u64 out", R"(
    .reg .b32 %r; .reg .b64 %rd<2>;
    mov.u32 %r, %ctaid.x; ld.param.u64 %rd0, [out];
    mad.wide.u32 %rd1, %r, 4, %rd0; st.global.u32 [%rd1], 1;
  )");
  std::vector<std::uint32_t> out(8);
  LaunchConfig config = shape({8, 1, 1}, {1, 1, 1});
  config.blocks = {0, 7, 3};
  Result<Counters> result = runText(text, config, {bufferOf(out, "out")},
                                    {KernelArgument::address(0)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(result->blocks, 3u);
  config.blocks = {8};
  EXPECT_EQ(launchError(text, config, {KernelArgument::address(0)}),
            "k.ptx: entry 'k': block 8 is outside the grid of 8x1x1");
}

TEST(Launch, TellsProgress) {
  std::string text = kernel("", "ret;");
  for (unsigned workers : {1u, 2u, 4u}) {
    LaunchConfig config = shape({16, 1, 1}, {32, 1, 1});
    config.workers = workers;
    config.blocks = {3, 5, 7, 9, 11};
    std::vector<std::uint64_t> told;
    config.progress = [&](std::uint64_t done, std::uint64_t blocks) {
      EXPECT_EQ(blocks, 5u);
      told.push_back(done);
    };
    Result<Counters> result = runText(text, config, {}, {});
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
  }
}

TEST(Launch, ReportsTheFirstBlockThatFails) {
  std::string text =
      kernel("", ".reg .b32 %r; .reg .pred %p; mov.u32 %r, %ctaid.x;"
                 "setp.ge.u32 %p, %r, 5; @%p trap;");
  for (unsigned workers : {1u, 2u, 4u}) {
    LaunchConfig config = shape({64, 1, 1}, {32, 1, 1});
    config.workers = workers;
    EXPECT_EQ(launchError(text, config),
              "k.ptx:5: trap in 'trap', block (5,0,0), thread (0,0,0)");
  }
}

TEST(Launch, Shapes) {
  std::string text = kernel("", "");
  EXPECT_EQ(launchError(text, shape({1, 1, 1}, {1024, 1, 1})), "");
  EXPECT_EQ(launchError(text, shape({1, 1, 1}, {32, 33, 1})),
            "k.ptx: entry 'k': a block of 32x33x1 has more than 1024 threads");
  EXPECT_EQ(launchError(text, shape({1, 1, 1}, {0, 1, 1})),
            "k.ptx: entry 'k': a block of 0x1x1 threads is not possible");
  EXPECT_EQ(launchError(text, shape({1, 70000, 1}, {1, 1, 1})),
            "k.ptx: entry 'k': a grid of 1x70000x1 blocks is not possible");
}

TEST(Launch, Bounds) {
  std::string most = header + ".entry k() .maxntid 64, 2 { }";
  EXPECT_EQ(launchError(most, shape({1, 1, 1}, {128, 1, 1})), "");
  EXPECT_EQ(launchError(most, shape({1, 1, 1}, {129, 1, 1})),
            "k.ptx: entry 'k': a block of 129x1x1 threads is more than the "
            "64x2x1 that .maxntid allows");
  std::string exact = header + ".entry k() .reqntid 64 { }";
  EXPECT_EQ(launchError(exact, shape({1, 1, 1}, {64, 1, 1})), "");
  EXPECT_EQ(launchError(exact, shape({1, 1, 1}, {32, 2, 1})),
            "k.ptx: entry 'k': a block of 32x2x1 threads is not the 64x1x1 "
            "that .reqntid requires");
}

TEST(Launch, SharedMemory) {
  LaunchConfig config;
  config.dynamicSharedBytes = 227 * 1024;
  EXPECT_EQ(launchError(kernel("", ""), config), "");
  config.dynamicSharedBytes += 1;
  EXPECT_EQ(launchError(kernel("", ""), config),
            "k.ptx: entry 'k': 0 + 232449 bytes of shared memory are more than "
            "232448");
}

TEST(Launch, Arguments) {
  std::string text =
      kernel(".param .u64 .ptr .global .align 16 p, .param .f32 x", "");
  auto with = [&](const std::vector<KernelArgument> &arguments) {
    return launchError(text, LaunchConfig(), arguments);
  };
  EXPECT_EQ(with({KernelArgument::address(0), KernelArgument::scalar(1.0f)}),
            "");
  EXPECT_EQ(with({KernelArgument::address(0)}),
            "k.ptx: entry 'k': takes 2 arguments, not 1");
  EXPECT_EQ(with({KernelArgument::address(0), KernelArgument::scalar(1.0)}),
            "k.ptx: entry 'k': argument 1 ('x') has 8 bytes, the parameter has "
            "4");
  EXPECT_EQ(with({KernelArgument::address(0), KernelArgument::address(0)}),
            "k.ptx: entry 'k': argument 1 ('x') has 8 bytes, the parameter has "
            "4");
  EXPECT_EQ(with({KernelArgument::address(1), KernelArgument::scalar(1.0f)}),
            "k.ptx: entry 'k': argument 0 ('p') names buffer 1 of 1");
  EXPECT_EQ(
      with({KernelArgument::address(0, 8), KernelArgument::scalar(1.0f)}),
      "k.ptx: entry 'k': argument 0 ('p') must be a multiple of 16 bytes");
}

TEST(Launch, AddressesInStructures) {
  std::vector<std::uint64_t> out(2);
  std::string text = kernel(
      ".param .align 8 .b8 s[16]",
      ".reg .b64 %rd<2>; ld.param.u64 %rd0, [s+8]; ld.param.u32 %rd1, [s+4];"
      "st.global.u64 [%rd0], %rd1;");
  auto with = [&](std::size_t place, std::size_t buffer) {
    const std::uint32_t bytes[4] = {1, 7, 3, 4};
    KernelArgument argument = KernelArgument::bytes(bytes, sizeof(bytes));
    argument.setAddress(place, buffer, 8);
    Result<Counters> result =
        runText(text, {}, {bufferOf(out, "out")}, {argument});
    return result ? "" : result.error();
  };
  EXPECT_EQ(with(8, 0), "");
  EXPECT_EQ(out, (std::vector<std::uint64_t>{0, 7}));
  EXPECT_EQ(with(8, 1),
            "k.ptx: entry 'k': argument 0 ('s') names buffer 1 of 1");
  EXPECT_EQ(with(9, 0), "k.ptx: entry 'k': argument 0 ('s') has 16 bytes, too "
                        "few for an address at byte 9");
}

TEST(Launch, VariablesThatAreSet) {
  std::vector<std::uint64_t> out(1);
  std::string text =
      header + std::string(".const .align 4 .u32 x[2] = {5, 6};\n"
                           ".entry k(.param .u64 p) { .reg .b64 %rd<2>;"
                           ".reg .b32 %r<2>; ld.param.u64 %rd0, [p];"
                           "mov.u64 %rd1, x; ld.const.v2.u32 {%r0, %r1}, "
                           "[%rd1]; st.global.v2.u32 [%rd0], {%r0, %r1}; }");
  auto with = [&](const std::string &name, KernelArgument contents) {
    LaunchConfig config;
    config.variables = {{name, std::move(contents)}};
    Result<Counters> result = runText(text, config, {bufferOf(out, "out")},
                                      {KernelArgument::address(0)});
    return result ? "" : result.error();
  };
  // Elements that are not set keep their values of the PTX.
  EXPECT_EQ(with("x", KernelArgument::scalar(std::uint32_t(9))), "");
  EXPECT_EQ(out[0], 0x600000009u);
  EXPECT_EQ(with("y", KernelArgument::scalar(std::uint32_t(9))),
            "k.ptx: entry 'k': variable 'y' is not in the module");
  const std::uint32_t tooMany[3] = {};
  EXPECT_EQ(with("x", KernelArgument::bytes(tooMany, sizeof(tooMany))),
            "k.ptx: entry 'k': variable 'x' has 8 bytes, not 12");
}

TEST(Launch, UnknownEntry) {
  Result<Module> module = Module::parse(kernel("", ""), "k.ptx");
  ASSERT_TRUE(module);
  std::vector<GlobalBuffer> buffers;
  Result<Counters> result = launch(*module, "other", {}, buffers, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "k.ptx: there is no entry 'other'");
}
