//===- Calibration.h - Measured figures of the CPU at hand ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tc-calibrate` measures the figures of a CPU that Linux does not report, and
// keeps them in a file for each kind of CPU; docs/tc-calibrate.md says where.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_CALIBRATION_H
#define TC_MACHINE_CALIBRATION_H

#include "tc/Machine/CpuTarget.h"

namespace tc::model {

/// The file of this CPU's kind in the user's folder of settings; empty if the
/// user has none.
std::string defaultCalibrationFile(const CpuTarget &cpu);

/// Gives a CPU, as it is detected, the figures of the file that $TC_CALIBRATION
/// names, or of the default one if that is there. "off" leaves it alone. Fails
/// if the file cannot be used.
Status applyCalibration(CpuTarget &cpu);

/// Gives a CPU the measured figures of another: clock, rates and costs. Fails,
/// naming the difference, if the two are not of one kind.
Status takeMeasured(CpuTarget &cpu, const CpuTarget &measured);

} // namespace tc::model

#endif // TC_MACHINE_CALIBRATION_H
