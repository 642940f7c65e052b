//===- KernelsAVX2.cpp - Kernels for x86-64 with AVX2 ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With AVX2 and fused multiply-adds: 16 registers of 32 bytes.
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define TC_CPU_VARIANT avx2
#define TC_CPU_NAME "avx2"
#define TC_CPU_VECTOR_BYTES 32
#define TC_CPU_TARGET "avx2,fma,bmi,bmi2,lzcnt,popcnt"
#define TC_CPU_TILES(T)                                                        \
  kernelOf<T, 3, 4>(), kernelOf<T, 2, 6>(), kernelOf<T, 1, 8>()
#include "KernelTable.h"
#endif
