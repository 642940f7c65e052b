//===- CpuStrategies.h - Strategies of an operation on CPUs -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategies of an operation: those for which code is made, and the call of
// a library that computes it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_CPUSTRATEGIES_H
#define TC_ANALYSIS_CPUSTRATEGIES_H

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Returns true if prologues do more than libtc_cpu_runtime, which widens
/// factors by itself.
bool needsPrologues(ContractOp op);

/// Checks that libtc_cpu_runtime computes all of an operation.
Status checkLibraryComputes(ContractOp op);

/// Bounds of a search for the strategy of an operation.
struct CpuStrategyLimits {
  /// Bytes of copies, if there is a limit.
  std::optional<int64_t> workspace;
  int64_t threads = 1;
  /// Code may call libtc_cpu_runtime; and the target is the CPU at hand, which
  /// the library's predictions are for.
  bool callsLibrary = false, isForThisCpu = true;
};

/// All strategies of an operation. Fails, after an error of the operation, if
/// its shape is unknown or its factors have several types.
FailureOr<Result<std::vector<model::StrategyChoice>>>
considerStrategies(ContractOp op, const model::CpuTarget &target,
                   const CpuStrategyLimits &limits);

} // namespace tc

#endif // TC_ANALYSIS_CPUSTRATEGIES_H
