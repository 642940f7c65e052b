//===- SimulationReport.cpp - Reports of simulations ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulationReport.h"

#include "ProfileReport.h"
#include "Stopwatch.h"

#include "tc/PackageSimulation/CounterReport.h"

using namespace tc;
using namespace tc::run;
using namespace tc::runtime;

SimulationOptions run::simulationOptions(const Options &options,
                                         const std::vector<int64_t> &blocks) {
  SimulationOptions simulation;
  simulation.blocks = blocks;
  simulation.workers = options.workers;
  simulation.detectors = options.detectors;
  simulation.leastAligned = options.leastAligned;
  simulation.profile = options.profile.has_value();
  simulation.secondsPerBlock = options.secondsPerBlock;
  return simulation;
}

WorkProgress run::simulationProgress(const Options &options,
                                     const Progress &progress) {
  return {"simulated", "blocks", progress,
          options.blocks == "all"
              ? "; --blocks=first,middle,last,edge simulates a few"
              : ""};
}

void run::reportSimulation(const Simulated &simulated, int64_t blocks,
                           const std::vector<std::string> &names,
                           const std::optional<Listing> &listing,
                           const Options &options, Report &report, Json &json) {
  const sim::Counters &counters = simulated.counters;
  report.text +=
      reportLine("simulated", std::to_string(counters.blocks) + " of " +
                                  std::to_string(blocks) + " blocks in " +
                                  milliseconds(simulated.seconds));
  report.text += countersText(names, counters);
  json["simulated_seconds"] = simulated.seconds;
  json["counters"] = countersToJson(names, counters);
  if (!counters.profile)
    return;
  ProfileReport profile(*counters.profile, listing, *options.profile);
  report.text += profile.text();
  json["profile"] = profile.json();
}
