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

/// A contraction of complex numbers as one of real numbers, with `parts` set;
/// any other as it is. The elements of a complex tensor become pairs: its
/// strides and its offset double. The new indices come last and have the names
/// "re_im" and "re_im_a", with underscores behind them if these are taken.
/// Fails if A is complex and B is not.
Result<Contraction> toRealParts(Contraction contraction);

/// Whether the index of that position runs over parts of complex numbers.
bool isPart(const Contraction &contraction, unsigned index);

} // namespace tc::model

#endif // TC_MODEL_COMPLEXPARTS_H
