//===- Semirings.cpp - Sums and products of the oracle --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semirings.h"

#include "ElementwiseCode.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include <limits>

using namespace tc;
using namespace tc::differential;
using model::Semiring;
using Binary = Arithmetic::Binary;

//===----------------------------------------------------------------------===//
// Real and complex numbers
//===----------------------------------------------------------------------===//

template <typename T, typename Operation>
static Binary on(Operation operation) {
  return [=](const Number &x, const Number &y) -> Number {
    return operation(std::get<T>(x), std::get<T>(y));
  };
}

static Real greater(Real x, Real y) { return isNaN(y) || x > y ? x : y; }
static Real lesser(Real x, Real y) { return isNaN(y) || x < y ? x : y; }
static Real add(Real x, Real y) { return x + y; }
static Real multiply(Real x, Real y) { return x * y; }

static Arithmetic realArithmetic(Semiring semiring) {
  constexpr Real infinity = std::numeric_limits<double>::infinity();
  switch (semiring) {
  case Semiring::PlusTimes:
    return {on<Real>(add), on<Real>(multiply), Real(0), Real(1), true, true};
  case Semiring::MaxPlus:
    return {on<Real>(greater), on<Real>(add), -infinity, Real(0), false, false};
  case Semiring::MinPlus:
    return {on<Real>(lesser), on<Real>(add), infinity, Real(0), false, false};
  case Semiring::MaxTimes:
    return {
        on<Real>(greater), on<Real>(multiply), -infinity, Real(1), false, true};
  case Semiring::MaxMin:
    return {
        on<Real>(greater), on<Real>(lesser), -infinity, infinity, false, false};
  case Semiring::MinMax:
    return {
        on<Real>(lesser), on<Real>(greater), infinity, -infinity, false, false};
  case Semiring::OrAnd:
  case Semiring::XorAnd:
  case Semiring::UserDefined:
    break;
  }
  llvm_unreachable("no semiring of real numbers");
}

static Arithmetic complexArithmetic() {
  auto add = [](Complex x, Complex y) { return x + y; };
  auto multiply = [](Complex x, Complex y) { return x * y; };
  return {on<Complex>(add),
          on<Complex>(multiply),
          Complex{0, 0},
          Complex{1, 0},
          true,
          true};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Arithmetic integerArithmetic(Semiring semiring, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  int64_t greatest = std::numeric_limits<int64_t>::max() >> (64 - width);
  int64_t least = -greatest - 1;
  auto wrapping = [type](auto operation) {
    return on<int64_t>([=](uint64_t x, uint64_t y) {
      return convertTo(type, static_cast<int64_t>(operation(x, y)));
    });
  };
  Binary add = wrapping([](uint64_t x, uint64_t y) { return x + y; });
  Binary multiply = wrapping([](uint64_t x, uint64_t y) { return x * y; });
  Binary bitAnd = wrapping([](uint64_t x, uint64_t y) { return x & y; });
  Binary bitOr = wrapping([](uint64_t x, uint64_t y) { return x | y; });
  Binary bitXor = wrapping([](uint64_t x, uint64_t y) { return x ^ y; });
  Binary greater =
      on<int64_t>([](int64_t x, int64_t y) { return x > y ? x : y; });
  Binary lesser =
      on<int64_t>([](int64_t x, int64_t y) { return x < y ? x : y; });
  int64_t zero = 0, one = 1, allBits = -1;
  switch (semiring) {
  case Semiring::PlusTimes:
    return {add, multiply, zero, one};
  case Semiring::MaxPlus:
    return {greater, add, least, zero};
  case Semiring::MinPlus:
    return {lesser, add, greatest, zero};
  case Semiring::MaxTimes:
    return {greater, multiply, least, one};
  case Semiring::MaxMin:
    return {greater, lesser, least, greatest};
  case Semiring::MinMax:
    return {lesser, greater, greatest, least};
  case Semiring::OrAnd:
    return {bitOr, bitAnd, zero, allBits};
  case Semiring::XorAnd:
    return {bitXor, bitAnd, zero, allBits};
  case Semiring::UserDefined:
    break;
  }
  llvm_unreachable("no semiring of integers");
}

/// The arithmetic of a contraction's own regions, whose code says nothing of
/// errors: these are measured by all numbers on the way.
static Result<Arithmetic> userArithmetic(ContractOp op) {
  Arithmetic arithmetic;
  arithmetic.accumulatesErrors = arithmetic.scalesErrors = false;
  for (auto [region, operation] :
       {std::pair(op.getProduct(), &arithmetic.product),
        std::pair(op.getCombine(), &arithmetic.sum)}) {
    Result<ElementwiseCode> code =
        ElementwiseCode::read(*region, /*storesResult=*/false);
    if (!code)
      return Error{code.error()};
    *operation = [code = std::move(*code)](const Number &x, const Number &y) {
      return code.evaluate({x, y});
    };
  }
  mlir::TypedAttr identity = op.getIdentityAttr();
  if (auto integer = dyn_cast<IntegerAttr>(identity))
    arithmetic.zero = integer.getValue().getSExtValue();
  else
    arithmetic.zero = Real(cast<FloatAttr>(identity).getValueAsDouble());
  return arithmetic;
}

Result<Arithmetic> differential::arithmeticOf(ContractOp op) {
  Semiring semiring = op.getSemiring();
  Type type = op.getAccumulatorType();
  if (semiring == Semiring::UserDefined)
    return userArithmetic(op);
  if (isa<mlir::IntegerType>(type))
    return integerArithmetic(semiring, type);
  return isa<mlir::ComplexType>(type) ? complexArithmetic()
                                      : realArithmetic(semiring);
}
