//===- ExplainModule.h - Why schedules of a module are chosen ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_EXPLAINMODULE_H
#define TC_COMPILER_EXPLAINMODULE_H

#include "tc/Dialect/TC/Transforms/Order.h"
#include "tc/Explain/Explain.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

namespace tc {

/// Which schedules for a GPU are explained.
struct ExplainOptions {
  /// A built-in target, or one that the module describes.
  std::string target = "sm_90";
  /// A schedule to explain beside the search's choice, in the syntax of
  /// #tc.schedule, if any.
  std::string schedule;
  /// What that one is called; "given" is for those that the user gave.
  std::string scheduleName = "given";
  /// As in GpuOptions.
  std::optional<std::string> tuned;
  unsigned refine = 1;
  std::optional<int64_t> memoryLimit;
  /// Whether kernels take their shape at run time.
  bool dynamicShapes = false;
  /// Schedules to explain beside these.
  unsigned runnersUp = 5;
  /// Takes why products of many tensors are computed in their orders, if anyone
  /// asks.
  TakeOrders takeOrders;
};

/// Explains the schedules of all contractions of a module of that name that
/// need one, at least one; collapses their indices in place. Errors name the
/// place in the source.
Result<std::vector<explain::Section>>
explainModule(ModuleOp module, const std::string &name,
              const ExplainOptions &options);

} // namespace tc

#endif // TC_COMPILER_EXPLAINMODULE_H
