//===- WholeProgram.h - Runs and checks all slices of a product -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running each kernel once computes but one slice of each kind. Here, the whole
// program runs, and its results are compared with those of the same input
// without a limit.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_WHOLEPROGRAM_H
#define TC_LIB_RUN_WHOLEPROGRAM_H

#include "ProgramMemory.h"
#include "tc/Run/Run.h"

#include "tc/Report/Report.h"

namespace tc::run {

/// Runs a program by `run`, reports the slices of each result and, if the
/// options ask for a check, compares all elements. The reference has the order
/// that is chosen without a limit, of which each step is computed by
/// definition, or by compiled code where that takes too long; errors are
/// measured by what the steps make of the sizes of all numbers. Where there is
/// no such program, the report says why.
///
/// @param warn  takes what is wrong with the cache
Status runWholeProgram(const runtime::Program &program,
                       const std::function<Status(ProgramMemory &memory)> &run,
                       const Options &options, uint64_t seed, const Warn &warn,
                       const Progress &progress, runtime::Report &report);

} // namespace tc::run

#endif // TC_LIB_RUN_WHOLEPROGRAM_H
