//===- Source.h - What there is to compile ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_SOURCE_H
#define TC_ONDEMAND_SOURCE_H

#include "tc/Import/ParsedProgram.h"

namespace tc {

/// What there is to compile, read and checked as far as that takes no MLIR.
struct Source {
  /// Where the text is from, for messages: a file, or "SPEC".
  std::string name;
  /// Of a notation, with their factors.
  std::vector<notation::ParsedContraction> contractions;
  /// Of a notation with several statements.
  std::optional<notation::ParsedProgram> program;
  /// MLIR, if there is nothing of a notation.
  std::string text;
  /// Whether all elements of the contractions' results are added up.
  bool reduces = false;
  /// Whether numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;
};

} // namespace tc

#endif // TC_ONDEMAND_SOURCE_H
