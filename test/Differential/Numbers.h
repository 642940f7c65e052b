//===- Numbers.h - The oracle's numbers -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real numbers of 113 bits where compiler and C library have them, else `long
// double`; pairs of them for complex numbers; integers that wrap around.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_NUMBERS_H
#define TC_TEST_DIFFERENTIAL_NUMBERS_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#if defined(__SIZEOF_FLOAT128__) && defined(__GLIBC__)
// The C library's header declares them for the compilers that it knows.
extern "C" {
__float128 erff128(__float128);
__float128 expf128(__float128);
int ilogbf128(__float128);
__float128 ldexpf128(__float128, int);
__float128 logf128(__float128);
__float128 rintf128(__float128);
__float128 sqrtf128(__float128);
__float128 tanhf128(__float128);
}
#define TC_REAL_FUNCTION(name) name##f128
#else
#define TC_REAL_FUNCTION(name) name##l
#endif

namespace tc::differential {

#if defined(__SIZEOF_FLOAT128__) && defined(__GLIBC__)
using Real = __float128;
#else
using Real = long double;
#endif

inline Real erf(Real x) { return TC_REAL_FUNCTION(erf)(x); }
inline Real exp(Real x) { return TC_REAL_FUNCTION(exp)(x); }
inline int ilogb(Real x) { return TC_REAL_FUNCTION(ilogb)(x); }
inline Real ldexp(Real x, int power) {
  return TC_REAL_FUNCTION(ldexp)(x, power);
}
inline Real log(Real x) { return TC_REAL_FUNCTION(log)(x); }
/// To the nearest integer, ties to even.
inline Real rint(Real x) { return TC_REAL_FUNCTION(rint)(x); }
inline Real sqrt(Real x) { return TC_REAL_FUNCTION(sqrt)(x); }
inline Real tanh(Real x) { return TC_REAL_FUNCTION(tanh)(x); }
inline Real abs(Real x) { return x < 0 ? -x : x; }
inline bool isNaN(Real x) { return x != x; }

#undef TC_REAL_FUNCTION

struct Complex {
  Real real = 0, imaginary = 0;
};
inline Complex operator+(Complex x, Complex y) {
  return {x.real + y.real, x.imaginary + y.imaginary};
}
inline Complex operator*(Complex x, Complex y) {
  return {x.real * y.real - x.imaginary * y.imaginary,
          x.real * y.imaginary + x.imaginary * y.real};
}
inline Complex conjugate(Complex x) { return {x.real, -x.imaginary}; }

/// An element of a tensor, or a number computed of elements.
using Number = std::variant<int64_t, Real, Complex>;

/// The modulus; zero of integers, which have no errors to measure by it.
long double sizeOf(const Number &value);

/// The same number among complex ones.
Complex toComplex(const Number &value);

/// The nearest number of an element type. Integers wrap around.
Number convertTo(Type type, const Number &value);

/// The element that lies there in memory.
Number readElement(Type type, const std::byte *bytes);

/// Bytes from one element to the next.
int64_t bytesOf(Type type);

/// With digits enough for an f64.
std::string toText(const Number &value);

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_NUMBERS_H
