//===- Approximations.cpp - Tests of approximate instructions -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.3: instructions for which it states a bound on the error and the
// results of zeros, infinities and NaNs.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <cmath>

using namespace tc::isa;

static const Type f32 = typeOf("f32"), f64 = typeOf("f64");

static Section section(int number, const std::string &name) {
  return {"9.7.3." + std::to_string(number),
          "Floating Point Instructions: " + name};
}

/// The largest distance of a result from the true value.
struct Bound {
  enum class Kind { Ulp, Relative, Logarithm } kind;
  long double size;
};

/// The distance of the format's numbers around a value.
static long double ulpAt(long double value, Format format) {
  int power = value == 0 ? format.minExponent() : std::ilogb(value);
  return std::ldexp(1.0L, std::max(power, format.minExponent()) -
                              (format.precision - 1));
}

/// The results within the bound of `value`: zeros, infinities and NaNs must be
/// met exactly.
static Expected within(long double value, Bound bound, bool flushes,
                       Format format) {
  if (std::isnan(value))
    return Expected(format.quietNan());
  Bits sign = std::signbit(value) ? format.sign() : 0;
  if (value == 0)
    return Expected(sign);
  if (std::isinf(value))
    return Expected(sign | format.infinity());
  long double error = bound.size * std::fabs(value);
  if (bound.kind == Bound::Kind::Ulp)
    error = bound.size * ulpAt(value, format);
  // The absolute error of a logarithm between -1 and 1.
  if (bound.kind == Bound::Kind::Logarithm && std::fabs(value) < 1)
    error = bound.size;
  long double low = value - error, high = value + error;
  const long double largest = toReal(format.infinity() - 1, format);
  if (high > largest)
    high = INFINITY;
  if (low < -largest)
    low = -INFINITY;
  // Results below the normal numbers may be flushed.
  const long double least = std::ldexp(1.0L, format.minExponent());
  if (flushes && low < least && high > -least) {
    low = std::min(low, 0.0L);
    high = std::max(high, 0.0L);
  } else if (bound.kind != Bound::Kind::Ulp) {
    // A bound that is finer than subnormal numbers are must allow for them.
    low -= ulpAt(low, format) / 2;
    high += ulpAt(high, format) / 2;
  }
  return Expected::within(low, high);
}

/// `NAME.f32` and `NAME.ftz.f32` for a function of real numbers.
template <typename F>
static void addApproximation(Table &table, const Section &section,
                             const std::string &name, Bound bound,
                             const std::string &agreement, std::size_t operands,
                             F f) {
  for (bool flushes : {false, true}) {
    auto reference = [=](const Row &row) {
      long double values[2] = {};
      for (std::size_t i = 0; i < operands; ++i)
        values[i] =
            toReal(flushes ? flush(row[i], binary32) : row[i], binary32);
      return within(f(values), bound, flushes, binary32);
    };
    Instruction &test =
        addTest(table, section, name + (flushes ? ".ftz.f32" : ".f32"), f32,
                std::vector<Type>(operands, f32), reference);
    test.agreement = agreement;
  }
}

static void addDivisions(Table &table) {
  const Bound twoUlp{Bound::Kind::Ulp, 2};
  addApproximation(table, section(8, "div"), "div.full", twoUlp, "2 ulp", 2,
                   [](const long double *v) { return v[0] / v[1]; });
  addApproximation(table, section(8, "div"), "div.approx", twoUlp, "2 ulp", 2,
                   [](const long double *v) {
                     // From 2^126 on the reciprocal is flushed to zero.
                     bool isHuge = std::fabs(v[1]) > std::ldexp(1.0L, 126) &&
                                   !std::isinf(v[1]);
                     return isHuge ? v[0] * std::copysign(0.0L, v[1])
                                   : v[0] / v[1];
                   });
  // Below 2^-126 nothing is stated.
  Instruction &test =
      *std::find_if(table.begin(), table.end(), [](const Instruction &i) {
        return i.name == "div.approx.f32";
      });
  test.reference = [reference = test.reference](const Thread &thread) {
    std::vector<Expected> expected = reference(thread);
    const Row &row = thread.operands();
    if (binary32.isSubnormal(row[1]))
      expected = {Expected::unspecified((ExactNumber::decode(row[0], binary32) /
                                         ExactNumber::decode(row[1], binary32))
                                            .encode(binary32))};
    return expected;
  };
}

void tc::isa::addApproximations(Table &table) {
  addDivisions(table);
  addApproximation(table, section(13, "rcp"), "rcp.approx",
                   {Bound::Kind::Ulp, 1}, "1 ulp", 1,
                   [](const long double *v) { return 1 / v[0]; });
  // Of operand and result, the most significant 20 bits count.
  Instruction &gross = addTest(
      table, section(14, "rcp.approx.ftz.f64"), "rcp.approx.ftz.f64", f64,
      {f64}, [=](const Row &row) {
        long double value = toReal(flush(row[0], binary64), binary64);
        return within(1 / value, {Bound::Kind::Relative, std::exp2(-19.0L)},
                      true, binary64);
      });
  gross.agreement = "relative 2^-19";
  addApproximation(table, section(15, "sqrt"), "sqrt.approx",
                   {Bound::Kind::Relative, std::exp2(-23.0L)}, "relative 2^-23",
                   1, [](const long double *v) { return std::sqrt(v[0]); });
  auto inverseRoot = [](const long double *v) {
    return v[0] == 0 ? std::copysign(1 / std::fabs(v[0]), v[0])
                     : 1 / std::sqrt(v[0]);
  };
  addApproximation(table, section(16, "rsqrt"), "rsqrt.approx",
                   {Bound::Kind::Relative, std::exp2(-22.9L)},
                   "relative 2^-22.9", 1, inverseRoot);
  // The bound that the CUDA C++ Programming Guide states for rsqrt().
  Instruction &test =
      addTest(table, section(16, "rsqrt"), "rsqrt.approx.f64", f64, {f64},
              [=](const Row &row) {
                long double value = toReal(row[0], binary64);
                return within(inverseRoot(&value), {Bound::Kind::Ulp, 1}, false,
                              binary64);
              });
  test.agreement = "1 ulp";
  addApproximation(table, section(20, "lg2"), "lg2.approx",
                   {Bound::Kind::Logarithm, std::exp2(-22.0L)},
                   "2^-22, absolute from 0.5 to 2, else relative", 1,
                   [](const long double *v) { return std::log2(v[0]); });
  addApproximation(table, section(21, "ex2"), "ex2.approx",
                   {Bound::Kind::Ulp, 2}, "2 ulp", 1,
                   [](const long double *v) { return std::exp2(v[0]); });
}
