//===- ParsedProgram.h - Statements as a notation says them -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several products, the later of which read the results of earlier ones, and
// the parsers of their notations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_PARSEDPROGRAM_H
#define TC_IMPORT_PARSEDPROGRAM_H

#include "tc/Import/ParsedContraction.h"

namespace tc::notation {

struct ProgramTensor {
  std::string name;
  /// Labels are those of its first occurrence. It is contiguous.
  model::TensorRecord record;
};

/// One product. A statement that adds up several is a step for each, of which
/// those behind the first have a beta of one.
struct ProgramStep {
  /// Its first `operands` tensors are inputs: A, B and the further ones. The
  /// name means nothing.
  ParsedContraction product;
  /// Positions in the list of tensors.
  std::vector<unsigned> inputs;
  unsigned output = 0;
  /// Of three inputs and more, the two that each step takes out of the list of
  /// those that there are, to whose end it appends its result. Empty where the
  /// model is to choose; no notation says it.
  std::vector<std::vector<unsigned>> path;

  /// Returns true if the earlier contents of the output are used.
  bool accumulates() const { return product.record.readsC; }
};

/// A text, checked: a tensor has one rank and the same extents wherever it
/// occurs, none is computed without use, and none is a factor before a later
/// statement defines it.
struct ParsedProgram {
  std::string name;
  std::vector<ProgramTensor> tensors;
  /// At least one.
  std::vector<ProgramStep> steps;
  /// Tensors that hold something before the first step, in the order of the
  /// text, and those that the program is there to compute.
  std::vector<unsigned> arguments, results;
  /// Indices whose extents each call says: those of the tensors are
  /// representative.
  std::vector<std::string> unknown;

  bool isUnknown(const std::string &label) const;
};

enum class ProgramNotation { Tensors, Octopi };

/// The notation of a file by its extension: .tensors or .octopi.
std::optional<ProgramNotation> programNotationOfFile(std::string_view path);

/// Reads a program; docs/notations.md has the grammars. Options of a single
/// contraction are refused.
///
///     i = 20, j = ?30, k = 25
///     T[i,k] = A[i,j] * B[j,k]
///     s[] += 0.5 * T[i,k] * T[i,k]
///
///     define: l = m = n = i = j = k = 10
///     V[i j k] = Sum([l m n], A[l k] * B[m j] * C[n i] * U[l m n])
std::optional<ParsedProgram> parseProgram(ProgramNotation notation,
                                          std::string_view text,
                                          const ParseOptions &options,
                                          Diagnostic &diagnostic);

/// The program that overwrites `result` with the product of `operand0`,
/// `operand1` and so on, as a text would say it.
///
/// @param labels   those of the operands, one at least, and then of the result
/// @param extents  each label once
std::optional<ParsedProgram>
makeProduct(std::vector<std::vector<std::string>> labels,
            std::vector<Extent> extents, model::ElementType type,
            const ParseOptions &options, Diagnostic &diagnostic);

} // namespace tc::notation

#endif // TC_IMPORT_PARSEDPROGRAM_H
