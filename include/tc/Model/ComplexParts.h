//===- ComplexParts.h - Complex contractions as real ones -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_COMPLEXPARTS_H
#define TC_MODEL_COMPLEXPARTS_H

#include "tc/Model/Contraction.h"

namespace tc::model {

/// Parts of a complex number, and what the index over those of C and the one
/// over those of a factor are called, with underscores behind it if another
/// index has the name.
inline constexpr int64_t partsOfNumber = 2;
inline constexpr const char *outputPartLabel = "re_im",
                            *summedPartLabel = "re_im_k";

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

/// Whether `toRealParts` may give an index that name.
bool isPartLabel(std::string_view label);

/// Whether the index of that position runs over parts of complex numbers.
bool isPart(const Contraction &contraction, unsigned index);

} // namespace tc::model

#endif // TC_MODEL_COMPLEXPARTS_H
