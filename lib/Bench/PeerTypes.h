//===- PeerTypes.h - Types as NVIDIA's libraries number them ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_PEERTYPES_H
#define TC_LIB_BENCH_PEERTYPES_H

#include "tc/Problem/Constants.h"

#include <complex>

namespace tc::bench {

/// The value of cudaDataType_t (library_types.h of the CUDA Toolkit).
inline int cudaTypeOf(model::ElementType type) {
  switch (type) {
  case model::ElementType::F8E4M3FN:
    return 28;
  case model::ElementType::F8E5M2:
    return 29;
  case model::ElementType::F16:
    return 2;
  case model::ElementType::BF16:
    return 14;
  case model::ElementType::F32:
    return 0;
  case model::ElementType::F64:
    return 1;
  case model::ElementType::I8:
    return 3;
  case model::ElementType::I32:
    return 10;
  case model::ElementType::I64:
    return 24;
  case model::ElementType::C32:
    return 4;
  case model::ElementType::C64:
    return 5;
  }
  return -1;
}

/// alpha or beta as the libraries take it: a double where sums are in f64, a
/// float where they are in f32, and a pair of these where they are complex.
class PeerScalar {
public:
  PeerScalar(const model::Constant &value, model::ElementType accumulator)
      : asDouble(value.value()), asFloat(value.value()),
        isDouble(model::realTypeOf(accumulator) == model::ElementType::F64) {}

  const void *address() const {
    return isDouble ? static_cast<const void *>(&asDouble) : &asFloat;
  }

private:
  // A real number is the real part of a complex one.
  std::complex<double> asDouble;
  std::complex<float> asFloat;
  bool isDouble;
};

} // namespace tc::bench

#endif // TC_LIB_BENCH_PEERTYPES_H
