//===- DecodeHalf.cpp - Narrow floating point -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions on floating point of 16 bits, single and packed; single
// precision with roundings and saturation; set.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {
struct NarrowType {
  std::string_view name;
  bool isBrain, isPacked;

  ScalarType registerType() const { return isPacked ? b32 : b16; }
};

struct NarrowOperation {
  std::string_view name;
  std::uint8_t sources;
  Opcode half, brain;
};
} // namespace

static const NarrowType *findNarrowType(std::string_view name) {
  static constexpr NarrowType types[] = {{"f16", false, false},
                                         {"f16x2", false, true},
                                         {"bf16", true, false},
                                         {"bf16x2", true, true}};
  for (const NarrowType &type : types)
    if (type.name == name)
      return &type;
  return nullptr;
}

/// The decoder of an instruction whose last type is narrow, or that rounds
/// single precision in an uncommon way; null for others.
Decoder::Family Decoder::findNarrowFamily() const {
  if (inst->modifiers.empty())
    return nullptr;
  std::string_view type = inst->modifiers.back();
  if (findNarrowType(type) != nullptr) {
    for (std::string_view word : inst->modifiers)
      if (word == "f32" && (inst->opcode == "fma" || inst->opcode == "add" ||
                            inst->opcode == "sub"))
        return &Decoder::decodeMixed;
    for (std::string_view name : {"abs", "add", "ex2", "fma", "max", "min",
                                  "mul", "neg", "sub", "tanh"})
      if (inst->opcode == name)
        return &Decoder::decodeNarrowArithmetic;
    return inst->opcode == "setp" ? &Decoder::decodeSetNarrowPredicate
                                  : nullptr;
  }
  if (type != "f32")
    return nullptr;
  for (std::string_view name : {"add", "sub", "mul", "fma"})
    for (std::string_view word : inst->modifiers)
      if (inst->opcode == name &&
          (word == "rz" || word == "rm" || word == "rp" || word == "sat"))
        return &Decoder::decodeRoundedSingle;
  return nullptr;
}

#define TC_SIM_NARROW(NAME, SOURCES, OPCODE)                                   \
  {NAME, SOURCES, Opcode::OPCODE##F16, Opcode::OPCODE##BF16}

bool Decoder::decodeNarrowArithmetic() {
  static constexpr NarrowOperation operations[] = {
      TC_SIM_NARROW("add", 2, Add), TC_SIM_NARROW("sub", 2, Sub),
      TC_SIM_NARROW("mul", 2, Mul), TC_SIM_NARROW("fma", 3, Fma),
      TC_SIM_NARROW("min", 2, Min), TC_SIM_NARROW("max", 2, Max),
      TC_SIM_NARROW("neg", 1, Neg), TC_SIM_NARROW("abs", 1, Abs),
      TC_SIM_NARROW("ex2", 1, Ex2), TC_SIM_NARROW("tanh", 1, Tanh)};
  static constexpr NarrowOperation minNan = TC_SIM_NARROW("min", 2, MinNan);
  static constexpr NarrowOperation maxNan = TC_SIM_NARROW("max", 2, MaxNan);
  const NarrowOperation *operation = operations;
  while (operation->name != inst->opcode)
    ++operation;
  const NarrowType &type = *findNarrowType(inst->modifiers.back());
  std::string_view name = operation->name;
  bool isFma = name == "fma", isExtreme = name == "min" || name == "max";
  bool isSum = name == "add" || name == "sub" || name == "mul";
  bool isExponential = name == "ex2", isTanh = name == "tanh";
  if (((isExponential || isTanh) && !require("approx")) ||
      (isFma && !require("rn")))
    return false;
  if (isSum)
    accept("rn");
  // Only the exponential flushes bf16, and always.
  if (isExponential && type.isBrain && !require("ftz"))
    return false;
  if ((isExponential && type.isBrain) ||
      (!isExponential && !isTanh && !type.isBrain && accept("ftz")))
    op.modifiers |= FlushesSubnormals;
  if ((isSum || isFma) && !type.isBrain && accept("sat"))
    op.modifiers |= SaturatesToOne;
  else if (isFma && accept("relu"))
    op.modifiers |= ClampsNegative;
  if (isExtreme && accept("NaN"))
    operation = name == "min" ? &minNan : &maxNan;
  if (!require(type.name))
    return false;
  kind = isFma ? InstructionKind::FmaF16 : InstructionKind::OtherFloat;
  operationsPerThread = type.isPacked ? 2 : 1;
  return finish(type.isBrain ? operation->brain : operation->half,
                type.registerType(), operation->sources);
}

/// fma.rn.f32.f16, add.rn.f32.f16 and their like, which widen all operands but
/// the last
bool Decoder::decodeMixed() {
  if (!require("rn") || !require("f32"))
    return false;
  bool isFma = inst->opcode == "fma", isAdd = inst->opcode == "add";
  bool isBrain = accept("bf16");
  if (!isBrain && !require("f16"))
    return false;
  if (!endOfModifiers() || !countOperands(isFma ? 4 : 3) || !result(0, f32) ||
      !source(1, b16, op.a))
    return false;
  if (!isFma) {
    if (!source(2, f32, op.b))
      return false;
    kind = InstructionKind::OtherFloat;
    set(isBrain ? (isAdd ? Opcode::AddMixedBF16 : Opcode::SubMixedBF16)
                : (isAdd ? Opcode::AddMixedF16 : Opcode::SubMixedF16));
    return true;
  }
  if (!source(2, b16, op.b) || !source(3, f32, op.c))
    return false;
  kind = InstructionKind::FmaF32;
  set(isBrain ? Opcode::FmaMixedBF16 : Opcode::FmaMixedF16);
  return true;
}

/// fma.rz.sat.f32 and its like
bool Decoder::decodeRoundedSingle() {
  bool isFma = inst->opcode == "fma";
  Rounding rounding = Rounding::NearestEven;
  if (accept("rz"))
    rounding = Rounding::Zero;
  else if (accept("rm"))
    rounding = Rounding::Down;
  else if (accept("rp"))
    rounding = Rounding::Up;
  else if (!accept("rn") && isFma)
    return fail("missing or unsupported rounding");
  op.rounding = static_cast<std::uint8_t>(rounding);
  if (accept("ftz"))
    op.modifiers |= FlushesSubnormals;
  if (accept("sat"))
    op.modifiers |= SaturatesToOne;
  if (!require("f32"))
    return false;
  kind = isFma ? InstructionKind::FmaF32 : InstructionKind::OtherFloat;
  return finish(isFma                   ? Opcode::FmaRoundedF32
                : inst->opcode == "add" ? Opcode::AddRoundedF32
                : inst->opcode == "sub" ? Opcode::SubRoundedF32
                                        : Opcode::MulRoundedF32,
                f32, isFma ? 3 : 2);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Reads a comparison into the relations between operands that it holds for.
bool Decoder::readRelations() {
  static constexpr int ordered = RelationLess | RelationEqual | RelationGreater;
  static constexpr std::pair<std::string_view, int> comparisons[] = {
      {"eq", RelationEqual},
      {"ne", RelationLess | RelationGreater},
      {"lt", RelationLess},
      {"le", RelationLess | RelationEqual},
      {"gt", RelationGreater},
      {"ge", RelationGreater | RelationEqual},
      {"lo", RelationLess},
      {"ls", RelationLess | RelationEqual},
      {"hi", RelationGreater},
      {"hs", RelationGreater | RelationEqual},
      {"equ", RelationEqual | RelationUnordered},
      {"neu", RelationLess | RelationGreater | RelationUnordered},
      {"ltu", RelationLess | RelationUnordered},
      {"leu", RelationLess | RelationEqual | RelationUnordered},
      {"gtu", RelationGreater | RelationUnordered},
      {"geu", RelationGreater | RelationEqual | RelationUnordered},
      {"num", ordered},
      {"nan", RelationUnordered}};
  for (const auto &[name, relations] : comparisons)
    if (accept(name)) {
      op.immediate = relations;
      return true;
    }
  return fail("missing or unsupported comparison");
}

/// setp.lt.f16x2 %p1|%p2, %r1, %r2
bool Decoder::decodeSetNarrowPredicate() {
  const NarrowType &type = *findNarrowType(inst->modifiers.back());
  if (!readRelations())
    return false;
  readCombination();
  if (!type.isBrain && accept("ftz"))
    op.modifiers |= FlushesSubnormals;
  if (!require(type.name) || !endOfModifiers() ||
      !readCompared(type.registerType()) || !readPredicateResults())
    return false;
  if (!type.isPacked && op.dst2 != none)
    return fail("a second predicate is for pairs only");
  op.elementBytes = static_cast<std::uint8_t>(type.registerType().bytes());
  kind = InstructionKind::OtherFloat;
  operationsPerThread = type.isPacked ? 2 : 1;
  set(type.isBrain ? Opcode::SetPredicateBF16 : Opcode::SetPredicateF16);
  return true;
}

/// set.lt.u32.f32 %r1, %f1, %f2
bool Decoder::decodeSet() {
  // The bits that each type of result holds for true, in each of its elements.
  struct ResultType {
    std::string_view name;
    ScalarType type;
    std::uint32_t yes;
    bool isPacked;
  };
  static constexpr ResultType resultTypes[] = {
      {"u32", b32, 0xffffffffu, false}, {"s32", b32, 0xffffffffu, false},
      {"f32", f32, 0x3f800000u, false}, {"u16", b16, 0xffffu, false},
      {"s16", b16, 0xffffu, false},     {"f16", b16, 0x3c00u, false},
      {"bf16", b16, 0x3f80u, false},    {"f16x2", b32, 0x3c00u, true},
      {"bf16x2", b32, 0x3f80u, true}};
  if (!readRelations())
    return false;
  readCombination();
  if (accept("ftz"))
    op.modifiers |= FlushesSubnormals;
  const ResultType *to = nullptr;
  for (const ResultType &candidate : resultTypes)
    if (to == nullptr && accept(candidate.name))
      to = &candidate;
  if (to == nullptr)
    return fail("missing or unsupported type of the result");
  const NarrowType *narrow = modifier < inst->modifiers.size()
                                 ? findNarrowType(inst->modifiers[modifier])
                                 : nullptr;
  ScalarType type;
  if (narrow != nullptr) {
    ++modifier;
    type = narrow->registerType();
    set(narrow->isBrain ? Opcode::SetBF16 : Opcode::SetF16);
  } else {
    if (!readType(type, "busf", {16, 32, 64}))
      return false;
    if (type.isFloat())
      set(type.bits == 32 ? Opcode::SetF32 : Opcode::SetF64);
    else
      set((type.isSigned() ? TC_SIM_WIDTHS(SetS) : TC_SIM_WIDTHS(SetU))
              .of(type));
  }
  bool isOfIntegers = narrow == nullptr && !type.isFloat();
  bool isEquality = op.immediate == RelationEqual ||
                    op.immediate == (RelationLess | RelationGreater);
  if ((isOfIntegers && (op.immediate & RelationUnordered) != 0) ||
      (narrow == nullptr && type.interpretation == Interpretation::Bits &&
       !isEquality))
    return fail("this comparison does not apply to " + getName(type));
  bool isPacked = narrow != nullptr && narrow->isPacked;
  if (op.modifiers != 0 && (isOfIntegers || type.bits == 64 ||
                            (narrow != nullptr && narrow->isBrain)))
    return fail("unsupported modifier '.ftz'");
  if (isPacked ? to->type.bits != 32 || to->type.isFloat() : to->isPacked)
    return fail("the types of the result and of the operands do not fit");
  if (!endOfModifiers() || !readCompared(type) || !result(0, to->type))
    return false;
  op.elementBytes = static_cast<std::uint8_t>(type.bytes());
  op.target = isPacked ? to->yes & 0xffff : to->yes;
  kind = type.isFloat() || narrow != nullptr ? InstructionKind::OtherFloat
                                             : InstructionKind::Integer;
  return true;
}
