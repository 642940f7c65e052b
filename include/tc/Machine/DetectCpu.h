//===- DetectCpu.h - The CPU of this machine --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a CpuTarget from the reports of Linux. Figures that it does not report
// are assumed, by rules that docs/targets.md states, and reported as such.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_DETECTCPU_H
#define TC_MACHINE_DETECTCPU_H

#include "tc/Machine/CpuTarget.h"

namespace tc::model {

struct DetectedCpu {
  CpuTarget target;
  /// The figures that no one reported, as files name them, each with its rule.
  std::vector<std::string> assumptions;
};

/// Reads `root`/proc/cpuinfo, `root`/proc/meminfo and
/// `root`/sys/devices/system/cpu, and asks for the limit of this process's
/// addresses. The result passes `checkCpuTarget`.
Result<DetectedCpu> detectCpu(const std::string &root = "");

/// The same of the machine that this runs on, whose files are read once: some
/// are made when they are read, which takes a millisecond for all of them.
Result<DetectedCpu> thisCpu();

/// The same figures, but for the product, the memory, and the cores: those that
/// share its caches. It reads the system's description of the first CPU and of
/// those that share caches with it, which takes microseconds; for the text of
/// all CPUs above, systems with many take milliseconds.
CpuTarget detectCore(const std::string &root = "");

/// The same of the machine that this runs on, read once.
const CpuTarget &thisCore();

} // namespace tc::model

#endif // TC_MACHINE_DETECTCPU_H
