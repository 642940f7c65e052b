//===- FuzzTCCG.cpp - Fuzz target: input files of TCCG ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as input files of TCCG.
//
//===----------------------------------------------------------------------===//

#include "FuzzNotation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tc::fuzz::checkNotation(tc::notation::Notation::TCCG,
                          {reinterpret_cast<const char *>(data), size});
  return 0;
}
