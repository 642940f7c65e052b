//===- Planes.h - A, B and C as the sides of a matrix product ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrangement that the pictures of the grid and of a block share: C with M
// downwards and N to the right, A to its left and B above it, all to one scale.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_PLANES_H
#define TC_LIB_EXPLAIN_PLANES_H

#include "Picture.h"

#include <cstdint>

namespace tc::explain {

/// One of M, N and K.
struct Side {
  /// Elements of full tiles, and of one, which must be seen whole.
  int64_t extent = 1, tile = 1;
  /// Elements that there are, tiles at the edge being cut off.
  int64_t used = 1;
  /// Pixels in the picture. Less than the extent to scale where that is too
  /// long, in which case it is `cut`; never too little to be seen.
  double pixels = 0;
  bool cut = false;
};

/// Places of the three planes.
class Planes {
public:
  Planes(Side m, Side n, Side k);

  /// A part of C, A or B in elements from the first one; what lies beyond a cut
  /// is left away. Thin parts are widened until they can be seen.
  Box inC(double m, double n, double rows, double columns) const;
  Box inA(double m, double k, double rows, double depth) const;
  Box inB(double k, double n, double depth, double columns) const;

  /// The planes, their names, and the extents along their sides.
  void drawBack(Picture &picture) const;
  /// Their outlines, and marks where they are cut.
  void drawFront(Picture &picture) const;

  double height() const;

  Side m, n, k;
  /// Pixels of one element.
  double scale = 1;

private:
  struct Span {
    double begin, length;
  };
  Span span(const Side &side, double begin, double length) const;
  Box wholeA() const;
  Box wholeB() const;
  Box wholeC() const;

  /// C's corner that A and B meet at.
  Point corner;
};

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_PLANES_H
