//===- SimulationReport.h - Reports of simulations --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of packages and those that others made are simulated and reported in
// the same way.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_SIMULATIONREPORT_H
#define TC_LIB_RUN_SIMULATIONREPORT_H

#include "Listing.h"
#include "WorkProgress.h"

#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Report/Report.h"
#include "tc/Run/Options.h"

#include <optional>

namespace tc::run {

/// Options of the simulation of blocks.
runtime::SimulationOptions
simulationOptions(const Options &options, const std::vector<int64_t> &blocks);

/// Report of how many of all blocks have been simulated.
WorkProgress simulationProgress(const Options &options,
                                const Progress &progress);

/// Counts of a simulation, and its duration.
struct Simulated {
  sim::Counters counters;
  double seconds;
};

/// Describes the simulation of a grid of `blocks` blocks on buffers of these
/// names. `listing` has the MLIR that the PTX is from, if that is known.
void reportSimulation(const Simulated &simulated, int64_t blocks,
                      const std::vector<std::string> &names,
                      const std::optional<Listing> &listing,
                      const Options &options, runtime::Report &report,
                      runtime::Json &json);

} // namespace tc::run

#endif // TC_LIB_RUN_SIMULATIONREPORT_H
