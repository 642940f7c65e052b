//===- Listing.h - MLIR as text that PTX refers to --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contents of the lines of the lowered MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_LISTING_H
#define TC_LIB_RUN_LISTING_H

#include "tc/Support/MLIR/LLVM.h"

#include <string>
#include <vector>

namespace tc::run {

/// A module as text. The lines count from one.
struct Listing {
  struct Line {
    /// The line without the blanks around it.
    std::string text;
    /// The step of the lowering that made the operation which begins here, and
    /// the place in the input that it is from, as in "a.mlir:3:5". Empty if
    /// unknown.
    std::string step, source;
  };

  std::string name;
  std::string text;
  std::vector<Line> lines;

  /// The line of that number, or null.
  const Line *find(uint64_t number) const {
    return number == 0 || number > lines.size() ? nullptr : &lines[number - 1];
  }
};

/// Prints a module, and makes the places in the text, in a file of that name,
/// the locations of its operations.
Listing makeListing(ModuleOp module, StringRef name);

} // namespace tc::run

#endif // TC_LIB_RUN_LISTING_H
