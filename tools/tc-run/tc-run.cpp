//===- tc-run.cpp - Compile, run and check contractions ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Run/Run.h"
#include "tc/Support/Tool.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace tc;

/// Ends the program where the compiler, or what holds tensors, finds no memory.
[[noreturn]] static void failForMemory() {
  // Printing into a buffer would ask for some.
  static constexpr char message[] = "tc-run: out of memory\n";
  std::fputs(message, stderr);
  std::_Exit(1);
}

int main(int argc, char **argv) {
  std::set_new_handler(failForMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { failForMemory(); });
  Result<run::Options> options = run::parseCommandLine(argc, argv);
  if (!options && options.error().empty())
    return EXIT_FAILURE;
  if (!options)
    return failTool("tc-run", options.error());
  Result<run::Outcome> outcome = run::run(
      *options,
      [](const std::string &line) {
        std::fprintf(stderr, "tc-run: warning: %s\n", line.c_str());
      },
      [](const std::string &line) {
        std::fprintf(stderr, "tc-run: %s\n", line.c_str());
      });
  if (!outcome)
    return failTool("tc-run", outcome.error());
  return endTool("tc-run", outcome->output, outcome->failure);
}
