//===- StepMachine.cpp - The machine whose times decide -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepMachine.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/Machine/TargetFile.h"

using namespace tc;

Result<StepMachine> tc::findStepMachine(mlir::Operation *op,
                                        const std::string &target,
                                        const std::string &targetFile,
                                        int64_t threads) {
  StepMachine machine;
  machine.threads = threads;
  if (threads < 1)
    return Error{"option 'threads': must be 1 at least, but is " +
                 std::to_string(threads)};
  if (target == "cpu") {
    Result<model::CpuTarget> found = model::loadCpuTarget(targetFile);
    if (!found)
      return Error{(targetFile.empty() ? "" : "option 'target-file': ") +
                   found.error()};
    machine.cpu = std::move(*found);
    return machine;
  }
  Result<model::Target> found = lookUpTargetOptions(op, target, targetFile);
  if (!found)
    return Error{found.error()};
  machine.gpu = std::move(*found);
  return machine;
}

std::unique_ptr<model::StepTimes>
StepMachine::makeTimes(model::ElementType type,
                       model::Precision precision) const {
  if (gpu)
    return makeStepTimes(*gpu, type, precision);
  return makeStepTimes(*cpu, type, threads);
}
