//===- Footprint.h - Overlap of two tensors of a product --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_FOOTPRINT_H
#define TC_LIB_TAPP_FOOTPRINT_H

#include "Operand.h"

namespace tc::tapp {

/// The numbers of bytes by which a byte of a tensor may be behind one of D, if
/// both began at one address. A plan keeps that, and adds the addresses when it
/// is executed. Tensors that lie interleaved, as blocks of one matrix do, do
/// not overlap.
class Footprint {
public:
  Footprint() = default;
  /// @param bytes  those of an element
  Footprint(const Operand &tensor, const Operand &d, int64_t bytes);

  /// Returns true if a byte is in both. Cases that would take long to decide
  /// count as no.
  bool overlaps(const void *tensor, const void *d) const;

private:
  /// Distances add up from one multiple of each step.
  struct Step {
    int64_t bytes, least, most;
    /// The least and the greatest sum of this step and the ones after it.
    int64_t low = 0, high = 0;
  };

  void add(int64_t bytes, int64_t least, int64_t most);
  bool reaches(int64_t distance, size_t step, int &tries) const;

  std::vector<Step> steps;
  /// True if there are no bytes, or more than can be told apart.
  bool isUnknown = true;
};

} // namespace tc::tapp

#endif // TC_LIB_TAPP_FOOTPRINT_H
