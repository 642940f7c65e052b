//===- HandlersAVX512.cpp - Handlers for x86-64 with AVX-512 -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers for hosts with the AVX-512 subset of x86-64-v4.
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define TC_SIM_VARIANT avx512
#define TC_SIM_TARGET                                                          \
  "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt"
#include "HandlerTable.h"
#endif
