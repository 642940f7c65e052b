//===- Instructions.h - Expected results of PTX instructions ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of instruction tests: for every form of every instruction that the
// simulator understands, its section of the PTX ISA (version 9.0), the values
// that it is tried on, and the results expected there. The expected values are
// computed from the definitions by code that shares nothing with the simulator.
// Each test is a kernel of its own, so that the same table judges the simulator
// and a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_INSTRUCTIONTESTS_INSTRUCTIONS_H
#define TC_TEST_INSTRUCTIONTESTS_INSTRUCTIONS_H

#include "tc/Simulator/Simulator.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tc::isa {

/// A value of any type of up to 64 bits, in the low bits.
using Bits = std::uint64_t;
/// The operands, or the results, of one thread.
using Row = std::vector<Bits>;

/// A type of a register: 'b', 'u', 's' or 'f' and a width, 'p' for a predicate.
/// Of several elements side by side in one register, `bits` is the width of an
/// element.
struct Type {
  char letter = 'b';
  unsigned bits = 32;
  unsigned elements = 1;
  /// Of 16-bit floating point: bfloat16.
  bool isBrain = false;

  bool isFloat() const { return letter == 'f'; }
  bool isSigned() const { return letter == 's'; }
  bool isPredicate() const { return letter == 'p'; }
  unsigned width() const { return bits * elements; }
  /// As a suffix of an instruction, without the dot: "s32", "f16x2".
  std::string name() const;
  /// As the type of a register.
  std::string registerName() const;
};

/// The expected value of a result.
struct Expected {
  enum class Kind {
    /// These bits.
    Exact,
    /// A number from `low` to `high`.
    Within,
    /// The PTX ISA leaves it open; `bits` is the simulator's choice.
    Unspecified,
  };
  Kind kind = Kind::Exact;
  Bits bits = 0;
  long double low = 0, high = 0;

  Expected(Bits bits = 0) : bits(bits) {}
  static Expected within(long double low, long double high) {
    Expected expected;
    expected.kind = Kind::Within;
    expected.low = low;
    expected.high = high;
    return expected;
  }
  static Expected unspecified(Bits bits) {
    Expected expected(bits);
    expected.kind = Kind::Unspecified;
    return expected;
  }
};

/// Threads of a block of every test.
inline constexpr unsigned blockSize = 128;
/// Bytes of the parameter that every kernel has beside its buffers: byte i
/// holds `parameterByte(i)`.
inline constexpr unsigned parameterBytes = 64;
constexpr std::uint8_t parameterByte(unsigned i) {
  return static_cast<std::uint8_t>(i * 37 + 11);
}

/// The thread for which a result is asked, among those of its block.
struct Thread {
  const Row *block;   ///< the operands of all threads of the block
  unsigned number;    ///< in the block
  std::size_t blocks; ///< of the launch
  std::size_t row;    ///< in the launch

  const Row &operands() const { return block[number]; }
  unsigned lane() const { return number % 32; }
  /// The operands of the threads of its warp.
  const Row *warp() const { return block + number / 32 * 32; }
};
using Reference = std::function<std::vector<Expected>(const Thread &)>;

struct Operand {
  Type type;
  std::vector<Bits> values;
};

/// The section of the PTX ISA on an instruction: "9.7.1.1" and "Integer
/// Arithmetic Instructions: add".
struct Section {
  std::string number, title;
};

/// One form of an instruction, and its test.
struct Instruction {
  /// With all its suffixes: "add.s32".
  std::string name;
  Section section;
  /// The least target and version of the language that have it.
  unsigned sm = 20;
  std::array<unsigned, 2> ptx = {6, 0};
  /// The kind of agreement asked for, in words: "bits", "2 ulp".
  std::string agreement = "bits";
  /// True if any NaN will do where a result is NaN.
  bool anyNan = false;

  /// The operands are in `operandName(0)` and on; each is tried with each.
  std::vector<Operand> operands;
  /// Rows of operands, in place of all combinations.
  std::vector<Row> rows;
  /// The results are in %d, %d1, ...
  std::vector<Type> results;
  /// At the top of the kernel; and before the instruction.
  std::string declarations, setup;
  /// The module must have constant memory `table`, with `parameterBytes` bytes
  /// of the same values as the parameter.
  bool readsConstants = false;
  /// The instruction itself, and the code needed to see its effect.
  std::string code, epilogue;
  /// The code writes the results to [%out] itself, as 64-bit words.
  bool storesResults = false;
  /// The kernel must stop with an error that says this. It then has no results.
  std::string stopsWith;

  Reference reference;
};

/// All tests, in the order of the sections.
const std::vector<Instruction> &allInstructions();

/// The rows of operands that an instruction is tried on, repeated to fill
/// whole blocks.
std::vector<Row> rowsOf(const Instruction &instruction);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The registers of operands and results: %a, %b, %c, %e, ... and %d, %d1, ...
std::string operandName(std::size_t number);
std::string resultName(std::size_t number);

/// The tests that share a module: those of one section with one target.
struct TestModule {
  std::string name; ///< for files: "9.7.1.1-sm_75"
  unsigned sm = 0;  ///< that it is for
  std::vector<const Instruction *> instructions;
  std::vector<std::string> entries; ///< their kernels
  /// For each of them: the lines of `text` with the instruction itself.
  std::vector<std::array<unsigned, 2>> lines;
  std::string text;
};
std::vector<TestModule> makeModules(const std::vector<Instruction> &tests);

/// The contents of a kernel's buffer `in`: the operands of a row side by side,
/// in 8 bytes each. The kernel leaves results in `out` in the same layout.
std::vector<Bits> packRows(const std::vector<Row> &rows);
/// The bytes of the kernels' third parameter.
std::vector<std::byte> parameterBlock();

/// Runs a test in the simulator with all its detectors on, and returns `out`.
/// `parsed` is the module's text.
Result<std::vector<Bits>> simulate(const sim::Module &parsed,
                                   const TestModule &module, std::size_t test);

//===----------------------------------------------------------------------===//
// Judging results
//===----------------------------------------------------------------------===//

/// The number of results, and the first that is not as it should be.
struct Verdict {
  std::size_t results = 0, wrong = 0, unspecified = 0;
  std::string firstWrong;
};
/// Compares results with those expected. A result that the PTX ISA leaves open
/// must be the simulator's choice, if `isSimulator`.
Verdict judge(const Instruction &instruction, const std::vector<Row> &rows,
              const std::vector<Bits> &results, bool isSimulator);

/// Compares the results of two machines with each other: bit for bit, except
/// where any NaN will do, or where both are within the bound of an approximate
/// instruction. Differences that the PTX ISA leaves open count as unspecified.
Verdict compare(const Instruction &instruction, const std::vector<Row> &rows,
                const std::vector<Bits> &device,
                const std::vector<Bits> &simulator);

/// The table as a page of the documentation.
std::string toMarkdown(const std::vector<Instruction> &tests);

} // namespace tc::isa

#endif // TC_TEST_INSTRUCTIONTESTS_INSTRUCTIONS_H
