//===- Description.h - Launches of foreign PTX ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX from any compiler and a JSON description beside it: buffers and what they
// hold, launches with their arguments, and what must come out. A package says
// which contraction a kernel of ours computes, and so how it is launched; a
// kernel of others takes what it takes. docs/foreign-ptx.md has the format.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FOREIGN_DESCRIPTION_H
#define TC_FOREIGN_DESCRIPTION_H

#include "tc/Package/Package.h"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tc::foreign {

// The initial contents of a buffer.

/// Random numbers of the buffer's type, as operands of our own kernels have.
struct RandomFill {};
/// Random integers from `low` to `high`.
struct IntegerFill {
  int64_t low = 0, high = 0;
};
struct ConstantFill {
  double value = 0;
};
/// Those of an array in NumPy's format.
struct FileFill {
  std::string path;
};
using Fill = std::variant<RandomFill, IntegerFill, ConstantFill, FileFill>;

/// Global memory that kernels are given. Its labels are those that the
/// contraction which it is the result of has, else "d0", "d1" and so on.
struct Buffer {
  runtime::TensorArgument tensor;
  /// Of those that are read.
  Fill fill;
  /// True if no byte may be written twice.
  bool isWrittenOnce = false;
};

/// An address inside a buffer, at a place of a parameter.
struct Pointer {
  size_t at = 0;
  size_t buffer = 0;
  uint64_t offset = 0; ///< in bytes
};

/// The bytes of a parameter, those of pointers being zero.
struct Argument {
  std::vector<std::byte> bytes;
  std::vector<Pointer> pointers;
};

/// The contents of a `.global` or `.const` variable of the PTX before each
/// launch, from its first byte on.
struct Variable {
  std::string name;
  Argument contents;
};

struct Launch {
  std::string entry;
  runtime::Dim3 grid = {1, 1, 1}, block = {1, 1, 1};
  int64_t dynamicSharedBytes = 0;
  std::vector<Argument> arguments;
};

/// The output must be alpha times a sum of products of one or two inputs, plus
/// beta times its old contents.
struct ContractionCheck {
  std::vector<size_t> inputs;
  /// Labels of each input's dimensions.
  std::vector<std::vector<std::string>> labels;
  double alpha = 1, beta = 0;
  model::ElementType sums = model::ElementType::F64;
  model::Precision precision = model::Precision::IEEE;
};
/// The output must be near an array in NumPy's format.
struct FileCheck {
  std::string path;
  /// Of ||output - array|| / ||array||.
  double tolerance = 0;
};
struct Check {
  size_t output = 0;
  std::variant<ContractionCheck, FileCheck> reference;
};

struct Description {
  std::string name;
  /// The PTX, relative to the description's folder.
  std::string codeFile;
  std::vector<Buffer> buffers;
  std::vector<Variable> variables;
  /// In order of execution.
  std::vector<Launch> launches;
  std::vector<Check> checks;
};

/// The value of "format" in descriptions.
inline constexpr std::string_view descriptionFormat = "tc-foreign-ptx";

/// Reads a description, strictly (no key missing, repeated or unknown), and
/// holds it against itself. Errors name the JSON path at fault.
Result<Description> fromJson(std::string_view text);

/// Returns true if a text is meant to be such a description: JSON that says so.
bool isDescription(std::string_view text);

/// A description, its code and the folder that its files are in.
struct LoadedDescription {
  Description description;
  std::string code, codePath, folder;
};

/// Reads the code that belongs to a description whose text has been read from
/// `path`.
Result<LoadedDescription> load(std::string_view text, const std::string &path);

} // namespace tc::foreign

#endif // TC_FOREIGN_DESCRIPTION_H
