//===- DecodeAtomic.cpp - Atomic operations -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom and red.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

namespace {

/// The forms of an operation in the manual: the types that it takes, by letter.
struct AtomicForm {
  std::string_view name;
  std::string_view letters;
  AtomicFunction onUnsigned, onSigned;
  bool takes64 = true;
};

} // namespace

static constexpr AtomicForm forms[] = {
    {"add", "usf", AtomicFunction::Add, AtomicFunction::Add},
    {"min", "us", AtomicFunction::MinUnsigned, AtomicFunction::MinSigned},
    {"max", "us", AtomicFunction::MaxUnsigned, AtomicFunction::MaxSigned},
    {"and", "b", AtomicFunction::And, AtomicFunction::And},
    {"or", "b", AtomicFunction::Or, AtomicFunction::Or},
    {"xor", "b", AtomicFunction::Xor, AtomicFunction::Xor},
    {"exch", "b", AtomicFunction::Exchange, AtomicFunction::Exchange},
    {"cas", "b", AtomicFunction::CompareAndSwap,
     AtomicFunction::CompareAndSwap},
    {"inc", "u", AtomicFunction::Increment, AtomicFunction::Increment, false},
    {"dec", "u", AtomicFunction::Decrement, AtomicFunction::Decrement, false},
};

/// `.relaxed` and the like, and `.gpu` and the like, if they are there. Without
/// them, an operation is relaxed and of the device's scope.
void Decoder::readOrdering(bool returns) {
  if (accept("release"))
    op.ordering = OrdersEarlier;
  else if (returns && accept("acquire"))
    op.ordering = OrdersLater;
  else if (returns && accept("acq_rel"))
    op.ordering = OrdersEarlier | OrdersLater;
  else
    accept("relaxed");
  if (accept("cta") || accept("cluster"))
    return;
  if (!accept("gpu"))
    accept("sys");
  op.ordering |= OrdersBlocks;
}

/// atom.global.add.f32 %f1, [%rd1], %f2; red.global.add.v4.f32 [%rd1], {...}
bool Decoder::decodeAtomic() {
  kind = InstructionKind::Atomic;
  const bool returns = inst->opcode == "atom";
  readOrdering(returns);
  StateSpace space = StateSpace::Generic;
  if (accept("global"))
    space = StateSpace::Global;
  else if (accept("shared") || accept("shared::cta"))
    space = StateSpace::Shared;

  // The vector and the type may stand before the operation.
  auto readVector = [&] {
    return accept("v2") ? 2u : accept("v4") ? 4u : accept("v8") ? 8u : 1u;
  };
  ScalarType type;
  unsigned count = readVector();
  const bool isTypeFirst = count != 1;
  if (isTypeFirst && !readType(type, "f", {32}))
    return false;
  const AtomicForm *form = nullptr;
  for (const AtomicForm &candidate : forms)
    if (form == nullptr && accept(candidate.name))
      form = &candidate;
  if (form == nullptr)
    return fail("missing or unsupported operation");
  const bool hasPolicy = accept("L2::cache_hint");
  if (!isTypeFirst) {
    count = readVector();
    if (!(form->takes64 ? readType(type, form->letters, {32, 64})
                        : readType(type, form->letters, {32})))
      return false;
  }
  if (!endOfModifiers())
    return false;
  const bool swaps = form->onUnsigned == AtomicFunction::CompareAndSwap;
  if (!returns && (swaps || form->onUnsigned == AtomicFunction::Exchange))
    return fail("'red' has no '." + std::string(form->name) + "'");
  if (form->onUnsigned == AtomicFunction::Add && type.isSigned() &&
      type.bits == 64)
    return fail("'.add' does not apply to .s64");
  if (count != 1 &&
      (returns || !(type == ScalarType{Interpretation::Float, 32}) ||
       form->onUnsigned != AtomicFunction::Add || space == StateSpace::Shared ||
       count == 8))
    return fail("unsupported vector");

  const std::size_t first = returns ? 1 : 0;
  if (!countOperands(first + 2 + (swaps ? 1 : 0) + (hasPolicy ? 1 : 0)))
    return false;
  if (returns && inst->operands[0].kind != Operand::Kind::Sink &&
      !result(0, type))
    return false;
  const Operand &value = inst->operands[first + 1];
  const bool isVector = value.kind == Operand::Kind::Vector;
  if (isVector != (count != 1) || (isVector && value.elements.size() != count))
    return fail("the operand does not fit the vector's size");
  op.elementBytes = static_cast<std::uint8_t>(type.bytes());
  op.pool = static_cast<std::uint32_t>(kernel.pool.size());
  op.count = static_cast<std::uint8_t>(count);
  op.registerBytes = op.elementBytes;
  for (unsigned i = 0; i < count; ++i) {
    std::uint32_t field = none;
    if (!sourceElement(isVector ? value.elements[i] : value, type,
                       /*mayBeWider=*/false, field))
      return false;
    kernel.pool.push_back(field);
  }
  if ((swaps && !source(first + 2, type, op.b)) ||
      (hasPolicy && !source(inst->operands.size() - 1, b64, op.d)) ||
      !readAddress(inst->operands[first], space))
    return false;
  AtomicFunction function = type.isSigned() ? form->onSigned : form->onUnsigned;
  if (type.isFloat())
    function = AtomicFunction::AddFloat;
  op.combine = static_cast<std::uint8_t>(function);
  op.isAtomic = true;
  kernel.hasAtomics = true;
  set(space == StateSpace::Global   ? Opcode::AtomicGlobal
      : space == StateSpace::Shared ? Opcode::AtomicShared
                                    : Opcode::AtomicGeneric);
  return true;
}
