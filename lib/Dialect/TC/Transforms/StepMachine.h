//===- StepMachine.h - The machine whose times decide -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_TRANSFORMS_STEPMACHINE_H
#define TC_LIB_DIALECT_TC_TRANSFORMS_STEPMACHINE_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"
#include "tc/Program/StepTimes.h"
#include "tc/Support/Result.h"

#include "mlir/IR/Operation.h"

namespace tc {

/// A GPU, or threads of a CPU, by the options `target`, `target-file` and
/// `threads` of passes.
struct StepMachine {
  std::optional<model::Target> gpu;
  std::optional<model::CpuTarget> cpu;
  int64_t threads = 1;

  const std::string &name() const { return gpu ? gpu->name : cpu->name; }

  /// Predictions, which keep a reference to the machine.
  std::unique_ptr<model::StepTimes> makeTimes(model::ElementType type,
                                              model::Precision precision) const;
};

/// The machine that the options of a pass on `op` say.
Result<StepMachine> findStepMachine(mlir::Operation *op,
                                    const std::string &target,
                                    const std::string &targetFile,
                                    int64_t threads);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_TRANSFORMS_STEPMACHINE_H
