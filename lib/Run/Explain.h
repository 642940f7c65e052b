//===- Explain.h - Reasons for the choice of a schedule ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_EXPLAIN_H
#define TC_LIB_RUN_EXPLAIN_H

#include "tc/Run/Options.h"

namespace tc::run {

/// Explains the schedules of all contractions of the input, collapsed as they
/// would be compiled, and compiles none. Writes the files that are asked for,
/// and returns what is to be printed.
Result<std::string> explainInput(const Options &options);

} // namespace tc::run

#endif // TC_LIB_RUN_EXPLAIN_H
