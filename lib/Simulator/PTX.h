//===- PTX.h - Parsed PTX ---------------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of the parser: names of registers and variables are resolved,
// instructions are still words. String views point into the module's text.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_PTX_H
#define TC_LIB_SIMULATOR_PTX_H

#include "tc/Simulator/Simulator.h"

#include <map>
#include <string_view>
#include <vector>

namespace tc::sim {

enum class Interpretation : std::uint8_t { Bits, Unsigned, Signed, Float };

/// A fundamental type. Predicates have one bit.
struct ScalarType {
  Interpretation interpretation = Interpretation::Bits;
  std::uint8_t bits = 0;

  bool isPredicate() const { return bits == 1; }
  bool isFloat() const { return interpretation == Interpretation::Float; }
  bool isSigned() const { return interpretation == Interpretation::Signed; }
  bool isInteger() const { return !isPredicate() && !isFloat(); }
  unsigned bytes() const { return bits / 8; }
  bool operator==(const ScalarType &other) const {
    return interpretation == other.interpretation && bits == other.bits;
  }
};

/// Reads a type's name without its dot, as in "f64". Fails on other words and
/// on types outside the subset.
std::optional<ScalarType> parseScalarType(std::string_view name);
std::string getName(ScalarType type);

/// An instruction's text for a message: on one line, and not too long.
std::string onOneLine(std::string_view text);

enum class StateSpace : std::uint8_t { Generic, Global, Const, Shared, Param };

struct Variable {
  std::string_view name;
  StateSpace space = StateSpace::Global;
  std::uint64_t size = 0; ///< in bytes; 0 for dynamic shared memory
  std::uint64_t alignment = 1;
  bool isDynamic = false; ///< `.extern .shared name[]`
  /// Of a parameter: where it is in its entry's parameters. Of a variable in
  /// global or constant memory: its address.
  std::uint64_t offset = 0;
  std::vector<std::byte> initializer;
};

/// Registers with the values that the launch gives them.
enum class SpecialRegister : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  WarpSize,
};

/// The special register of that name and, where it is a vector, component; none
/// if the simulator has none.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name,
                                                   std::string_view component);

/// Returns true if PTX has a special register of that name.
bool isSpecialRegister(std::string_view name);

struct Operand {
  enum class Kind : std::uint8_t {
    Register,  ///< number `index`
    Predicate, ///< register `index` and, in `second`, `setp`'s second result
    Special,   ///< special register `index`
    Integer,   ///< `bits`, two's complement
    Float,     ///< `bits`, of the width in `floatBits` (64 for decimals)
    Variable,  ///< variable `index` of the module plus `offset`
    Address,   ///< `[...]`: `elements[0]` is the base, plus `offset`
    Vector,    ///< `elements`
    Name,      ///< `name`: a label
    Sink,      ///< `_`
    SinkAndPredicate, ///< `_|%p`: register `second`
  };

  Kind kind = Kind::Sink;
  bool negated = false; ///< `!` before a predicate
  std::uint8_t floatBits = 0;
  std::uint32_t index = 0, second = 0;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string_view name;
  std::vector<Operand> elements;
};

/// A place in a source, as `.loc` gives it; the file's number is 0 if there is
/// none.
struct LocationNumbers {
  std::uint32_t file = 0, line = 0, column = 0;
};

struct Instruction {
  std::uint32_t line = 0;
  LocationNumbers location;
  std::string_view text; ///< without guard and semicolon
  std::string_view opcode;
  std::vector<std::string_view> modifiers; ///< without their dots
  bool isGuarded = false, guardNegated = false;
  std::uint32_t guard = 0;
  std::vector<Operand> operands;
};

struct Register {
  std::string name;
  ScalarType type;
};

struct ParsedEntry {
  EntryInfo info;
  std::uint32_t line = 0;
  std::uint64_t parameterBytes = 0;
  std::vector<Register> registers; ///< those that are used
  std::vector<Instruction> instructions;
  std::map<std::string_view, std::uint32_t> labels; ///< to instruction numbers
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_PTX_H
