//===- DecodeWarp.cpp - Collective operations of a warp, and hints --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Votes, matches and reductions of a warp, and instructions that change no
// value that a kernel could see: hints for caches, registers and schedulers.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

/// Reads a predicate that may be negated.
bool Decoder::predicateSource(std::size_t number, std::uint32_t &field) {
  const Operand &operand = inst->operands[number];
  if (operand.kind != Operand::Kind::Register)
    return fail("operand " + std::to_string(number + 1) +
                " must be a predicate");
  if (!typesAgree(operand, predicate, /*mayBeWider=*/false))
    return false;
  field = operand.index;
  if (operand.negated)
    op.combine |= CombineNegated;
  return true;
}

/// Reads `%r1|%p1`, of which `_` may stand for the first if that is optional.
bool Decoder::resultAndPredicate(std::size_t number, ScalarType type) {
  const Operand &to = inst->operands[number];
  Operand second = to;
  second.index = to.second;
  if (!typesAgree(second, predicate, /*mayBeWider=*/false))
    return false;
  op.dst2 = to.second;
  if (to.kind == Operand::Kind::SinkAndPredicate)
    return true;
  op.dst = to.index;
  return typesAgree(to, type, /*mayBeWider=*/false);
}

/// vote.sync.ballot.b32 %r1, %p1, %r2
bool Decoder::decodeVote() {
  Opcode opcode;
  if (!require("sync") || !readMode({{"all", Opcode::VoteAll},
                                     {"any", Opcode::VoteAny},
                                     {"uni", Opcode::VoteUniform},
                                     {"ballot", Opcode::VoteBallot}},
                                    opcode))
    return false;
  const bool isBallot = opcode == Opcode::VoteBallot;
  ScalarType type;
  if (!(isBallot ? readType(type, "b", {32}) : readType(type, "p", {})) ||
      !endOfModifiers() || !countOperands(3) || !result(0, type) ||
      !predicateSource(1, op.a) || !source(2, b32, op.b))
    return false;
  set(opcode);
  return true;
}

/// match.any.sync.b32 %r1, %r2, %r3; match.all.sync.b64 %r1|%p1, %rd1, %r3
bool Decoder::decodeMatch() {
  const bool isAll = accept("all");
  ScalarType type;
  if ((!isAll && !require("any")) || !require("sync") ||
      !readType(type, "b", {32, 64}) || !endOfModifiers() || !countOperands(3))
    return false;
  const bool hasPredicate =
      isAll && inst->operands[0].kind == Operand::Kind::Predicate;
  if (!(hasPredicate ? resultAndPredicate(0, b32) : result(0, b32)) ||
      !source(1, type, op.a) || !source(2, b32, op.b))
    return false;
  const bool isWide = type.bits == 64;
  set(isAll ? (isWide ? Opcode::MatchAll64 : Opcode::MatchAll32)
            : (isWide ? Opcode::MatchAny64 : Opcode::MatchAny32));
  return true;
}

/// redux.sync.add.s32 %r1, %r2, %r3
bool Decoder::decodeReduce() {
  struct Form {
    std::string_view name, letters;
    Opcode onUnsigned, onSigned;
  };
  static constexpr Form forms[] = {
      {"add", "us", Opcode::ReduceAdd, Opcode::ReduceAdd},
      {"min", "us", Opcode::ReduceMinU, Opcode::ReduceMinS},
      {"max", "us", Opcode::ReduceMaxU, Opcode::ReduceMaxS},
      {"and", "b", Opcode::ReduceAnd, Opcode::ReduceAnd},
      {"or", "b", Opcode::ReduceOr, Opcode::ReduceOr},
      {"xor", "b", Opcode::ReduceXor, Opcode::ReduceXor}};
  if (!require("sync"))
    return false;
  for (const Form &form : forms) {
    if (!accept(form.name))
      continue;
    ScalarType type;
    if (!readType(type, form.letters, {32}) || !endOfModifiers() ||
        !countOperands(3) || !result(0, type) || !source(1, type, op.a) ||
        !source(2, b32, op.b))
      return false;
    set(type.isSigned() ? form.onSigned : form.onUnsigned);
    return true;
  }
  return fail("missing or unsupported operation");
}

/// elect.sync %r1|%p1, %r2; elect.sync _|%p1, %r2
bool Decoder::decodeElect() {
  if (!require("sync") || !endOfModifiers() || !countOperands(2))
    return false;
  const Operand::Kind to = inst->operands[0].kind;
  if (to != Operand::Kind::Predicate && to != Operand::Kind::SinkAndPredicate)
    return fail("operand 1 must be a register and a predicate");
  if (!resultAndPredicate(0, b32) || !source(1, b32, op.b))
    return false;
  set(Opcode::Elect);
  return true;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// setmaxnreg.inc.sync.aligned.u32 104
bool Decoder::decodeRegisterCount() {
  ScalarType type;
  std::int64_t registers = 0;
  if ((!accept("inc") && !require("dec")) || !require("sync") ||
      !require("aligned") || !readType(type, "u", {32}) || !endOfModifiers() ||
      !countOperands(1) || !immediateInteger(0, 256, registers))
    return false;
  if (registers < 24 || registers % 8 != 0)
    return fail("the number of registers must be a multiple of 8 from 24 to "
                "256");
  set(Opcode::Nothing);
  return true;
}

/// griddepcontrol.wait: a launch here never overlaps another.
bool Decoder::decodeGridDependency() {
  if (!accept("launch_dependents") && !require("wait"))
    return false;
  set(Opcode::Nothing);
  return endOfModifiers() && countOperands(0);
}

/// prefetch.global.L2 [%rd1], which may be any address.
bool Decoder::decodePrefetch() {
  const bool isUniform = inst->opcode == "prefetchu";
  const bool isGlobal = !isUniform && accept("global");
  if (isUniform ? !require("L1")
                : !accept("L1") && !accept("L2::evict_last") &&
                      !accept("L2::evict_normal") && !require("L2"))
    return false;
  set(Opcode::Nothing);
  return endOfModifiers() && countOperands(1) &&
         readAddress(inst->operands[0],
                     isGlobal ? StateSpace::Global : StateSpace::Generic);
}

/// applypriority.global.L2::evict_normal [%rd1], 128
bool Decoder::decodePriority() {
  const bool isGlobal = accept("global");
  std::int64_t bytes = 0;
  if (!require("L2::evict_normal") || !endOfModifiers() || !countOperands(2) ||
      !immediateInteger(1, 128, bytes))
    return false;
  if (bytes != 128)
    return fail("operand 2 must be 128");
  set(Opcode::Nothing);
  return readAddress(inst->operands[0],
                     isGlobal ? StateSpace::Global : StateSpace::Generic);
}

/// createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5: a policy is opaque,
/// and whoever takes it ignores it.
bool Decoder::decodePolicy() {
  if (!require("fractional"))
    return false;
  if (!accept("L2::evict_last") && !accept("L2::evict_normal") &&
      !accept("L2::evict_first") && !require("L2::evict_unchanged"))
    return false;
  if (!accept("L2::evict_first"))
    accept("L2::evict_unchanged");
  ScalarType type;
  if (!readType(type, "b", {64}) || !endOfModifiers())
    return false;
  const bool hasFraction = inst->operands.size() == 2;
  if (!countOperands(hasFraction ? 2 : 1) || !result(0, b64))
    return false;
  if (hasFraction && !source(1, ScalarType{Interpretation::Float, 32}, op.b))
    return false;
  op.a = constant(0, 8);
  set(Opcode::Mov64);
  return true;
}

/// nanosleep.u32 %r1
bool Decoder::decodeSleep() {
  ScalarType type;
  if (!readType(type, "u", {32}) || !endOfModifiers() || !countOperands(1) ||
      !source(0, type, op.a))
    return false;
  set(Opcode::Nothing);
  return true;
}
