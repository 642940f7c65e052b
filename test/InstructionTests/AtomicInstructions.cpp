//===- AtomicInstructions.cpp - Tests of atom and red ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.13.5 and 9.7.13.6. Each thread has a place of its own, which
// holds its operand %a, and applies the operation to it; the results are the
// operation's, and the contents of the place then.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Section atom{
    "9.7.13.5",
    "Parallel Synchronization and Communication Instructions: atom"},
    red{"9.7.13.6",
        "Parallel Synchronization and Communication Instructions: red"};

/// Computes the new value of %a, given %b and %c.
using Operation = std::function<Bits(const Row &)>;

/// A test of an operation in a state space: "global", "shared", or "" for a
/// generic address, of shared memory. `operands` follow the address.
static Instruction &addOperation(Table &table, bool returns,
                                 const std::string &space,
                                 const std::string &operation,
                                 const std::string &typeName,
                                 unsigned operandCount, Operation reference) {
  const Type type = typeOf(typeName);
  const std::string suffix = "b" + std::to_string(type.bits);
  const std::string name = (returns ? "atom" : "red") +
                           (space.empty() ? "" : "." + space) + "." +
                           operation + "." + typeName;
  Instruction &test =
      addTest(table, returns ? atom : red, name, type,
              std::vector<Type>(1 + operandCount, type), nullptr);
  test.sm = 70;
  const bool isGlobal = space == "global";
  const std::string place = isGlobal        ? "[%out]"
                            : space.empty() ? "[%w0]"
                                            : "[%n1]";
  if (!isGlobal) {
    test.declarations = sharedMemory;
    test.setup = sharedPlace;
    test.setup += "cvt.u64.u32 %w0, %n1; cvta.shared.u64 %w0, %w0;\n";
  }
  test.setup += "st." + std::string(isGlobal ? "global." : "shared.") + suffix +
                (isGlobal ? " [%out]" : " [%n1]") + ", %a;\n";
  test.code = name + (returns ? " %d, " : " ") + place + ", %b" +
              (operandCount == 2 ? ", %c;" : ";");
  test.results = {type, type};
  if (!returns)
    test.setup += "mov." + suffix + " %d, %a;\n";
  if (isGlobal) {
    // The first result stands where the second is, and is moved there.
    test.storesResults = true;
    test.declarations = ".reg ." + type.registerName() + " %d;\n";
    test.epilogue = "st.global." + suffix + " [%out+8], %d;\n";
  } else {
    test.epilogue = "ld.shared." + suffix + " %d1, [%n1];\n";
  }
  test.reference = [=](const Thread &thread) {
    const Row &row = thread.operands();
    Expected before(row[0]), after(truncated(reference(row), type));
    return isGlobal ? std::vector<Expected>{after, before}
                    : std::vector<Expected>{before, after};
  };
  return test;
}

static void addEverywhere(Table &table, const std::string &operation,
                          const std::string &type, unsigned operandCount,
                          const Operation &reference) {
  for (const char *space : {"global", "shared", ""}) {
    addOperation(table, true, space, operation, type, operandCount, reference);
    if (operandCount == 1 && operation != "exch")
      addOperation(table, false, space, operation, type, operandCount,
                   reference);
  }
}

static void addIntegers(Table &table) {
  for (const char *name : {"u32", "s32", "u64"})
    addEverywhere(table, "add", name, 1,
                  [](const Row &row) { return row[0] + row[1]; });
  for (const char *name : {"u32", "s32", "u64", "s64"}) {
    const Type type = typeOf(name);
    addEverywhere(table, "min", name, 1, [=](const Row &row) {
      return integerOf(row[0], type) < integerOf(row[1], type) ? row[0]
                                                               : row[1];
    });
    addEverywhere(table, "max", name, 1, [=](const Row &row) {
      return integerOf(row[0], type) > integerOf(row[1], type) ? row[0]
                                                               : row[1];
    });
  }
  for (const char *name : {"b32", "b64"}) {
    addEverywhere(table, "and", name, 1,
                  [](const Row &row) { return row[0] & row[1]; });
    addEverywhere(table, "or", name, 1,
                  [](const Row &row) { return row[0] | row[1]; });
    addEverywhere(table, "xor", name, 1,
                  [](const Row &row) { return row[0] ^ row[1]; });
    addEverywhere(table, "exch", name, 1,
                  [](const Row &row) { return row[1]; });
    // A third of the comparisons hold, whatever the edges are.
    for (const char *space : {"global", "shared", ""}) {
      Instruction &test =
          addOperation(table, true, space, "cas", name, 2, [](const Row &row) {
            return row[0] == row[1] ? row[2] : row[0];
          });
      std::vector<Bits> values = test.operands[0].values;
      for (std::size_t i = 0; i < 2 * blockSize; ++i)
        test.rows.push_back({values[i % values.size()],
                             values[(i + i % 3) % values.size()],
                             values[(i * 7 + 3) % values.size()]});
    }
  }
  addEverywhere(table, "inc", "u32", 1, [](const Row &row) {
    return row[0] >= row[1] ? 0 : row[0] + 1;
  });
  addEverywhere(table, "dec", "u32", 1, [](const Row &row) {
    return row[0] == 0 || row[0] > row[1] ? row[1] : row[0] - 1;
  });
}

/// Operands and results that are subnormal count as zero if `flushes`.
static Operation sumOf(const std::string &typeName, bool flushes) {
  const Format format = formatOf(typeOf(typeName));
  auto flushed = [=](Bits bits) {
    return flushes ? flush(bits, format) : bits;
  };
  return [=](const Row &row) {
    return flushed((ExactNumber::decode(flushed(row[0]), format) +
                    ExactNumber::decode(flushed(row[1]), format))
                       .encode(format));
  };
}

static void addFloats(Table &table) {
  for (bool returns : {true, false})
    for (const char *space : {"global", "shared", ""})
      for (const char *type : {"f32", "f64"}) {
        const bool flushes =
            std::string(space) == "global" && std::string(type) == "f32";
        Instruction &test = addOperation(table, returns, space, "add", type, 1,
                                         sumOf(type, flushes));
        test.anyNan = true;
      }
}

/// Orderings and scopes change no value of a thread's own.
static void addOrderings(Table &table) {
  for (const char *ordering :
       {"relaxed.cta", "acquire.gpu", "release.sys", "acq_rel.gpu"})
    for (const char *space : {"global", "shared"}) {
      Instruction &test =
          addOperation(table, true, space, "add", "u32", 1,
                       [](const Row &row) { return row[0] + row[1]; });
      test.name.insert(std::string("atom").size(), "." + std::string(ordering));
      test.code.insert(std::string("atom").size(), "." + std::string(ordering));
    }
}

static void addVectors(Table &table) {
  const Type f32 = typeOf("f32");
  Instruction &test = addTest(table, red, "red.global.add.v2.f32", f32,
                              {f32, f32, f32, f32}, nullptr);
  test.sm = 90;
  test.ptx = {8, 1};
  test.results = {typeOf("b64")};
  test.storesResults = true;
  test.setup = "mov.b64 %w0, {%a, %b}; st.global.b64 [%out], %w0;\n";
  test.code = "red.global.add.v2.f32 [%out], {%c, %e};";
  // Sums of these are exact, as are their halves of a word.
  const std::vector<Bits> values = {0x3f800000, 0xc0400000, 0x42280000,
                                    0x00000000, 0xbf000000};
  for (std::size_t i = 0; i < blockSize; ++i)
    test.rows.push_back({values[i % 5], values[i / 5 % 5], values[i / 25 % 5],
                         values[(i + 2) % 5]});
  Operation sum = sumOf("f32", /*flushes=*/true);
  test.anyNan = false;
  test.agreement = "bits";
  test.reference = [=](const Thread &thread) {
    const Row &row = thread.operands();
    return std::vector<Expected>{sum({row[0], row[2]}) | sum({row[1], row[3]})
                                                             << 32};
  };
}

void tc::isa::addAtomicInstructions(Table &table) {
  addIntegers(table);
  addFloats(table);
  addOrderings(table);
  addVectors(table);
}
