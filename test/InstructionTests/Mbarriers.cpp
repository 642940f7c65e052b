//===- Mbarriers.cpp - Tests of barriers in shared memory -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.13.15. Each thread has an mbarrier of its own, at %n1.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static Section mbarrier(int number, const std::string &name) {
  return {"9.7.13.15." + std::to_string(number),
          "Parallel Synchronization and Communication Instructions: " + name};
}

/// A test whose threads have a count of arrivals from 3 on in %a.
static Instruction &addBarrierTest(Table &table, const Section &section,
                                   const std::string &name,
                                   const std::string &code, Type result) {
  Instruction &test =
      addTest(table, section, name, result, {typeOf("u32")}, nullptr);
  test.sm = 80;
  test.ptx = {7, 1};
  test.operands[0].values = {3, 4, 5, 31, 32, 1000, 1048575};
  test.declarations = sharedMemory;
  test.setup = sharedPlace;
  test.code = code;
  return test;
}

static Reference plus(int offset) {
  return [=](const Thread &thread) {
    return std::vector<Expected>{thread.operands()[0] +
                                 static_cast<Bits>(offset)};
  };
}
static std::vector<Expected> yes(const Thread &) { return {1}; }

void tc::isa::addMbarriers(Table &table) {
  const Type u32 = typeOf("u32"), predicate = typeOf("pred");
  const std::string init = "mbarrier.init.shared.b64 [%n1], %a;\n",
                    one = "mbarrier.init.shared.b64 [%n1], 1;\n",
                    arrive = "mbarrier.arrive.shared.b64 %w0, [%n1];\n",
                    count = "mbarrier.pending_count.b64 %d, %w0;\n";

  Instruction &initTest = addBarrierTest(table, mbarrier(9, "mbarrier.init"),
                                         "mbarrier.init.shared.b64", init, u32);
  initTest.epilogue = arrive + count;
  initTest.reference = plus(0);

  Instruction &inval = addBarrierTest(table, mbarrier(10, "mbarrier.inval"),
                                      "mbarrier.inval.shared.b64",
                                      "mbarrier.inval.shared.b64 [%n1];", u32);
  inval.setup += one;
  inval.epilogue = init + arrive + count;
  inval.reference = plus(0);

  Instruction &arriveTest =
      addBarrierTest(table, mbarrier(13, "mbarrier.arrive"),
                     "mbarrier.arrive.shared.b64", arrive, u32);
  arriveTest.setup += init;
  arriveTest.epilogue = arrive + count;
  arriveTest.reference = plus(-1);

  // The second phase expects one arrival fewer.
  Instruction &drop =
      addBarrierTest(table, mbarrier(14, "mbarrier.arrive_drop"),
                     "mbarrier.arrive_drop.shared.b64",
                     "mbarrier.arrive_drop.shared.b64 %w0, [%n1];", u32);
  drop.sm = 90;
  drop.ptx = {7, 8};
  drop.setup += init;
  drop.epilogue = "sub.u32 %n2, %a, 1;\n"
                  "mbarrier.arrive.shared.b64 %w0, [%n1], %n2;\n" +
                  arrive + count;
  drop.reference = plus(-1);

  const Section wait = mbarrier(16, "mbarrier.test_wait, mbarrier.try_wait");
  for (const char *name : {"test_wait", "try_wait"})
    for (bool isParity : {false, true}) {
      const std::string form = std::string("mbarrier.") + name +
                               (isParity ? ".parity" : "") + ".shared.b64";
      Instruction &test = addBarrierTest(
          table, wait, form, form + " %d, [%n1], " + (isParity ? "0;" : "%w0;"),
          predicate);
      test.sm = 90;
      test.ptx = {7, 8};
      test.setup += one + arrive;
      test.reference = yes;
    }

  Instruction &pending =
      addBarrierTest(table, mbarrier(17, "mbarrier.pending_count"),
                     "mbarrier.pending_count.b64", count, u32);
  pending.setup += init + arrive + arrive;
  pending.reference = plus(-1);

  const Type b64 = typeOf("b64");
  Instruction &copy =
      addBarrierTest(table, mbarrier(15, "cp.async.mbarrier.arrive"),
                     "cp.async.mbarrier.arrive.noinc.shared.b64",
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [%n1];", b64);
  copy.operands = {{b64, randomBits(15, blockSize, 64)}};
  copy.setup += one + "cp.async.ca.shared.global [%n1+8], [%in], 8;\n";
  copy.epilogue = "WAIT: mbarrier.test_wait.parity.shared.b64 %p0, [%n1], 0;\n"
                  "@!%p0 bra WAIT;\nld.shared.b64 %d, [%n1+8];\n";
  copy.reference = plus(0);
}
