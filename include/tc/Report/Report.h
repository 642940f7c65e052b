//===- Report.h - Reports of runs -------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of reports that the tools have in common, as text and as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REPORT_REPORT_H
#define TC_REPORT_REPORT_H

#include "tc/Package/DynamicShape.h"
#include "tc/Package/KernelText.h"
#include "tc/Report/DeviceRun.h"

#include <string>

namespace tc::runtime {

/// The output of a tool at its end: nothing is printed before all has run.
struct Report {
  std::string text;
  Json json;
  /// The reason why a check failed, if one did: the first.
  std::string failure;

  /// Notes the outcome of a check of what is named, as in "kernel gemm".
  void note(const std::string &name, const CheckReport &check);
  /// The text, or the JSON, which then also says whether all passed.
  std::string render(bool asJson);
};

Json checkToJson(const CheckReport &report);
/// Times, clocks and rates.
Json timingToJson(const Timing &timing, const Kernel &kernel);
/// Median, spread, rates and clocks in one line.
std::string timingSummary(const Timing &timing, const Kernel &kernel);

/// Registers, check and time, one line each, and the same as members of `json`.
std::string deviceRunText(const DeviceRun &run, const Kernel &kernel);
void addDeviceRun(const DeviceRun &run, const Kernel &kernel, Json &json);

/// The device in one line and as JSON.
std::string deviceText(const Device &device);
Json deviceToJson(const Device &device);

/// The kernels that do not take a shape, with the reasons, and those that
/// launches take.
std::string shapedKernelsText(const ShapedKernels &shaped);
/// The same as "not_run" and "chosen".
void addShapedKernels(const ShapedKernels &shaped, Json &json);

} // namespace tc::runtime

#endif // TC_REPORT_REPORT_H
