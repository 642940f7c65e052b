//===- Features.h - Abilities of some chips ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the abilities that some chips have and others lack. All decisions
// that depend on a chip, and on no figure of its target, ask for a feature.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_FEATURES_H
#define TC_MACHINE_FEATURES_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tc::model {

/// Compute capabilities from `least` on and below `end`, ten times major plus
/// minor.
struct CapabilityRange {
  unsigned least = 0;
  unsigned end = ~0u;

  bool contains(unsigned capability) const {
    return least <= capability && capability < end;
  }
};

enum class Feature : std::uint8_t {
  AsyncCopy,              ///< `cp.async` from global to shared memory
  DoubleRateIntegerAdds,  ///< twice as many as multiplications and shifts
  Float8PairConversions,  ///< `cvt` of pairs of 8-bit floats
  HalfRateSmallDoubleMMA, ///< DMMA of 8x8x4 at half the rate of larger shapes
  TensorBF16,             ///< tensor cores multiply bf16
  TensorF64,              ///< tensor cores multiply f64
  TensorF8,               ///< tensor cores multiply 8-bit floats
  TensorTF32,             ///< tensor cores multiply TF32
  TF32RoundToEven,        ///< `cvt.rn.tf32`, which is one instruction
  WarpGroupMultiply,      ///< `wgmma` or `tcgen05.mma`
};

/// One line of the table.
struct FeatureRow {
  Feature feature;
  /// As documentation and `tc-run --target-info` write it: "async_copy".
  const char *name;
  CapabilityRange chips;
  /// The source of that.
  const char *source;
};

/// One line for each feature, in their order.
const std::vector<FeatureRow> &allFeatures();

const FeatureRow &rowOf(Feature feature);

} // namespace tc::model

#endif // TC_MACHINE_FEATURES_H
