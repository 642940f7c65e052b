//===- PeakRates.cpp - Peak rates of a target -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/Target.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

double Target::peakFmaPerCycle(ElementType type, Precision precision) const {
  const TensorCoreRates &tensor = tensorFmaPerCycle;
  auto f64 = static_cast<double>(fmaPerCycleF64);
  auto f32 = static_cast<double>(fmaPerCycleF32);
  switch (type) {
  case ElementType::F64:
    return std::max(f64, static_cast<double>(tensor.f64));
  case ElementType::F32:
    if (precision == Precision::TF32)
      return std::max(f32, static_cast<double>(tensor.tf32));
    if (precision == Precision::TF32x3)
      return std::max(f32, static_cast<double>(tensor.tf32) / 3.0);
    if (precision == Precision::BF16x3)
      return std::max(f32, static_cast<double>(tensor.bf16) / 3.0);
    return f32;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return std::max(f32, static_cast<double>(tensor.f8));
  case ElementType::F16:
    return std::max(f32, static_cast<double>(tensor.f16));
  case ElementType::BF16:
    return std::max(f32, static_cast<double>(tensor.bf16));
  case ElementType::I8:
  case ElementType::I32:
    // An integer multiply-add has half the rate of one in single precision.
    return f32 / 2.0;
  case ElementType::I64:
    // It takes four of them.
    return f32 / 8.0;
  case ElementType::C32:
  case ElementType::C64:
    // As many as of real numbers, four of which make one product.
    return peakFmaPerCycle(realTypeOf(type), precision);
  }
  return 0;
}
