//===- AtomicTest.cpp - Atomic operations ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <cmath>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

using Row = std::array<std::uint64_t, 2>;

/// Applies an atomic operation of a type to an element that holds `old`, in a
/// state space, and returns its result and the new element. `operands` follow
/// the address.
static Row applyAtomic(const std::string &space, const std::string &operation,
                       const std::string &type, std::uint64_t old,
                       const std::vector<std::uint64_t> &operands) {
  const std::string bits = type.substr(1);
  std::vector<std::uint64_t> memory = {old, 0};
  memory.insert(memory.end(), operands.begin(), operands.end());
  std::string body = ".reg .b64 %p, %m, %v, %zero; .reg .b" + bits +
                     " %old, %new, %o<3>; .shared .b64 s;\n"
                     "ld.param.u64 %p, [p]; mov.u64 %zero, 0;\n";
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string name = "%o" + std::to_string(i);
    body += "ld.global.b" + bits + " " + name + ", [%p+" +
            std::to_string(16 + 8 * i) + "];\n";
    list += ", " + name;
  }
  const bool isShared = space != "global" && space != "generic";
  if (isShared)
    body += "ld.global.u64 %v, [%p]; st.shared.u64 [s], %v;\n"
            "mov.u64 %m, s;\n";
  else
    body += "mov.u64 %m, %p;\n";
  if (space == "window")
    body += "cvta.shared.u64 %m, %m;\n";
  const bool isGeneric = space == "window" || space == "generic";
  body += "atom." + (isGeneric ? "" : space + ".") + operation + "." + type +
          " %old, [%m]" + list + ";\n";
  if (isShared)
    body += "ld.shared.u64 %v, [s]; st.global.u64 [%p], %v;\n";
  body +=
      "st.global.u64 [%p+8], %zero; st.global.b" + bits + " [%p+8], %old;\n";
  LaunchConfig config;
  Result<Counters> result =
      runText(kernel(".param .u64 p", body), config, {bufferOf(memory, "m")},
              {KernelArgument::address(0)});
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return {memory[1], memory[0]};
}

/// The same in all state spaces, which must agree.
static std::uint64_t applied(const std::string &operation,
                             const std::string &type, std::uint64_t old,
                             const std::vector<std::uint64_t> &operands) {
  Row first = applyAtomic("global", operation, type, old, operands);
  const std::uint64_t mask =
      type.substr(1) == "32" ? 0xffffffff : ~std::uint64_t(0);
  EXPECT_EQ(first[0], old & mask) << operation;
  for (const char *space : {"shared", "shared::cta", "generic", "window"})
    EXPECT_EQ(applyAtomic(space, operation, type, old, operands), first)
        << space << " " << operation;
  return first[1];
}

TEST(Atomic, Integers) {
  EXPECT_EQ(applied("add", "u32", 0xffffffff, {2}), 1u);
  EXPECT_EQ(applied("add", "s32", 0x7fffffff, {1}), 0x80000000u);
  EXPECT_EQ(applied("add", "u64", ~std::uint64_t(0), {3}), 2u);
  // The bytes behind a 32-bit element stay as they are.
  EXPECT_EQ(applied("add", "u32", 0x5ffffffff, {2}), 0x500000001u);
  EXPECT_EQ(applied("min", "u32", 0x80000000, {1}), 1u);
  EXPECT_EQ(applied("min", "s32", 0x80000000, {1}), 0x80000000u);
  EXPECT_EQ(applied("min", "s32", 1, {s32(-1)}), 0xffffffffu);
  EXPECT_EQ(applied("max", "u32", 0x80000000, {1}), 0x80000000u);
  EXPECT_EQ(applied("max", "s32", 0x80000000, {1}), 1u);
  EXPECT_EQ(applied("min", "u64", std::uint64_t(1) << 63, {1}), 1u);
  EXPECT_EQ(applied("min", "s64", std::uint64_t(1) << 63, {1}), std::uint64_t(1)
                                                                    << 63);
  EXPECT_EQ(applied("max", "s64", std::uint64_t(1) << 63, {1}), 1u);
  EXPECT_EQ(applied("max", "u64", 7, {7}), 7u);
  EXPECT_EQ(applied("and", "b32", 0xff00ff00, {0x0ff00ff0}), 0x0f000f00u);
  EXPECT_EQ(applied("or", "b64", 0xff00ff00, {0xff00ff000}), 0xfff0fff00u);
  EXPECT_EQ(applied("xor", "b32", 0xff00ff00, {0xffffffff}), 0x00ff00ffu);
  EXPECT_EQ(applied("exch", "b32", 5, {6}), 6u);
  EXPECT_EQ(applied("exch", "b64", 5, {~std::uint64_t(5)}), ~std::uint64_t(5));
  EXPECT_EQ(applied("cas", "b32", 5, {5, 9}), 9u);
  EXPECT_EQ(applied("cas", "b32", 5, {6, 9}), 5u);
  EXPECT_EQ(applied("cas", "b64", 0x100000005, {5, 9}), 0x100000005u);
  EXPECT_EQ(applied("inc", "u32", 4, {5}), 5u);
  EXPECT_EQ(applied("inc", "u32", 5, {5}), 0u);
  EXPECT_EQ(applied("inc", "u32", 6, {5}), 0u);
  EXPECT_EQ(applied("dec", "u32", 4, {5}), 3u);
  EXPECT_EQ(applied("dec", "u32", 0, {5}), 5u);
  EXPECT_EQ(applied("dec", "u32", 6, {5}), 5u);
}

TEST(Atomic, Floats) {
  EXPECT_EQ(applied("add", "f32", f32(1.5f), {f32(0x1p-24f)}), f32(1.5f));
  EXPECT_EQ(applied("add", "f32", f32(INFINITY), {f32(1)}), f32(INFINITY));
  EXPECT_EQ(applied("add", "f32", f32(-0.0f), {f32(-0.0f)}), f32(-0.0f));
  EXPECT_EQ(applied("add", "f64", f64(1), {f64(0x1p-53)}), f64(1));
  EXPECT_EQ(applied("add", "f64", f64(1), {f64(0x1.8p-53)}), f64(1 + 0x1p-52));
  EXPECT_EQ(applied("add", "f64", 1, {2}), 3u); // Subnormal.
  // An infinity less another is a NaN.
  EXPECT_GT(applied("add", "f32", f32(INFINITY), {f32(-INFINITY)}) & 0x7fffffff,
            f32(INFINITY));
}

TEST(Atomic, SinglePrecisionFlushesInGlobalMemoryOnly) {
  const std::uint64_t least = f32(0x1p-126f);
  for (const char *space : {"global", "generic"}) {
    EXPECT_EQ(applyAtomic(space, "add", "f32", 1, {2})[1], 0u);
    EXPECT_EQ(applyAtomic(space, "add", "f32", 0x80000001, {0x80000002})[1],
              0x80000000u);
    EXPECT_EQ(applyAtomic(space, "add", "f32", least, {1})[1], least);
    // 1.5 - 1 times the least normal number.
    EXPECT_EQ(applyAtomic(space, "add", "f32", f32(0x1.8p-126f),
                          {f32(-0x1p-126f)})[1],
              0u);
  }
  for (const char *space : {"shared", "window"}) {
    EXPECT_EQ(applyAtomic(space, "add", "f32", 1, {2})[1], 3u);
    EXPECT_EQ(applyAtomic(space, "add", "f32", least, {1})[1], least + 1);
  }
}

TEST(Atomic, OrderingsAndScopes) {
  for (const char *ordering :
       {"relaxed.gpu.global.add", "acquire.cta.global.add",
        "release.sys.global.add", "acq_rel.cluster.global.add"}) {
    std::string name = ordering;
    EXPECT_EQ(applyAtomic("generic", name, "u32", 1, {2})[1], 3u) << ordering;
  }
}

TEST(Atomic, NotInTheSubset) {
  const std::pair<const char *, const char *> cases[] = {
      {"atom.global.add.s64 %rd2, [%rd1], %rd3;",
       "'.add' does not apply to .s64"},
      {"red.global.exch.b32 [%rd1], %r1;", "'red' has no '.exch'"},
      {"red.global.cas.b32 [%rd1], %r1, %r2;", "'red' has no '.cas'"},
      {"atom.global.inc.u64 %rd2, [%rd1], %rd3;",
       "unsupported modifier '.u64'"},
      {"atom.global.min.f32 %f1, [%rd1], %f2;", "unsupported modifier '.f32'"},
      {"atom.global.sub.u32 %r1, [%rd1], %r2;",
       "missing or unsupported operation"},
      {"atom.shared::cluster.add.u32 %r1, [%rd1], %r2;",
       "missing or unsupported operation"},
      {"red.global.add.v2.f32 [%rd1], %f1;",
       "the operand does not fit the vector's size"},
      {"red.shared.add.v2.f32 [%rd1], {%f1, %f1};", "unsupported vector"},
      {"red.global.add.v2.f64 [%rd1], {%fd1, %fd1};", "unsupported vector"},
      {"red.global.add.v8.f32 [%rd1], {%f1, %f1};", "unsupported vector"},
      {"atom.global.add.u32 %r1, [%rd1];", "expected 3 operands, found 2"},
  };
  for (const auto &[instruction, message] : cases) {
    std::string text = instruction;
    text.pop_back();
    EXPECT_EQ(instructionError(instruction),
              "k.ptx:9: " + std::string(message) + " in '" + text + "'");
  }
}

TEST(Atomic, Faults) {
  auto fault = [](const std::string &operation, const std::string &address) {
    std::vector<std::uint32_t> memory(4);
    LaunchConfig config;
    Result<Counters> result =
        runText(kernel(".param .u64 p",
                       ".reg .b64 %p; .reg .b32 %r<3>; .reg .f32 %f;\n"
                       ".shared .b32 s[4];\n"
                       "ld.param.u64 %p, [p]; mov.f32 %f, 0f00000000;\n" +
                           operation + " " + address + ", 1;\n"),
                config, {bufferOf(memory, "m", operation[0] == 'a')},
                {KernelArgument::address(0)});
    return result ? "" : result.error();
  };
  EXPECT_EQ(fault("atom.global.add.u32 %r1,", "[%p+16]"),
            "k.ptx:8: store of 4 bytes at address 0x10000000010 is outside "
            "every buffer: it is at byte 16 of buffer 'm', which has 16 in "
            "'atom.global.add.u32 %r1, [%p+16], 1', block (0,0,0), thread "
            "(0,0,0)");
  EXPECT_EQ(fault("atom.global.add.u32 %r1,", "[%p+2]").substr(0, 44),
            "k.ptx:8: misaligned store of 4 bytes at addr");
  EXPECT_EQ(fault("red.global.add.u32", "[%p]"),
            "k.ptx:8: store of 4 bytes at address 0x10000000000 writes to byte "
            "0 of the read-only buffer 'm' in 'red.global.add.u32 [%p], 1', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault("atom.shared.add.u32 %r1,", "[s+16]").substr(0, 64),
            "k.ptx:8: store of 4 bytes at address 0x10 is outside the 16 byte");
  EXPECT_EQ(fault("atom.shared.add.u64 %p,", "[s+4]").substr(0, 44),
            "k.ptx:8: misaligned store of 8 bytes at addr");
}

//===----------------------------------------------------------------------===//
// Many threads
//===----------------------------------------------------------------------===//

/// Runs a body of which `%t` is the thread, `%b` the block, `%p` a buffer.
static Result<Counters>
runMany(const std::string &body, std::uint32_t blocks, std::uint32_t threads,
        std::vector<std::uint32_t> &memory, unsigned workers = 1,
        Detectors detectors = Detectors(), bool isUninitialized = false) {
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  config.workers = workers;
  config.detectors = detectors;
  GlobalBuffer buffer = bufferOf(memory, "m");
  buffer.isUninitialized = isUninitialized;
  return runText(
      kernel(".param .u64 p",
             ".reg .b64 %p, %q, %rd<4>; .reg .b32 %r<9>, %t, %b;\n"
             ".reg .f32 %f<5>; .reg .pred %c<3>; .shared .b32 s[64];\n"
             "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"
             "mul.wide.u32 %rd0, %t, 4; add.u64 %q, %p, %rd0;\n" +
                 body),
      config, {buffer}, {KernelArgument::address(0)});
}

TEST(Atomic, LanesOfAWarpInTheirOrder) {
  std::vector<std::uint32_t> memory(64);
  memory[0] = 100;
  Result<Counters> result = runMany(
      "setp.eq.u32 %c0, %t, 0; @%c0 st.shared.u32 [s], 7;\nbar.sync 0;\n"
      "atom.shared.add.u32 %r0, [s], 2;\n"
      "st.global.u32 [%q], %r0;\n",
      1, 64, memory);
  ASSERT_TRUE(result) << result.error();
  for (std::uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(memory[i], 7 + 2 * i);
  EXPECT_EQ((*result)[InstructionKind::Atomic], 2u);
}

TEST(Atomic, Vectors) {
  std::vector<std::uint32_t> memory(8);
  Result<Counters> result = runMany(
      "mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000;\n"
      "red.global.add.v2.f32 [%p], {%f1, %f2};\n"
      "red.relaxed.gpu.global.v4.f32.add [%p+16], {%f1, %f2, %f1, %f2};\n",
      2, 3, memory);
  ASSERT_TRUE(result) << result.error();
  auto six = static_cast<std::uint32_t>(f32(6)),
       twelve = static_cast<std::uint32_t>(f32(12));
  EXPECT_EQ(memory, (std::vector<std::uint32_t>{six, twelve, 0, 0, six, twelve,
                                                six, twelve}));
  EXPECT_EQ(result->buffers[0].storeBytes, 2u * 3 * (8 + 16));
  EXPECT_EQ(result->buffers[0].storeSectors, 4u);
  EXPECT_EQ(result->buffers[0].loadBytes, 0u);
}

/// Each block adds a number of its own, which is far from those of others, in
/// a way that the sum depends on the order.
static const std::string roundingSum =
    "shl.b32 %r0, %b, 2; and.b32 %r0, %r0, 28; add.u32 %r0, %r0, 100;\n"
    "shl.b32 %r0, %r0, 23; mov.b32 %f1, %r0;\n";

TEST(Atomic, SumsDoNotDependOnTheNumberOfWorkers) {
  // The sum in the order of blocks.
  float expected = 0;
  for (std::uint32_t block = 0; block < 200; ++block)
    for (int thread = 0; thread < 3; ++thread)
      expected += std::ldexp(1.0f, static_cast<int>((4 * block) & 28) - 27);
  for (unsigned workers : {1u, 2u, 5u, 16u}) {
    for (const char *operation : {"red.global.add.f32 [%p], %f1;\n",
                                  "atom.global.add.f32 %f2, [%p], %f1;\n",
                                  "atom.add.f32 _, [%p], %f1;\n"}) {
      std::vector<std::uint32_t> memory(1);
      Result<Counters> result =
          runMany(roundingSum + operation, 200, 3, memory, workers);
      ASSERT_TRUE(result) << result.error();
      EXPECT_EQ(memory[0], f32(expected)) << workers << " " << operation;
    }
  }
}

TEST(Atomic, TicketsComeInTheOrderOfBlocks) {
  for (unsigned workers : {1u, 4u}) {
    std::vector<std::uint32_t> memory(101);
    Result<Counters> result =
        runMany("atom.global.inc.u32 %r1, [%p], 1000;\n"
                "mul.wide.u32 %rd1, %b, 4; add.u64 %rd1, %p, %rd1;\n"
                "st.global.u32 [%rd1+4], %r1;\n",
                100, 1, memory, workers);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(memory[0], 100u);
    for (std::uint32_t i = 0; i < 100; ++i)
      EXPECT_EQ(memory[i + 1], i) << workers;
  }
}

TEST(Atomic, ABlockSeesItsOwn) {
  // Operations that are put off are done before the block looks.
  for (unsigned workers : {1u, 4u}) {
    std::vector<std::uint32_t> memory(40);
    Result<Counters> result =
        runMany("mul.wide.u32 %rd1, %b, 4; add.u64 %rd1, %p, %rd1;\n"
                "red.global.add.u32 [%rd1], %b;\n"
                "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1000;\n"
                "st.global.u32 [%rd1], %r1;\n"
                "red.global.max.u32 [%rd1], 1005;\n",
                40, 1, memory, workers);
    ASSERT_TRUE(result) << result.error();
    for (std::uint32_t i = 0; i < 40; ++i)
      EXPECT_EQ(memory[i], std::max(1005u, 1000 + i));
  }
}

TEST(Atomic, MoreThanCanBePutOff) {
  std::vector<std::uint32_t> memory(64);
  Result<Counters> result =
      runMany("mov.u32 %r0, 0;\nLOOP: red.global.add.u32 [%q], 1;\n"
              "add.u32 %r0, %r0, 1; setp.lt.u32 %c0, %r0, 3000;\n"
              "@%c0 bra LOOP;\n",
              3, 64, memory, 3);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(memory, std::vector<std::uint32_t>(64, 9000));
}

TEST(Atomic, TheFirstBlockThatFailsIsReported) {
  // Blocks behind it wait for it and must not hang.
  for (unsigned workers : {1u, 4u}) {
    std::vector<std::uint32_t> memory(1);
    Result<Counters> result = runMany("atom.global.add.u32 %r0, [%p], 1;\n"
                                      "setp.ge.u32 %c0, %b, 20;\n@%c0 trap;\n",
                                      40, 1, memory, workers);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), "k.ptx:11: trap in 'trap', block (20,0,0), "
                              "thread (0,0,0)");
  }
}

//===----------------------------------------------------------------------===//
// Faults that detectors find
//===----------------------------------------------------------------------===//

static std::string raceOf(const std::string &body, std::uint32_t blocks = 1,
                          std::uint32_t threads = 64,
                          Detectors detectors = Detectors(),
                          bool isUninitialized = false) {
  std::vector<std::uint32_t> memory(256);
  Result<Counters> result =
      runMany(body, blocks, threads, memory, 2, detectors, isUninitialized);
  return result ? "" : result.error().substr(std::strlen("k.ptx:"));
}

static const std::string zeroFirst =
    "setp.eq.u32 %c0, %t, 0; @%c0 st.shared.u32 [s], 0;\nbar.sync 0;\n";

TEST(AtomicRace, Shared) {
  std::string add = "atom.shared.add.u32 %r0, [s], 1;\n";
  EXPECT_EQ(raceOf(zeroFirst + add + add), "");
  EXPECT_EQ(raceOf(zeroFirst + add + "ld.shared.u32 %r1, [s];\n"),
            "12: load of 4 bytes at address 0x0 of shared memory races with "
            "the atomic operation by thread (1,0,0) at line 11: no barrier is "
            "between them in 'ld.shared.u32 %r1, [s]', block (0,0,0), thread "
            "(0,0,0)");
  EXPECT_EQ(raceOf(zeroFirst + add + "bar.sync 0;\nld.shared.u32 %r1, [s];\n"),
            "");
  EXPECT_EQ(
      raceOf(zeroFirst + add + "bar.sync 0;\n@%c0 st.shared.u32 [s], 0;\n"),
      "");
  EXPECT_EQ(raceOf(zeroFirst + add + "@%c0 st.shared.u32 [s], 0;\n"),
            "12: store of 4 bytes at address 0x0 of shared memory races with "
            "the atomic operation by thread (1,0,0) at line 11: no barrier is "
            "between them in 'st.shared.u32 [s], 0', block (0,0,0), thread "
            "(0,0,0)");
  EXPECT_EQ(
      raceOf("setp.eq.u32 %c0, %t, 0; @%c0 st.shared.u32 [s], 0;\n" + add),
      "10: store of 4 bytes at address 0x0 of shared memory races with "
      "the store by thread (0,0,0) at line 9: no barrier is between them "
      "in 'atom.shared.add.u32 %r0, [s], 1', block (0,0,0), thread "
      "(1,0,0)");
  EXPECT_EQ(raceOf(zeroFirst + "ld.shared.u32 %r1, [s];\n" + add).substr(0, 98),
            "12: store of 4 bytes at address 0x0 of shared memory races with "
            "the load by thread (1,0,0) at line");
  EXPECT_EQ(raceOf(zeroFirst + add + "ld.shared.u32 %r1, [s];\n", 1, 64,
                   Detectors::none()),
            "");
}

TEST(AtomicRace, UnwrittenShared) {
  EXPECT_EQ(raceOf("atom.shared.add.u32 %r0, [s], 1;\n"),
            "9: store of 4 bytes at address 0x0 of shared memory, which "
            "nothing in the block has written in 'atom.shared.add.u32 %r0, "
            "[s], 1', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(raceOf("atom.shared.exch.b32 %r0, [s], 1;\n"
                   "atom.shared.add.u32 %r0, [s], 1;\nbar.sync 0;\n"
                   "ld.shared.u32 %r0, [s];\n"),
            "");
}

TEST(AtomicRace, Global) {
  std::string add = "red.global.add.u32 [%p], 1;\n";
  EXPECT_EQ(raceOf(add, 4), "");
  EXPECT_EQ(raceOf("ld.global.u32 %r0, [%p];\n" + add),
            "10: store of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', races with the load by thread (1,0,0) at line 9: no barrier "
            "is between them in 'red.global.add.u32 [%p], 1', block (0,0,0), "
            "thread (0,0,0)");
  EXPECT_EQ(raceOf("ld.global.u32 %r0, [%p];\nbar.sync 0;\n" + add), "");
  // Between blocks a barrier makes no difference.
  EXPECT_EQ(raceOf("ld.global.u32 %r0, [%p];\nbar.sync 0;\n" + add, 2),
            "11: store of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', races with the load by block (0,0,0), thread (0,0,0) at line "
            "9: nothing orders the blocks of a grid in 'red.global.add.u32 "
            "[%p], 1', block (1,0,0), thread (63,0,0)");
  EXPECT_EQ(raceOf("setp.eq.u32 %c0, %b, 1; setp.eq.and.u32 %c0, %t, 5, %c0;\n"
                   "@%c0 st.global.u32 [%p], 1;\n@!%c0 " +
                       add,
                   3, 32)
                .substr(0, 27),
            "11: store of 4 bytes at add");
}

TEST(AtomicRace, UninitializedGlobal) {
  EXPECT_EQ(raceOf("red.global.add.u32 [%q], 1;\n", 2, 32, Detectors(), true),
            "9: store of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', which nothing has initialized or written in "
            "'red.global.add.u32 [%q], 1', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(raceOf("atom.global.exch.b32 %r0, [%q], 1;\n"
                   "red.global.add.u32 [%q], 1;\nld.global.u32 %r0, [%q];\n",
                   1, 32, Detectors(), true),
            "");
}
