//===- Source.h - Input of the compiler -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_SOURCE_H
#define TC_ONDEMAND_SOURCE_H

#include "tc/Import/ParsedProgram.h"

namespace tc {

/// Input of the compiler, read and checked as far as that takes no MLIR.
struct Source {
  /// Origin of the text, for messages: a file, or "SPEC".
  std::string name;
  /// Of a notation, with their factors.
  std::vector<notation::ParsedContraction> contractions;
  /// Of a notation with several statements.
  std::optional<notation::ParsedProgram> program;
  /// MLIR, if there is nothing of a notation.
  std::string text;
  /// True if all elements of the contractions' results are added up.
  bool reduces = false;
  /// True if numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;
};

} // namespace tc

#endif // TC_ONDEMAND_SOURCE_H
