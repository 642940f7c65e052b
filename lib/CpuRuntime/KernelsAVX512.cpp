//===- KernelsAVX512.cpp - Kernels for x86-64 with AVX-512 ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for the AVX-512 subset of x86-64-v4: 32 registers of 64 bytes.
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define TC_CPU_VARIANT avx512
#define TC_CPU_ISA AVX512
#define TC_CPU_HALF_CONVERSIONS
#define TC_CPU_TARGET                                                          \
  "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#include "KernelTable.h"
#endif
