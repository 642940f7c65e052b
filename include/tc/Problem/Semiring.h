//===- Semiring.h - Sum and product of a contraction ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction sums products. Neither needs to be that of numbers: any
// associative and commutative operation may combine what any other operation
// makes of two factors.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_SEMIRING_H
#define TC_PROBLEM_SEMIRING_H

#include "tc/Problem/Constants.h"

namespace tc::model {

/// Operation in place of addition. `Or` and `Xor` are bitwise; `Max` and `Min`
/// take the other number where one is NaN.
enum class Combine : unsigned { Add, Max, Min, Or, Xor };
/// Operation in place of multiplication; `And` is bitwise.
enum class Product : unsigned { Multiply, Add, And, Max, Min };

/// Of semirings that have names; a user-defined one has no factors alpha and
/// beta, and counts as plus_times where their defaults are asked for.
Combine combineOf(Semiring semiring);
Product productOf(Semiring semiring);

/// True if numbers of that type can be combined and multiplied so: those whose
/// operations are bitwise take integers only, those that compare no complex
/// numbers.
bool appliesTo(Semiring semiring, ElementType type);
/// "integers" or "real numbers", for messages about types that a semiring does
/// not apply to.
std::string_view typesOf(Semiring semiring);

/// The semiring's zero among floating-point numbers, infinite for maxima and
/// minima: it changes nothing that it is combined with, and its product with
/// one is zero.
double zeroOf(Semiring semiring);
/// The semiring's one among floating-point numbers: it changes nothing that it
/// is multiplied by.
double oneOf(Semiring semiring);
/// The same among the integers of a type, the least or the greatest one for
/// maxima and minima.
int64_t integerZeroOf(Semiring semiring, ElementType type);
int64_t integerOneOf(Semiring semiring, ElementType type);

/// The same of numbers of any type.
Constant zeroOf(Semiring semiring, ElementType type);
Constant oneOf(Semiring semiring, ElementType type);

/// True if factors of any value may be multiplied with each sum of some
/// products instead of the sum of all: not with max_times, as a negative factor
/// makes the least of what was greatest, nor where sums of integers may wrap
/// around.
bool scalingDistributes(Semiring semiring);

/// True if a factor may be multiplied with a sum of that type instead of with
/// all that is summed, whatever the numbers are. Rounding keeps the order of
/// numbers, so that maxima and minima of sums are the same to the bit; integers
/// that wrap around do not. Nor do max_min and min_max where there is NaN,
/// which sums leave out, but not their products.
bool productDistributes(Semiring semiring, ElementType sums);

} // namespace tc::model

#endif // TC_PROBLEM_SEMIRING_H
