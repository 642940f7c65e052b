//===- ComplexParts.h - Complex contractions as real ones -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_COMPLEXPARTS_H
#define TC_PROBLEM_COMPLEXPARTS_H

#include "tc/Problem/Contraction.h"
#include "tc/Problem/Tile.h"

namespace tc::model {

/// Parts of a complex number, and what the index over those of C and the one
/// over those of a factor are called, with underscores behind it if another
/// index has the name.
inline constexpr int64_t partsOfNumber = 2;
inline constexpr const char *outputPartLabel = "re_im",
                            *summedPartLabel = "re_im_k";
/// Real products for a complex one in the form that needs the fewest, and what
/// the index over them is called.
inline constexpr int64_t minProducts = 3;
inline constexpr const char *productsLabel = "re_im_3m";

/// A contraction of complex numbers as one of real numbers, with `parts` set;
/// any other as it is. The elements of a complex tensor become pairs: its
/// strides and its offset double. The new indices come last. B is the input
/// that is expanded, unless it is real.
Contraction toRealParts(Contraction contraction);

/// The same contraction in the form that vectors like best. The input that is
/// expanded is the one that has the index along which elements of C lie side by
/// side, if both are complex; and the parts are joined with that index to one,
/// if elements of that input lie side by side along it, too.
Contraction joinParts(Contraction contraction);

/// The forms of a contraction of complex numbers: as one of real numbers, with
/// four products of these for each one of complex numbers (`toRealParts`), or
/// with three (`toThreeProducts`).
enum class ComplexForm { FourProducts, ThreeProducts };

/// A contraction of complex A and B with an index of K more, over three sums of
/// real products for each of C: with a = u + iv and b = x + iy, of
///
///   (u + v) x,  u (y - x)  and  -v (x + y),
///
/// the first and the second are the imaginary part together, and the first and
/// the third the real one. (This is the 3M method: Van Zee and Smith,
/// "Implementing high-performance complex matrix multiplication via the 3m and
/// 4m methods", ACM TOMS 44, 2017.)
Contraction toThreeProducts(Contraction contraction);

/// True if a contraction in one of the forms is of complex numbers.
bool isComplexProduct(const Contraction &contraction);

/// True if there is a form of three products: A and B are complex.
bool hasThreeProducts(const Contraction &contraction);

/// The form of which a schedule with these tiles of K is: they name the index
/// of the one with three.
ComplexForm formOf(const Contraction &contraction,
                   const std::vector<TileExtent> &k);

/// A contraction in one of the forms.
Contraction toForm(ComplexForm form, Contraction contraction);

/// True if an index over parts of numbers, or one over the three products, may
/// have that name.
bool isPartLabel(std::string_view label);
bool isProductsLabel(std::string_view label);

/// True if the index of that position runs over parts of complex numbers.
bool isPart(const Contraction &contraction, unsigned index);

} // namespace tc::model

#endif // TC_PROBLEM_COMPLEXPARTS_H
