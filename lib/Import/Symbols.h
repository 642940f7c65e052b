//===- Symbols.h - Indices that are one character ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index of an einsum specification may be any character that opt_einsum's
// may be. All else takes identifiers for the names of indices, so that a digit
// and a character beyond ASCII have one: "u" and their number in Unicode.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_SYMBOLS_H
#define TC_LIB_IMPORT_SYMBOLS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tc::notation {

/// A character.
struct Symbol {
  /// In Unicode.
  uint32_t number;
  /// Bytes that it takes in UTF-8.
  size_t bytes;
};

/// The character that a text begins with; none of an empty text, and none where
/// the text is not UTF-8: of surrogates, of too many bytes, and of too few.
std::optional<Symbol> firstSymbol(std::string_view text);

/// Letters and digits of ASCII, and whatever is beyond it.
bool isIndexSymbol(const Symbol &symbol);

/// The name of the index: "a" of a, "u31" of 1, "u3b1" of alpha.
std::string nameOfSymbol(const Symbol &symbol);

/// The way back, in UTF-8; other names stay as they are. Such texts are in the
/// order of their characters' numbers.
std::string symbolOfName(const std::string &name);

} // namespace tc::notation

#endif // TC_LIB_IMPORT_SYMBOLS_H
