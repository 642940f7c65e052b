//===- Summary.h - Results for people ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_BENCH_SUMMARY_H
#define TC_TOOLS_TC_BENCH_SUMMARY_H

#include "tc/Bench/Results.h"

namespace tc::bench {

/// The machine and the method of the measurements: before the rows.
std::string headText(const Results &results);
/// The row of a case, and a line for each failure in it.
std::string rowText(const CaseResult &result);
/// Geometric means over the cases, and what is missing.
std::string tailText(const Results &results);

} // namespace tc::bench

#endif // TC_TOOLS_TC_BENCH_SUMMARY_H
