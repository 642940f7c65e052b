//===- SanitizerOptions.cpp - Defaults of sanitizers ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's allocators mark free memory for AddressSanitizer in code that is
// compiled with it, but not within libLLVM.so and libMLIR.so, which are not. So
// memory that the libraries hand out would still be marked: switch marks off.
//
// LLVM's OpenMP runtime may leave a few kilobytes behind that it allocates
// where it starts a team: no leak of ours.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

extern "C" const char *__lsan_default_suppressions() {
  return "leak:libomp.so\nleak:libiomp5.so\n";
}
