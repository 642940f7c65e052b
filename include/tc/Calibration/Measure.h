//===- Measure.h - Times of contractions on this machine --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles and times contractions, the probes, whose times differ in what they
// are spent on: products, packing of each kind, C, each level of memory, calls.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CALIBRATION_MEASURE_H
#define TC_CALIBRATION_MEASURE_H

#include "tc/Calibration/Fit.h"

#include <functional>
#include <string>

namespace tc::calibration {

/// A contraction to time.
struct Probe {
  /// An einsum specification, and extents as `a=24,b=16`.
  std::string spec, extents;
  model::ElementType type = model::ElementType::F64;
  /// As `--strategy` has it.
  std::string strategy = "gett";
};

/// Those that calibration measures on a CPU: some do not fit its caches.
std::vector<Probe> makeProbes(const model::CpuTarget &cpu);

/// The clock of this core as it is now, in Hz, from instructions that wait for
/// one another; zero where the architecture is not known.
double measureClock();

/// Times each probe on this core, with the schedule that is chosen for the CPU.
/// `report` is called with each probe and its best time.
Result<std::vector<Observation>>
measure(const model::CpuTarget &cpu, const std::vector<Probe> &probes,
        const std::function<void(const Probe &, double)> &report);

} // namespace tc::calibration

#endif // TC_CALIBRATION_MEASURE_H
