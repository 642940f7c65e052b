//===- WarpInstructions.cpp - Tests of exchange and synchronisation -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.9.6 and 9.7.13: threads that see values of others.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type b32 = typeOf("b32"), u32 = typeOf("u32");
static const Type predicate = typeOf("pred");

static Section synchronisation(int number, const std::string &name) {
  return {"9.7.13." + std::to_string(number),
          "Parallel Synchronization and Communication Instructions: " + name};
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

enum class Mode { Up, Down, Butterfly, Index };

/// The lane that a lane reads from, or -1 if that is outside its segment, as
/// the pseudocode of the PTX ISA has it.
static int sourceLane(Mode mode, int lane, Bits b, Bits c) {
  int amount = static_cast<int>(b % 32);
  int clamp = static_cast<int>(c % 32);
  int segmentMask = static_cast<int>(c / 256 % 32);
  int minLane = lane & segmentMask;
  int maxLane = minLane | (clamp & ~segmentMask);
  int from = 0;
  switch (mode) {
  case Mode::Up:
    from = lane - amount;
    return from >= maxLane ? from : -1;
  case Mode::Down:
    from = lane + amount;
    break;
  case Mode::Butterfly:
    from = lane ^ amount;
    break;
  case Mode::Index:
    from = minLane | (amount & ~segmentMask);
    break;
  }
  return from <= maxLane ? from : -1;
}

static void addShuffle(Table &table, Mode mode, const std::string &modeName,
                       bool hasPredicate) {
  Instruction &test = addTest(
      table,
      {"9.7.9.6", "Data Movement and Conversion Instructions: shfl.sync"},
      "shfl.sync." + modeName + ".b32", b32, {b32, u32, u32}, nullptr);
  test.sm = 30;
  test.results =
      hasPredicate ? std::vector<Type>{b32, predicate} : std::vector<Type>{b32};
  test.code = test.name + (hasPredicate ? " %d|%d1" : " %d") +
              ", %a, %b, %c, 0xffffffff;";
  // Values of `a` tell the lanes apart; within a warp `b` is the same, or not.
  std::vector<Bits> values = randomBits(32, 32, 32);
  for (Bits c : {0x1f, 0x00, 0x181f, 0x1c1f, 0x1e00, 0x1800, 0x101f, 0x0007,
                 0x1f1f, 0x0f0f, 0xffff})
    for (Bits b : {0, 1, 2, 5, 8, 16, 31, 32, 33, 255})
      for (Bits step : {0, 1, 7})
        for (Bits lane = 0; lane < 32; ++lane)
          test.rows.push_back({values[lane] + c, b + step * lane, c});
  test.reference = [=](const Thread &thread) {
    const Row &row = thread.operands();
    int lane = static_cast<int>(thread.lane());
    int from = sourceLane(mode, lane, row[1], row[2]);
    std::vector<Expected> expected = {thread.warp()[from < 0 ? lane : from][0]};
    if (hasPredicate)
      expected.emplace_back(from >= 0);
    return expected;
  };
}

//===----------------------------------------------------------------------===//
// Barriers, fences and masks
//===----------------------------------------------------------------------===//

/// Every thread reads, after the instruction, the value that thread `number ^
/// partner` stored before it.
static Instruction &addExchange(Table &table, const Section &section,
                                const std::string &code, unsigned partner) {
  Instruction &test = addTest(table, section, code, b32, {b32}, nullptr);
  test.operands[0].values = randomBits(partner, 3 * blockSize, 32);
  test.declarations = ".shared .align 4 .b8 memory[512];\n";
  test.setup = "mov.u32 %n0, %tid.x; mov.u32 %n1, memory;\n"
               "mad.lo.u32 %n2, %n0, 4, %n1; st.shared.b32 [%n2], %a;\n";
  test.code = code + ";";
  test.epilogue = "xor.b32 %n0, %n0, " + std::to_string(partner) +
                  "; mad.lo.u32 %n2, %n0, 4, %n1;\n"
                  "ld.shared.b32 %d, [%n2];\n";
  test.reference = [=](const Thread &thread) {
    return std::vector<Expected>{thread.block[thread.number ^ partner][0]};
  };
  return test;
}

static void addBarriers(Table &table) {
  Section bar = synchronisation(1, "bar, barrier");
  for (const char *code :
       {"bar.sync 0", "bar.sync 15", "bar.sync 1, 128", "barrier.sync 0",
        "barrier.sync 2, 128", "barrier.sync.aligned 0", "bar.cta.sync 3",
        "barrier.cta.sync 4", "barrier.cta.sync.aligned 5, 128"}) {
    Instruction &test = addExchange(table, bar, code, 97);
    if (test.name.find("cta") != std::string::npos)
      test.ptx = {7, 8};
    if (test.name.find("barrier") == 0)
      test.sm = 30;
  }
  addExchange(table, synchronisation(2, "bar.warp.sync"),
              "bar.warp.sync 0xffffffff", 13)
      .sm = 30;
}

static void addFences(Table &table) {
  Section section = synchronisation(4, "membar, fence");
  for (const char *code :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu",
        "fence.sc.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
        "fence.acq_rel.sys"}) {
    // A fence orders only the thread's own accesses.
    Instruction &test = addExchange(table, section, code, 0);
    if (test.name.find("fence") == 0)
      test.sm = 70;
  }
}

static void addActiveMask(Table &table) {
  Instruction &test = addTest(table, synchronisation(11, "activemask"),
                              "activemask.b32", b32, {predicate}, nullptr);
  test.sm = 30;
  test.ptx = {6, 2};
  test.setup = "mov.b32 %d, 0;\n";
  test.code = "@%a activemask.b32 %d;";
  test.operands[0].values = randomBits(1, blockSize, 1);
  test.reference = [](const Thread &thread) {
    Bits mask = 0;
    for (unsigned i = 0; i < 32; ++i)
      mask |= thread.warp()[i][0] << i;
    return std::vector<Expected>{thread.operands()[0] != 0 ? mask : 0};
  };
}

void tc::isa::addWarpInstructions(Table &table) {
  for (bool hasPredicate : {false, true}) {
    addShuffle(table, Mode::Up, "up", hasPredicate);
    addShuffle(table, Mode::Down, "down", hasPredicate);
    addShuffle(table, Mode::Butterfly, "bfly", hasPredicate);
    addShuffle(table, Mode::Index, "idx", hasPredicate);
  }
  addBarriers(table);
  addFences(table);
  addActiveMask(table);
}
