//===- Factors.h - Alpha and beta --------------------------------*- C++-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_FACTORS_H
#define TC_LIB_CPURUNTIME_FACTORS_H

#include "Kernels.h"

namespace tc::cpu {

/// The real numbers that sums of a type have, or their parts.
Real realOf(model::ElementType sums);

/// The number one, complex or not.
const void *oneOf(Real real);
/// The number one of F16 or BF16.
const void *narrowOneOf(model::ElementType type);

/// Return true if a factor is that number, and if it is a real one.
bool isNumber(Real real, bool isComplex, const void *factor, int number);
bool isReal(Real real, bool isComplex, const void *factor);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_FACTORS_H
