//===- CounterReport.h - Reports of the simulator's counters ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGESIMULATION_COUNTERREPORT_H
#define TC_PACKAGESIMULATION_COUNTERREPORT_H

#include "tc/Package/KernelText.h"
#include "tc/Simulator/Simulator.h"

namespace tc::runtime {

/// The names of the tensors that a kernel takes, in the order of its arguments.
std::vector<std::string> bufferNames(const Kernel &kernel);

/// The counters of a run on buffers of these names, one line a subject; the
/// buffer behind them is the workspace.
std::string countersText(const std::vector<std::string> &names,
                         const sim::Counters &counters);
Json countersToJson(const std::vector<std::string> &names,
                    const sim::Counters &counters);

} // namespace tc::runtime

#endif // TC_PACKAGESIMULATION_COUNTERREPORT_H
