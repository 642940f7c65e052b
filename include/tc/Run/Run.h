//===- Run.h - Compile, run and check contractions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole way from a specification or a file to checked numbers, in the
// simulator, on a CUDA device or on this machine's CPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUN_RUN_H
#define TC_RUN_RUN_H

#include "tc/Run/Options.h"

#include <functional>

namespace tc::run {

/// Report at the end, and the reason for which a check failed, if one did.
struct Outcome {
  std::string output, failure;
};

/// Takes a warning, a line without its end.
using Warn = std::function<void(const std::string &)>;

/// Takes a line that says how far a long run is, without its end.
using Progress = std::function<void(const std::string &)>;

/// Does what the options ask for, and writes the files that they name.
Result<Outcome> run(const Options &options, const Warn &warn,
                    const Progress &progress);

} // namespace tc::run

#endif // TC_RUN_RUN_H
