//===- HandlersAVX2.cpp - Handlers for x86-64 with AVX2 -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers for hosts with AVX2 and fused multiply-add.
//
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define TC_SIM_VARIANT avx2
#define TC_SIM_TARGET "avx2,fma,bmi,bmi2,lzcnt,popcnt"
#include "HandlerTable.h"
#endif
