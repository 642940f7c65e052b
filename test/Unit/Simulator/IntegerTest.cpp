//===- IntegerTest.cpp - Integer instructions on edge values --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test for each family of integer instructions.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc::sim::test;

using Values = std::vector<std::uint64_t>;

static constexpr std::uint64_t min32 = 0x80000000u, max32 = 0x7fffffffu,
                               ones32 = 0xffffffffu;
static constexpr std::uint64_t min64 = 0x8000000000000000u,
                               max64 = 0x7fffffffffffffffu,
                               ones64 = 0xffffffffffffffffu;

/// Applies to two operands of one type.
static Values binary(const std::string &opcode, const std::string &type,
                     const std::vector<Values> &rows) {
  return apply(opcode + " %d, %a, %b;", type, {type, type}, rows);
}
static Values unary(const std::string &opcode, const std::string &type,
                    const Values &operands) {
  std::vector<Values> rows;
  for (std::uint64_t operand : operands)
    rows.push_back({operand});
  return apply(opcode + " %d, %a;", type, {type}, rows);
}

TEST(Integer, AddAndSubWrap) {
  EXPECT_EQ(binary("add.s32", "b32", {{max32, 1}, {ones32, 1}, {2, 3}}),
            (Values{min32, 0, 5}));
  EXPECT_EQ(binary("add.u64", "b64", {{max64, 1}, {ones64, 1}}),
            (Values{min64, 0}));
  EXPECT_EQ(binary("add.s16", "b16", {{0x7fff, 1}, {0xffff, 1}}),
            (Values{0x8000, 0}));
  EXPECT_EQ(binary("sub.s32", "b32", {{min32, 1}, {0, 1}}),
            (Values{max32, ones32}));
  EXPECT_EQ(binary("sub.s64", "b64", {{min64, 1}, {0, 1}}),
            (Values{max64, ones64}));
  EXPECT_EQ(binary("sub.u16", "b16", {{0, 1}}), (Values{0xffff}));
}

TEST(Integer, Immediates) {
  EXPECT_EQ(apply1("add.s32 %d, %a, -7;", "b32", {"b32"}, {5}), s32(-2));
  EXPECT_EQ(apply1("add.s32 %d, %a, 0xffffffff;", "b32", {"b32"}, {5}), 4u);
  EXPECT_EQ(apply1("and.b16 %d, %a, 65535;", "b16", {"b16"}, {0x1234}),
            0x1234u);
  EXPECT_EQ(apply1("add.s64 %d, %a, 0b101;", "b64", {"b64"}, {010}), 13u);
  EXPECT_EQ(apply1("add.s64 %d, %a, 017U;", "b64", {"b64"}, {1}), 16u);
}

TEST(Integer, Mul) {
  EXPECT_EQ(binary("mul.lo.s32", "b32", {{ones32, ones32}, {min32, 2}}),
            (Values{1, 0}));
  EXPECT_EQ(binary("mul.lo.s64", "b64", {{ones64, 5}, {min64, 3}}),
            (Values{static_cast<std::uint64_t>(-5), min64}));
  EXPECT_EQ(binary("mul.lo.u16", "b16", {{0xffff, 0xffff}}), (Values{1}));
  EXPECT_EQ(binary("mul.hi.u32", "b32", {{ones32, ones32}, {min32, 4}}),
            (Values{0xfffffffe, 2}));
  EXPECT_EQ(binary("mul.hi.s32", "b32", {{ones32, ones32}, {min32, min32}}),
            (Values{0, 0x40000000}));
  EXPECT_EQ(binary("mul.hi.u64", "b64", {{ones64, ones64}}),
            (Values{0xfffffffffffffffe}));
  EXPECT_EQ(binary("mul.hi.s64", "b64", {{ones64, 7}, {min64, min64}}),
            (Values{ones64, 0x4000000000000000}));
  EXPECT_EQ(binary("mul.hi.u16", "b16", {{0xffff, 0xffff}}), (Values{0xfffe}));
  EXPECT_EQ(binary("mul.hi.s16", "b16", {{0xffff, 2}}), (Values{0xffff}));
}

TEST(Integer, MulWideAndMad) {
  const std::vector<std::string> narrow = {"b32", "b32"};
  EXPECT_EQ(apply1("mul.wide.s32 %d, %a, %b;", "b64", narrow, {ones32, 8}),
            static_cast<std::uint64_t>(-8));
  EXPECT_EQ(apply1("mul.wide.u32 %d, %a, %b;", "b64", narrow, {ones32, 8}),
            0x7fffffff8u);
  EXPECT_EQ(apply1("mul.wide.s16 %d, %a, %b;", "b32", {"b16", "b16"},
                   {0x8000, 0x8000}),
            0x40000000u);
  EXPECT_EQ(apply1("mul.wide.u16 %d, %a, %b;", "b32", {"b16", "b16"},
                   {0xffff, 0xffff}),
            0xfffe0001u);
  EXPECT_EQ(apply1("mad.wide.s32 %d, %a, %b, %c;", "b64", {"b32", "b32", "b64"},
                   {ones32, 8, 3}),
            static_cast<std::uint64_t>(-5));
  EXPECT_EQ(apply1("mad.wide.u32 %d, %a, %b, %c;", "b64", {"b32", "b32", "b64"},
                   {ones32, 1, 1}),
            0x100000000u);
  EXPECT_EQ(apply1("mad.lo.s32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"},
                   {min32, 2, 9}),
            9u);
  EXPECT_EQ(apply1("mad.lo.s64 %d, %a, %b, %c;", "b64", {"b64", "b64", "b64"},
                   {3, 5, ones64}),
            14u);
  EXPECT_EQ(apply1("mad.hi.u32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"},
                   {min32, 4, 5}),
            7u);
  EXPECT_EQ(apply1("mad.lo.u16 %d, %a, %b, %c;", "b16", {"b16", "b16", "b16"},
                   {0xffff, 0xffff, 0xffff}),
            0u);
}

TEST(Integer, DivAndRem) {
  EXPECT_EQ(binary("div.u32", "b32", {{7, 2}, {ones32, 1}, {7, 0}}),
            (Values{3, ones32, ones32}));
  EXPECT_EQ(
      binary("div.s32", "b32", {{s32(-7), 2}, {7, s32(-2)}, {min32, ones32}}),
      (Values{s32(-3), s32(-3), min32}));
  EXPECT_EQ(binary("rem.s32", "b32",
                   {{s32(-7), 2}, {7, s32(-2)}, {min32, ones32}, {9, 0}}),
            (Values{s32(-1), 1, 0, 9}));
  EXPECT_EQ(binary("rem.u32", "b32", {{ones32, 10}}), (Values{5}));
  EXPECT_EQ(binary("div.s64", "b64", {{min64, ones64}, {100, 7}}),
            (Values{min64, 14}));
  EXPECT_EQ(binary("rem.u64", "b64", {{ones64, 10}}), (Values{5}));
  EXPECT_EQ(binary("rem.s64", "b64", {{min64, ones64}}), (Values{0}));
  EXPECT_EQ(binary("div.u16", "b16", {{0xffff, 9}}), (Values{7281}));
  EXPECT_EQ(binary("div.s16", "b16", {{0x8000, 0xffff}}), (Values{0x8000}));
}

TEST(Integer, MinMax) {
  EXPECT_EQ(binary("min.s32", "b32", {{ones32, 1}}), (Values{ones32}));
  EXPECT_EQ(binary("min.u32", "b32", {{ones32, 1}}), (Values{1}));
  EXPECT_EQ(binary("max.s32", "b32", {{ones32, 1}}), (Values{1}));
  EXPECT_EQ(binary("max.u32", "b32", {{ones32, 1}}), (Values{ones32}));
  EXPECT_EQ(binary("min.s64", "b64", {{min64, max64}}), (Values{min64}));
  EXPECT_EQ(binary("max.u64", "b64", {{min64, max64}}), (Values{min64}));
  EXPECT_EQ(binary("max.s16", "b16", {{0x8000, 0x7fff}}), (Values{0x7fff}));
  EXPECT_EQ(binary("min.u16", "b16", {{0x8000, 0x7fff}}), (Values{0x7fff}));
}

TEST(Integer, AbsAndNeg) {
  EXPECT_EQ(unary("abs.s32", "b32", {min32, ones32, 5}), (Values{min32, 1, 5}));
  EXPECT_EQ(unary("neg.s32", "b32", {min32, 1, 0}), (Values{min32, ones32, 0}));
  EXPECT_EQ(unary("abs.s64", "b64", {ones64}), (Values{1}));
  EXPECT_EQ(unary("neg.s64", "b64", {min64}), (Values{min64}));
  EXPECT_EQ(unary("abs.s16", "b16", {0xfffe}), (Values{2}));
  EXPECT_EQ(unary("neg.s16", "b16", {1}), (Values{0xffff}));
}

TEST(Integer, Logic) {
  EXPECT_EQ(binary("and.b32", "b32", {{0xf0f0, 0xff00}}), (Values{0xf000}));
  EXPECT_EQ(binary("or.b32", "b32", {{0xf0f0, 0xff00}}), (Values{0xfff0}));
  EXPECT_EQ(binary("xor.b64", "b64", {{ones64, 1}}), (Values{ones64 - 1}));
  EXPECT_EQ(binary("and.b16", "b16", {{0xff, 0xf0f}}), (Values{0xf}));
  EXPECT_EQ(unary("not.b32", "b32", {0}), (Values{ones32}));
  EXPECT_EQ(unary("not.b64", "b64", {ones64}), (Values{0}));
  EXPECT_EQ(unary("not.b16", "b16", {1}), (Values{0xfffe}));
  EXPECT_EQ(unary("cnot.b32", "b32", {0, 7}), (Values{1, 0}));
}

TEST(Integer, PredicateLogic) {
  const std::vector<Values> rows = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(binary("and.pred", "pred", rows), (Values{0, 0, 0, 1}));
  EXPECT_EQ(binary("or.pred", "pred", rows), (Values{0, 1, 1, 1}));
  EXPECT_EQ(binary("xor.pred", "pred", rows), (Values{0, 1, 1, 0}));
  EXPECT_EQ(unary("not.pred", "pred", {0, 1}), (Values{1, 0}));
  EXPECT_EQ(unary("mov.pred", "pred", {0, 1}), (Values{0, 1}));
  EXPECT_EQ(apply1("mov.pred %d, -1;", "pred", {"b32"}, {0}), 1u);
}

TEST(Integer, ShiftsClampTheirAmount) {
  auto shift = [](const std::string &opcode, const std::string &type,
                  const std::vector<Values> &rows) {
    return apply(opcode + " %d, %a, %b;", type, {type, "b32"}, rows);
  };
  EXPECT_EQ(shift("shl.b32", "b32", {{1, 31}, {1, 32}, {1, ones32}, {3, 0}}),
            (Values{min32, 0, 0, 3}));
  EXPECT_EQ(shift("shr.u32", "b32", {{min32, 31}, {min32, 32}, {min32, 64}}),
            (Values{1, 0, 0}));
  EXPECT_EQ(shift("shr.s32", "b32", {{min32, 31}, {min32, 32}, {max32, 99}}),
            (Values{ones32, ones32, 0}));
  EXPECT_EQ(shift("shl.b64", "b64", {{1, 63}, {1, 64}}), (Values{min64, 0}));
  EXPECT_EQ(shift("shr.u64", "b64", {{min64, 63}, {min64, 64}}),
            (Values{1, 0}));
  EXPECT_EQ(shift("shr.s64", "b64", {{min64, 63}, {min64, 65}}),
            (Values{ones64, ones64}));
  EXPECT_EQ(shift("shl.b16", "b16", {{1, 15}, {1, 16}}), (Values{0x8000, 0}));
  EXPECT_EQ(shift("shr.s16", "b16", {{0x8000, 20}}), (Values{0xffff}));
  EXPECT_EQ(shift("shr.u16", "b16", {{0x8000, 15}, {1, 16}}), (Values{1, 0}));
}

TEST(Integer, Counts) {
  auto count = [](const std::string &opcode, const std::string &type,
                  std::uint64_t operand) {
    return apply1(opcode + " %d, %a;", "b32", {type}, {operand});
  };
  EXPECT_EQ(count("popc.b32", "b32", ones32), 32u);
  EXPECT_EQ(count("popc.b64", "b64", min64 + 1), 2u);
  EXPECT_EQ(count("clz.b32", "b32", 0), 32u);
  EXPECT_EQ(count("clz.b32", "b32", 1), 31u);
  EXPECT_EQ(count("clz.b64", "b64", 0), 64u);
  EXPECT_EQ(count("clz.b64", "b64", min64), 0u);
  EXPECT_EQ(count("bfind.u32", "b32", 0), ones32);
  EXPECT_EQ(count("bfind.u32", "b32", min32), 31u);
  EXPECT_EQ(count("bfind.s32", "b32", ones32), ones32);
  EXPECT_EQ(count("bfind.s32", "b32", s32(-5)), 2u);
  EXPECT_EQ(count("bfind.u64", "b64", min64), 63u);
  EXPECT_EQ(count("brev.b32", "b32", 1), min32);
  EXPECT_EQ(apply1("brev.b64 %d, %a;", "b64", {"b64"}, {2}), min64 >> 1);
}

TEST(Integer, BitFieldExtract) {
  auto extract = [](const std::string &type, const std::string &reg,
                    std::uint64_t a, std::uint64_t position,
                    std::uint64_t length) {
    return apply1("bfe." + type + " %d, %a, %b, %c;", reg, {reg, "b32", "b32"},
                  {a, position, length});
  };
  EXPECT_EQ(extract("u32", "b32", 0xabcd1234, 8, 8), 0x12u);
  EXPECT_EQ(extract("u32", "b32", 0xabcd1234, 0, 32), 0xabcd1234u);
  EXPECT_EQ(extract("u32", "b32", 0xabcd1234, 28, 8), 0xau);
  EXPECT_EQ(extract("s32", "b32", 0xabcd1234, 28, 8), s32(-6));
  EXPECT_EQ(extract("s32", "b32", 0x00008000, 8, 8), s32(-128));
  EXPECT_EQ(extract("s32", "b32", 0x80000000, 40, 4), ones32);
  EXPECT_EQ(extract("u32", "b32", ones32, 40, 4), 0u);
  EXPECT_EQ(extract("s32", "b32", ones32, 3, 0), 0u);
  EXPECT_EQ(extract("u64", "b64", min64, 63, 1), 1u);
  EXPECT_EQ(extract("s64", "b64", min64, 60, 255), ones64 << 3);
  EXPECT_EQ(extract("u32", "b32", 0xff, 256, 8), 0xffu); // Low byte counts.
}

TEST(Integer, BitFieldInsert) {
  auto insert = [](const std::string &reg, std::uint64_t a, std::uint64_t b,
                   std::uint64_t position, unsigned length) {
    return apply1("bfi." + reg + " %d, %a, %b, %c, " + std::to_string(length) +
                      ";",
                  reg, {reg, reg, "b32"}, {a, b, position});
  };
  EXPECT_EQ(insert("b32", 0xabc, 0, 8, 8), 0xbc00u);
  EXPECT_EQ(insert("b32", 0, ones32, 4, 8), 0xfffff00fu);
  EXPECT_EQ(insert("b32", 0x5, 0x123, 0, 32), 0x5u);
  EXPECT_EQ(insert("b32", ones32, 0, 28, 8), 0xf0000000u);
  EXPECT_EQ(insert("b32", ones32, 7, 32, 4), 7u);
  EXPECT_EQ(insert("b32", ones32, 7, 3, 0), 7u);
  EXPECT_EQ(insert("b64", 1, 0, 63, 1), min64);
}

TEST(Integer, FunnelShift) {
  auto funnel = [](const std::string &mode, std::uint64_t low,
                   std::uint64_t high, std::uint64_t amount) {
    return apply1("shf." + mode + ".b32 %d, %a, %b, %c;", "b32",
                  {"b32", "b32", "b32"}, {low, high, amount});
  };
  EXPECT_EQ(funnel("l.wrap", 0x80000000, 1, 1), 3u);
  EXPECT_EQ(funnel("l.wrap", 0x80000000, 1, 33), 3u);
  EXPECT_EQ(funnel("l.wrap", 5, 7, 32), 7u);
  EXPECT_EQ(funnel("l.clamp", 5, 7, 33), 5u);
  EXPECT_EQ(funnel("r.wrap", 2, 1, 1), 0x80000001u);
  EXPECT_EQ(funnel("r.wrap", 5, 7, 32), 5u);
  EXPECT_EQ(funnel("r.clamp", 5, 7, 99), 7u);
}

TEST(Integer, Permute) {
  auto permute = [](std::uint64_t selector) {
    return apply1("prmt.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"},
                  {0x83020100, 0x07060584, selector});
  };
  EXPECT_EQ(permute(0x3210), 0x83020100u);
  EXPECT_EQ(permute(0x7654), 0x07060584u);
  EXPECT_EQ(permute(0x0123), 0x00010283u);
  EXPECT_EQ(permute(0xb8c9), 0xff00ff00u); // Copies of signs.
}

TEST(Integer, Logic3) {
  auto logic = [](unsigned table) {
    return apply1("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                  "b32", {"b32", "b32", "b32"}, {0xf0, 0xcc, 0xaa});
  };
  // These operands reproduce the table itself.
  for (unsigned table : {0u, 0x80u, 0xfeu, 0x96u, 0xcau})
    EXPECT_EQ(logic(table) & 0xff, table);
  EXPECT_EQ(logic(1) >> 8, 0xffffffu);
}

TEST(Integer, Compare) {
  auto compare = [](const std::string &what, const std::string &reg) {
    bool wide = reg == "b64";
    std::uint64_t minusOne = wide ? ones64 : reg == "b32" ? ones32 : 0xffff;
    return apply("setp." + what + " %d, %a, %b;", "pred", {reg, reg},
                 {{minusOne, 1}, {1, 1}, {1, minusOne}});
  };
  for (std::string width : {"16", "32", "64"}) {
    std::string reg = "b" + width;
    EXPECT_EQ(compare("eq.b" + width, reg), (Values{0, 1, 0}));
    EXPECT_EQ(compare("ne.s" + width, reg), (Values{1, 0, 1}));
    EXPECT_EQ(compare("lt.s" + width, reg), (Values{1, 0, 0}));
    EXPECT_EQ(compare("lt.u" + width, reg), (Values{0, 0, 1}));
    EXPECT_EQ(compare("le.s" + width, reg), (Values{1, 1, 0}));
    EXPECT_EQ(compare("ls.u" + width, reg), (Values{0, 1, 1}));
    EXPECT_EQ(compare("gt.s" + width, reg), (Values{0, 0, 1}));
    EXPECT_EQ(compare("hi.u" + width, reg), (Values{1, 0, 0}));
    EXPECT_EQ(compare("ge.s" + width, reg), (Values{0, 1, 1}));
    EXPECT_EQ(compare("hs.u" + width, reg), (Values{1, 1, 0}));
    EXPECT_EQ(compare("lo.u" + width, reg), (Values{0, 0, 1}));
  }
}

TEST(Integer, CompareAndCombine) {
  const std::vector<std::string> types = {"b32", "b32", "pred"};
  const std::vector<Values> rows = {{1, 2, 0}, {1, 2, 1}, {2, 1, 0}, {2, 1, 1}};
  EXPECT_EQ(apply("setp.lt.and.s32 %d, %a, %b, %c;", "pred", types, rows),
            (Values{0, 1, 0, 0}));
  EXPECT_EQ(apply("setp.lt.or.s32 %d, %a, %b, %c;", "pred", types, rows),
            (Values{1, 1, 0, 1}));
  EXPECT_EQ(apply("setp.lt.xor.s32 %d, %a, %b, !%c;", "pred", types, rows),
            (Values{0, 1, 1, 0}));
  // The second result combines the negated comparison.
  EXPECT_EQ(apply("{ .reg .pred %q; setp.lt.and.s32 %q|%d, %a, %b, %c; }",
                  "pred", types, rows),
            (Values{0, 0, 0, 1}));
}

TEST(Integer, Select) {
  EXPECT_EQ(apply("selp.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "pred"},
                  {{1, 2, 0}, {1, 2, 1}}),
            (Values{2, 1}));
  EXPECT_EQ(apply("selp.b16 %d, 7, %a, %b;", "b16", {"b16", "pred"},
                  {{1, 0}, {1, 1}}),
            (Values{1, 7}));
  EXPECT_EQ(apply1("selp.f64 %d, %a, %b, %c;", "f64", {"f64", "f64", "pred"},
                   {f64(1), f64(2), 1}),
            f64(1));
}

TEST(Integer, MoveVectors) {
  EXPECT_EQ(apply1("mov.b64 %d, {%a, %b};", "b64", {"b32", "b32"},
                   {0x11111111, 0x22222222}),
            0x2222222211111111u);
  EXPECT_EQ(
      apply1("mov.b64 {_, %d}, %a;", "b32", {"b64"}, {0x2222222211111111}),
      0x22222222u);
  EXPECT_EQ(
      apply1("mov.b32 %d, {%a, %b};", "b32", {"b16", "b16"}, {0x1111, 0x2222}),
      0x22221111u);
  EXPECT_EQ(apply1("{ .reg .b16 %x<4>; mov.b64 {%x0, %x1, %x2, %x3}, %a; "
                   "mov.b64 %d, {%x3, %x2, %x1, %x0}; }",
                   "b64", {"b64"}, {0x4444333322221111}),
            0x1111222233334444u);
}
