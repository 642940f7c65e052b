//===- MatrixFragments.h - Matrices spread over a warp ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of matrices that `mma` computes, and which lane holds which
// element: the tables of the PTX ISA, "Matrix Fragments for mma".
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_INSTRUCTIONTESTS_MATRIXFRAGMENTS_H
#define TC_TEST_INSTRUCTIONTESTS_MATRIXFRAGMENTS_H

#include "Instructions.h"

#include <utility>

namespace tc::isa {

/// The row and the column of element i of a lane of group g and thread t.
using Place = std::pair<int, int>;
using Layout = std::function<Place(int i, int g, int t)>;

struct ElementType {
  std::string name;
  int bits;
  bool isInteger;
  std::function<Bits(double)> encode;
  std::function<double(Bits)> decode;

  int perRegister() const { return bits < 32 ? 32 / bits : 1; }
};

/// D = A B + C, of M by K and K by 8 elements. C and D are laid out alike.
struct MatrixProduct {
  std::string shape;
  int m, k;
  ElementType a, b, c;
  Layout layoutA, layoutB, layoutC;

  /// "m8n8k4.row.col.f64.f64.f64.f64"
  std::string name() const;
};

std::vector<MatrixProduct> allMatrixProducts();

} // namespace tc::isa

#endif // TC_TEST_INSTRUCTIONTESTS_MATRIXFRAGMENTS_H
