//===- Moves.cpp - Tests of mov and cvta ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.9.3, 9.7.9.4 and 9.7.9.20, and the special registers of
// chapter 10 that mov reads.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Section mov{"9.7.9.3",
                         "Data Movement and Conversion Instructions: mov"};
static const Section vectors{
    "9.7.9.4", "Data Movement and Conversion Instructions: mov, vectors"};
static const Section cvta{"9.7.9.20",
                          "Data Movement and Conversion Instructions: cvta"};

static Expected copy(const Row &row) { return Expected(row[0]); }

static void addCopies(Table &table) {
  for (const char *name : {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                           "s32", "s64", "f32", "f64", "pred"}) {
    Type type = typeOf(name);
    Instruction &test =
        addTest(table, mov, std::string("mov.") + name, type, {type}, copy);
    test.anyNan = false;
    test.agreement = "bits";
  }
}

static void addVectors(Table &table) {
  struct Shape {
    const char *whole, *part;
    unsigned count;
  };
  for (Shape shape : {Shape{"b32", "b16", 2}, Shape{"b64", "b32", 2},
                      Shape{"b64", "b16", 4}}) {
    Type whole = typeOf(shape.whole), part = typeOf(shape.part);
    std::string list[2];
    for (unsigned i = 0; i < shape.count; ++i) {
      list[0] += (i ? ", %" : "%") + std::string(1, "abce"[i]);
      list[1] += (i ? ", %d" + std::to_string(i) : "%d");
    }
    std::vector<Type> parts(shape.count, part);
    Instruction &pack = addTest(table, vectors, "mov." + whole.name(), whole,
                                parts, [=](const Row &row) {
                                  Bits bits = 0;
                                  for (unsigned i = 0; i < shape.count; ++i)
                                    bits |= row[i] << (i * part.bits);
                                  return Expected(bits);
                                });
    pack.code = pack.name + " %d, {" + list[0] + "};";
    if (shape.count == 4)
      for (Operand &operand : pack.operands)
        operand.values = {0, 0xffff, 0x8001, 0x1234, 0x5678};
    Instruction &unpack =
        addTest(table, vectors, "mov." + whole.name(), part, {whole}, nullptr);
    unpack.results = parts;
    unpack.code = unpack.name + " {" + list[1] + "}, %a;";
    unpack.reference = [=](const Thread &thread) {
      std::vector<Expected> expected;
      for (unsigned i = 0; i < shape.count; ++i)
        expected.push_back(thread.operands()[0] >> (i * part.bits) &
                           onesOf(part.bits));
      return expected;
    };
  }
  // A part that nobody wants.
  Instruction &test =
      addTest(table, vectors, "mov.b64", typeOf("b32"), {typeOf("b64")},
              [](const Row &row) { return Expected(row[0] >> 32); });
  test.code = "mov.b64 {_, %d}, %a;";
  test.ptx = {7, 1};
}

/// Adds a test of mov from a special register, whose value for a thread is
/// computed by `f`.
template <typename F>
static void addSpecial(Table &table, const Section &section,
                       const std::string &name, F f) {
  Instruction &test = addTest(table, section, "mov.u32 " + name, typeOf("u32"),
                              {typeOf("u32")}, nullptr);
  test.rows = std::vector<Row>(3 * blockSize, Row{0});
  test.code = "mov.u32 %d, " + name + ";";
  test.reference = [=](const Thread &thread) {
    return std::vector<Expected>{f(thread)};
  };
}

static void addSpecials(Table &table) {
  auto constant = [](Bits value) {
    return [=](const Thread &) { return Expected(value); };
  };
  Section tid{"10.1", "Special Registers: %tid"};
  addSpecial(table, tid, "%tid.x",
             [](const Thread &t) { return Expected(t.number); });
  addSpecial(table, tid, "%tid.y", constant(0));
  addSpecial(table, tid, "%tid.z", constant(0));
  Section ntid{"10.2", "Special Registers: %ntid"};
  addSpecial(table, ntid, "%ntid.x", constant(blockSize));
  addSpecial(table, ntid, "%ntid.y", constant(1));
  addSpecial(table, ntid, "%ntid.z", constant(1));
  addSpecial(table, {"10.3", "Special Registers: %laneid"}, "%laneid",
             [](const Thread &t) { return Expected(t.lane()); });
  // The PTX ISA lets it change while a thread runs.
  addSpecial(
      table, {"10.4", "Special Registers: %warpid"}, "%warpid",
      [](const Thread &t) { return Expected::unspecified(t.number / 32); });
  Section ctaid{"10.6", "Special Registers: %ctaid"};
  addSpecial(table, ctaid, "%ctaid.x",
             [](const Thread &t) { return Expected(t.row / blockSize); });
  addSpecial(table, ctaid, "%ctaid.y", constant(0));
  addSpecial(table, ctaid, "%ctaid.z", constant(0));
  Section nctaid{"10.7", "Special Registers: %nctaid"};
  addSpecial(table, nctaid, "%nctaid.x",
             [](const Thread &t) { return Expected(t.blocks); });
  addSpecial(table, nctaid, "%nctaid.y", constant(1));
  addSpecial(table, nctaid, "%nctaid.z", constant(1));
  addSpecial(table, {"4.4", "Syntax: WARP_SZ"}, "WARP_SZ", constant(32));
}

/// Addresses differ from machine to machine, so that their targets are
/// compared: shared memory, or the operand itself.
static void addAddresses(Table &table) {
  const Type b64 = typeOf("b64"), u64 = typeOf("u64");
  const std::string place = "mov.u32 %n0, %tid.x; shl.b32 %n0, %n0, 3;\n"
                            "mov.u32 %n1, memory; add.u32 %n1, %n1, %n0;\n";
  auto add = [&](const Section &section, const std::string &name) -> auto & {
    Instruction &test = addTest(table, section, name, b64, {b64}, copy);
    test.declarations = ".shared .align 8 .b8 memory[1024];\n";
    return test;
  };
  Instruction &address32 = add(mov, "mov.u32 variable");
  address32.setup = "mov.u32 %n0, %tid.x; shl.b32 %n0, %n0, 3;\n";
  address32.code = "mov.u32 %n1, memory;";
  address32.epilogue = "add.u32 %n1, %n1, %n0;\n"
                       "st.shared.b64 [%n1], %a; ld.shared.b64 %d, [%n1];\n";
  Instruction &address64 = add(mov, "mov.u64 variable");
  address64.setup = "mov.u32 %n0, %tid.x; mul.wide.u32 %w0, %n0, 8;\n";
  address64.code = "mov.u64 %w1, memory;";
  address64.epilogue = "add.u64 %w1, %w1, %w0;\n"
                       "st.shared.b64 [%w1], %a; ld.shared.b64 %d, [%w1];\n";

  Instruction &toGeneric = add(cvta, "cvta.shared.u64");
  toGeneric.setup = place + "cvt.u64.u32 %w0, %n1;\n";
  toGeneric.code = "cvta.shared.u64 %w1, %w0;";
  toGeneric.epilogue = "st.shared.b64 [%n1], %a; ld.b64 %d, [%w1];\n";
  Instruction &fromGeneric = add(cvta, "cvta.to.shared.u64");
  fromGeneric.setup = place + "cvt.u64.u32 %w0, %n1;\n"
                              "cvta.shared.u64 %w1, %w0;\n"
                              "st.b64 [%w1], %a;\n";
  fromGeneric.code = "cvta.to.shared.u64 %w2, %w1;";
  fromGeneric.epilogue = "ld.shared.b64 %d, [%w2];\n";
  for (const char *name : {"cvta.global.u64", "cvta.to.global.u64"}) {
    Instruction &test = addTest(table, cvta, name, u64, {u64}, copy);
    test.code = std::string(name) + " %w0, %in;";
    test.epilogue = "ld.global.u64 %d, [%w0];\n";
  }
}

/// Numbers as the text has them.
static void addConstants(Table &table) {
  struct Constant {
    const char *type, *text;
    Bits bits;
  };
  static constexpr Constant constants[] = {
      {"u64", "18446744073709551615", 0xffffffffffffffff},
      {"s64", "-9223372036854775808", 0x8000000000000000},
      {"b64", "0xFEDCBA9876543210", 0xfedcba9876543210},
      {"u32", "4294967295U", 0xffffffff},
      {"s32", "-1", 0xffffffff},
      {"b32", "0b1011", 11},
      {"b32", "017", 15},
      {"s16", "-32768", 0x8000},
      {"f32", "0f3FC00001", 0x3fc00001},
      {"f32", "0fFF800000", 0xff800000},
      {"f64", "0d8000000000000001", 0x8000000000000001},
      {"f64", "0.1", 0x3fb999999999999a},
      {"f32", "1.5e3", 0x44bb8000},
  };
  for (const Constant &constant : constants) {
    Type type = typeOf(constant.type);
    std::string name = std::string("mov.") + constant.type;
    Instruction &test = addTest(
        table, {"4.5", "Syntax: constants"}, name + " " + constant.text, type,
        {type}, [=](const Row &) { return Expected(constant.bits); });
    test.code = name + " %d, " + constant.text + ";";
    test.anyNan = false;
    test.agreement = "bits";
  }
}

void tc::isa::addMoves(Table &table) {
  addConstants(table);
  addCopies(table);
  addVectors(table);
  addAddresses(table);
  addSpecials(table);
}
