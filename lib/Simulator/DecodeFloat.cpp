//===- DecodeFloat.cpp - Floating point, comparisons, conversions ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding other than to nearest is not supported, except from floating point
// to integers.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

bool Decoder::decodeFloatBinary(Opcode single, Opcode flushing, Opcode twofold,
                                ScalarType type, bool flushes) {
  kind = InstructionKind::OtherFloat;
  if (flushes && type.bits == 64)
    return fail("unsupported modifier '.ftz'");
  return finish(type.bits == 64 ? twofold
                : flushes       ? flushing
                                : single,
                type, 2);
}

/// The same operation on both halves of a register.
bool Decoder::decodePackedPair(Opcode opcode, InstructionKind packedKind,
                               unsigned sources, std::uint8_t bits) {
  kind = packedKind;
  operationsPerThread = 2;
  return finish(opcode, ScalarType{Interpretation::Bits, bits}, sources);
}

/// fma.rn, mad.rn
bool Decoder::decodeFma() {
  if (!require("rn"))
    return false;
  if (inst->opcode == "fma" && accept("f32x2"))
    return decodePackedPair(Opcode::FmaF32x2, InstructionKind::FmaF32, 3);
  bool flushes = accept("ftz");
  ScalarType type;
  if (!readType(type, "f", {32, 64}))
    return false;
  if (flushes && type.bits == 64)
    return fail("unsupported modifier '.ftz'");
  kind = type.bits == 32 ? InstructionKind::FmaF32 : InstructionKind::FmaF64;
  return finish(type.bits == 64 ? Opcode::FmaF64
                : flushes       ? Opcode::FmaFtzF32
                                : Opcode::FmaF32,
                type, 3);
}

/// sqrt, rcp, rsqrt
bool Decoder::decodeSqrtRcp() {
  bool isSqrt = inst->opcode == "sqrt", isRcp = inst->opcode == "rcp";
  bool isApproximate = (isSqrt || isRcp) ? accept("approx") : true;
  if (!isSqrt && !isRcp && !require("approx"))
    return false;
  if (!isApproximate && !require("rn"))
    return false;
  bool flushes = accept("ftz");
  ScalarType type;
  if (!readType(type, "f", {32, 64}))
    return false;
  kind = InstructionKind::OtherFloat;
  if (type.bits == 64 && isRcp && isApproximate && flushes)
    return finish(Opcode::RcpGrossF64, type, 1);
  // Of the others in double precision only rsqrt is as good as ours.
  if (type.bits == 64 && (flushes || (isApproximate && (isSqrt || isRcp))))
    return fail("unsupported modifier '.approx' or '.ftz'");
  if (type.bits == 64)
    return finish(isSqrt  ? Opcode::SqrtF64
                  : isRcp ? Opcode::RcpF64
                          : Opcode::RsqrtF64,
                  type, 1);
  if (flushes)
    return finish(isSqrt  ? Opcode::SqrtFtzF32
                  : isRcp ? Opcode::RcpFtzF32
                          : Opcode::RsqrtFtzF32,
                  type, 1);
  return finish(isSqrt  ? Opcode::SqrtF32
                : isRcp ? Opcode::RcpF32
                        : Opcode::RsqrtF32,
                type, 1);
}

/// ex2, lg2
bool Decoder::decodeExponential() {
  bool isExponential = inst->opcode == "ex2";
  if (!require("approx"))
    return false;
  bool flushes = accept("ftz");
  ScalarType type;
  if (!readType(type, "f", {32}))
    return false;
  kind = InstructionKind::OtherFloat;
  return finish(flushes
                    ? (isExponential ? Opcode::Ex2FtzF32 : Opcode::Lg2FtzF32)
                    : (isExponential ? Opcode::Ex2F32 : Opcode::Lg2F32),
                type, 1);
}

/// sin, cos, tanh
bool Decoder::decodeTrigonometric() {
  bool isSine = inst->opcode == "sin", isCosine = inst->opcode == "cos";
  if (!require("approx"))
    return false;
  bool flushes = (isSine || isCosine) && accept("ftz");
  ScalarType type;
  if (!readType(type, "f", {32}))
    return false;
  kind = InstructionKind::OtherFloat;
  return finish(isSine     ? (flushes ? Opcode::SinFtzF32 : Opcode::SinF32)
                : isCosine ? (flushes ? Opcode::CosFtzF32 : Opcode::CosF32)
                           : Opcode::TanhF32,
                type, 1);
}

bool Decoder::decodeCopySign() {
  ScalarType type;
  kind = InstructionKind::OtherFloat;
  return readType(type, "f", {32, 64}) &&
         finish(type.bits == 32 ? Opcode::CopysignF32 : Opcode::CopysignF64,
                type, 2);
}

bool Decoder::decodeTest() {
  struct Test {
    std::string_view name;
    Opcode single, twofold;
  };
  static constexpr Test tests[] = {
      {"finite", Opcode::TestFiniteF32, Opcode::TestFiniteF64},
      {"infinite", Opcode::TestInfiniteF32, Opcode::TestInfiniteF64},
      {"number", Opcode::TestNumberF32, Opcode::TestNumberF64},
      {"notanumber", Opcode::TestNanF32, Opcode::TestNanF64},
      {"normal", Opcode::TestNormalF32, Opcode::TestNormalF64},
      {"subnormal", Opcode::TestSubnormalF32, Opcode::TestSubnormalF64},
  };
  for (const Test &test : tests) {
    if (!accept(test.name))
      continue;
    ScalarType type;
    if (!readType(type, "f", {32, 64}) || !endOfModifiers() ||
        !countOperands(2) || !predicateResult(0) || !source(1, type, op.a))
      return false;
    kind = InstructionKind::OtherFloat;
    set(type.bits == 32 ? test.single : test.twofold);
    return true;
  }
  return fail("missing or unsupported test");
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

namespace {
struct Comparison {
  std::string_view name;
  bool ofIntegers, ofFloats, isUnsigned;
  OpcodesByWidth onUnsigned, onSigned;
  Opcode single, twofold;
};
} // namespace

#define TC_SIM_COMPARISON(NAME, FLOAT)                                         \
  TC_SIM_WIDTHS(Set##NAME##U), TC_SIM_WIDTHS(Set##NAME##S),                    \
      Opcode::Set##FLOAT##F32, Opcode::Set##FLOAT##F64
#define TC_SIM_EQUALITY(NAME, FLOAT)                                           \
  TC_SIM_WIDTHS(Set##NAME), TC_SIM_WIDTHS(Set##NAME), Opcode::Set##FLOAT##F32, \
      Opcode::Set##FLOAT##F64

static constexpr Comparison numberComparisons[] = {
    {"eq", true, true, false, TC_SIM_EQUALITY(Eq, Eq)},
    {"ne", true, true, false, TC_SIM_EQUALITY(Ne, Ne)},
    {"lt", true, true, false, TC_SIM_COMPARISON(Lt, Lt)},
    {"le", true, true, false, TC_SIM_COMPARISON(Le, Le)},
    {"gt", true, true, false, TC_SIM_COMPARISON(Gt, Gt)},
    {"ge", true, true, false, TC_SIM_COMPARISON(Ge, Ge)},
    {"lo", true, false, true, TC_SIM_COMPARISON(Lt, Lt)},
    {"ls", true, false, true, TC_SIM_COMPARISON(Le, Le)},
    {"hi", true, false, true, TC_SIM_COMPARISON(Gt, Gt)},
    {"hs", true, false, true, TC_SIM_COMPARISON(Ge, Ge)},
    {"equ", false, true, false, TC_SIM_EQUALITY(Eq, Equ)},
    {"neu", false, true, false, TC_SIM_EQUALITY(Ne, Neu)},
    {"ltu", false, true, false, TC_SIM_COMPARISON(Lt, Ltu)},
    {"leu", false, true, false, TC_SIM_COMPARISON(Le, Leu)},
    {"gtu", false, true, false, TC_SIM_COMPARISON(Gt, Gtu)},
    {"geu", false, true, false, TC_SIM_COMPARISON(Ge, Geu)},
    {"num", false, true, false, TC_SIM_EQUALITY(Eq, Num)},
    {"nan", false, true, false, TC_SIM_EQUALITY(Eq, Nan)},
};

/// Reads the combination of a comparison with a predicate, if there is one.
void Decoder::readCombination() {
  if (accept("and"))
    op.combine = CombineAnd;
  else if (accept("or"))
    op.combine = CombineOr;
  else if (accept("xor"))
    op.combine = CombineXor;
}

/// Reads the operands of a comparison, of that type, and the predicate that it
/// is combined with.
bool Decoder::readCompared(ScalarType type) {
  bool combines = op.combine != CombineNone;
  if (!countOperands(combines ? 4 : 3) || !source(1, type, op.a) ||
      !source(2, type, op.b))
    return false;
  if (!combines)
    return true;
  const Operand &with = inst->operands[3];
  if (with.kind != Operand::Kind::Register)
    return fail("operand 4 must be a predicate");
  if (!typesAgree(with, predicate, false))
    return false;
  op.c = with.index;
  if (with.negated)
    op.combine |= CombineNegated;
  return true;
}

/// One predicate or two.
bool Decoder::readPredicateResults() {
  const Operand &destination = inst->operands[0];
  if (destination.kind != Operand::Kind::Predicate)
    return predicateResult(0);
  Operand second = destination;
  second.index = destination.second;
  op.dst = destination.index;
  op.dst2 = destination.second;
  return typesAgree(destination, predicate, false) &&
         typesAgree(second, predicate, false);
}

bool Decoder::decodeSetPredicate() {
  const Comparison *comparison = nullptr;
  for (const Comparison &candidate : numberComparisons)
    if (accept(candidate.name)) {
      comparison = &candidate;
      break;
    }
  if (comparison == nullptr)
    return fail("missing or unsupported comparison");
  readCombination();
  ScalarType type;
  if (!readType(type, "busf", {16, 32, 64}) || !endOfModifiers())
    return false;
  bool isOrdering = comparison->name != "eq" && comparison->name != "ne";
  if ((type.isFloat() ? !comparison->ofFloats : !comparison->ofIntegers) ||
      (isOrdering && type.interpretation == Interpretation::Bits) ||
      (comparison->isUnsigned && type.isSigned()))
    return fail("comparison '." + std::string(comparison->name) +
                "' does not apply to " + getName(type));

  if (!readCompared(type) || !readPredicateResults())
    return false;
  kind =
      type.isFloat() ? InstructionKind::OtherFloat : InstructionKind::Integer;
  if (type.isFloat())
    set(type.bits == 32 ? comparison->single : comparison->twofold);
  else
    set((type.isSigned() ? comparison->onSigned : comparison->onUnsigned)
            .of(type));
  return true;
}

bool Decoder::decodeSelect() {
  ScalarType type;
  if (!readType(type, "busf", {16, 32, 64}) || !endOfModifiers() ||
      !countOperands(4) || !result(0, type) || !source(1, type, op.a) ||
      !source(2, type, op.b) ||
      !source(3, ScalarType{Interpretation::Bits, 1}, op.c))
    return false;
  set(TC_SIM_WIDTHS(Select).of(type));
  return true;
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

bool Decoder::decodeConvert() {
  if (needsFormats())
    return decodeConvertNumber();
  enum class Mode { None, ToFloat, ToInteger } mode = Mode::None;
  auto rounding = Rounding::NearestEven;
  if (accept("rn")) {
    mode = Mode::ToFloat;
  } else {
    const std::pair<std::string_view, Rounding> modes[] = {
        {"rni", Rounding::NearestEven},
        {"rzi", Rounding::Zero},
        {"rmi", Rounding::Down},
        {"rpi", Rounding::Up}};
    for (const auto &[name, value] : modes)
      if (mode == Mode::None && accept(name)) {
        mode = Mode::ToInteger;
        rounding = value;
      }
  }
  bool saturates = accept("sat");
  ScalarType to, from;
  if (!readType(to, "usf", {8, 16, 32, 64}) ||
      !readType(from, "usf", {8, 16, 32, 64}) || !endOfModifiers() ||
      !countOperands(2))
    return false;
  if (saturates && to.isFloat())
    return fail("unsupported modifier '.sat'");

  Mode wanted = Mode::None;
  if (to.isFloat() && from.isFloat())
    wanted = to.bits < from.bits    ? Mode::ToFloat
             : to.bits == from.bits ? Mode::ToInteger
                                    : Mode::None;
  else if (to.isFloat() || from.isFloat())
    wanted = to.isFloat() ? Mode::ToFloat : Mode::ToInteger;
  bool isCopy = to == from && to.isFloat() && mode == Mode::None;
  if (mode != wanted && !isCopy)
    return fail("missing or unsupported rounding");

  const Operand &target = inst->operands[0], &origin = inst->operands[1];
  if (target.kind != Operand::Kind::Register || target.negated)
    return fail("operand 1 must be a register");
  if (!typesAgree(target, to, /*mayBeWider=*/true) ||
      !sourceElement(origin, from, /*mayBeWider=*/true, op.a))
    return false;
  op.dst = target.index;
  op.resultBytes =
      static_cast<std::uint8_t>(entry.registers[target.index].type.bytes());
  op.targetBytes = static_cast<std::uint8_t>(to.bytes());
  op.targetIsSigned = to.isSigned();
  op.elementBytes = static_cast<std::uint8_t>(from.bytes());
  op.registerBytes = sizes[op.a];
  op.isSigned = from.isSigned();
  op.saturates = saturates;
  op.rounding = static_cast<std::uint8_t>(rounding);

  kind = to.isFloat() || from.isFloat() ? InstructionKind::OtherFloat
                                        : InstructionKind::Integer;
  bool isSingle = (from.isFloat() ? from : to).bits == 32;
  if (!to.isFloat() && !from.isFloat()) {
    set(Opcode::ConvertInteger);
  } else if (!from.isFloat()) {
    set(isSingle ? Opcode::IntegerToF32 : Opcode::IntegerToF64);
  } else if (!to.isFloat()) {
    set(isSingle ? Opcode::IntegerFromF32 : Opcode::IntegerFromF64);
  } else if (to.bits != from.bits) {
    set(isSingle ? Opcode::WidenFloat : Opcode::NarrowFloat);
  } else if (isCopy) {
    set(TC_SIM_WIDTHS(Mov).of(to));
  } else {
    static constexpr Opcode rounded[][2] = {
        {Opcode::RoundNearestF32, Opcode::RoundNearestF64},
        {Opcode::RoundZeroF32, Opcode::RoundZeroF64},
        {Opcode::RoundDownF32, Opcode::RoundDownF64},
        {Opcode::RoundUpF32, Opcode::RoundUpF64}};
    set(rounded[static_cast<int>(rounding)][isSingle ? 0 : 1]);
  }
  return true;
}
