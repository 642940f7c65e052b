//===- Semiring.cpp - Sum and product of a contraction --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of the semirings and their neutral elements.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Semiring.h"

#include <limits>

namespace tc::model {

Combine combineOf(Semiring semiring) {
  switch (semiring) {
  case Semiring::PlusTimes:
    return Combine::Add;
  case Semiring::MaxPlus:
  case Semiring::MaxTimes:
  case Semiring::MaxMin:
    return Combine::Max;
  case Semiring::MinPlus:
  case Semiring::MinMax:
    return Combine::Min;
  case Semiring::OrAnd:
    return Combine::Or;
  case Semiring::XorAnd:
    return Combine::Xor;
  case Semiring::UserDefined:
    break;
  }
  return Combine::Add;
}

Product productOf(Semiring semiring) {
  switch (semiring) {
  case Semiring::PlusTimes:
  case Semiring::MaxTimes:
    return Product::Multiply;
  case Semiring::MaxPlus:
  case Semiring::MinPlus:
    return Product::Add;
  case Semiring::MaxMin:
    return Product::Min;
  case Semiring::MinMax:
    return Product::Max;
  case Semiring::OrAnd:
  case Semiring::XorAnd:
    return Product::And;
  case Semiring::UserDefined:
    break;
  }
  return Product::Multiply;
}

bool appliesTo(Semiring semiring, ElementType type) {
  if (productOf(semiring) == Product::And)
    return isInteger(type);
  return semiring == Semiring::PlusTimes || !isComplex(type);
}

std::string_view typesOf(Semiring semiring) {
  return productOf(semiring) == Product::And ? "integers" : "real numbers";
}

namespace {
/// The ends of a type's range.
template <typename Number> struct Range {
  Number least, greatest;
};
} // namespace

template <typename Number>
static Number zero(Semiring semiring, const Range<Number> &range) {
  switch (combineOf(semiring)) {
  case Combine::Add:
  case Combine::Or:
  case Combine::Xor:
    return 0;
  case Combine::Max:
    return range.least;
  case Combine::Min:
    return range.greatest;
  }
  return 0;
}

template <typename Number>
static Number one(Semiring semiring, const Range<Number> &range) {
  switch (productOf(semiring)) {
  case Product::Multiply:
    return 1;
  case Product::Add:
    return 0;
  case Product::And:
    return -1;
  case Product::Min:
    return range.greatest;
  case Product::Max:
    return range.least;
  }
  return 1;
}

static constexpr Range<double> allNumbers = {
    -std::numeric_limits<double>::infinity(),
    std::numeric_limits<double>::infinity()};

static Range<int64_t> rangeOf(ElementType type) {
  int64_t unusedBits = 64 - 8 * byteWidth(type);
  return {std::numeric_limits<int64_t>::min() >> unusedBits,
          std::numeric_limits<int64_t>::max() >> unusedBits};
}

double zeroOf(Semiring semiring) { return zero(semiring, allNumbers); }
double oneOf(Semiring semiring) { return one(semiring, allNumbers); }
int64_t integerZeroOf(Semiring semiring, ElementType type) {
  return zero(semiring, rangeOf(type));
}
int64_t integerOneOf(Semiring semiring, ElementType type) {
  return one(semiring, rangeOf(type));
}

Constant zeroOf(Semiring semiring, ElementType type) {
  return isInteger(type) ? Constant::ofInteger(integerZeroOf(semiring, type))
                         : Constant(zeroOf(semiring));
}
Constant oneOf(Semiring semiring, ElementType type) {
  return isInteger(type) ? Constant::ofInteger(integerOneOf(semiring, type))
                         : Constant(oneOf(semiring));
}

bool scalingDistributes(Semiring semiring) {
  switch (semiring) {
  case Semiring::PlusTimes:
  case Semiring::MaxMin:
  case Semiring::MinMax:
  case Semiring::OrAnd:
  case Semiring::XorAnd:
    return true;
  case Semiring::MaxPlus:
  case Semiring::MinPlus:
  case Semiring::MaxTimes:
  case Semiring::UserDefined:
    return false;
  }
  return false;
}

bool productDistributes(Semiring semiring, ElementType sums) {
  switch (semiring) {
  case Semiring::PlusTimes:
  case Semiring::OrAnd:
  case Semiring::XorAnd:
    return true;
  case Semiring::MaxPlus:
  case Semiring::MinPlus:
    return !isInteger(sums);
  case Semiring::MaxMin:
  case Semiring::MinMax:
    return isInteger(sums);
  case Semiring::MaxTimes:
  case Semiring::UserDefined:
    return false;
  }
  return false;
}

} // namespace tc::model
