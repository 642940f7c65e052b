//===- Case.h - One module on all targets -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_CASE_H
#define TC_TEST_DIFFERENTIAL_CASE_H

#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/MLIRContext.h"

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace tc::differential {

/// A module to compile, and options of its runs.
struct Case {
  std::string name;
  std::string module;
  /// The same with other extents, strides and offsets: kernels for GPUs are
  /// compiled from it, and take those of `module` when they are launched. Empty
  /// if they are compiled from `module`.
  std::string tunedModule;
  uint64_t seed = 0;
  bool onCpu = true, onSimulator = true;
  std::string chip = "sm_90";
  /// A file with the CPU to choose schedules for, if not this machine's.
  std::string cpuFile;
  unsigned threads = 1;
  /// The CPU's strategy, as in the option of tc-run.
  std::string strategy = "auto";
  /// Another number of threads, which must leave the same bits.
  std::optional<unsigned> otherThreads;
  /// For factors that are arguments.
  std::complex<double> alpha = 1, beta = 0;
};

/// Reads cases from modules between lines "// -----". The first line of each
/// is "// case NAME: OPTION=VALUE ...". A `tunedModule` follows behind a line
/// "// tuned for".
Result<std::vector<Case>> readCases(StringRef text);

/// A context for `runCase`.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Computes a case on its targets, telling which is next, and compares the
/// results with the oracle's. An error names the targets at fault.
Status runCase(mlir::MLIRContext &context, const Case &testCase,
               llvm::function_ref<void(StringRef)> enter);

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_CASE_H
