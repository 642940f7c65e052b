//===- Decode.h - Operands of machine instructions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effects of an instruction on registers, as far as addresses and jumps
// need them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TIMING_DECODE_H
#define TC_LIB_TIMING_DECODE_H

#include "tc/MachineCode/Opcodes.h"

namespace tc::timing {

/// The register that is always zero, of either file.
inline constexpr std::uint8_t zeroRegister = 255;
inline constexpr std::uint32_t constantBankBytes = 1 << 16;
/// The predicate that always holds, of either file.
inline constexpr std::uint8_t truePredicate = 7;

struct Operand {
  enum class Kind : std::uint8_t {
    Other, ///< of no use here
    Register,
    Uniform,
    Predicate,
    UniformPredicate,
    Immediate,
    Constant, ///< of `bank`, at a register and `value`
    Address,  ///< registers and `value`
    Special,  ///< SR_TID.X and the like
  };
  Kind kind = Kind::Other;
  bool negated = false;  ///< by "-"
  bool inverted = false; ///< by "~" or "!"
  bool absolute = false;
  std::uint8_t number = zeroRegister;
  /// Of addresses.
  std::uint8_t uniform = zeroRegister;
  bool isWide = false; ///< an address register is one of a pair
  std::uint8_t scale = 1;
  std::uint8_t bank = 0; ///< of constants
  std::int64_t value = 0;
  /// Of special registers.
  std::string_view name;

  bool isPredicate() const {
    return kind == Kind::Predicate || kind == Kind::UniformPredicate;
  }
};

/// Reads an operand as nvdisasm prints it. Views into `text`.
Operand parseOperand(std::string_view text);

/// The computation of an instruction.
enum class Action : std::uint8_t {
  None,   ///< nothing that a register shows
  Forget, ///< something that is not followed
  Move,
  MultiplyAdd,
  Add3,
  Add64,
  Lea,
  Logic,
  Shift,
  Compare,
  CompareDoubles,
  PredicateLogic,
  Select,
  MinMax,
  AddMinMax,
  Absolute,
  FromInteger, ///< a number of f32 from an integer
  ToInteger,   ///< the reverse
  Reciprocal,  ///< of a number of f32
  Permute,
  Extend,
  Mask,
  PredicatesToRegister,
  RegisterToPredicates,
  ReadSpecial,
  ToUniform,
  LoadConstant,
  Vote,
  Elect,
  Shuffle,
  Access, ///< of shared, global or local memory
  Jump,
  Call, ///< a jump to a place from which RET comes back
  Return,
  Exit,
};

/// The memory that accesses are to.
enum class Space : std::uint8_t { None, Shared, Global, Copy, Local };

struct Decoded {
  Action action = Action::None;
  Space space = Space::None;
  /// Always holds if it is `truePredicate` and not inverted.
  Operand guard;
  std::vector<Operand> operands;
  /// Registers that an instruction writes whose results are not followed.
  std::uint8_t results = 0;
  /// Bytes that a lane accesses.
  unsigned bytes = 4;
  bool isSigned = true, isWide = false, isHigh = false, isExtended = false;
  bool isRight = false;
  bool isUniform = false; ///< the results are
  bool isLoad = false;
  bool isMatrix = false;        ///< of LDSM and STSM: rows of 16 bytes
  bool isUnconditional = false; ///< of jumps: nothing but the guard decides
  std::uint32_t target = 0;
  const sass::Instruction *source = nullptr;
};

Decoded decode(const sass::Instruction &instruction);

} // namespace tc::timing

#endif // TC_LIB_TIMING_DECODE_H
