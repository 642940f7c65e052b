//===- FuzzProgram.cpp - Fuzz target: several statements --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as a program in either notation.
//
//===----------------------------------------------------------------------===//

#include "FuzzNotation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  tc::fuzz::checkProgram(tc::notation::ProgramNotation::Tensors, text);
  tc::fuzz::checkProgram(tc::notation::ProgramNotation::Octopi, text);
  return 0;
}
