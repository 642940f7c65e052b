//===- ExplainModule.h - Reasons for a module's schedules -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_EXPLAINMODULE_H
#define TC_COMPILER_EXPLAINMODULE_H

#include "tc/Explain/Explain.h"
#include "tc/OnDemand/Compiler.h"
#include "tc/Pipelines/Stages.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tc {

/// Options of the compilation for a GPU of explained contractions, and the
/// schedules that are explained.
struct ExplainOptions : DeviceOptions {
  /// Name of the schedule to obey; "given" is for those that the user gave.
  std::string scheduleName = "given";
  /// Schedules to explain beside those that kernels have.
  unsigned runnersUp = 5;
  /// Takes why products of many tensors are computed in their orders, if anyone
  /// asks.
  TakeOrders takeOrders;
  /// Takes what is predicted of contractions in one kernel, if anyone asks.
  TakeFusions takeFusions;
};

/// Explains the schedules of all contractions of a module of that name that
/// need one, at least one: those of the kernels that `compileForGpu` makes with
/// the same options. Runs the pipeline in place until schedules are chosen.
/// Errors name the place in the source.
Result<std::vector<explain::Section>>
explainModule(ModuleOp module, const std::string &name,
              const ExplainOptions &options);

} // namespace tc

#endif // TC_COMPILER_EXPLAINMODULE_H
