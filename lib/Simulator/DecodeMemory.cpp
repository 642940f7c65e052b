//===- DecodeMemory.cpp - Moves, memory accesses and control flow ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that move data between registers and to and from memory, and
// those that decide what is executed next.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace tc::sim;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

bool Decoder::decodeMov() {
  ScalarType type;
  if (!readType(type, "busfp", {16, 32, 64}) || !endOfModifiers() ||
      !countOperands(2))
    return false;
  const Operand &from = inst->operands[1];
  if (inst->operands[0].kind == Operand::Kind::Vector)
    return decodeUnpack(type);
  if (from.kind == Operand::Kind::Vector)
    return decodePack(type);
  if (!result(0, type))
    return false;
  if (from.kind == Operand::Kind::Variable) {
    std::uint64_t address = 0;
    if (!variableAddress(from, address))
      return false;
    if (!type.isInteger() || type.bits < 32 || address >> 1 >> (type.bits - 1))
      return fail("the address of a variable does not fit " + getName(type));
    op.a = constant(address, static_cast<std::uint8_t>(type.bytes()));
  } else if (!source(1, type, op.a)) {
    return false;
  }
  set(type.isPredicate() ? Opcode::MovPred : TC_SIM_WIDTHS(Mov).of(type));
  return true;
}

/// mov.b64 %rd1, {%r1, %r2}
bool Decoder::decodePack(ScalarType type) {
  const Operand &from = inst->operands[1];
  std::size_t count = from.elements.size();
  if (type.interpretation != Interpretation::Bits || type.isPredicate() ||
      (count != 2 && count != 4) || type.bits / count < 16)
    return fail("unsupported vector");
  ScalarType element{Interpretation::Bits,
                     static_cast<std::uint8_t>(type.bits / count)};
  if (!result(0, type))
    return false;
  op.pool = static_cast<std::uint32_t>(kernel.pool.size());
  op.count = static_cast<std::uint8_t>(count);
  op.elementBytes = static_cast<std::uint8_t>(element.bytes());
  for (const Operand &operand : from.elements) {
    std::uint32_t field = none;
    if (!sourceElement(operand, element, /*mayBeWider=*/false, field))
      return false;
    kernel.pool.push_back(field);
  }
  set(Opcode::Pack);
  return true;
}

/// mov.b64 {%r1, _}, %rd1
bool Decoder::decodeUnpack(ScalarType type) {
  const Operand &to = inst->operands[0];
  std::size_t count = to.elements.size();
  if (type.interpretation != Interpretation::Bits || type.isPredicate() ||
      (count != 2 && count != 4) || type.bits / count < 16)
    return fail("unsupported vector");
  ScalarType element{Interpretation::Bits,
                     static_cast<std::uint8_t>(type.bits / count)};
  if (!source(1, type, op.a))
    return false;
  op.elementBytes = static_cast<std::uint8_t>(element.bytes());
  op.registerBytes = op.elementBytes;
  set(Opcode::Unpack);
  return readElements(to, element, /*isStore=*/false);
}

/// cvta.to.global.u64, cvta.shared.u64
bool Decoder::decodeConvertAddress() {
  bool isToSpace = accept("to");
  bool isShared = accept("shared") || accept("shared::cta");
  if (!isShared && !accept("global"))
    return fail("missing or unsupported state space");
  ScalarType type;
  if (!readType(type, "u", {64}))
    return false;
  if (!isShared)
    return finish(Opcode::Mov64, type, 1);
  if (!endOfModifiers() || !countOperands(2) || !result(0, type) ||
      !source(1, type, op.a))
    return false;
  op.b = constant(sharedWindow, 8);
  set(isToSpace ? Opcode::Sub64 : Opcode::Add64);
  return true;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The modifiers of a load or a store, up to its type.
bool Decoder::readAccess(bool isStore, StateSpace &space, ScalarType &type) {
  // Memory is sequentially consistent, so any ordering is met.
  if (accept("relaxed") || accept(isStore ? "release" : "acquire")) {
    if (!accept("cta") && !accept("gpu") && !accept("sys") &&
        !accept("cluster"))
      return fail("missing or unsupported scope");
    op.isStrong = true;
  } else if (!accept("weak")) {
    op.isStrong = accept("volatile");
  }
  space = StateSpace::Generic;
  if (accept("global"))
    space = StateSpace::Global;
  else if (accept("shared") || accept("shared::cta"))
    space = StateSpace::Shared;
  else if (!isStore && accept("const"))
    space = StateSpace::Const;
  else if (!isStore && accept("param"))
    space = StateSpace::Param;

  // The hints to a cache change neither values nor counters.
  static constexpr std::string_view hints[] = {
      "ca",
      "cg",
      "cs",
      "lu",
      "cv",
      "wb",
      "wt",
      "L1::evict_normal",
      "L1::evict_unchanged",
      "L1::evict_first",
      "L1::evict_last",
      "L1::no_allocate",
      "L2::64B",
      "L2::128B",
      "L2::256B",
  };
  for (bool found = true; found;) {
    found = !isStore && space == StateSpace::Global && accept("nc");
    for (std::string_view hint : hints)
      found |= accept(hint);
  }
  op.count = accept("v2") ? 2 : accept("v4") ? 4 : accept("v8") ? 8 : 1;
  if (!readType(type, "busf", {8, 16, 32, 64}) || !endOfModifiers() ||
      !countOperands(2))
    return false;
  if (op.count * type.bytes() > 32 || (op.count == 8 && type.bits != 32))
    return fail("unsupported vector");
  op.elementBytes = static_cast<std::uint8_t>(type.bytes());
  op.isSigned = type.isSigned();
  return true;
}

bool Decoder::readAddress(const Operand &operand, StateSpace space) {
  if (operand.kind != Operand::Kind::Address)
    return fail("an address in brackets is wanted");
  const Operand &base = operand.elements[0];
  op.immediate = operand.offset;
  switch (base.kind) {
  case Operand::Kind::Register: {
    const Register &reg = entry.registers[base.index];
    bool mayBeNarrow = space == StateSpace::Shared;
    if (!reg.type.isInteger() ||
        (reg.type.bits != 64 && !(mayBeNarrow && reg.type.bits == 32)) ||
        base.negated)
      return fail("register '" + reg.name + "' of type " + getName(reg.type) +
                  " cannot hold this address");
    op.a = base.index;
    op.addressBytes = static_cast<std::uint8_t>(reg.type.bytes());
    return true;
  }
  case Operand::Kind::Variable: {
    const Variable &variable = module.variables[base.index];
    if (variable.space != space)
      return fail("variable '" + std::string(variable.name) +
                  "' is in another state space");
    if (space == StateSpace::Param)
      return true;
    std::uint64_t address = 0;
    if (!variableAddress(base, address))
      return false;
    op.immediate = 0;
    op.a = constant(address, 8);
    return true;
  }
  case Operand::Kind::Integer:
    if (space == StateSpace::Param)
      break;
    op.a = constant(base.bits, 8);
    return true;
  default:
    break;
  }
  return fail("unsupported address");
}

/// Reads the registers of a vector, or the only one, into the pool.
bool Decoder::readElements(const Operand &operand, ScalarType type,
                           bool isStore) {
  bool isVector = operand.kind == Operand::Kind::Vector;
  std::size_t count = isVector ? operand.elements.size() : 1;
  op.pool = static_cast<std::uint32_t>(kernel.pool.size());
  op.poolIsWritten = !isStore;
  op.registerBytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Operand &element = isVector ? operand.elements[i] : operand;
    std::uint32_t field = none;
    if (isStore) {
      if (!sourceElement(element, type, /*mayBeWider=*/true, field))
        return false;
    } else if (element.kind == Operand::Kind::Register && !element.negated) {
      if (!typesAgree(element, type, /*mayBeWider=*/true))
        return false;
      field = element.index;
      for (std::size_t j = 0; j < i; ++j)
        if (kernel.pool[op.pool + j] == field)
          return fail("a register is written twice");
    } else if (element.kind != Operand::Kind::Sink || !isVector) {
      return fail("a register is wanted");
    }
    if (field != none) {
      if (op.registerBytes != 0 && op.registerBytes != sizes[field])
        return fail("the registers of a vector must be of one size");
      op.registerBytes = sizes[field];
    }
    kernel.pool.push_back(field);
  }
  op.count = static_cast<std::uint8_t>(count);
  return true;
}

/// Returns true if the operand has the elements of an access, of which a single
/// one may stand in braces or not.
bool Decoder::fitsVector(const Operand &operand, std::size_t count) {
  std::size_t elements =
      operand.kind == Operand::Kind::Vector ? operand.elements.size() : 1;
  return elements == count ||
         fail("the operand does not fit the vector's size");
}

bool Decoder::decodeLoad() {
  StateSpace space;
  ScalarType type;
  if (!readAccess(/*isStore=*/false, space, type))
    return false;
  unsigned count = op.count;
  const Operand &target = inst->operands[0], &address = inst->operands[1];
  if (!fitsVector(target, count) ||
      !readElements(target, type, /*isStore=*/false) ||
      !readAddress(address, space))
    return false;
  switch (space) {
  case StateSpace::Global:
    kind = InstructionKind::LoadGlobal;
    set(Opcode::LoadGlobal);
    return true;
  case StateSpace::Shared:
    kind = InstructionKind::LoadShared;
    set(Opcode::LoadShared);
    return true;
  case StateSpace::Const:
    set(Opcode::LoadConst);
    return true;
  case StateSpace::Generic:
    set(Opcode::LoadGeneric);
    return true;
  case StateSpace::Param: {
    if (address.elements[0].kind == Operand::Kind::Register) {
      set(Opcode::LoadParamAt);
      return true;
    }
    const Variable &parameter = module.variables[address.elements[0].index];
    std::uint64_t bytes = std::uint64_t{count} * type.bytes();
    if (op.immediate < 0 || bytes > parameter.size ||
        static_cast<std::uint64_t>(op.immediate) > parameter.size - bytes)
      return fail("outside parameter '" + std::string(parameter.name) + "'");
    op.immediate += static_cast<std::int64_t>(parameter.offset);
    if (op.immediate % static_cast<std::int64_t>(bytes) != 0)
      return fail("misaligned access to parameter '" +
                  std::string(parameter.name) + "'");
    set(Opcode::LoadParam);
    return true;
  }
  }
  return fail("unsupported state space");
}

bool Decoder::decodeStore() {
  StateSpace space;
  ScalarType type;
  if (!readAccess(/*isStore=*/true, space, type))
    return false;
  const Operand &value = inst->operands[1];
  if (!fitsVector(value, op.count) || !readAddress(inst->operands[0], space) ||
      !readElements(value, type, /*isStore=*/true))
    return false;
  if (space == StateSpace::Global)
    kind = InstructionKind::StoreGlobal;
  else if (space == StateSpace::Shared)
    kind = InstructionKind::StoreShared;
  set(space == StateSpace::Global   ? Opcode::StoreGlobal
      : space == StateSpace::Shared ? Opcode::StoreShared
                                    : Opcode::StoreGeneric);
  return true;
}

//===----------------------------------------------------------------------===//
// Control flow and synchronisation
//===----------------------------------------------------------------------===//

bool Decoder::decodeBranch() {
  kind = InstructionKind::Branch;
  accept("uni");
  if (!endOfModifiers() || !countOperands(1))
    return false;
  const Operand &target = inst->operands[0];
  if (target.kind != Operand::Kind::Name)
    return fail("a label is wanted");
  auto label = entry.labels.find(target.name);
  if (label == entry.labels.end())
    return fail("label '" + std::string(target.name) + "' is not defined");
  op.target = label->second;
  set(Opcode::Branch);
  return true;
}

/// exit, ret
bool Decoder::decodeExit() {
  kind = InstructionKind::Branch;
  if (inst->opcode == "ret")
    accept("uni");
  if (!endOfModifiers() || !countOperands(0))
    return false;
  set(Opcode::Exit);
  return true;
}

bool Decoder::decodeTrap() {
  if (!endOfModifiers() || !countOperands(0))
    return false;
  set(Opcode::Trap);
  return true;
}

/// bar.sync, bar.warp.sync, barrier.sync and their longer spellings
bool Decoder::decodeBarrier() {
  kind = InstructionKind::Barrier;
  if (inst->opcode == "bar" && accept("warp")) {
    if (!require("sync") || !endOfModifiers() || !countOperands(1) ||
        !source(0, u32, op.a))
      return false;
    set(Opcode::WarpSync);
    return true;
  }
  accept("cta");
  if (!require("sync"))
    return false;
  if (inst->opcode == "barrier")
    accept("aligned");
  std::size_t count = inst->operands.size();
  if (!endOfModifiers() || !countOperands(count == 2 ? 2 : 1) ||
      !immediateInteger(0, 15, op.immediate))
    return false;
  if (count == 2) {
    std::int64_t threads = 0;
    if (!immediateInteger(1, 1024, threads))
      return false;
    if (threads == 0 || threads % warpSize != 0)
      return fail("the number of threads must be a multiple of 32");
    op.target = static_cast<std::uint32_t>(threads);
  }
  set(Opcode::Barrier);
  return true;
}

/// Blocks and warps take turns at whole instructions, so that fences have
/// nothing to do but to tell detectors what they order.
bool Decoder::decodeFence() {
  bool isOfBlock = false;
  if (inst->opcode == "membar") {
    isOfBlock = accept("cta");
    if (!isOfBlock && !accept("gl") && !require("sys"))
      return false;
  } else {
    if (!accept("sc"))
      accept("acq_rel");
    isOfBlock = accept("cta") || accept("cluster");
    if (!isOfBlock && !accept("gpu") && !require("sys"))
      return false;
  }
  if (!endOfModifiers() || !countOperands(0))
    return false;
  op.ordering = isOfBlock ? 0 : OrdersBlocks;
  set(Opcode::Fence);
  return true;
}

bool Decoder::decodeActiveMask() {
  ScalarType type;
  if (!readType(type, "b", {32}) || !endOfModifiers() || !countOperands(1) ||
      !result(0, type))
    return false;
  set(Opcode::ActiveMask);
  return true;
}

/// shfl.sync.up.b32 %r1|%p1, %r2, %r3, %r4, %r5
bool Decoder::decodeShuffle() {
  Opcode opcode;
  if (!require("sync") || !readMode({{"up", Opcode::ShuffleUp},
                                     {"down", Opcode::ShuffleDown},
                                     {"bfly", Opcode::ShuffleButterfly},
                                     {"idx", Opcode::ShuffleIndex}},
                                    opcode))
    return false;
  ScalarType type;
  if (!readType(type, "b", {32}) || !endOfModifiers() || !countOperands(5))
    return false;
  const Operand &to = inst->operands[0];
  if (to.kind == Operand::Kind::Predicate) {
    Operand isInside = to;
    isInside.index = to.second;
    if (!typesAgree(to, type, /*mayBeWider=*/false) ||
        !typesAgree(isInside, ScalarType{Interpretation::Bits, 1},
                    /*mayBeWider=*/false))
      return false;
    op.dst = to.index;
    op.dst2 = to.second;
  } else if (!result(0, type)) {
    return false;
  }
  if (!source(1, type, op.a) || !source(2, type, op.b) ||
      !source(3, type, op.c) || !source(4, type, op.d))
    return false;
  set(opcode);
  return true;
}
