//===- Calibrate.h - Measured figures of the CPU at hand --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of `tc-calibrate`, except for reading its options and writing its
// file.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CALIBRATION_CALIBRATE_H
#define TC_CALIBRATION_CALIBRATE_H

#include "tc/Calibration/Measure.h"

namespace tc::calibration {

struct Calibration {
  model::CpuTarget detected, cpu;
  std::vector<Probe> probes;
  std::vector<Observation> observations;
  /// Of the probes, with the detected CPU and with the calibrated one.
  Agreement before, after;
};

/// Detects this machine's CPU, measures all probes and fits its figures.
/// `report` is called with each probe and its best time.
Result<Calibration>
calibrate(const std::function<void(const Probe &, double)> &report);

/// The file that the compiler reads: a target with all its figures, that says
/// where and when it was made.
std::string writeCalibration(const Calibration &calibration,
                             const std::string &date);

/// A line for each figure that changed, then how well predictions agree.
std::string describe(const Calibration &calibration);

/// A line for each probe: its time, and what is predicted with the detected CPU
/// and with the calibrated one.
Result<std::string> describeProbes(const Calibration &calibration);

} // namespace tc::calibration

#endif // TC_CALIBRATION_CALIBRATE_H
