//===- Numbers.cpp - The oracle's numbers ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::differential;
using llvm::APFloat;

long double differential::sizeOf(const Number &value) {
  long double size = 0;
  if (const Real *real = std::get_if<Real>(&value))
    size = static_cast<long double>(abs(*real));
  if (const Complex *pair = std::get_if<Complex>(&value))
    size = std::hypot(static_cast<long double>(pair->real),
                      static_cast<long double>(pair->imaginary));
  return std::isfinite(size) ? size : 0;
}

Complex differential::toComplex(const Number &value) {
  if (const Complex *pair = std::get_if<Complex>(&value))
    return *pair;
  return {std::get<Real>(value), 0};
}

/// To the format of a type, whose range cuts 8-bit floats off.
static Real roundTo(mlir::FloatType type, Real value) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  Real largest = APFloat::getLargest(format).convertToDouble();
  if (type.getWidth() == 8 && abs(value) > largest)
    return value < 0 ? -largest : largest;
  if (value == 0 || isNaN(value) || isNaN(value - value))
    return value;
  int exponent =
      std::max<int>(ilogb(value), APFloat::semanticsMinExponent(format));
  int ulpExponent =
      exponent - static_cast<int>(APFloat::semanticsPrecision(format)) + 1;
  Real rounded = ldexp(rint(ldexp(value, -ulpExponent)), ulpExponent);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (abs(rounded) > largest)
    return rounded < 0 ? -infinity : infinity;
  return rounded;
}

/// The lowest bits of a number, as a signed one.
static int64_t wrap(unsigned width, int64_t value) {
  unsigned unused = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

Number differential::convertTo(Type type, const Number &value) {
  if (auto integer = dyn_cast<mlir::IntegerType>(type))
    return wrap(integer.getWidth(), std::get<int64_t>(value));
  if (auto pair = dyn_cast<mlir::ComplexType>(type)) {
    auto part = cast<mlir::FloatType>(pair.getElementType());
    Complex number = toComplex(value);
    return Complex{roundTo(part, number.real), roundTo(part, number.imaginary)};
  }
  return roundTo(cast<mlir::FloatType>(type), std::get<Real>(value));
}

int64_t differential::bytesOf(Type type) {
  if (auto pair = dyn_cast<mlir::ComplexType>(type))
    return 2 * bytesOf(pair.getElementType());
  return type.getIntOrFloatBitWidth() / 8;
}

Number differential::readElement(Type type, const std::byte *bytes) {
  if (auto pair = dyn_cast<mlir::ComplexType>(type)) {
    Type part = pair.getElementType();
    return Complex{std::get<Real>(readElement(part, bytes)),
                   std::get<Real>(readElement(part, bytes + bytesOf(part)))};
  }
  uint64_t bits = 0;
  for (int64_t i = bytesOf(type); i-- > 0;)
    bits = bits << 8 | std::to_integer<uint64_t>(bytes[i]);
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isInteger())
    return wrap(width, static_cast<int64_t>(bits));
  APFloat number(cast<mlir::FloatType>(type).getFloatSemantics(),
                 llvm::APInt(width, bits));
  return Real(number.convertToDouble());
}

static std::string toText(Real value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.17g", static_cast<double>(value));
  return buffer;
}

std::string differential::toText(const Number &value) {
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (const Real *real = std::get_if<Real>(&value))
    return ::toText(*real);
  Complex pair = std::get<Complex>(value);
  return "(" + ::toText(pair.real) + ", " + ::toText(pair.imaginary) + ")";
}
