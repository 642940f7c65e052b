//===- MemoryAccesses.cpp - Tests of ld and st ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.9.8, 9.7.9.9 and 9.7.9.11: every width, vectors, state spaces,
// and the modifiers that change no value.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Section ld{"9.7.9.8",
                        "Data Movement and Conversion Instructions: ld"};
static const Section ldNonCoherent{
    "9.7.9.9", "Data Movement and Conversion Instructions: ld.global.nc"};
static const Section st{"9.7.9.11",
                        "Data Movement and Conversion Instructions: st"};

static const char *const typeNames[] = {"b8",  "u8",  "s8",  "b16", "u16",
                                        "s16", "b32", "u32", "s32", "f32",
                                        "b64", "u64", "s64", "f64"};

/// The type of the register that holds an element.
static Type registerOf(Type type) {
  return type.bits == 8 ? typeOf("b32") : type;
}

/// Element `number` in memory, as its register holds it.
template <typename ByteAt>
static Expected elementAt(Type type, unsigned number, ByteAt byteAt) {
  Bits bits = 0;
  for (unsigned i = 0; i < type.bits / 8; ++i)
    bits |= Bits(byteAt(number * type.bits / 8 + i)) << (8 * i);
  return Expected(truncated(integerOf(bits, type), registerOf(type)));
}

static std::uint8_t byteOf(const Row &row, unsigned number) {
  return static_cast<std::uint8_t>(row[number / 8] >> (number % 8 * 8));
}

/// "{%d, %d1}", or "%d".
static std::string registers(const std::string &name, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i == 0 ? "%" + name : ", %" + name + std::to_string(i));
  return count == 1 ? list : "{" + list + "}";
}

/// The stages that vectors and rare modifiers came with.
static void setTarget(Instruction &test, unsigned bytes) {
  if (bytes > 16) {
    test.sm = 100;
    test.ptx = {8, 8};
  }
}

/// Operands of 64 bits that make up the bytes of an access: as many as keep
/// the rows aligned.
static void setBytes(Instruction &test, unsigned bytes) {
  std::size_t count = bytes > 16 ? 4 : bytes > 8 ? 2 : 1;
  std::vector<Bits> values = edgesOf(typeOf("b64"));
  for (Bits value : randomBits(bytes, 12, 64))
    values.push_back(value);
  test.operands.assign(count, {typeOf("b64"), values});
  test.rows.clear();
  for (std::size_t i = 0; i < blockSize; ++i) {
    Row row;
    for (std::size_t j = 0; j < count; ++j)
      row.push_back(values[(i + 7 * j) % values.size()]);
    test.rows.push_back(row);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// A load of `count` elements; from where is to be filled in.
static Instruction &addLoad(Table &table, const Section &section,
                            const std::string &prefix, Type type,
                            unsigned count, const std::string &address) {
  std::string name = prefix +
                     (count == 1 ? "." : ".v" + std::to_string(count) + ".") +
                     type.name();
  Instruction &test =
      addTest(table, section, name, registerOf(type), {}, nullptr);
  test.results.assign(count, registerOf(type));
  test.code = name + " " + registers("d", count) + ", " + address + ";";
  test.anyNan = false;
  test.agreement = "bits";
  setBytes(test, count * type.bits / 8);
  setTarget(test, count * type.bits / 8);
  test.reference = [=](const Thread &thread) {
    std::vector<Expected> expected;
    for (unsigned i = 0; i < count; ++i)
      expected.push_back(elementAt(type, i, [&](unsigned number) {
        return byteOf(thread.operands(), number);
      }));
    return expected;
  };
  return test;
}

static void storeToShared(Instruction &test) {
  test.declarations = sharedMemory;
  test.setup = sharedPlace;
  static const char letters[] = "abce";
  for (std::size_t i = 0; i < test.operands.size(); ++i)
    test.setup += "st.shared.b64 [%n1+" + std::to_string(8 * i) + "], %" +
                  letters[i] + ";\n";
}

/// Constant memory and parameters hold the same bytes for all threads; the
/// operand says at which multiple of 32 bytes to read.
static void readFixedBytes(Instruction &test, Type type, unsigned count) {
  test.rows.clear();
  test.operands = {{typeOf("u64"), {0, 1}}};
  test.reference = [=](const Thread &thread) {
    auto offset = static_cast<unsigned>(thread.operands()[0]) * 32;
    std::vector<Expected> expected;
    for (unsigned i = 0; i < count; ++i)
      expected.push_back(elementAt(type, i, [&](unsigned number) {
        return parameterByte(offset + number);
      }));
    return expected;
  };
}

static void addLoads(Table &table, Type type, unsigned count) {
  addLoad(table, ld, "ld.global", type, count, "[%in]");
  addLoad(table, ld, "ld", type, count, "[%in]");
  addLoad(table, ldNonCoherent, "ld.global.nc", type, count, "[%in]");
  if (count * type.bits > 128)
    return; // Only global memory has wider vectors.
  storeToShared(addLoad(table, ld, "ld.shared", type, count, "[%n1]"));

  Instruction &constant = addLoad(table, ld, "ld.const", type, count, "[%w0]");
  readFixedBytes(constant, type, count);
  constant.readsConstants = true;
  constant.setup = "mov.u64 %w0, table; shl.b64 %w1, %a, 5;\n"
                   "add.u64 %w0, %w0, %w1;\n";

  Instruction &parameter =
      addLoad(table, ld, "ld.param", type, count, "[bytes+32]");
  readFixedBytes(parameter, type, count);
  parameter.operands[0].values = {1};

  Instruction &through = addLoad(table, ld, "ld.param", type, count, "[%w0]");
  readFixedBytes(through, type, count);
  through.setup = "mov.b64 %w0, bytes; shl.b64 %w1, %a, 5;\n"
                  "add.u64 %w0, %w0, %w1;\n";
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// A store of the operands' lowest bits, from registers of the type, into a
/// cleared place.
static Instruction &addStore(Table &table, const std::string &prefix, Type type,
                             unsigned count, const std::string &address) {
  std::string name = prefix +
                     (count == 1 ? "." : ".v" + std::to_string(count) + ".") +
                     type.name();
  Instruction &test = addTest(table, st, name, typeOf("b64"), {}, nullptr);
  const unsigned bytes = count * type.bits / 8;
  const unsigned words = bytes > 16 ? 4 : bytes > 8 ? 2 : 1;
  setBytes(test, bytes);
  setTarget(test, bytes);
  test.results.assign(words, typeOf("b64"));
  // The elements' registers, from the operands' bytes.
  static const char letters[] = "abce";
  Type holder = registerOf(type);
  for (unsigned i = 0; i < count; ++i) {
    std::string reg = "%v" + (i == 0 ? "" : std::to_string(i));
    unsigned bit = i * type.bits;
    std::string source = std::string("%") + letters[bit / 64];
    test.setup += ".reg ." + holder.registerName() + " " + reg + ";\n" +
                  "shr.u64 %w0, " + source + ", " + std::to_string(bit % 64) +
                  ";\n";
    if (holder.bits == 64)
      test.setup += "mov.b64 " + reg + ", %w0;\n";
    else if (holder.bits == 32)
      test.setup += "cvt.u32.u64 %n2, %w0; mov.b32 " + reg + ", %n2;\n";
    else
      test.setup += "cvt.u16.u64 %h0, %w0; mov.b16 " + reg + ", %h0;\n";
  }
  test.code = name + " " + address + ", " + registers("v", count) + ";";
  test.reference = [=](const Thread &thread) {
    std::vector<Expected> expected(words);
    for (unsigned i = 0; i < bytes; ++i)
      expected[i / 8].bits |= Bits(byteOf(thread.operands(), i)) << (i % 8 * 8);
    return expected;
  };
  return test;
}

static void storeAndLoadShared(Instruction &test) {
  test.declarations = sharedMemory;
  test.setup = sharedPlace + test.setup + "mov.b64 %w1, 0;\n";
  for (std::size_t i = 0; i < test.results.size(); ++i) {
    std::string place = "[%n1+" + std::to_string(8 * i) + "]";
    test.setup += "st.shared.b64 " + place + ", %w1;\n";
    test.epilogue += "ld.shared.b64 %d" + (i == 0 ? "" : std::to_string(i)) +
                     ", " + place + ";\n";
  }
}

static void addStores(Table &table, Type type, unsigned count) {
  addStore(table, "st.global", type, count, "[%out]").storesResults = true;
  addStore(table, "st", type, count, "[%out]").storesResults = true;
  if (count * type.bits <= 128)
    storeAndLoadShared(addStore(table, "st.shared", type, count, "[%n1]"));
}

/// The only register of an access may stand in braces.
static void addBraces(Table &table, Type type) {
  addLoad(table, ld, "ld.global", type, 1, "[%in]").code =
      "ld.global." + type.name() + " {%d}, [%in];";
  Instruction &store = addStore(table, "st.global", type, 1, "[%out]");
  store.code = "st.global." + type.name() + " [%out], {%v};";
  store.storesResults = true;
}

//===----------------------------------------------------------------------===//
// Modifiers that change no value
//===----------------------------------------------------------------------===//

static void addHints(Table &table) {
  const Type u32 = typeOf("u32");
  struct Hint {
    const char *text;
    unsigned sm;
    std::array<unsigned, 2> ptx;
  };
  static constexpr Hint loads[] = {
      {".ca", 20, {6, 0}},
      {".cg", 20, {6, 0}},
      {".cs", 20, {6, 0}},
      {".lu", 20, {6, 0}},
      {".cv", 20, {6, 0}},
      {".L1::evict_normal", 70, {7, 4}},
      {".L1::evict_unchanged", 70, {7, 4}},
      {".L1::evict_first", 70, {7, 4}},
      {".L1::evict_last", 70, {7, 4}},
      {".L1::no_allocate", 70, {7, 4}},
      {".L2::64B", 75, {7, 4}},
      {".L2::128B", 75, {7, 4}},
      {".L2::256B", 80, {7, 4}},
  };
  static constexpr Hint stores[] = {
      {".wb", 20, {6, 0}},
      {".cg", 20, {6, 0}},
      {".cs", 20, {6, 0}},
      {".wt", 20, {6, 0}},
      {".L1::evict_first", 70, {7, 4}},
      {".L1::no_allocate", 70, {7, 4}},
  };
  auto refine = [](Instruction &test, const Hint &hint) -> Instruction & {
    test.sm = hint.sm;
    test.ptx = hint.ptx;
    return test;
  };
  for (const Hint &hint : loads)
    refine(addLoad(table, ld, std::string("ld.global") + hint.text, u32, 1,
                   "[%in]"),
           hint);
  for (const Hint &hint : stores)
    refine(
        addStore(table, std::string("st.global") + hint.text, u32, 1, "[%out]"),
        hint)
        .storesResults = true;
}

static void addOrderings(Table &table) {
  const Type u32 = typeOf("u32");
  auto refine = [](Instruction &test) -> Instruction & {
    test.sm = 70;
    return test;
  };
  addLoad(table, ld, "ld.weak.global", u32, 1, "[%in]");
  addLoad(table, ld, "ld.volatile.global", u32, 1, "[%in]");
  addStore(table, "st.weak.global", u32, 1, "[%out]").storesResults = true;
  addStore(table, "st.volatile.global", u32, 1, "[%out]").storesResults = true;
  for (const char *scope : {".cta", ".gpu", ".sys"}) {
    for (const char *order : {".relaxed", ".acquire"}) {
      std::string name = std::string("ld") + order + scope;
      refine(addLoad(table, ld, name + ".global", u32, 1, "[%in]"));
      storeToShared(
          refine(addLoad(table, ld, name + ".shared", u32, 1, "[%n1]")));
    }
    for (const char *order : {".relaxed", ".release"}) {
      std::string name = std::string("st") + order + scope;
      refine(addStore(table, name + ".global", u32, 1, "[%out]"))
          .storesResults = true;
      storeAndLoadShared(
          refine(addStore(table, name + ".shared", u32, 1, "[%n1]")));
    }
  }
}

void tc::isa::addMemoryAccesses(Table &table) {
  for (const char *name : typeNames) {
    Type type = typeOf(name);
    addBraces(table, type);
    for (unsigned count : {1, 2, 4, 8}) {
      unsigned bits = count * type.bits;
      // .v8 is for 32 bits, and 256 bits are for 32 and 64.
      if (bits > 256 || (count == 8 && type.bits != 32))
        continue;
      addLoads(table, type, count);
      addStores(table, type, count);
    }
  }
  addHints(table);
  addOrderings(table);
}
