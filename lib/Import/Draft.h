//===- Draft.h - Contractions before they are checked -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsers only read; the rules that all notations share are checked once, on
// drafts that still know where each label stood.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_DRAFT_H
#define TC_LIB_IMPORT_DRAFT_H

#include "tc/Import/ParsedContraction.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tc::notation {

struct Label {
  std::string name;
  SourcePosition position;
};

inline bool contains(const std::vector<Label> &labels, std::string_view name) {
  return std::any_of(labels.begin(), labels.end(),
                     [&](const Label &label) { return label.name == name; });
}

struct DraftTensor {
  /// The name in the text ("A", "t3").
  std::string name;
  std::vector<Label> labels;
  SourcePosition position;
};

struct DraftFactor {
  model::Constant value;
  SourcePosition position = {};
};

struct DraftContraction {
  /// Empty if the text names none.
  std::string name;
  model::PerTensor<DraftTensor> tensors;
  /// Operands behind A and B.
  std::vector<DraftTensor> further;
  /// In the order of the text; a label may occur again with the same extent.
  std::vector<Extent> extents;
  Layout layout = Layout::RowMajor;
  std::optional<model::ElementType> elementType;
  DraftFactor alpha{1.0};
  DraftFactor beta{0.0};
  SourcePosition position;

  /// All of them, C first: that is how papers and most notations write a
  /// contraction.
  std::vector<const DraftTensor *> inWrittenOrder() const;
};

/// Checks that an output has each of its indices once, and that an operand has
/// it, too. True on success.
bool checkOutput(const DraftTensor &output,
                 const std::vector<const DraftTensor *> &operands,
                 std::string_view source, Diagnostic &diagnostic);

/// Checks that there are no shapes, which only einsum specifications have. True
/// on success.
bool refuseShapes(const ParseOptions &options, Diagnostic &diagnostic);

/// Checks the drafts of one text and completes them with the options.
std::optional<std::vector<ParsedContraction>>
finish(const std::vector<DraftContraction> &drafts, const ParseOptions &options,
       Diagnostic &diagnostic);

} // namespace tc::notation

#endif // TC_LIB_IMPORT_DRAFT_H
