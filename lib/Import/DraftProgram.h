//===- DraftProgram.h - Programs before they are checked --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program as its parser reads it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_DRAFTPROGRAM_H
#define TC_LIB_IMPORT_DRAFTPROGRAM_H

#include "Draft.h"

#include "tc/Import/ParsedProgram.h"

namespace tc::notation {

/// A number and at least one tensor, multiplied.
struct DraftProduct {
  DraftFactor factor{1.0};
  std::vector<DraftTensor> factors;
};

/// At least one product, which are added up.
struct DraftStatement {
  DraftTensor output;
  /// True if they are added to the earlier contents of the output.
  bool accumulates = false;
  std::vector<DraftProduct> products;
};

struct DraftProgram {
  /// Empty if the text names none.
  std::string name;
  /// Each label once.
  std::vector<Extent> extents;
  Layout layout = Layout::RowMajor;
  std::optional<model::ElementType> elementType;
  std::vector<DraftStatement> statements;
  /// Absent if the text does not say them.
  std::optional<std::vector<Label>> outputs;
};

/// Checks the draft of a text and completes it with the options.
std::optional<ParsedProgram> finish(const DraftProgram &draft,
                                    const ParseOptions &options,
                                    Diagnostic &diagnostic);

} // namespace tc::notation

#endif // TC_LIB_IMPORT_DRAFTPROGRAM_H
