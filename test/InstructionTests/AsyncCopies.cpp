//===- AsyncCopies.cpp - Tests of cp.async --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.9.25.3. Each thread copies 16 bytes or less of its operands to a
// place of its own, and loads 16 bytes from there when it has waited.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type b64 = typeOf("b64");

static Section nonBulk(int number, const std::string &name) {
  return {"9.7.9.25.3." + std::to_string(number),
          "Data Movement and Conversion Instructions: " + name};
}

/// The contents of the place before.
static constexpr Bits filler = 0x5a5a5a5a5a5a5a5a;

/// A test whose threads have 16 bytes in %a and %b, a count up to 16 in %c and
/// a predicate in %e, and whose place in shared memory is at %n1.
static Instruction &addCopyTest(Table &table, const Section &section,
                                const std::string &name) {
  Instruction &test =
      addTest(table, section, name, b64,
              {b64, b64, typeOf("u32"), typeOf("pred")}, nullptr);
  test.sm = 80;
  test.ptx = {7, 0};
  test.results = {b64, b64};
  std::vector<Bits> random = randomBits(16, 2 * blockSize, 64);
  for (std::size_t i = 0; i < blockSize; ++i)
    test.rows.push_back({random[2 * i], random[2 * i + 1], i % 17, i / 3 % 2});
  test.declarations = sharedMemory;
  test.setup = std::string(sharedPlace) + "mov.b64 %w0, " +
               std::to_string(filler) +
               ";\nst.shared.b64 [%n1], %w0; st.shared.b64 [%n1+8], %w0;\n"
               "st.shared.b64 [%n1+16], %w0; st.shared.b64 [%n1+24], %w0;\n";
  test.epilogue = "cp.async.wait_all;\n"
                  "ld.shared.b64 %d, [%n1]; ld.shared.b64 %d1, [%n1+8];\n";
  return test;
}

/// The contents of two words after a copy of `bytes` that reads `read` of them.
static std::vector<Expected> copied(const Row &row, unsigned bytes, Bits read) {
  std::vector<Expected> words(2);
  for (unsigned i = 0; i < 16; ++i) {
    Bits byte = (i >= bytes  ? filler
                 : i >= read ? 0
                             : row[i / 8]) >>
                (i % 8 * 8);
    words[i / 8].bits |= (byte & 255) << (i % 8 * 8);
  }
  return words;
}

static void addCopies(Table &table, const std::string &name, unsigned bytes) {
  const std::string size = std::to_string(bytes);
  Instruction &whole = addCopyTest(table, nonBulk(1, "cp.async"), name);
  whole.name += " " + size;
  whole.code = name + " [%n1], [%in], " + size + ";";
  whole.reference = [=](const Thread &thread) {
    return copied(thread.operands(), bytes, bytes);
  };
  Instruction &part = addCopyTest(table, nonBulk(1, "cp.async"), name);
  part.name += " " + size + ", src-size";
  part.setup += "min.u32 %n2, %c, " + size + ";\n";
  part.code = name + " [%n1], [%in], " + size + ", %n2;";
  part.reference = [=](const Thread &thread) {
    return copied(thread.operands(), bytes, thread.operands()[2]);
  };
  Instruction &unless = addCopyTest(table, nonBulk(1, "cp.async"), name);
  unless.name += " " + size + ", ignore-src";
  unless.ptx = {7, 5};
  unless.code = name + " [%n1], [%in], " + size + ", %e;";
  unless.reference = [=](const Thread &thread) {
    const Row &row = thread.operands();
    return copied(row, bytes, row[3] != 0 ? 0 : bytes);
  };
}

static void addHints(Table &table) {
  for (const char *hint : {".L2::64B", ".L2::128B", ".L2::256B"}) {
    Instruction &test =
        addCopyTest(table, nonBulk(1, "cp.async"),
                    std::string("cp.async.cg.shared.global") + hint);
    test.ptx = {7, 4};
    test.code = test.name + " [%n1], [%in], 16;";
    test.reference = [](const Thread &thread) {
      return copied(thread.operands(), 16, 16);
    };
  }
}

/// Two copies in groups of their own: the first is waited for with the second
/// still under way, which ends elsewhere.
static void addGroups(Table &table) {
  auto first = [](const Thread &thread) {
    return copied(thread.operands(), 16, 16);
  };
  const std::string copy = "cp.async.cg.shared.global [%n1], [%in], 16;\n";
  const std::string other = "cp.async.cg.shared.global [%n1+16], [%in], 16;\n"
                            "cp.async.commit_group;\n";
  const std::string loads =
      "ld.shared.b64 %d, [%n1]; ld.shared.b64 %d1, [%n1+8];\n"
      "cp.async.wait_all;\n";
  Instruction &commit = addCopyTest(table, nonBulk(2, "cp.async.commit_group"),
                                    "cp.async.commit_group");
  commit.setup += copy;
  commit.code = commit.name + ";";
  commit.epilogue = other + "cp.async.wait_group 1;\n" + loads;
  commit.reference = first;
  for (int count : {0, 1}) {
    Instruction &wait =
        addCopyTest(table, nonBulk(3, "cp.async.wait_group, cp.async.wait_all"),
                    "cp.async.wait_group " + std::to_string(count));
    wait.setup += copy + "cp.async.commit_group;\n" + other;
    wait.code = wait.name + ";";
    wait.epilogue = loads;
    wait.reference = first;
  }
  Instruction &waitAll =
      addCopyTest(table, nonBulk(3, "cp.async.wait_group, cp.async.wait_all"),
                  "cp.async.wait_all");
  waitAll.setup += copy;
  waitAll.code = "cp.async.wait_all;";
  waitAll.epilogue = "ld.shared.b64 %d, [%n1]; ld.shared.b64 %d1, [%n1+8];\n";
  waitAll.reference = first;
}

void tc::isa::addAsyncCopies(Table &table) {
  for (unsigned bytes : {4, 8, 16})
    addCopies(table, "cp.async.ca.shared.global", bytes);
  addCopies(table, "cp.async.cg.shared.global", 16);
  addHints(table);
  addGroups(table);
}
