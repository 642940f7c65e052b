//===- Subscripts.h - einsum specifications before shapes -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a specification that are open until ranks and extents are known:
// the dimensions of ellipses, the output, and the operands that are broadcast.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_SUBSCRIPTS_H
#define TC_LIB_IMPORT_SUBSCRIPTS_H

#include "Draft.h"

namespace tc::notation {

/// The name of the label that stands for an ellipsis.
inline constexpr std::string_view ellipsis = "...";

/// A specification as written.
struct Subscripts {
  std::vector<DraftTensor> operands;
  /// Absent if the specification has no arrow.
  std::optional<DraftTensor> output;
  SourcePosition position;

  /// A name that no label has: this one, or one that begins with it.
  std::string freshName(std::string name) const;
};

/// The shapes of operands, and the text that they are from.
struct GivenShapes {
  std::vector<Shape> shapes;
  std::string source;
};

/// Puts indices in the place of ellipses, as NumPy does: aligned by the last
/// one, with the same names in all operands and in the output. Fills in the
/// output. `ranks` are those of the operands; without them, an operand with an
/// ellipsis is an error. True on success.
bool expand(Subscripts &subscripts,
            const std::optional<std::vector<size_t>> &ranks,
            std::string_view source, Diagnostic &diagnostic);

/// Finds the extent of each index of expanded subscripts. Where an operand has
/// extent one and another one has more, the index gets a name of its own there:
/// a sum over one element. True on success.
bool broadcast(Subscripts &subscripts, const GivenShapes &given,
               std::vector<Extent> &extents, Diagnostic &diagnostic);

} // namespace tc::notation

#endif // TC_LIB_IMPORT_SUBSCRIPTS_H
