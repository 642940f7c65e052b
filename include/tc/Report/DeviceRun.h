//===- DeviceRun.h - One kernel's run on a device ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_REPORT_DEVICERUN_H
#define TC_REPORT_DEVICERUN_H

#include "tc/Driver/Device.h"
#include "tc/Reference/Check.h"

#include <optional>

namespace tc::runtime {

struct DeviceRunOptions {
  ProblemOptions problem;
  bool check = false;
  /// Elements to compare: 0 means all, nothing as many as are affordable.
  std::optional<int64_t> samples;
  /// Timed runs, if any.
  std::optional<int> repeats;
  /// See CheckOptions.
  const Kernel *definition = nullptr;
};

/// Figures of one kernel's run on a device.
struct DeviceRun {
  int64_t registersPerThread = 0, localBytesPerThread = 0;
  std::optional<CheckReport> check;
  std::optional<Timing> timing;
};

/// Makes operands, runs the kernel once, checks and times it as asked for.
Result<DeviceRun> runOnDevice(const DeviceModule &module, const Kernel &kernel,
                              const DeviceRunOptions &options);

} // namespace tc::runtime

#endif // TC_REPORT_DEVICERUN_H
