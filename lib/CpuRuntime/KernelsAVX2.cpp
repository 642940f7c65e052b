//===- KernelsAVX2.cpp - Kernels for x86-64 with AVX2 ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for AVX2 and fused multiply-adds: 16 registers of 32 bytes.
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define TC_CPU_VARIANT avx2
#define TC_CPU_ISA AVX2
#define TC_CPU_HALF_CONVERSIONS
#define TC_CPU_TARGET "avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"
#include "KernelTable.h"
#endif
