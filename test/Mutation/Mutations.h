//===- Mutations.h - Small faults in PTX ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes one thing in a PTX text, as a compiler with a fault might have got it
// wrong. It works on the text, an instruction a line, and knows nothing of the
// simulator that is to find the fault.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_MUTATION_MUTATIONS_H
#define TC_TEST_MUTATION_MUTATIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::mutation {

enum class Kind {
  DropBarrier,
  DropWait, ///< of asynchronous copies
  DropStore,
  DropInstruction, ///< any other
  DropGuard,
  NegateGuard,
  ChangeImmediate,
  ChangeOffset,
  ChangeAccess, ///< its size, or the length of its vector
  ReplaceRegister,
  SwapOperands,
  ChangeOpcode, ///< its operation, type or comparison
};
inline constexpr std::size_t numKinds =
    static_cast<std::size_t>(Kind::ChangeOpcode) + 1;
/// "drop-barrier" and so on.
std::string_view getName(Kind kind);

struct Mutation {
  Kind kind;
  unsigned line; ///< the first is 1
  /// The line as it was, and as it is; nothing if it was dropped.
  std::string before, after;
  std::string text; ///< the whole
};

/// A PTX text taken apart.
class Mutator {
public:
  explicit Mutator(std::string_view text);

  /// The mutation that follows from the seed; none if it does not apply to the
  /// place that the seed picks. `only` fixes the kind.
  std::optional<Mutation> mutate(std::uint64_t seed,
                                 std::optional<Kind> only = {}) const;

  /// Returns true if nothing but an instruction's own line has its first
  /// operand.
  bool isResultUnused(unsigned line) const;

private:
  struct Line {
    std::string text;
    /// Of instructions: "@%p1", or nothing; "add.s32"; "%r1", "[%rd1+8]".
    std::string guard, opcode;
    std::vector<std::string> operands;
    bool isInstruction() const { return !opcode.empty(); }
  };

  static Line parse(const std::string &text);
  static std::string print(const Line &line);
  static std::optional<Kind> kindOfDrop(const Line &line);
  bool apply(Kind kind, Line &line, std::uint64_t random) const;

  std::vector<Line> lines;
  /// All registers of the text by the prefixes of their names.
  std::vector<std::string> registers;
};

} // namespace tc::mutation

#endif // TC_TEST_MUTATION_MUTATIONS_H
