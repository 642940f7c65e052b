//===- IndexOrigins.h - Origins of compiled indices -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is compiled with other indices than those that it was written
// with: those that lie behind one another in all tensors are one, those of
// extent one are gone, and parts of complex numbers have indices of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EXPLAIN_INDEXORIGINS_H
#define TC_EXPLAIN_INDEXORIGINS_H

#include "tc/Problem/Contraction.h"

#include <string>
#include <vector>

namespace tc::explain {

/// The index list of a tensor and its extents, one for each dimension.
struct LabelledShape {
  std::vector<std::string> labels;
  std::vector<int64_t> extents;
};
using LabelledShapes = model::PerTensor<LabelledShape>;

/// An index of the contraction as it is compiled that was not written so.
struct IndexOrigin {
  std::string label;
  /// The indices that it is made of, slowest first; none if it only runs over
  /// parts of numbers or over products.
  std::vector<std::string> from;
  /// The tensors over the real and imaginary parts of whose elements it runs,
  /// too, as in "B and C"; empty if it does not.
  std::string parts;
  /// True if it runs over the three real products of a complex one.
  bool isProducts = false;
};

struct IndexOrigins {
  std::vector<IndexOrigin> indices;
  /// Those of extent one that are left out.
  std::vector<std::string> dropped;
  bool empty() const { return indices.empty() && dropped.empty(); }
};

/// Finds the origins of the indices of a contraction in those that it was
/// written with: by its lists before and after indices were collapsed, of which
/// each tensor's are in the same order, and in the form in which it is
/// compiled.
IndexOrigins findIndexOrigins(const LabelledShapes &written,
                              const LabelledShapes &collapsed,
                              const model::Contraction &compiled);

/// "ab = (a, b) collapsed; re_im = parts of numbers of B and C; u, of extent
/// one, left out".
std::string originsText(const IndexOrigins &origins);

} // namespace tc::explain

#endif // TC_EXPLAIN_INDEXORIGINS_H
