//===- Notations.h - Parsers for contraction notations ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a notation; docs/notations.md has the grammars. Each returns the
// contractions of the text, at least one, or nothing and a diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_NOTATIONS_H
#define TC_IMPORT_NOTATIONS_H

#include "tc/Import/ParsedContraction.h"

namespace tc::notation {

/// An einsum specification with one or two operands and its settings;
/// row-major. With one operand, B is a scalar.
///
///     abc,cd->abd
///     a = 24, b = 16, c = 8, d = 32
///
///     ...ij,...jk->...ik
///     shapes = 8x3x4, 8x4x5
std::optional<std::vector<ParsedContraction>>
parseEinsum(std::string_view text, const ParseOptions &options,
            Diagnostic &diagnostic);

/// The index lists of a specification with one or two operands.
struct EinsumIndices {
  /// An index along which an operand is broadcast has a name of its own there.
  model::PerTensor<std::vector<std::string>> lists;
  unsigned operands = 2;
};

/// The number of operands, one or two, of a specification, which nothing may
/// follow. `source` names the text in the diagnostic.
std::optional<unsigned> countOperands(std::string_view spec,
                                      std::string_view source,
                                      Diagnostic &diagnostic);

/// The index lists of an einsum specification, which nothing may follow, for
/// operands of those shapes, one for each.
std::optional<EinsumIndices> parseEinsumIndices(std::string_view spec,
                                                std::vector<Shape> shapes,
                                                std::string_view source,
                                                Diagnostic &diagnostic);

/// The index lists of any number of operands of those ranks, and that of the
/// result behind them. Ellipses are expanded, by the same names everywhere.
std::optional<std::vector<std::vector<std::string>>>
expandSubscripts(std::string_view spec, const std::vector<size_t> &ranks,
                 std::string_view source, Diagnostic &diagnostic);

/// An input file of TCCG, or its short form `C-A-B`; column-major.
///
///     C[a,b,i,j] = A[i,m,a] * B[m,j,b]
///     a = 24
///     ...
std::optional<std::vector<ParsedContraction>>
parseTCCG(std::string_view text, const ParseOptions &options,
          Diagnostic &diagnostic);

/// Statements of COGENT; column-major.
///
///     t3 [a,16,b,16] -= sum(g,16) * t2 [g,a] * v2 [b,g];
std::optional<std::vector<ParsedContraction>>
parseCogent(std::string_view text, const ParseOptions &options,
            Diagnostic &diagnostic);

enum class Notation { Einsum, TCCG, Cogent };

/// The notation of a file by its extension: .einsum, .tccg, .cogent (also .in,
/// COGENT's own).
std::optional<Notation> notationOfFile(std::string_view path);

/// The notation of a one-line specification: TCCG's `C-A-B` if it has a
/// hyphen, but neither an arrow nor a comma; einsum otherwise.
Notation notationOfSpec(std::string_view spec);

std::optional<std::vector<ParsedContraction>> parse(Notation notation,
                                                    std::string_view text,
                                                    const ParseOptions &options,
                                                    Diagnostic &diagnostic);

/// Reads `a=24,b=16` (also with blanks, semicolons or new lines between).
/// `source` names the text in the diagnostic.
std::optional<std::vector<Extent>> parseExtents(std::string_view text,
                                                std::string_view source,
                                                Diagnostic &diagnostic);

/// Reads the shapes of operands: `8x3x4,8x4x5`, and `[]` for a scalar.
std::optional<std::vector<Shape>> parseShapes(std::string_view text,
                                              std::string_view source,
                                              Diagnostic &diagnostic);

} // namespace tc::notation

#endif // TC_IMPORT_NOTATIONS_H
