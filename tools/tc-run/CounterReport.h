//===- CounterReport.h - What the simulator counted -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_COUNTERREPORT_H
#define TC_TOOLS_TC_RUN_COUNTERREPORT_H

#include "tc/Runtime/Report.h"
#include "tc/Simulator/Simulator.h"

namespace tc::run {

/// The counters of a run on A, B and C, one line a subject.
std::string countersText(const sim::Counters &counters);
runtime::Json countersToJson(const sim::Counters &counters);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_COUNTERREPORT_H
