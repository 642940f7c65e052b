//===- Roofline.cpp - What no kernel can be faster than ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Roofline.h"

#include <algorithm>

using namespace tc;
using namespace tc::bench;

/// Multiply-adds a cycle and multiprocessor.
static double fmaRate(const model::Target &target, model::ElementType type,
                      model::Precision precision) {
  using model::ElementType, model::Precision;
  const model::TensorCoreRates &tensor = target.tensorFmaPerCycle;
  auto fastest = [&](int64_t fma, double onTensorCores) {
    return std::max(static_cast<double>(fma), onTensorCores);
  };
  switch (type) {
  case ElementType::F64:
    return fastest(target.fmaPerCycleF64, tensor.f64);
  case ElementType::F32:
    if (precision == Precision::TF32)
      return fastest(target.fmaPerCycleF32, tensor.tf32);
    if (precision == Precision::TF32x3)
      return fastest(target.fmaPerCycleF32, tensor.tf32 / 3.0);
    if (precision == Precision::BF16x3)
      return fastest(target.fmaPerCycleF32, tensor.bf16 / 3.0);
    return target.fmaPerCycleF32;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return fastest(target.fmaPerCycleF32, tensor.f8);
  case ElementType::F16:
    return fastest(target.fmaPerCycleF32, tensor.f16);
  case ElementType::BF16:
    return fastest(target.fmaPerCycleF32, tensor.bf16);
  case ElementType::I8:
  case ElementType::I32:
    // An integer multiply-add has half the rate of one in single precision.
    return target.fmaPerCycleF32 / 2.0;
  case ElementType::I64:
    // It takes four of them.
    return target.fmaPerCycleF32 / 8.0;
  case ElementType::C32:
  case ElementType::C64:
    // As many as of real numbers, four of which make one product.
    return fmaRate(target, realTypeOf(type), precision);
  }
  return 0;
}

double bench::peakFlops(const model::Target &target, model::ElementType type,
                        model::Precision precision, int64_t multiprocessors,
                        double clockHertz) {
  return 2 * fmaRate(target, type, precision) *
         static_cast<double>(multiprocessors) * clockHertz;
}

const model::Target *bench::targetOf(unsigned computeCapability) {
  for (const model::Target &target : model::builtinTargets())
    if (target.computeCapability == computeCapability)
      return &target;
  return nullptr;
}

Floor bench::floorOf(const runtime::Work &work, double flopsPerSecond,
                     double bytesPerSecond) {
  double arithmetic = work.flops / flopsPerSecond;
  double traffic = work.bytes / bytesPerSecond;
  return {std::max(arithmetic, traffic), traffic > arithmetic};
}
