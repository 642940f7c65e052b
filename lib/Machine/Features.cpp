//===- Features.cpp - Abilities of some chips -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/Features.h"

#include "tc/Machine/Target.h"

using namespace tc;
using namespace tc::model;

const std::vector<FeatureRow> &tc::model::allFeatures() {
  using F = Feature;
  constexpr const char *ptx = "PTX ISA", *guide = "CUDA C++ Programming Guide";
  static const std::vector<FeatureRow> rows = {
      {F::AsyncCopy, "async_copy", {80}, ptx},
      {F::DoubleRateIntegerAdds,
       "double_rate_integer_adds",
       {120},
       "CUDA C++ Best Practices Guide, Throughput of Native Arithmetic "
       "Instructions"},
      {F::Float8PairConversions, "float8_pair_conversions", {89}, ptx},
      {F::HalfRateSmallDoubleMMA,
       "half_rate_small_double_mma",
       {90, 91},
       "survey of shapes on an H100, "
       "github.com/seiya/scale-dg-kernel-extraction, "
       "reports/sm90_mma_shape_survey.md"},
      {F::TensorBF16, "tensor_bf16", {80}, guide},
      {F::TensorF64, "tensor_f64", {80}, guide},
      {F::TensorF8, "tensor_f8", {89}, guide},
      {F::TensorTF32, "tensor_tf32", {80}, guide},
      {F::TF32RoundToEven, "tf32_round_to_even", {90}, ptx},
      {F::WarpGroupMultiply, "warp_group_multiply", {90, 120}, ptx},
  };
  return rows;
}

const FeatureRow &tc::model::rowOf(Feature feature) {
  return allFeatures()[static_cast<size_t>(feature)];
}

bool Target::has(Feature feature) const {
  return rowOf(feature).chips.contains(computeCapability);
}
