//===- DecodeInteger.cpp - Arithmetic and logic on integers ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer instructions, and those that integers and floating point share; the
// latter go on in DecodeFloat.cpp.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

/// add, sub
bool Decoder::decodeAddSub() {
  bool isAdd = inst->opcode == "add";
  bool rounds = accept("rn");
  if (accept("f32x2"))
    return decodePackedPair(isAdd ? Opcode::AddF32x2 : Opcode::SubF32x2,
                            InstructionKind::OtherFloat, 2);
  if (isAdd && !rounds && (accept("s16x2") || accept("u16x2")))
    return decodePackedPair(Opcode::Add16x2, InstructionKind::Integer, 2, 32);
  bool flushes = accept("ftz");
  ScalarType type;
  if (!readType(type, rounds || flushes ? "f" : "usf", {16, 32, 64}))
    return false;
  if (type.isFloat())
    return isAdd ? decodeFloatBinary(Opcode::AddF32, Opcode::AddFtzF32,
                                     Opcode::AddF64, type, flushes)
                 : decodeFloatBinary(Opcode::SubF32, Opcode::SubFtzF32,
                                     Opcode::SubF64, type, flushes);
  kind = InstructionKind::Integer;
  return finish((isAdd ? TC_SIM_WIDTHS(Add) : TC_SIM_WIDTHS(Sub)).of(type),
                type, 2);
}

bool Decoder::decodeMul() {
  ScalarType type;
  if (accept("wide")) {
    if (!readType(type, "us", {16, 32}))
      return false;
    kind = InstructionKind::Integer;
    ScalarType wide{type.interpretation,
                    static_cast<std::uint8_t>(2 * type.bits)};
    if (!endOfModifiers() || !countOperands(3) || !result(0, wide) ||
        !source(1, type, op.a) || !source(2, type, op.b))
      return false;
    if (type.bits == 16)
      set(type.isSigned() ? Opcode::MulWideS16 : Opcode::MulWideU16);
    else
      set(type.isSigned() ? Opcode::MulWideS32 : Opcode::MulWideU32);
    return true;
  }
  bool isHigh = accept("hi");
  if (isHigh || accept("lo")) {
    if (!readType(type, "us", {16, 32, 64}))
      return false;
    kind = InstructionKind::Integer;
    OpcodesByWidth opcodes = !isHigh           ? TC_SIM_WIDTHS(Mul)
                             : type.isSigned() ? TC_SIM_WIDTHS(MulHiS)
                                               : TC_SIM_WIDTHS(MulHiU);
    return finish(opcodes.of(type), type, 2);
  }
  accept("rn");
  if (accept("f32x2"))
    return decodePackedPair(Opcode::MulF32x2, InstructionKind::OtherFloat, 2);
  bool flushes = accept("ftz");
  return readType(type, "f", {32, 64}) &&
         decodeFloatBinary(Opcode::MulF32, Opcode::MulFtzF32, Opcode::MulF64,
                           type, flushes);
}

bool Decoder::decodeMad() {
  ScalarType type;
  if (accept("wide")) {
    if (!readType(type, "us", {16, 32}))
      return false;
    kind = InstructionKind::Integer;
    ScalarType wide{type.interpretation,
                    static_cast<std::uint8_t>(2 * type.bits)};
    if (!endOfModifiers() || !countOperands(4) || !result(0, wide) ||
        !source(1, type, op.a) || !source(2, type, op.b) ||
        !source(3, wide, op.c))
      return false;
    if (type.bits == 16)
      set(type.isSigned() ? Opcode::MadWideS16 : Opcode::MadWideU16);
    else
      set(type.isSigned() ? Opcode::MadWideS32 : Opcode::MadWideU32);
    return true;
  }
  bool isHigh = accept("hi");
  if (isHigh || accept("lo")) {
    if (!readType(type, "us", {16, 32, 64}))
      return false;
    kind = InstructionKind::Integer;
    OpcodesByWidth opcodes = !isHigh           ? TC_SIM_WIDTHS(Mad)
                             : type.isSigned() ? TC_SIM_WIDTHS(MadHiS)
                                               : TC_SIM_WIDTHS(MadHiU);
    return finish(opcodes.of(type), type, 3);
  }
  return decodeFma();
}

bool Decoder::decodeDiv() {
  bool isExact = accept("rn");
  bool isApproximate = !isExact && accept("approx");
  bool isFull = !isExact && !isApproximate && accept("full");
  bool flushes = accept("ftz");
  ScalarType type;
  bool isFloat = isExact || isApproximate || isFull || flushes;
  if (!readType(type, isFloat ? "f" : "us", {16, 32, 64}))
    return false;
  if (isFloat) {
    if (!isExact && type.bits == 64)
      return fail("unsupported modifier '.approx' or '.full'");
    return isApproximate ? decodeFloatBinary(Opcode::DivApproxF32,
                                             Opcode::DivApproxFtzF32,
                                             Opcode::DivF64, type, flushes)
                         : decodeFloatBinary(Opcode::DivF32, Opcode::DivFtzF32,
                                             Opcode::DivF64, type, flushes);
  }
  kind = InstructionKind::Integer;
  return finish(
      (type.isSigned() ? TC_SIM_WIDTHS(DivS) : TC_SIM_WIDTHS(DivU)).of(type),
      type, 2);
}

bool Decoder::decodeRem() {
  ScalarType type;
  if (!readType(type, "us", {16, 32, 64}))
    return false;
  kind = InstructionKind::Integer;
  return finish(
      (type.isSigned() ? TC_SIM_WIDTHS(RemS) : TC_SIM_WIDTHS(RemU)).of(type),
      type, 2);
}

bool Decoder::decodeMinMax() {
  bool isMin = inst->opcode == "min";
  bool clampsNegatives = accept("relu");
  if (accept("s16x2"))
    return decodePackedPair(clampsNegatives ? isMin ? Opcode::MinReluS16x2
                                                    : Opcode::MaxReluS16x2
                            : isMin         ? Opcode::MinS16x2
                                            : Opcode::MaxS16x2,
                            InstructionKind::Integer, 2, 32);
  if (clampsNegatives) {
    ScalarType type;
    if (!readType(type, "s", {32}))
      return false;
    kind = InstructionKind::Integer;
    return finish(isMin ? Opcode::MinReluS32 : Opcode::MaxReluS32, type, 2);
  }
  if (accept("u16x2"))
    return decodePackedPair(isMin ? Opcode::MinU16x2 : Opcode::MaxU16x2,
                            InstructionKind::Integer, 2, 32);
  bool flushes = accept("ftz");
  bool propagatesNan = accept("NaN");
  ScalarType type;
  if (!readType(type, flushes || propagatesNan ? "f" : "usf", {16, 32, 64}))
    return false;
  if (type.isFloat()) {
    if (propagatesNan && type.bits == 64)
      return fail("unsupported modifier '.NaN'");
    if (propagatesNan)
      return isMin ? decodeFloatBinary(Opcode::MinNanF32, Opcode::MinNanFtzF32,
                                       Opcode::MinF64, type, flushes)
                   : decodeFloatBinary(Opcode::MaxNanF32, Opcode::MaxNanFtzF32,
                                       Opcode::MaxF64, type, flushes);
    return isMin ? decodeFloatBinary(Opcode::MinF32, Opcode::MinFtzF32,
                                     Opcode::MinF64, type, flushes)
                 : decodeFloatBinary(Opcode::MaxF32, Opcode::MaxFtzF32,
                                     Opcode::MaxF64, type, flushes);
  }
  kind = InstructionKind::Integer;
  OpcodesByWidth opcodes =
      isMin ? (type.isSigned() ? TC_SIM_WIDTHS(MinS) : TC_SIM_WIDTHS(MinU))
            : (type.isSigned() ? TC_SIM_WIDTHS(MaxS) : TC_SIM_WIDTHS(MaxU));
  return finish(opcodes.of(type), type, 2);
}

bool Decoder::decodeAbsNeg() {
  bool isAbs = inst->opcode == "abs";
  bool flushes = accept("ftz");
  ScalarType type;
  if (!readType(type, flushes ? "f" : "sf", {16, 32, 64}))
    return false;
  if (type.isFloat()) {
    kind = InstructionKind::OtherFloat;
    if (flushes && type.bits == 64)
      return fail("unsupported modifier '.ftz'");
    Opcode single = flushes ? (isAbs ? Opcode::AbsFtzF32 : Opcode::NegFtzF32)
                            : (isAbs ? Opcode::AbsF32 : Opcode::NegF32);
    Opcode twofold = isAbs ? Opcode::AbsF64 : Opcode::NegF64;
    return finish(type.bits == 32 ? single : twofold, type, 1);
  }
  kind = InstructionKind::Integer;
  return finish((isAbs ? TC_SIM_WIDTHS(Abs) : TC_SIM_WIDTHS(Neg)).of(type),
                type, 1);
}

/// and, or, xor
bool Decoder::decodeLogic() {
  ScalarType type;
  if (!readType(type, "bp", {16, 32, 64}))
    return false;
  bool isAnd = inst->opcode == "and", isOr = inst->opcode == "or";
  if (type.isPredicate())
    return finish(isAnd  ? Opcode::AndPred
                  : isOr ? Opcode::OrPred
                         : Opcode::XorPred,
                  type, 2);
  kind = InstructionKind::Integer;
  OpcodesByWidth opcodes = isAnd  ? TC_SIM_WIDTHS(And)
                           : isOr ? TC_SIM_WIDTHS(Or)
                                  : TC_SIM_WIDTHS(Xor);
  return finish(opcodes.of(type), type, 2);
}

/// not, cnot
bool Decoder::decodeNot() {
  bool isLogical = inst->opcode == "cnot";
  ScalarType type;
  if (!readType(type, isLogical ? "b" : "bp", {16, 32, 64}))
    return false;
  if (type.isPredicate())
    return finish(Opcode::NotPred, type, 1);
  kind = InstructionKind::Integer;
  return finish((isLogical ? TC_SIM_WIDTHS(Cnot) : TC_SIM_WIDTHS(Not)).of(type),
                type, 1);
}

bool Decoder::decodeShift() {
  bool isLeft = inst->opcode == "shl";
  ScalarType type;
  if (!readType(type, isLeft ? "b" : "bus", {16, 32, 64}) ||
      !endOfModifiers() || !countOperands(3) || !result(0, type) ||
      !source(1, type, op.a) || !source(2, u32, op.b))
    return false;
  kind = InstructionKind::Integer;
  set((isLeft            ? TC_SIM_WIDTHS(Shl)
       : type.isSigned() ? TC_SIM_WIDTHS(ShrS)
                         : TC_SIM_WIDTHS(ShrU))
          .of(type));
  return true;
}

/// popc, clz, brev, bfind
bool Decoder::decodeCount() {
  bool isFind = inst->opcode == "bfind", isReverse = inst->opcode == "brev";
  ScalarType type;
  if (!readType(type, isFind ? "us" : "b", {32, 64}) || !endOfModifiers() ||
      !countOperands(2) || !result(0, isReverse ? type : u32) ||
      !source(1, type, op.a))
    return false;
  kind = InstructionKind::Integer;
  OpcodesByWidth opcodes = isReverse                ? TC_SIM_WIDE_WIDTHS(Brev)
                           : inst->opcode == "popc" ? TC_SIM_WIDE_WIDTHS(Popc)
                           : inst->opcode == "clz"  ? TC_SIM_WIDE_WIDTHS(Clz)
                           : type.isSigned() ? TC_SIM_WIDE_WIDTHS(BfindS)
                                             : TC_SIM_WIDE_WIDTHS(BfindU);
  set(opcodes.of(type));
  return true;
}

/// bfe, bfi
bool Decoder::decodeBitField() {
  kind = InstructionKind::Integer;
  ScalarType type;
  if (inst->opcode == "bfe") {
    if (!readType(type, "us", {32, 64}) || !endOfModifiers() ||
        !countOperands(4) || !result(0, type) || !source(1, type, op.a) ||
        !source(2, u32, op.b) || !source(3, u32, op.c))
      return false;
    set((type.isSigned() ? TC_SIM_WIDE_WIDTHS(BfeS) : TC_SIM_WIDE_WIDTHS(BfeU))
            .of(type));
    return true;
  }
  if (!readType(type, "b", {32, 64}) || !endOfModifiers() ||
      !countOperands(5) || !result(0, type) || !source(1, type, op.a) ||
      !source(2, type, op.b) || !source(3, u32, op.c) || !source(4, u32, op.d))
    return false;
  set(TC_SIM_WIDE_WIDTHS(Bfi).of(type));
  return true;
}

bool Decoder::decodeFunnelShift() {
  kind = InstructionKind::Integer;
  bool isLeft = accept("l");
  if (!isLeft && !require("r"))
    return false;
  bool wraps = accept("wrap");
  if (!wraps && !require("clamp"))
    return false;
  ScalarType type;
  return readType(type, "b", {32}) &&
         finish(isLeft ? (wraps ? Opcode::ShfLeftWrap : Opcode::ShfLeftClamp)
                       : (wraps ? Opcode::ShfRightWrap : Opcode::ShfRightClamp),
                type, 3);
}

bool Decoder::decodePermute() {
  static constexpr std::pair<std::string_view, Opcode> modes[] = {
      {"f4e", Opcode::PrmtForward},       {"b4e", Opcode::PrmtBackward},
      {"rc8", Opcode::PrmtReplicate8},    {"rc16", Opcode::PrmtReplicate16},
      {"ecl", Opcode::PrmtEdgeClampLeft}, {"ecr", Opcode::PrmtEdgeClampRight}};
  kind = InstructionKind::Integer;
  ScalarType type;
  if (!readType(type, "b", {32}))
    return false;
  Opcode opcode = Opcode::Prmt;
  for (const auto &[name, value] : modes)
    if (opcode == Opcode::Prmt && accept(name))
      opcode = value;
  return finish(opcode, type, 3);
}

/// dp4a
bool Decoder::decodeDotProduct() {
  kind = InstructionKind::Integer;
  ScalarType a, b;
  if (!readType(a, "us", {32}) || !readType(b, "us", {32}))
    return false;
  return finish(a.isSigned() ? (b.isSigned() ? Opcode::DotSS : Opcode::DotSU)
                             : (b.isSigned() ? Opcode::DotUS : Opcode::DotUU),
                ScalarType{Interpretation::Bits, 32}, 3);
}

bool Decoder::decodeLogic3() {
  kind = InstructionKind::Integer;
  ScalarType type;
  if (!readType(type, "b", {32}) || !endOfModifiers() || !countOperands(5) ||
      !immediateInteger(4, 255, op.immediate) || !result(0, type) ||
      !source(1, type, op.a) || !source(2, type, op.b) ||
      !source(3, type, op.c))
    return false;
  set(Opcode::Lop3);
  return true;
}
