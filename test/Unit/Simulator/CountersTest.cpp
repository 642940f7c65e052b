//===- CountersTest.cpp - Counters in closed form ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs of small access patterns.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "tc/Simulator/CounterFields.h"

#include <random>
#include <set>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

/// Counts a body that may use the address of a buffer of 64 KiB in %rd0, the
/// thread's number in %r0, and 32 KiB of shared memory. The buffer begins with
/// `contents`.
static Counters count(const std::string &body, std::uint32_t threads = 32,
                      std::vector<std::uint32_t> contents = {}) {
  std::vector<std::uint32_t> &buffer = contents;
  buffer.resize(65536 / sizeof(std::uint32_t));
  std::string text = kernel(
      ".param .u64 p", ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
                       ".reg .f64 %fd<9>; .reg .pred %p<2>; .reg .b16 %h<2>;"
                       "ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x;" +
                           body);
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = 32768;
  config.detectors = Detectors::none();
  Result<Counters> result = runText(text, config, {bufferOf(buffer, "p")},
                                    {KernelArgument::address(0)});
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result ? *result : Counters();
}

/// Sectors of a load of that type from `offset + stride * lane`.
static std::uint64_t sectors(const std::string &load, unsigned stride,
                             unsigned offset = 0) {
  return count("mad.wide.u32 %rd1, %r0, " + std::to_string(stride) +
               ", %rd0; ld.global." + load + ", [%rd1+" +
               std::to_string(offset) + "];")
      .buffers[0]
      .loadSectors;
}

/// Sets each number of a record to another.
template <typename T> static void number(T &value, std::uint64_t &next) {
  if constexpr (isRecord<T>)
    visitFields(value, [&](const auto &, auto &field) { number(field, next); });
  else if constexpr (std::is_integral_v<T>)
    value = next++;
  else if constexpr (record::IsArray<T>::value)
    for (auto &element : value)
      number(element, next);
}

TEST(Counters, EachIsAddedUp) {
  Counters once, twice;
  std::uint64_t next = 1;
  once.buffers.resize(2);
  for (BufferTraffic &traffic : once.buffers)
    number(traffic, next);
  number(once, next);
  twice += once;
  EXPECT_EQ(keyOf(twice.buffers), keyOf(once.buffers));
  twice += once;
  visitFields(once, [&](const auto &field, const auto &value) {
    using T = std::decay_t<decltype(value)>;
    const T &sum = twice.*field.member;
    if constexpr (std::is_integral_v<T>)
      EXPECT_EQ(sum, 2 * value) << field.name;
  });
  for (std::size_t i = 0; i < numInstructionKinds; ++i)
    EXPECT_EQ(twice.warpInstructionsByKind[i],
              2 * once.warpInstructionsByKind[i]);
  EXPECT_EQ(twice.buffers[1].storeSectors, 2 * once.buffers[1].storeSectors);
  EXPECT_EQ(twice.shared.idealStoreWavefronts,
            2 * once.shared.idealStoreWavefronts);
  // Of these, there are no more at the same time.
  EXPECT_EQ(twice.async.groups, 2 * once.async.groups);
  EXPECT_EQ(twice.async.maxBytes, once.async.maxBytes);
  AccessCounts accesses, more;
  number(accesses, next);
  more = accesses;
  more += accesses;
  EXPECT_EQ(more.conflicts(), 2 * accesses.conflicts());
  more -= accesses;
  EXPECT_EQ(keyOf(more), keyOf(accesses));
}

TEST(Sectors, Coalesced) {
  EXPECT_EQ(sectors("f32 %f0", 4), 4u);
  EXPECT_EQ(sectors("f64 %fd0", 8), 8u);
  EXPECT_EQ(sectors("v2.f64 {%fd0, %fd1}", 16), 16u);
  EXPECT_EQ(sectors("v4.f32 {%f0, %f1, %f2, %f3}", 16), 16u);
  EXPECT_EQ(sectors("u16 %h0", 2), 2u);
  EXPECT_EQ(sectors("u8 %h0", 1), 1u);
}

TEST(Sectors, ShiftedByHalfASector) {
  EXPECT_EQ(sectors("f32 %f0", 4, 16), 5u);
  EXPECT_EQ(sectors("f64 %fd0", 8, 16), 9u);
}

TEST(Sectors, Strided) {
  EXPECT_EQ(sectors("f32 %f0", 8), 8u);
  EXPECT_EQ(sectors("f32 %f0", 32), 32u);
  EXPECT_EQ(sectors("f32 %f0", 1024), 32u);
  EXPECT_EQ(sectors("f32 %f0", 0), 1u);
}

TEST(Sectors, Backwards) {
  Counters counters = count("sub.u32 %r1, 31, %r0;"
                            "mad.wide.u32 %rd1, %r1, 4, %rd0;"
                            "ld.global.f32 %f0, [%rd1];");
  EXPECT_EQ(counters.buffers[0].loadSectors, 4u);
}

TEST(Sectors, StoresAndPartialWarps) {
  // 40 threads: a warp of 4 sectors and one of 1.
  Counters counters = count("mad.wide.u32 %rd1, %r0, 4, %rd0;"
                            "st.global.u32 [%rd1], %r0;",
                            40);
  EXPECT_EQ(counters.buffers[0].storeSectors, 5u);
  EXPECT_EQ(counters.buffers[0].storeBytes, 160u);
  EXPECT_EQ(counters.buffers[0].loadBytes, 0u);
  EXPECT_EQ(counters[InstructionKind::StoreGlobal], 2u);
}

/// Wavefronts of a shared load from `stride * lane`, and their ideal.
static std::pair<std::uint64_t, std::uint64_t>
wavefronts(const std::string &load, unsigned stride) {
  Counters counters = count("mul.lo.u32 %r1, %r0, " + std::to_string(stride) +
                            "; ld.shared." + load + ", [%r1];");
  return {counters.shared.loadWavefronts, counters.shared.idealLoadWavefronts};
}

using Wavefronts = std::pair<std::uint64_t, std::uint64_t>;

TEST(Wavefronts, FourBytes) {
  EXPECT_EQ(wavefronts("f32 %f0", 4), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts("f32 %f0", 8), (Wavefronts{2, 1}));
  EXPECT_EQ(wavefronts("f32 %f0", 16), (Wavefronts{4, 1}));
  EXPECT_EQ(wavefronts("f32 %f0", 128), (Wavefronts{32, 1}));
  EXPECT_EQ(wavefronts("f32 %f0", 132), (Wavefronts{1, 1})); // Padded.
  EXPECT_EQ(wavefronts("f32 %f0", 0), (Wavefronts{1, 1}));   // Broadcast.
}

TEST(Wavefronts, EightBytes) {
  EXPECT_EQ(wavefronts("f64 %fd0", 8), (Wavefronts{2, 2}));
  EXPECT_EQ(wavefronts("f64 %fd0", 16), (Wavefronts{4, 2}));
  EXPECT_EQ(wavefronts("f64 %fd0", 128), (Wavefronts{32, 2}));
  EXPECT_EQ(wavefronts("v2.f32 {%f0, %f1}", 8), (Wavefronts{2, 2}));
}

TEST(Wavefronts, SixteenBytes) {
  EXPECT_EQ(wavefronts("v4.f32 {%f0, %f1, %f2, %f3}", 16), (Wavefronts{4, 4}));
  EXPECT_EQ(wavefronts("v2.f64 {%fd0, %fd1}", 32), (Wavefronts{8, 4}));
  EXPECT_EQ(wavefronts("v2.f64 {%fd0, %fd1}", 128), (Wavefronts{32, 4}));
}

TEST(Wavefronts, NarrowTypesShareWords) {
  EXPECT_EQ(wavefronts("u16 %h0", 2), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts("u8 %h0", 4), (Wavefronts{1, 1}));
  EXPECT_EQ(wavefronts("u8 %h0", 128), (Wavefronts{32, 1}));
}

/// The wavefronts of loads of `bytes` bytes by the definition of banks: for
/// each group of lanes that is served at a time, the most words that one bank
/// holds for it.
static Wavefronts wavefrontsByDefinition(const std::vector<unsigned> &addresses,
                                         unsigned bytes, unsigned mask) {
  Wavefronts result{0, 0};
  unsigned lanes = std::min(32u, 128 / bytes);
  for (unsigned first = 0; first < 32; first += lanes) {
    std::set<unsigned> words[32];
    for (unsigned lane = first; lane < first + lanes; ++lane)
      if ((mask >> lane & 1) != 0)
        for (unsigned byte = 0; byte < bytes; ++byte)
          words[(addresses[lane] + byte) / 4 % 32].insert(
              (addresses[lane] + byte) / 4);
    std::size_t most = 0;
    for (const std::set<unsigned> &bank : words)
      most = std::max(most, bank.size());
    result.first += most;
    result.second += most > 0;
  }
  return result;
}

TEST(Wavefronts, RandomAddresses) {
  const std::pair<unsigned, const char *> loads[] = {
      {1, "u8 %h0"},
      {2, "u16 %h0"},
      {4, "f32 %f0"},
      {8, "f64 %fd0"},
      {16, "v2.f64 {%fd0, %fd1}"},
      {32, "v4.f64 {%fd0, %fd1, %fd2, %fd3}"}};
  std::mt19937 generator(1);
  for (auto [bytes, load] : loads)
    for (unsigned span : {4u, 16u, 64u, 900u})
      for (bool all : {true, false}) {
        // Lanes that take no part have an address beyond shared memory.
        std::vector<unsigned> addresses(32), contents(32);
        unsigned mask = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
          addresses[lane] = generator() % span * bytes;
          bool active = all || generator() % 3 != 0;
          mask |= unsigned(active) << lane;
          contents[lane] = active ? addresses[lane] : 65536;
        }
        Counters counters = count("mad.wide.u32 %rd1, %r0, 4, %rd0;"
                                  "ld.global.u32 %r1, [%rd1];"
                                  "setp.lt.u32 %p0, %r1, 65536;"
                                  "@%p0 ld.shared." +
                                      std::string(load) + ", [%r1];",
                                  32, contents);
        EXPECT_EQ((Wavefronts{counters.shared.loadWavefronts,
                              counters.shared.idealLoadWavefronts}),
                  wavefrontsByDefinition(addresses, bytes, mask))
            << bytes << " bytes, span " << span;
      }
}

TEST(Wavefronts, Stores) {
  Counters counters = count("mul.lo.u32 %r1, %r0, 256;"
                            "st.shared.u32 [%r1], %r0;");
  EXPECT_EQ(counters.shared.storeWavefronts, 32u);
  EXPECT_EQ(counters.shared.idealStoreWavefronts, 1u);
  EXPECT_EQ(counters.shared.storeBytes, 128u);
  EXPECT_EQ(counters.shared.loadWavefronts, 0u);
}

TEST(Instructions, ByKind) {
  Counters counters = count("mov.f32 %f0, 0f3F800000;"
                            "fma.rn.f32 %f1, %f0, %f0, %f0;"
                            "cvt.f64.f32 %fd0, %f1;"
                            "fma.rn.f64 %fd1, %fd0, %fd0, %fd0;"
                            "fma.rn.f64 %fd1, %fd0, %fd0, %fd0;"
                            "mul.f64 %fd2, %fd1, %fd1;"
                            "setp.lt.u32 %p0, %r0, 8;"
                            "@%p0 fma.rn.f64 %fd1, %fd0, %fd0, %fd0;"
                            "fma.rn.f32x2 %rd0, %rd0, %rd0, %rd0;"
                            "bar.sync 0;"
                            "add.u32 %r1, %r0, 1;",
                            64);
  EXPECT_EQ(counters[InstructionKind::FmaF32], 4u);
  EXPECT_EQ(counters[InstructionKind::FmaF64], 6u);
  EXPECT_EQ(counters[InstructionKind::OtherFloat], 4u);
  EXPECT_EQ(counters[InstructionKind::Integer], 4u);
  EXPECT_EQ(counters[InstructionKind::Barrier], 2u);
  EXPECT_EQ(counters[InstructionKind::Branch], 2u); // The implied return.
  EXPECT_EQ(counters[InstructionKind::Other], 6u);  // ld.param and two mov.
  EXPECT_EQ(counters.fmaF32, 64u + 2 * 64u);
  EXPECT_EQ(counters.fmaF64, 128u + 8u);
  EXPECT_EQ(counters.warpInstructions, 28u);
  EXPECT_EQ(counters.threadInstructions, 13 * 64u + 8u);
  EXPECT_EQ(counters.barriers, 1u);
  EXPECT_EQ(counters.blocks, 1u);
}

TEST(Counters, AddUp) {
  Counters a = count("ld.global.u32 %r1, [%rd0];"), b = a;
  b += a;
  EXPECT_EQ(b.threadInstructions, 2 * a.threadInstructions);
  EXPECT_EQ(b[InstructionKind::LoadGlobal], 2u);
  EXPECT_EQ(b.buffers[0].loadBytes, 256u);
  EXPECT_EQ(b.buffers[0].loadSectors, 2u);
  EXPECT_STREQ(getName(InstructionKind::LoadGlobal), "ld.global");
}
