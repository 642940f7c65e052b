//===- PeakRates.cpp - What a target multiplies at most ---------*- C++ -*-===//
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
  auto fastest = [&](int64_t fma, double onTensorCores) {
    return std::max(static_cast<double>(fma), onTensorCores);
  };
  switch (type) {
  case ElementType::F64:
    return fastest(fmaPerCycleF64, tensor.f64);
  case ElementType::F32:
    if (precision == Precision::TF32)
      return fastest(fmaPerCycleF32, tensor.tf32);
    if (precision == Precision::TF32x3)
      return fastest(fmaPerCycleF32, tensor.tf32 / 3.0);
    if (precision == Precision::BF16x3)
      return fastest(fmaPerCycleF32, tensor.bf16 / 3.0);
    return fmaPerCycleF32;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return fastest(fmaPerCycleF32, tensor.f8);
  case ElementType::F16:
    return fastest(fmaPerCycleF32, tensor.f16);
  case ElementType::BF16:
    return fastest(fmaPerCycleF32, tensor.bf16);
  case ElementType::I8:
  case ElementType::I32:
    // An integer multiply-add has half the rate of one in single precision.
    return fmaPerCycleF32 / 2.0;
  case ElementType::I64:
    // It takes four of them.
    return fmaPerCycleF32 / 8.0;
  case ElementType::C32:
  case ElementType::C64:
    // As many as of real numbers, four of which make one product.
    return peakFmaPerCycle(realTypeOf(type), precision);
  }
  return 0;
}
