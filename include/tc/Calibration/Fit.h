//===- Fit.h - Costs of a CPU from measured times ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the costs and rates with which the model predicts the measured times.
// They are fitted together, since hardly any time consists of one step alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CALIBRATION_FIT_H
#define TC_CALIBRATION_FIT_H

#include "tc/Cpu/CpuStrategy.h"

#include <vector>

namespace tc::calibration {

/// The measured time of a schedule on one core.
struct Observation {
  model::Contraction contraction;
  model::CpuSchedule schedule;
  double seconds = 0;
};

/// The agreement of predicted times with measured ones.
struct Agreement {
  /// The geometric mean of predicted over measured times.
  double mean = 1;
  /// The part of the predictions that are within 20% of the measured times.
  double partWithin = 1;
};

Result<Agreement> compare(const model::CpuTarget &cpu,
                          const std::vector<Observation> &observations);

/// A CPU whose figures explain the observations: costs of steps, rates of
/// caches and memory and, where even the fastest products attain less than half
/// of the assumed rate, multiply-adds a cycle. Figures on which no prediction
/// depends keep their values, those on which little depends stay near them.
Result<model::CpuTarget>
fitFigures(const model::CpuTarget &start,
           const std::vector<Observation> &observations);

} // namespace tc::calibration

#endif // TC_CALIBRATION_FIT_H
