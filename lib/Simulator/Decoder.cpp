//===- Decoder.cpp - From parsed instructions to micro-operations ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of decoding, and the parts that all families of instructions
// share: modifiers, operands and their types.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Limits.h"

#include <cassert>
#include <cstring>
#include <unordered_map>

using namespace tc::sim;

tc::Result<Kernel> tc::sim::decode(const ParsedEntry &entry,
                                   ModuleImpl &module) {
  return Decoder(entry, module).run();
}

bool Decoder::fail(const std::string &message) {
  if (!failure)
    failure = Error{module.fileName + ":" + std::to_string(inst->line) + ": " +
                    message + " in '" + onOneLine(inst->text) + "'"};
  return false;
}

Decoder::Family Decoder::findFamily(std::string_view opcode) {
  static const std::unordered_map<std::string_view, Family> families = {
      {"abs", &Decoder::decodeAbsNeg},
      {"activemask", &Decoder::decodeActiveMask},
      {"add", &Decoder::decodeAddSub},
      {"and", &Decoder::decodeLogic},
      {"applypriority", &Decoder::decodePriority},
      {"atom", &Decoder::decodeAtomic},
      {"bar", &Decoder::decodeBarrier},
      {"barrier", &Decoder::decodeBarrier},
      {"bfe", &Decoder::decodeBitField},
      {"bfi", &Decoder::decodeBitField},
      {"bfind", &Decoder::decodeCount},
      {"bra", &Decoder::decodeBranch},
      {"brev", &Decoder::decodeCount},
      {"clz", &Decoder::decodeCount},
      {"cnot", &Decoder::decodeNot},
      {"copysign", &Decoder::decodeCopySign},
      {"cos", &Decoder::decodeTrigonometric},
      {"cp", &Decoder::decodeCopy},
      {"createpolicy", &Decoder::decodePolicy},
      {"cvt", &Decoder::decodeConvert},
      {"cvta", &Decoder::decodeConvertAddress},
      {"div", &Decoder::decodeDiv},
      {"dp4a", &Decoder::decodeDotProduct},
      {"elect", &Decoder::decodeElect},
      {"ex2", &Decoder::decodeExponential},
      {"exit", &Decoder::decodeExit},
      {"fence", &Decoder::decodeFence},
      {"fma", &Decoder::decodeFma},
      {"griddepcontrol", &Decoder::decodeGridDependency},
      {"ld", &Decoder::decodeLoad},
      {"ldmatrix", &Decoder::decodeLoadMatrix},
      {"lg2", &Decoder::decodeExponential},
      {"lop3", &Decoder::decodeLogic3},
      {"mad", &Decoder::decodeMad},
      {"match", &Decoder::decodeMatch},
      {"max", &Decoder::decodeMinMax},
      {"mbarrier", &Decoder::decodeMbarrier},
      {"membar", &Decoder::decodeFence},
      {"min", &Decoder::decodeMinMax},
      {"mma", &Decoder::decodeMultiplyMatrices},
      {"mov", &Decoder::decodeMov},
      {"movmatrix", &Decoder::decodeMoveMatrix},
      {"mul", &Decoder::decodeMul},
      {"nanosleep", &Decoder::decodeSleep},
      {"neg", &Decoder::decodeAbsNeg},
      {"not", &Decoder::decodeNot},
      {"or", &Decoder::decodeLogic},
      {"popc", &Decoder::decodeCount},
      {"prefetch", &Decoder::decodePrefetch},
      {"prefetchu", &Decoder::decodePrefetch},
      {"prmt", &Decoder::decodePermute},
      {"rcp", &Decoder::decodeSqrtRcp},
      {"red", &Decoder::decodeAtomic},
      {"redux", &Decoder::decodeReduce},
      {"rem", &Decoder::decodeRem},
      {"ret", &Decoder::decodeExit},
      {"rsqrt", &Decoder::decodeSqrtRcp},
      {"selp", &Decoder::decodeSelect},
      {"set", &Decoder::decodeSet},
      {"setmaxnreg", &Decoder::decodeRegisterCount},
      {"setp", &Decoder::decodeSetPredicate},
      {"shf", &Decoder::decodeFunnelShift},
      {"shfl", &Decoder::decodeShuffle},
      {"shl", &Decoder::decodeShift},
      {"shr", &Decoder::decodeShift},
      {"sin", &Decoder::decodeTrigonometric},
      {"sqrt", &Decoder::decodeSqrtRcp},
      {"st", &Decoder::decodeStore},
      {"stmatrix", &Decoder::decodeStoreMatrix},
      {"sub", &Decoder::decodeAddSub},
      {"tanh", &Decoder::decodeTrigonometric},
      {"testp", &Decoder::decodeTest},
      {"trap", &Decoder::decodeTrap},
      {"vote", &Decoder::decodeVote},
      {"xor", &Decoder::decodeLogic},
  };
  auto it = families.find(opcode);
  return it == families.end() ? nullptr : it->second;
}

bool tc::sim::isSupportedInstruction(std::string_view opcode) {
  return Decoder::findFamily(opcode) != nullptr;
}

tc::Result<Kernel> Decoder::run() {
  kernel.info = entry.info;
  kernel.parameterBytes = entry.parameterBytes;
  std::uint64_t offset = 0;
  for (const ParameterInfo &parameter : entry.info.parameters) {
    offset = (offset + parameter.alignment - 1) / parameter.alignment *
             parameter.alignment;
    kernel.parameterOffsets.push_back(offset);
    offset += parameter.size;
  }
  for (const Register &reg : entry.registers)
    sizes.push_back(static_cast<std::uint8_t>(
        reg.type.isPredicate() ? 0 : reg.type.bytes()));
  auto firstFixed = static_cast<std::uint32_t>(sizes.size());

  if (!placeSharedVariables())
    return *failure;
  kernel.code.reserve(entry.instructions.size() + 1);
  kernel.source.reserve(entry.instructions.size() + 1);
  for (const Instruction &instruction : entry.instructions) {
    inst = &instruction;
    if (!decodeInstruction())
      return *failure;
  }
  // Running off the end returns.
  kernel.code.emplace_back();
  kernel.source.emplace_back();
  kernel.source.back().line =
      entry.instructions.empty() ? entry.line : entry.instructions.back().line;
  kernel.source.back().kind = InstructionKind::Branch;
  kernel.source.back().text = "ret";

  auto failEntry = [&](const std::string &message) {
    return Error{module.fileName + ":" + std::to_string(entry.line) + ": " +
                 message};
  };
  std::optional<LoopNest> loopNest = findLoops(kernel.code);
  if (!loopNest || !findReconvergence(kernel.code))
    return failEntry("the control flow of entry '" + kernel.info.name +
                     "' is too large");
  kernel.loopNest = std::move(*loopNest);
  std::uint32_t always = constant(1, 0);
  Result<std::vector<std::uint32_t>> places =
      allocateRegisters(kernel, sizes, firstFixed);
  if (!places)
    return failEntry(places.error());
  for (MicroOp &micro : kernel.code)
    if (micro.guard == none)
      micro.guard = (*places)[always];
  for (const auto &[value, number] : constants)
    kernel.constants.push_back({value.first, (*places)[number], value.second});
  for (const auto &[which, number] : specials)
    kernel.specials.push_back({which, (*places)[number]});
  for (std::uint32_t r = 0; r < firstFixed; ++r)
    if ((*places)[r] < kernel.maybeUnwrittenBytes)
      kernel.maybeUnwrittenNames.emplace((*places)[r], entry.registers[r].name);
  findGranules();
  return std::move(kernel);
}

void Decoder::findGranules() {
  for (const MicroOp &micro : kernel.code) {
    if (micro.opcode >= Opcode::LoadMatrix &&
        micro.opcode <= Opcode::StoreMatrixTransposed)
      kernel.sharedGranule = std::min(kernel.sharedGranule, matrixRowBytes);
    std::uint32_t bytes = micro.elementBytes * micro.count;
    bool isGeneric = micro.opcode == Opcode::LoadGeneric ||
                     micro.opcode == Opcode::StoreGeneric ||
                     micro.opcode == Opcode::AtomicGeneric;
    bool isCopy = micro.opcode == Opcode::CopyAsync ||
                  micro.opcode == Opcode::CopyAsyncPart ||
                  micro.opcode == Opcode::CopyAsyncUnless;
    if (isGeneric || isCopy || micro.opcode == Opcode::LoadShared ||
        micro.opcode == Opcode::StoreShared ||
        micro.opcode == Opcode::AtomicShared ||
        (micro.opcode >= Opcode::MbarrierInit &&
         micro.opcode <= Opcode::MbarrierTestParity))
      kernel.sharedGranule = std::min(kernel.sharedGranule, bytes);
    if (isGeneric || isCopy || micro.opcode == Opcode::LoadGlobal ||
        micro.opcode == Opcode::StoreGlobal ||
        micro.opcode == Opcode::AtomicGlobal)
      kernel.globalGranule = std::min(kernel.globalGranule, bytes);
  }
}

/// Gives the shared variables that the entry refers to their offsets, in the
/// order of their declarations, dynamic memory last.
bool Decoder::placeSharedVariables() {
  auto visit = [&](const Operand &operand) {
    if (operand.kind == Operand::Kind::Variable &&
        module.variables[operand.index].space == StateSpace::Shared)
      sharedOffsets.emplace(operand.index, 0);
  };
  for (const Instruction &instruction : entry.instructions)
    for (const Operand &operand : instruction.operands) {
      visit(operand);
      for (const Operand &element : operand.elements)
        visit(element);
    }
  std::uint64_t top = 0;
  auto place = [&](bool isDynamic) {
    std::uint64_t dynamicAlignment = 1;
    for (auto &[number, offset] : sharedOffsets) {
      const Variable &variable = module.variables[number];
      if (variable.isDynamic != isDynamic)
        continue;
      if (isDynamic) {
        dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
        continue;
      }
      offset = (top + variable.alignment - 1) / variable.alignment *
               variable.alignment;
      top = offset + variable.size;
    }
    if (isDynamic)
      top = (top + dynamicAlignment - 1) / dynamicAlignment * dynamicAlignment;
  };
  place(false);
  place(true);
  for (auto &[number, offset] : sharedOffsets)
    if (module.variables[number].isDynamic)
      offset = top;
  kernel.info.staticSharedBytes = top;
  if (top > maxSharedBytes) {
    failure = Error{
        module.fileName + ":" + std::to_string(entry.line) + ": entry '" +
        entry.info.name + "' uses " + std::to_string(top) +
        " bytes of shared memory, more than " + std::to_string(maxSharedBytes)};
    return false;
  }
  return true;
}

bool Decoder::decodeInstruction() {
  Family family = findNarrowFamily();
  if (family == nullptr)
    family = findFamily(inst->opcode);
  // The parser refuses all others.
  assert(family != nullptr);
  op = MicroOp();
  kind = InstructionKind::Other;
  operationsPerThread = 1;
  modifier = 0;
  if (inst->isGuarded) {
    op.guard = inst->guard;
    op.guardInvert = inst->guardNegated ? fullMask : 0;
  }
  if (!(this->*family)())
    return false;
  kernel.code.push_back(op);
  kernel.source.push_back(
      {inst->line, kind, operationsPerThread, inst->text, inst->location});
  return true;
}

void Decoder::set(Opcode opcode) {
  static constexpr OpClass classes[] = {
#define TC_SIM_OPCODE(NAME, CLASS, ...) OpClass::CLASS,
#include "Opcodes.def"
  };
  op.opcode = opcode;
  op.opClass = classes[static_cast<std::size_t>(opcode)];
}

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

bool Decoder::accept(std::string_view word) {
  if (modifier == inst->modifiers.size() || inst->modifiers[modifier] != word)
    return false;
  ++modifier;
  return true;
}

bool Decoder::require(std::string_view word) {
  return accept(word) || fail("expected modifier '." + std::string(word) + "'");
}

bool Decoder::readMode(
    std::initializer_list<std::pair<std::string_view, Opcode>> modes,
    Opcode &opcode) {
  for (const auto &[name, value] : modes) {
    if (!accept(name))
      continue;
    opcode = value;
    return true;
  }
  return fail("missing or unsupported mode");
}

bool Decoder::readType(ScalarType &type, std::string_view letters,
                       std::initializer_list<unsigned> widths) {
  if (modifier == inst->modifiers.size())
    return fail("missing type");
  std::string_view word = inst->modifiers[modifier];
  std::optional<ScalarType> parsed = parseScalarType(word);
  bool allowed = parsed && !(parsed->isFloat() && parsed->bits == 16) &&
                 letters.find(word[0]) != std::string_view::npos;
  if (allowed && !parsed->isPredicate()) {
    allowed = false;
    for (unsigned width : widths)
      allowed |= parsed->bits == width;
  }
  if (!allowed)
    return fail("unsupported modifier '." + std::string(word) + "'");
  ++modifier;
  type = *parsed;
  return true;
}

bool Decoder::endOfModifiers() {
  return modifier == inst->modifiers.size() ||
         fail("unsupported modifier '." +
              std::string(inst->modifiers[modifier]) + "'");
}

bool Decoder::countOperands(std::size_t count) {
  return inst->operands.size() == count ||
         fail("expected " + std::to_string(count) + " operands, found " +
              std::to_string(inst->operands.size()));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Decoder::typesAgree(const Operand &operand, ScalarType type,
                         bool mayBeWider) {
  const Register &reg = entry.registers[operand.index];
  bool widthAgrees =
      reg.type.bits == type.bits || (mayBeWider && reg.type.bits > type.bits &&
                                     !type.isPredicate() && !type.isFloat());
  auto isBits = [](ScalarType t) {
    return t.interpretation == Interpretation::Bits;
  };
  bool kindAgrees =
      isBits(type) || isBits(reg.type) || type.isFloat() == reg.type.isFloat();
  if (widthAgrees && kindAgrees && type.isPredicate() == reg.type.isPredicate())
    return true;
  return fail("register '" + reg.name + "' of type " + getName(reg.type) +
              " where " + getName(type) + " is wanted");
}

bool Decoder::result(std::size_t number, ScalarType type) {
  const Operand &operand = inst->operands[number];
  if (operand.kind != Operand::Kind::Register || operand.negated)
    return fail("operand " + std::to_string(number + 1) +
                " must be a register");
  if (!typesAgree(operand, type, /*mayBeWider=*/false))
    return false;
  op.dst = operand.index;
  op.resultBytes = static_cast<std::uint8_t>(type.bytes());
  return true;
}

bool Decoder::predicateResult(std::size_t number) {
  return result(number, ScalarType{Interpretation::Bits, 1});
}

bool Decoder::source(std::size_t number, ScalarType type,
                     std::uint32_t &field) {
  return sourceElement(inst->operands[number], type, /*mayBeWider=*/false,
                       field);
}

bool Decoder::sourceElement(const Operand &operand, ScalarType type,
                            bool mayBeWider, std::uint32_t &field) {
  if (operand.negated)
    return fail("'!' is not supported here");
  switch (operand.kind) {
  case Operand::Kind::Register:
    field = operand.index;
    return typesAgree(operand, type, mayBeWider);
  case Operand::Kind::Special:
    if (type.bits != 32 && !(mayBeWider && type.bits < 32))
      return fail("special registers have 32 bits, which do not fit " +
                  getName(type));
    if (type.isFloat())
      return fail("special registers are not of type " + getName(type));
    field = special(static_cast<SpecialRegister>(operand.index));
    return true;
  case Operand::Kind::Integer:
  case Operand::Kind::Float: {
    std::uint64_t bits = 0;
    if (!immediateBits(operand, type, bits))
      return false;
    field = constant(
        bits, static_cast<std::uint8_t>(type.bits == 8 ? 2 : type.bytes()));
    return true;
  }
  default:
    return fail("an operand must be a register or a number");
  }
}

bool Decoder::immediateBits(const Operand &operand, ScalarType type,
                            std::uint64_t &bits) {
  bits = operand.bits;
  if (operand.kind == Operand::Kind::Integer) {
    if (type.isFloat())
      return fail("integer where " + getName(type) + " is wanted");
    if (type.isPredicate()) {
      bits &= 1;
      return true;
    }
    if (type.bits == 64)
      return true;
    std::uint64_t mask = (std::uint64_t(1) << type.bits) - 1;
    std::uint64_t sign = std::uint64_t(1) << (type.bits - 1);
    bool fitsSigned = (bits + sign) <= mask;
    if (bits > mask && !fitsSigned)
      return fail("number does not fit " + getName(type));
    bits &= mask;
    return true;
  }
  bool takesFloat =
      type.isFloat() || (type.interpretation == Interpretation::Bits &&
                         type.bits == operand.floatBits);
  if (!takesFloat)
    return fail("floating-point number where " + getName(type) + " is wanted");
  if (operand.floatBits == type.bits)
    return true;
  if (type.bits == 32) {
    double wide;
    std::memcpy(&wide, &operand.bits, sizeof(wide));
    auto narrow = static_cast<float>(wide);
    bits = 0;
    std::memcpy(&bits, &narrow, sizeof(narrow));
  } else {
    float narrow;
    std::memcpy(&narrow, &operand.bits, sizeof(narrow));
    double wide = narrow;
    std::memcpy(&bits, &wide, sizeof(wide));
  }
  return true;
}

bool Decoder::immediateInteger(std::size_t number, std::uint64_t maximum,
                               std::int64_t &value) {
  const Operand &operand = inst->operands[number];
  if (operand.kind != Operand::Kind::Integer || operand.bits > maximum)
    return fail("operand " + std::to_string(number + 1) +
                " must be a number from 0 to " + std::to_string(maximum));
  value = static_cast<std::int64_t>(operand.bits);
  return true;
}

/// The address of a variable in its own state space.
bool Decoder::variableAddress(const Operand &operand, std::uint64_t &address) {
  const Variable &variable = module.variables[operand.index];
  std::uint64_t base = 0;
  switch (variable.space) {
  case StateSpace::Shared:
    base = sharedOffsets.at(operand.index);
    break;
  case StateSpace::Global:
  case StateSpace::Const:
    base = variable.offset;
    break;
  case StateSpace::Param:
    base = parameterWindow + variable.offset;
    break;
  case StateSpace::Generic:
    return fail("variable '" + std::string(variable.name) + "' has no address");
  }
  address = base + static_cast<std::uint64_t>(operand.offset);
  return true;
}

std::uint32_t Decoder::constant(std::uint64_t bits, std::uint8_t bytes) {
  auto [it, isNew] = constants.try_emplace(
      {bits, bytes}, static_cast<std::uint32_t>(sizes.size()));
  if (isNew)
    sizes.push_back(bytes);
  return it->second;
}

std::uint32_t Decoder::special(SpecialRegister which) {
  auto [it, isNew] =
      specials.try_emplace(which, static_cast<std::uint32_t>(sizes.size()));
  if (isNew)
    sizes.push_back(4);
  return it->second;
}

bool Decoder::finish(Opcode opcode, ScalarType type, unsigned sources) {
  std::uint32_t *fields[] = {&op.a, &op.b, &op.c};
  if (!endOfModifiers() || !countOperands(1 + sources) || !result(0, type))
    return false;
  for (unsigned i = 0; i < sources; ++i)
    if (!source(1 + i, type, *fields[i]))
      return false;
  set(opcode);
  return true;
}
