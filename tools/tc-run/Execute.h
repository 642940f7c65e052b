//===- Execute.h - Running kernels and telling of it ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_EXECUTE_H
#define TC_TOOLS_TC_RUN_EXECUTE_H

#include "Compile.h"

#include "tc/Driver/Report.h"

#include <nlohmann/json.hpp>

namespace tc::run {

/// What is told at the end: nothing is printed before all has run.
struct Report {
  std::string text;
  runtime::Json json;
  /// Why a check failed, if one did.
  std::string failure;
};

/// Tells of contractions that multiply nothing.
void reportEmpty(const std::vector<EmptyContraction> &contractions,
                 Report &report);

/// Runs all kernels of a program as the options say.
Status execute(const Program &program, const Options &options, Report &report);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_EXECUTE_H
