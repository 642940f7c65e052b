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

/// An einsum specification and its settings; row-major.
///
///     abc,cd->abd
///     a = 24, b = 16, c = 8, d = 32
std::optional<std::vector<ParsedContraction>>
parseEinsum(std::string_view text, const ParseOptions &options,
            Diagnostic &diagnostic);

/// The index lists of an einsum specification, which nothing may follow.
/// `source` names the text in the diagnostic.
std::optional<model::PerTensor<std::vector<std::string>>>
parseEinsumIndices(std::string_view spec, std::string_view source,
                   Diagnostic &diagnostic);

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

/// The notation of a one-line specification: einsum if it has a comma or an
/// arrow, TCCG's `C-A-B` otherwise.
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

} // namespace tc::notation

#endif // TC_IMPORT_NOTATIONS_H
