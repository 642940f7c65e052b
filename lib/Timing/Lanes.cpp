//===- Lanes.cpp - Registers of a warp, as far as they are known ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing registers, and moving them about.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::timing;
using Kind = Operand::Kind;

static Value uniformValue(std::uint32_t value) {
  Value result;
  result.lanes.fill(value);
  result.known = allLanes;
  return result;
}

WarpRegisters::WarpRegisters(const Launch &launch, const Machine &machine,
                             const std::array<std::uint32_t, 3> &block,
                             unsigned warp)
    : launch(launch), machine(machine), block(block), warp(warp) {
  std::uint32_t first = warp * numLanes, threads = launch.threads();
  std::uint32_t lanes = std::min(numLanes, threads - std::min(threads, first));
  present = lanes == numLanes ? allLanes : (1u << lanes) - 1;
  registers[zeroRegister] = uniforms[zeroRegister] = uniformValue(0);
  predicates[truePredicate] =
      uniformPredicates[truePredicate] = {allLanes, allLanes};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

const Value &WarpRegisters::registerOf(const Operand &operand,
                                       unsigned next) const {
  const auto &file = operand.kind == Kind::Uniform ? uniforms : registers;
  // The register after RZ is RZ, too.
  unsigned number = operand.number + next;
  return file[std::min<unsigned>(number, zeroRegister)];
}

Value WarpRegisters::constant(std::int64_t offset) const {
  auto at = [&](std::int64_t base) { return offset - base; };
  if (at(machine.blockOffset) >= 0 && at(machine.blockOffset) < 12)
    return uniformValue(
        launch.block[static_cast<std::size_t>(at(machine.blockOffset) / 4)]);
  if (at(machine.gridOffset) >= 0 && at(machine.gridOffset) < 12)
    return uniformValue(
        launch.grid[static_cast<std::size_t>(at(machine.gridOffset) / 4)]);
  // The place of the stack means nothing, but it is the same for all.
  constexpr std::uint32_t stack = 1 << 20;
  if (at(machine.stackOffset) == 0)
    return uniformValue(stack);
  std::int64_t parameter = at(machine.parameterOffset);
  if (parameter < 0 ||
      parameter + 4 > static_cast<std::int64_t>(launch.parameters.size()))
    return {};
  std::uint32_t word = 0;
  std::memcpy(&word, launch.parameters.data() + parameter, sizeof(word));
  return uniformValue(word);
}

/// A word of constant memory, which each lane may choose for itself.
Value WarpRegisters::constant(const Operand &operand, unsigned next) const {
  std::int64_t offset = operand.value + 4 * std::int64_t(next);
  if (operand.bank == 0 && operand.number == zeroRegister)
    return constant(offset);
  Value result;
  auto bank = launch.constants.find(operand.bank);
  if (bank == launch.constants.end())
    return result;
  Operand base;
  base.kind = Kind::Register;
  base.number = operand.number;
  const Value &places = registerOf(base);
  for (unsigned i = 0; i < numLanes; ++i) {
    // Banks have 64 KiB: c[0x3][R7+-0x8000] is in the upper half.
    std::size_t place = (places.lanes[i] + static_cast<std::uint64_t>(offset)) &
                        (constantBankBytes - 1);
    if (!(places.known >> i & 1) ||
        place + sizeof(std::uint32_t) > bank->second.size())
      continue;
    std::memcpy(&result.lanes[i], bank->second.data() + place,
                sizeof(std::uint32_t));
    result.known |= 1u << i;
  }
  return result;
}

Value WarpRegisters::value(const Operand &operand) const {
  Value result;
  switch (operand.kind) {
  case Kind::Register:
  case Kind::Uniform:
    result = registerOf(operand);
    break;
  case Kind::Immediate:
    return uniformValue(static_cast<std::uint32_t>(operand.value));
  case Kind::Constant:
    result = constant(operand);
    break;
  default:
    return {};
  }
  if (operand.absolute)
    for (std::uint32_t &lane : result.lanes)
      lane = lane >> 31 ? 0 - lane : lane;
  if (operand.negated)
    for (std::uint32_t &lane : result.lanes)
      lane = 0 - lane;
  if (operand.inverted)
    for (std::uint32_t &lane : result.lanes)
      lane = ~lane;
  return result;
}

WideValue WarpRegisters::wide(const Operand &operand, bool isSigned) const {
  WideValue result;
  if (operand.kind == Kind::Immediate) {
    // Immediates have 32 bits.
    auto low = static_cast<std::uint32_t>(operand.value);
    std::uint64_t all =
        isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(
                       static_cast<std::int32_t>(low)))
                 : low;
    result.lanes.fill(all);
    result.known = allLanes;
    return result;
  }
  Value low, high;
  if (operand.kind == Kind::Constant) {
    low = constant(operand);
    high = constant(operand, 1);
  } else if (operand.kind == Kind::Register || operand.kind == Kind::Uniform) {
    low = registerOf(operand);
    high = registerOf(operand, 1);
  } else {
    return result;
  }
  result.known = low.known & high.known;
  for (unsigned i = 0; i < numLanes; ++i)
    result.lanes[i] = low.lanes[i] | std::uint64_t(high.lanes[i]) << 32;
  if (operand.negated)
    for (std::uint64_t &lane : result.lanes)
      lane = 0 - lane;
  if (operand.inverted || operand.absolute)
    result.known = 0;
  return result;
}

Truth WarpRegisters::read(const Operand &predicate) const {
  if (!predicate.isPredicate())
    return {};
  const auto &file =
      predicate.kind == Kind::UniformPredicate ? uniformPredicates : predicates;
  Truth truth = file[predicate.number];
  if (predicate.inverted)
    truth.bits = ~truth.bits;
  return truth;
}

Truth WarpRegisters::guardOf(const Decoded &decoded,
                             std::uint32_t active) const {
  Truth truth = read(decoded.guard);
  return {truth.bits & active, truth.known};
}

WideValue WarpRegisters::addressOf(const Decoded &decoded,
                                   unsigned which) const {
  WideValue result;
  unsigned seen = 0;
  for (const Operand &operand : decoded.operands) {
    if (operand.kind != Kind::Address || seen++ != which)
      continue;
    Operand base;
    base.kind = Kind::Register;
    base.number = operand.number;
    Operand uniform = base;
    uniform.kind = Kind::Uniform;
    uniform.number = operand.uniform;
    Value low = value(base), high = registerOf(base, 1);
    // Before 8.0 LDG.E [R2] has 64 bits, later [R2.64].
    bool isWide = operand.isWide || (decoded.space == Space::Global &&
                                     operand.uniform == zeroRegister &&
                                     decoded.source->hasModifier("E"));
    result.known = low.known & (isWide ? high.known : allLanes);
    // Copies go to shared memory, and from the second address. Uniform
    // registers are a pair where addresses have 64 bits.
    bool isGlobal = decoded.space == Space::Global ||
                    (decoded.space == Space::Copy && which == 1);
    bool isPair = operand.uniform != zeroRegister && isGlobal;
    Value uniformLow = value(uniform), uniformHigh = registerOf(uniform, 1);
    result.known &= uniformLow.known & (isPair ? uniformHigh.known : allLanes);
    for (unsigned i = 0; i < numLanes; ++i) {
      std::uint64_t address = low.lanes[i];
      if (isWide)
        address |= std::uint64_t(high.lanes[i]) << 32;
      address *= operand.scale;
      address += uniformLow.lanes[i];
      if (isPair)
        address += std::uint64_t(uniformHigh.lanes[i]) << 32;
      result.lanes[i] = address + static_cast<std::uint64_t>(operand.value);
    }
    return result;
  }
  return result;
}

Value WarpRegisters::special(std::string_view name) const {
  if (name == "SRZ" || name == "SR_CgaCtaId")
    return uniformValue(0);
  if (name == "SR_CTAID.X")
    return uniformValue(block[0]);
  if (name == "SR_CTAID.Y")
    return uniformValue(block[1]);
  if (name == "SR_CTAID.Z")
    return uniformValue(block[2]);
  Value result;
  result.known = allLanes;
  for (unsigned i = 0; i < numLanes; ++i) {
    std::uint32_t thread = warp * numLanes + i;
    if (name == "SR_TID.X")
      result.lanes[i] = thread % launch.block[0];
    else if (name == "SR_TID.Y")
      result.lanes[i] = thread / launch.block[0] % launch.block[1];
    else if (name == "SR_TID.Z")
      result.lanes[i] = thread / launch.block[0] / launch.block[1];
    else if (name == "SR_LANEID")
      result.lanes[i] = i;
    else
      return {};
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void WarpRegisters::set(const Operand &to, const Value &value,
                        std::uint32_t mask, unsigned next) {
  if (to.kind != Kind::Register && to.kind != Kind::Uniform)
    return;
  unsigned number = to.number + next;
  if (to.number == zeroRegister || number >= zeroRegister)
    return;
  if (value.known == 0) {
    if (to.kind == Kind::Uniform)
      uniforms[number].known = 0;
    else
      registers[number].known &= ~mask;
    return;
  }
  if (to.kind == Kind::Uniform) {
    // One value for all lanes: that of the first that computes it.
    Value &uniform = uniforms[number];
    uniform = {};
    if (mask != 0 && (value.known & mask) == mask)
      uniform =
          uniformValue(value.lanes[static_cast<unsigned>(__builtin_ctz(mask))]);
    return;
  }
  Value &changed = registers[number];
  changed.known = (changed.known & ~mask) | (value.known & mask);
  if (mask == allLanes) {
    changed.lanes = value.lanes;
    return;
  }
  for (unsigned i = 0; i < numLanes; ++i)
    if (mask >> i & 1)
      changed.lanes[i] = value.lanes[i];
}

void WarpRegisters::setWide(const Operand &to, const WideValue &value,
                            std::uint32_t mask) {
  Value low, high;
  low.known = high.known = value.known;
  for (unsigned i = 0; i < numLanes; ++i) {
    low.lanes[i] = static_cast<std::uint32_t>(value.lanes[i]);
    high.lanes[i] = static_cast<std::uint32_t>(value.lanes[i] >> 32);
  }
  set(to, low, mask);
  set(to, high, mask, 1);
}

void WarpRegisters::set(const Operand &to, Truth truth, std::uint32_t mask) {
  if (!to.isPredicate() || to.number == truePredicate)
    return;
  if (to.kind == Kind::UniformPredicate) {
    bool isKnown = mask != 0 && (truth.known & mask) == mask;
    bool isSet = isKnown && (truth.bits >> __builtin_ctz(mask) & 1);
    uniformPredicates[to.number] = {isSet ? allLanes : 0,
                                    isKnown ? allLanes : 0};
    return;
  }
  Truth &changed = predicates[to.number];
  changed.bits = (changed.bits & ~mask) | (truth.bits & mask);
  changed.known = (changed.known & ~mask) | (truth.known & mask);
}

void WarpRegisters::forget(const Decoded &decoded, std::uint32_t mask) {
  bool onlyPredicates =
      sass::categoryOf(*decoded.source) == sass::Category::Predicate;
  for (const Operand &operand : decoded.operands) {
    if (operand.isPredicate()) {
      set(operand, Truth{}, mask);
      continue;
    }
    static const Value nothing;
    if (!onlyPredicates)
      for (unsigned i = 0; i < decoded.results; ++i)
        set(operand, nothing, mask, i);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void WarpRegisters::loadConstant(const Decoded &decoded, std::uint32_t mask) {
  if (decoded.operands.size() != 2 ||
      decoded.operands[1].kind != Kind::Constant || decoded.bytes < 4)
    return forget(decoded, mask);
  // The first word may overwrite the register that says where they are.
  const Value first = constant(decoded.operands[1]);
  for (unsigned i = 1; i < decoded.bytes / 4; ++i)
    set(decoded.operands[0], constant(decoded.operands[1], i), mask, i);
  set(decoded.operands[0], first, mask);
}

/// The contents of global memory are known where the launch gives them.
void WarpRegisters::loadGlobal(const Decoded &decoded, std::uint32_t mask) {
  const WideValue address = addressOf(decoded, 0);
  std::array<Value, 4> words;
  const std::size_t count = decoded.bytes / sizeof(std::uint32_t);
  for (unsigned i = 0; i < numLanes; ++i) {
    if (!(mask >> i & 1) || !(address.known >> i & 1))
      continue;
    auto found = launch.memory.upper_bound(address.lanes[i]);
    if (found == launch.memory.begin())
      continue;
    --found;
    const std::vector<std::byte> &bytes = found->second;
    std::uint64_t place = address.lanes[i] - found->first;
    if (place >= bytes.size() || bytes.size() - place < decoded.bytes)
      continue;
    for (std::size_t word = 0; word < count; ++word) {
      std::memcpy(&words[word].lanes[i], bytes.data() + place + 4 * word,
                  sizeof(std::uint32_t));
      words[word].known |= 1u << i;
    }
  }
  forget(decoded, mask);
  for (unsigned word = 0; word < count; ++word)
    set(decoded.operands[0], words[word], mask, word);
}

/// P2R R6, PR, R6, 0xf and R2P PR, R6, 0xf: bits of a register, from the lowest
/// or from that of the byte that B1 to B3 name.
void WarpRegisters::movePredicates(const Decoded &decoded, std::uint32_t mask) {
  unsigned shift = 0;
  for (unsigned byte : {1u, 2u, 3u})
    if (decoded.source->hasModifier("B" + std::to_string(byte)))
      shift = 8 * byte;
  bool reads = decoded.action == Action::PredicatesToRegister;
  const std::vector<Operand> &operands = decoded.operands;
  const Operand &last = operands.empty() ? Operand() : operands.back();
  std::size_t source = reads ? 2 : 1;
  if (operands.size() != source + 2 || last.kind != Kind::Immediate) {
    if (!reads)
      for (std::uint8_t i = 0; i < truePredicate; ++i)
        predicates[i].known &= ~mask;
    return forget(decoded, mask);
  }
  Value value = this->value(operands[source]);
  for (unsigned i = 0; i < truePredicate; ++i) {
    if (!(last.value >> i & 1))
      continue;
    Truth truth = {0, value.known};
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      std::uint32_t &word = value.lanes[lane];
      truth.bits |= (word >> (shift + i) & 1) << lane;
      if (reads)
        word = (word & ~(1u << (shift + i))) | (predicates[i].bits >> lane & 1)
                                                   << (shift + i);
    }
    if (reads) {
      value.known &= predicates[i].known;
    } else {
      predicates[i].bits = (predicates[i].bits & ~mask) | (truth.bits & mask);
      predicates[i].known =
          (predicates[i].known & ~mask) | (truth.known & mask);
    }
  }
  if (reads)
    set(operands[0], value, mask);
}

/// VOTE.ANY R0, P0, P1: a mask, and whether the predicate holds in all lanes or
/// in any.
void WarpRegisters::vote(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  if (operands.size() < 2)
    return forget(decoded, mask);
  Truth truth = read(operands.back());
  forget(decoded, mask);
  if ((truth.known & mask) != mask)
    return;
  bool isAll = decoded.source->hasModifier("ALL");
  std::uint32_t votes = truth.bits & mask;
  bool holds = isAll ? votes == mask : votes != 0;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    if (operands[i].isPredicate())
      set(operands[i], Truth{holds ? allLanes : 0, allLanes}, mask);
    else
      set(operands[i], uniformValue(votes), mask);
  }
}

/// SHFL.IDX PT, R0, R1, R2, 0x1f, for whole warps.
void WarpRegisters::shuffle(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  if (operands.size() != 5 || mask != present)
    return forget(decoded, mask);
  const Value source = value(operands[2]), lane = value(operands[3]);
  forget(decoded, mask);
  const sass::Instruction &instruction = *decoded.source;
  Value result;
  for (unsigned i = 0; i < numLanes; ++i) {
    if (!(lane.known >> i & 1))
      continue;
    unsigned other = lane.lanes[i];
    if (instruction.hasModifier("BFLY"))
      other ^= i;
    else if (instruction.hasModifier("DOWN"))
      other = i + other;
    else if (instruction.hasModifier("UP"))
      other = i - other;
    else if (!instruction.hasModifier("IDX"))
      return;
    if (other >= numLanes)
      other = i;
    result.lanes[i] = source.lanes[other];
    result.known |= (source.known >> other & 1) << i;
  }
  // Narrower groups of lanes are not followed.
  const Operand &width = operands[4];
  if (width.kind == Kind::Immediate && (width.value & ~0x1f) == 0)
    set(operands[1], result, mask);
}

/// STL [R1+0x10], R5 and LDL R5, [R1+0x10]. Values stored elsewhere, at unknown
/// addresses, are no spilled registers.
void WarpRegisters::accessLocal(const Decoded &decoded, std::uint32_t mask) {
  const WideValue address = addressOf(decoded, 0);
  const std::vector<Operand> &operands = decoded.operands;
  bool isLoad = decoded.results > 0;
  auto first = static_cast<unsigned>(__builtin_ctz(mask));
  bool isUniform = operands.size() == 2 && (address.known & mask) == mask &&
                   decoded.bytes >= 4;
  for (unsigned i = 0; i < numLanes && isUniform; ++i)
    isUniform = !(mask >> i & 1) || address.lanes[i] == address.lanes[first];
  if (!isUniform) {
    if (isLoad)
      forget(decoded, mask);
    else
      local.clear();
    return;
  }
  for (unsigned word = 0; word < decoded.bytes / 4; ++word) {
    std::uint64_t place = address.lanes[first] + std::uint64_t{4} * word;
    if (isLoad) {
      auto found = local.find(place);
      set(operands[0], found == local.end() ? Value() : found->second, mask,
          word);
      continue;
    }
    Value &stored = local[place];
    const Value &source = registerOf(operands[1], word);
    stored.known = (stored.known & ~mask) | (source.known & mask);
    for (unsigned i = 0; i < numLanes; ++i)
      if (mask >> i & 1)
        stored.lanes[i] = source.lanes[i];
  }
}

void WarpRegisters::execute(const Decoded &decoded, std::uint32_t active) {
  Truth guard = guardOf(decoded, active);
  std::uint32_t maybe = active & ~guard.known;
  if (maybe != 0)
    forget(decoded, maybe);
  std::uint32_t mask = guard.bits & guard.known;
  if (mask == 0)
    return;
  if (decoded.space == Space::Local)
    return accessLocal(decoded, mask);
  bool isLookup = decoded.space == Space::Global && decoded.isLoad &&
                  !launch.memory.empty() && decoded.bytes >= 4;
  if (isLookup)
    return loadGlobal(decoded, mask);
  if (decoded.action == Action::Forget || decoded.action == Action::Access)
    return forget(decoded, mask);
  if (!dispatch(decoded, mask))
    forget(decoded, mask);
}
