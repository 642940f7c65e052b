//===- DecodeConversion.cpp - Conversions among all formats ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms of cvt that have a narrow format or an uncommon rounding;
// DecodeFloat.cpp has the common ones.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

/// A type of `cvt`: what a register of it holds.
struct tc::sim::NumberType {
  std::string_view name;
  NumberFormat format;
  std::uint8_t elementBytes, elements;
  ScalarType type; ///< of the register

  bool isFloat() const { return format != NumberFormat::Integer; }
  /// Floating point other than single and double precision.
  bool isNarrow() const {
    return isFloat() && format != NumberFormat::F32 &&
           format != NumberFormat::F64;
  }
  bool isOfBytes() const { return isFloat() && elementBytes == 1; }
};

static constexpr NumberType numberTypes[] = {
    {"f16", NumberFormat::F16, 2, 1, b16},
    {"bf16", NumberFormat::BF16, 2, 1, b16},
    {"tf32", NumberFormat::TF32, 4, 1, b32},
    {"f32", NumberFormat::F32, 4, 1, f32},
    {"f64", NumberFormat::F64, 8, 1, {Interpretation::Float, 64}},
    {"f16x2", NumberFormat::F16, 2, 2, b32},
    {"bf16x2", NumberFormat::BF16, 2, 2, b32},
    {"e4m3x2", NumberFormat::E4M3, 1, 2, b16},
    {"e5m2x2", NumberFormat::E5M2, 1, 2, b16},
    {"u8", NumberFormat::Integer, 1, 1, {Interpretation::Unsigned, 8}},
    {"s8", NumberFormat::Integer, 1, 1, {Interpretation::Signed, 8}},
    {"u16", NumberFormat::Integer, 2, 1, {Interpretation::Unsigned, 16}},
    {"s16", NumberFormat::Integer, 2, 1, {Interpretation::Signed, 16}},
    {"u32", NumberFormat::Integer, 4, 1, {Interpretation::Unsigned, 32}},
    {"s32", NumberFormat::Integer, 4, 1, {Interpretation::Signed, 32}},
    {"u64", NumberFormat::Integer, 8, 1, {Interpretation::Unsigned, 64}},
    {"s64", NumberFormat::Integer, 8, 1, {Interpretation::Signed, 64}},
};

static const NumberType *findNumberType(std::string_view name) {
  for (const NumberType &type : numberTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

/// Returns true if a conversion takes more than integers, single and double
/// precision and their common roundings.
bool Decoder::needsFormats() const {
  bool saturates = false;
  for (std::string_view word : inst->modifiers) {
    const NumberType *type = findNumberType(word);
    if ((type != nullptr && type->isNarrow()) || word == "ftz" ||
        word == "rz" || word == "rm" || word == "rp")
      return true;
    saturates |= word == "sat";
  }
  std::size_t count = inst->modifiers.size();
  return saturates && count >= 2 && inst->modifiers[count - 2][0] == 'f';
}

bool Decoder::decodeConvertNumber() {
  static constexpr std::pair<std::string_view, Rounding> roundings[] = {
      {"n", Rounding::NearestEven},
      {"z", Rounding::Zero},
      {"m", Rounding::Down},
      {"p", Rounding::Up}};
  static constexpr std::pair<std::string_view, std::uint8_t> refinements[] = {
      {"ftz", FlushesSubnormals},
      {"sat", SaturatesToOne},
      {"relu", ClampsNegative},
      {"satfinite", SaturatesToFinite}};
  bool roundsFloat = false, roundsToInteger = false;
  if (accept("rna")) {
    roundsFloat = true;
    op.modifiers |= TiesAway;
  }
  for (const auto &[letter, rounding] : roundings) {
    bool isFloat = accept("r" + std::string(letter));
    bool isInteger = !isFloat && accept("r" + std::string(letter) + "i");
    if (isFloat || isInteger)
      op.rounding = static_cast<std::uint8_t>(rounding);
    roundsFloat |= isFloat;
    roundsToInteger |= isInteger;
  }
  for (bool found = true; found;) {
    found = false;
    for (const auto &[word, bit] : refinements)
      if ((op.modifiers & bit) == 0 && accept(word)) {
        op.modifiers |= bit;
        found = true;
      }
  }
  if (inst->modifiers.size() - modifier != 2)
    return fail("unsupported modifiers");
  const NumberType *to = findNumberType(inst->modifiers[modifier]);
  const NumberType *from = findNumberType(inst->modifiers[modifier + 1]);
  if (to == nullptr || from == nullptr)
    return fail("unsupported modifier '." +
                std::string(inst->modifiers[modifier + (to ? 1 : 0)]) + "'");
  modifier += 2;
  return checkConversion(*to, *from, roundsFloat, roundsToInteger) &&
         readConverted(*to, *from);
}

/// Checks that there is such a conversion with such a rounding.
bool Decoder::checkConversion(const NumberType &to, const NumberType &from,
                              bool roundsFloat, bool roundsToInteger) {
  bool isPacked = to.elements == 2 || from.elements == 2;
  bool isFromSingle = from.format == NumberFormat::F32;
  bool isKnown = from.format != NumberFormat::TF32;
  // Bytes as bf16 would have to be in registers of 8 bits.
  if (to.format == NumberFormat::BF16 || from.format == NumberFormat::BF16)
    isKnown &= to.elementBytes > 1 && from.elementBytes > 1;
  if (to.format == NumberFormat::TF32)
    isKnown = isFromSingle;
  else if (isPacked && to.isOfBytes())
    isKnown = isFromSingle || from.name == "f16x2";
  else if (isPacked)
    isKnown = to.elements == 2 &&
              (isFromSingle || (to.name == "f16x2" && from.isOfBytes()));
  if (!isKnown)
    return fail("there is no conversion from '." + std::string(from.name) +
                "' to '." + std::string(to.name) + "'");

  bool isWhole = to.format == from.format && to.isFloat();
  bool wantsInteger =
      isWhole ? roundsToInteger : from.isFloat() && !to.isFloat();
  bool wantsFloat =
      !isWhole && to.isFloat() &&
      (!from.isFloat() || to.elementBytes <= from.elementBytes || isPacked);
  auto rounding = static_cast<Rounding>(op.rounding);
  if (roundsFloat != wantsFloat || roundsToInteger != wantsInteger ||
      (to.isOfBytes() && rounding != Rounding::NearestEven) ||
      (to.format == NumberFormat::F64 && rounding != Rounding::NearestEven) ||
      (!to.isFloat() && !from.isFloat()))
    return fail("missing or unsupported rounding");
  if (isWhole && roundsToInteger)
    op.modifiers |= RoundsToInteger;

  bool isSingle = isFromSingle || to.format == NumberFormat::F32;
  bool clamps = to.isNarrow() && wantsFloat;
  std::uint8_t allowed = RoundsToInteger;
  allowed |= isSingle ? FlushesSubnormals : 0;
  allowed |= clamps ? ClampsNegative | SaturatesToFinite : 0;
  allowed |= to.format == NumberFormat::TF32 ? TiesAway : 0;
  allowed |= !isPacked && (!to.isNarrow() || to.format == NumberFormat::F16)
                 ? SaturatesToOne
                 : 0;
  if ((op.modifiers & ~allowed) != 0 ||
      (to.isOfBytes() && (op.modifiers & SaturatesToFinite) == 0))
    return fail("missing or unsupported modifier");
  // Conversions to integers saturate anyway.
  if (!to.isFloat())
    op.modifiers &= static_cast<std::uint8_t>(~SaturatesToOne);
  return true;
}

/// The operands of a conversion, and the function that executes it.
bool Decoder::readConverted(const NumberType &to, const NumberType &from) {
  bool isPair = to.elements == 2 && from.elements == 1;
  if (!countOperands(isPair ? 3 : 2))
    return false;
  const Operand &target = inst->operands[0];
  if (target.kind != Operand::Kind::Register || target.negated)
    return fail("operand 1 must be a register");
  if (!typesAgree(target, to.type, /*mayBeWider=*/true) ||
      !sourceElement(inst->operands[1], from.type, /*mayBeWider=*/!isPair,
                     op.a) ||
      (isPair && !source(2, from.type, op.b)))
    return false;
  op.dst = target.index;
  op.resultBytes = sizes[op.dst];
  op.registerBytes = sizes[op.a];
  op.count = to.elements;
  op.targetBytes = to.elementBytes;
  op.targetIsSigned = to.type.isSigned();
  op.targetFormat = to.format;
  op.elementBytes = from.elementBytes;
  op.isSigned = from.type.isSigned();
  op.sourceFormat = from.format;
  kind = InstructionKind::OtherFloat;
  operationsPerThread = to.elements;

  bool isPlain = op.modifiers == 0 && op.rounding == 0;
  bool isBrain =
      to.format == NumberFormat::BF16 || from.format == NumberFormat::BF16;
  bool isHalf = to.isNarrow() && to.elementBytes == 2 && isPlain &&
                from.format == NumberFormat::F32;
  if (isHalf && isPair)
    set(isBrain ? Opcode::PackNarrowBF16 : Opcode::PackNarrowF16);
  else if (isHalf && op.resultBytes == 2)
    set(isBrain ? Opcode::NarrowBF16 : Opcode::NarrowF16);
  else if (isPlain && to.format == NumberFormat::F32 && from.isNarrow() &&
           op.registerBytes == 2)
    set(isBrain ? Opcode::WidenBF16 : Opcode::WidenF16);
  else
    set(Opcode::ConvertNumber);
  return true;
}
