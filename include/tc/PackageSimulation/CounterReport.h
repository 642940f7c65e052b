//===- CounterReport.h - What the simulator counted -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGESIMULATION_COUNTERREPORT_H
#define TC_PACKAGESIMULATION_COUNTERREPORT_H

#include "tc/Driver/Report.h"
#include "tc/Simulator/Simulator.h"

namespace tc::runtime {

/// The counters of a run on A, B and C, one line a subject.
std::string countersText(const Kernel &kernel, const sim::Counters &counters);
Json countersToJson(const Kernel &kernel, const sim::Counters &counters);

/// Those of a run on buffers of these names; what is behind them is the
/// workspace.
std::string countersText(const std::vector<std::string> &names,
                         const sim::Counters &counters);
Json countersToJson(const std::vector<std::string> &names,
                    const sim::Counters &counters);

} // namespace tc::runtime

#endif // TC_PACKAGESIMULATION_COUNTERREPORT_H
