//===- HandlersGeneric.cpp - Handlers for any host -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers for the instruction set that the compiler aims at by default.
//
//===----------------------------------------------------------------------===//

#define TC_SIM_VARIANT generic
#include "HandlerTable.h"

namespace tc::sim {
#ifdef __x86_64__
namespace avx2 {
extern const Handler handlers[];
} // namespace avx2
namespace avx512 {
extern const Handler handlers[];
} // namespace avx512
#endif

const Handler *selectHandlers() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return avx512::handlers;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2::handlers;
#endif
  return generic::handlers;
}
} // namespace tc::sim
