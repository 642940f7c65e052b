//===- Factors.cpp - Alpha and beta ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Factors.h"

#include <complex>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;

Real cpu::realOf(ElementType sums) {
  switch (model::realTypeOf(sums)) {
  case ElementType::F32:
    return Real::F32;
  case ElementType::F64:
    return Real::F64;
  case ElementType::I32:
    return Real::I32;
  case ElementType::I8:
    return Real::I8;
  default:
    return Real::I64;
  }
}

const void *cpu::oneOf(Real real) {
  static constexpr std::complex<float> f32 = 1;
  static constexpr std::complex<double> f64 = 1;
  static constexpr uint32_t i32 = 1;
  static constexpr uint64_t i64 = 1;
  static constexpr uint8_t i8 = 1;
  switch (real) {
  case Real::F32:
    return &f32;
  case Real::F64:
    return &f64;
  case Real::I32:
    return &i32;
  case Real::I8:
    return &i8;
  case Real::I64:
    break;
  }
  return &i64;
}

const void *cpu::narrowOneOf(ElementType type) {
  static constexpr uint16_t f16 = 0x3c00, bf16 = 0x3f80;
  return type == ElementType::F16 ? &f16 : &bf16;
}

bool cpu::isNumber(Real real, bool isComplex, const void *factor, int number) {
  auto is = [&](auto zero) {
    using T = decltype(zero);
    return *static_cast<const T *>(factor) == static_cast<T>(number);
  };
  switch (real) {
  case Real::F32:
    return isComplex ? is(std::complex<float>()) : is(0.0f);
  case Real::F64:
    return isComplex ? is(std::complex<double>()) : is(0.0);
  case Real::I32:
    return is(int32_t());
  case Real::I8:
    return is(int8_t());
  case Real::I64:
    break;
  }
  return is(int64_t());
}

bool cpu::isReal(Real real, bool isComplex, const void *factor) {
  if (!isComplex)
    return true;
  return real == Real::F32
             ? static_cast<const std::complex<float> *>(factor)->imag() == 0
             : static_cast<const std::complex<double> *>(factor)->imag() == 0;
}
