//===- KernelsBF16.cpp - Products of BF16 for x86-64 with AVX512_BF16 -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#include <immintrin.h>

#define TC_CPU_VARIANT avx512bf16
#define TC_CPU_ISA AVX512
#define TC_CPU_TARGET                                                          \
  "avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,avx2,fma,f16c,bmi,bmi2,"      \
  "lzcnt,popcnt"
#include "BeginTarget.inc"

#include "Vectors.inc"

#include "Multiply.inc"

#include "Pairs.inc"

} // namespace

extern const PairKernels pairs;
const PairKernels pairs = {kernelsOfType<float, PairStep>, packPairs};

#include "EndTarget.inc"
#endif
