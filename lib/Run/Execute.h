//===- Execute.h - Running kernels and reporting ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_EXECUTE_H
#define TC_LIB_RUN_EXECUTE_H

#include "Compile.h"
#include "tc/Run/Run.h"

#include "tc/Buffers/Problem.h"
#include "tc/Report/Report.h"

namespace tc::run {

using runtime::Report;

/// Describes contractions that multiply nothing.
void reportEmpty(const std::vector<EmptyContraction> &contractions,
                 Report &report);

/// Origin of the data of a kernel, as the options say. Without an option for
/// beta, slices add to what there is, as all but the first of a sum do.
runtime::ProblemOptions problemOptions(const Options &options,
                                       const runtime::Kernel &definition,
                                       uint64_t seed);

/// Runs all kernels of a program as the options say, and all slices where there
/// is a limit of memory.
Status execute(const CompiledProgram &program, const Options &options,
               const Warn &warn, const Progress &progress, Report &report);

/// Says of programs of several steps what a run of them takes, and of other
/// functions with several kernels why they are none.
void reportPrograms(const std::vector<runtime::Program> &programs,
                    const std::vector<std::string> &obstacles, Report &report);

} // namespace tc::run

#endif // TC_LIB_RUN_EXECUTE_H
