//===- ParsedContraction.h - A contraction as a notation says it *- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of every parser of a notation: index lists as written, extents,
// layout and coefficients, and their places in the text. No MLIR and no LLVM,
// so that programs without either can read the notations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_PARSEDCONTRACTION_H
#define TC_IMPORT_PARSEDCONTRACTION_H

#include "tc/Problem/ContractionRecord.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::notation {

/// The index of a list that has stride one: the last, as in C and MLIR, or the
/// first, as in Fortran and most of the literature.
enum class Layout { RowMajor, ColumnMajor };

/// The layout called "row" or "col", if it is one of these.
std::optional<Layout> symbolizeLayout(std::string_view name);

/// A place in a text; both count from one, columns in bytes.
struct SourcePosition {
  unsigned line = 1;
  unsigned column = 1;
};

/// The reason why a text was refused.
struct Diagnostic {
  /// Name of the text: a file, or the option that held it.
  std::string source;
  SourcePosition position;
  std::string message;

  /// `source:line:column: error: message`
  std::string str() const;
};

/// The extent of a label and where it was given.
struct Extent {
  std::string label;
  int64_t extent = 0;
  SourcePosition position;
  /// Of a program: whether each call says it. Then the above is representative.
  bool isUnknown = false;
};

/// The shape of an operand, in the order of its index list as written, and
/// where it was given.
struct Shape {
  std::vector<int64_t> extents;
  SourcePosition position;
};

/// A user-defined semiring.
struct SemiringExpressions {
  model::Expression product, combine;
  model::Constant identity;
};

/// The user's definition of it.
struct SemiringTexts {
  std::optional<std::string> product, combine, identity;

  bool any() const { return product || combine || identity; }
};

/// Fails, beginning with the name of what is missing or wrong, unless all are
/// there.
Result<SemiringExpressions>
parseSemiringExpressions(const SemiringTexts &texts);

/// Code on the elements of the inputs before they are multiplied, in place of
/// multiplication and addition, and on the elements of the result before they
/// are stored.
struct FusedExpressions {
  std::optional<model::Expression> prologueA, prologueB, epilogue;
  std::optional<SemiringExpressions> semiring;

  bool any() const { return prologueA || prologueB || semiring || epilogue; }
};

/// One binary contraction, checked: every label has one extent of at least
/// zero, every label of C is in A or in B and once in C, and no tensor has
/// 2^63 - 1 bytes or more.
struct ParsedContraction {
  /// A legal label, unique in its file.
  std::string name;
  /// The name of the contraction that this one is a version of: it computes the
  /// same, for kernels tuned for other extents. Empty if it is none.
  std::string versionOf;
  /// Of a specification with one operand, B is a scalar one; of one with more
  /// than two, `further` has the others.
  unsigned operands = 2;
  /// The contraction that it computes. Tensors of a notation are contiguous,
  /// and their labels are in MLIR's order, whatever its layout: the last has
  /// stride one.
  model::ContractionRecord record;
  std::vector<model::TensorRecord> further;
  FusedExpressions fused;
  /// The auxiliary tensors, in the order of the epilogue.
  std::vector<model::TensorRecord> auxiliaries;
  /// The place where the contraction begins.
  SourcePosition position;
};

/// Gives a contraction fused code, and lets its record describe it.
void setFusedCode(ParsedContraction &contraction, FusedExpressions fused);

/// Lets a record say whether C is read, once all else is known.
void findReadsOfC(model::ContractionRecord &record);

/// Options that the user gives beside the text. All of them take precedence
/// over the text.
struct ParseOptions {
  /// Name of the text in diagnostics.
  std::string source = "<input>";
  /// Each label at most once, as `parseExtents` returns them.
  std::vector<Extent> extents;
  /// Name of the text that `extents` came from.
  std::string extentsSource = "--extents";
  /// Of einsum specifications only: none, or one for each operand.
  std::vector<Shape> shapes;
  /// Name of the text that `shapes` came from.
  std::string shapesSource = "--shapes";
  /// Of all tensors, and of A and of B instead. If the text says nothing
  /// either, C has the type of the factors.
  std::optional<model::ElementType> elementType, elementTypeA, elementTypeB;
  model::Precision precision = model::Precision::IEEE;
  model::Semiring semiring = model::Semiring::PlusTimes;
  bool conjugatesA = false, conjugatesB = false;
  bool allowsThreeProducts = false;
  FusedExpressions fused;
  std::optional<Layout> layout;
};

/// Limits that keep hostile input cheap; they are far above any use.
inline constexpr size_t maxTextBytes = size_t{1} << 20;
inline constexpr size_t maxRank = 64;
/// Of an einsum specification whose operands are contracted in pairs.
inline constexpr size_t maxOperands = 16384;
inline constexpr size_t maxLabelLength = 64;
inline constexpr size_t maxContractions = 4096;
/// In one list of assignments.
inline constexpr size_t maxExtents = 16384;

} // namespace tc::notation

#endif // TC_IMPORT_PARSEDCONTRACTION_H
