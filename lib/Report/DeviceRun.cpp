//===- DeviceRun.cpp - One kernel's run on a device -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Report/DeviceRun.h"

using namespace tc;
using namespace tc::runtime;

Result<DeviceRun> tc::runtime::runOnDevice(const DeviceModule &module,
                                           const Kernel &kernel,
                                           const DeviceRunOptions &options) {
  const Kernel &definition = options.definition ? *options.definition : kernel;
  Result<Problem> problem = makeProblem(definition, options.problem);
  if (!problem)
    return Error{problem.error()};
  Result<DeviceKernel> prepared =
      DeviceKernel::prepare(module, kernel, *problem);
  if (!prepared)
    return Error{prepared.error()};
  if (Status s = prepared->run(); !s)
    return Error{s.error()};

  DeviceRun run;
  run.registersPerThread = prepared->registersPerThread();
  run.localBytesPerThread = prepared->localBytesPerThread();
  if (options.check) {
    if (Status s = prepared->fetch(*problem); !s)
      return Error{s.error()};
    CheckOptions check;
    check.samples = options.samples.value_or(affordableSamples(kernel, {}));
    check.workers = options.problem.workers;
    check.definition = options.definition;
    check.ranOnDevice = true;
    run.check = checkOutput(kernel, *problem, check);
  }
  if (options.repeats) {
    Result<Timing> timing = prepared->time(*options.repeats);
    if (!timing)
      return Error{timing.error()};
    run.timing = std::move(*timing);
  }
  return run;
}
