//===- SimulatorBench.cpp - Counting where there is no device ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/SimulatorBench.h"
#include "CasePackage.h"
#include "tc/Package/Blocks.h"
#include "tc/PackageSimulation/CounterReport.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Report/Report.h"

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

/// Null where there is nothing to divide.
static Json ratio(double above, double below) {
  return below > 0 ? Json(above / below) : Json();
}

/// Bytes that threads asked for over the bytes of the sectors that held them.
static Json sectorUse(const sim::BufferTraffic &traffic) {
  constexpr double sectorBytes = 32;
  return ratio(static_cast<double>(traffic.loadBytes + traffic.storeBytes),
               sectorBytes * static_cast<double>(traffic.loadSectors +
                                                 traffic.storeSectors));
}

/// The instructions of the loop that is issued most often.
static Json mainLoopToJson(const sim::LoopProfile &loop) {
  using Kind = sim::InstructionKind;
  constexpr Kind math[] = {Kind::FmaF32, Kind::FmaF64,  Kind::FmaF16,
                           Kind::MmaF64, Kind::MmaTF32, Kind::MmaF16,
                           Kind::MmaF8,  Kind::MmaI8};
  uint64_t mathInstructions = 0;
  for (Kind kind : math)
    mathInstructions += loop[kind];
  auto all = static_cast<double>(loop.warpInstructions);
  auto useful = static_cast<double>(mathInstructions);
  Json json;
  json["trips"] = loop.trips;
  json["instructions_per_trip"] = ratio(all, static_cast<double>(loop.trips));
  json["math_per_trip"] = ratio(useful, static_cast<double>(loop.trips));
  json["math_share"] = ratio(useful, all);
  json["others_per_math"] = ratio(all - useful, useful);
  Json &kinds = json["per_trip_by_kind"] = Json::object();
  for (size_t i = 0; i < sim::numInstructionKinds; ++i) {
    auto kind = static_cast<Kind>(i);
    if (loop[kind] > 0)
      kinds[sim::getName(kind)] = loop.perTrip(kind);
  }
  return json;
}

static Json simulationToJson(const sim::Counters &counters,
                             const Kernel &kernel, const Case &test) {
  Json json;
  json["blocks"] = counters.blocks;
  json["grid_blocks"] = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
  json["threads_per_block"] =
      kernel.block[0] * kernel.block[1] * kernel.block[2];
  json["schedule"] = kernel.schedule;
  json["shared_bytes"] = kernel.staticSharedBytes + kernel.dynamicSharedBytes;
  json["registers"] = json["spill_store_bytes"] = json["spill_load_bytes"] =
      nullptr;
  if (test.resources) {
    json["registers"] = test.resources->registers;
    json["spill_store_bytes"] = test.resources->spillStoreBytes;
    json["spill_load_bytes"] = test.resources->spillLoadBytes;
  }
  json["machine_code"] = test.machineCode ? toJson(*test.machineCode) : Json();
  json["predicted_time"] =
      test.predictedTime ? toJson(*test.predictedTime) : Json();
  Json &use = json["sector_use"] = Json::object();
  for (size_t i = 0; i < 3; ++i)
    use[kernel.tensors[i].name] = sectorUse(counters.buffers[i]);
  const sim::SharedTraffic &shared = counters.shared;
  json["wavefronts_over_ideal"] =
      ratio(static_cast<double>(shared.loadWavefronts + shared.storeWavefronts),
            static_cast<double>(shared.idealLoadWavefronts +
                                shared.idealStoreWavefronts));
  const sim::LoopProfile *loop =
      counters.profile ? counters.profile->mainLoop() : nullptr;
  json["main_loop"] = loop ? mainLoopToJson(*loop) : Json();
  json["counters"] = countersToJson(bufferNames(kernel), counters);
  return json;
}

void bench::describe(const SimulatorBenchOptions &options, Results &results) {
  results.machine = "sim";
  results.device = {{"name", "simulator"}};
  results.options = {{"seed", options.seed}, {"blocks", options.blocks}};
  results.options["samples"] =
      options.samples ? Json(*options.samples) : Json();
}

Result<CaseResult> bench::simulateCase(const Suite &suite, const Case &test,
                                       const SimulatorBenchOptions &options) {
  Result<Kernel> definition = definitionOf(suite, test);
  if (!definition)
    return Error{definition.error()};
  Result<LoadedPackage> loaded =
      loadCasePackage(suite, test, *definition, CodeKind::PTX);
  if (!loaded)
    return Error{loaded.error()};
  if (loaded->package.codeKind != CodeKind::PTX)
    return Error{loaded->codePath + ": the simulator runs PTX, not cubins"};
  Result<sim::Module> module =
      sim::Module::parse(loaded->code, loaded->codePath);
  if (!module)
    return Error{module.error()};

  const Kernel &kernel = loaded->package.kernels[0];
  definition->accumulatorType = kernel.accumulatorType;
  Result<std::vector<int64_t>> blocks = parseBlocks(options.blocks, kernel);
  if (!blocks)
    return Error{"--blocks: " + blocks.error()};
  ProblemOptions problemOptions;
  problemOptions.seed = options.seed;
  problemOptions.workers = options.workers;
  problemOptions.written = blocks->empty() ? Written::Much : Written::Little;
  Result<Problem> problem = makeProblem(*definition, problemOptions);
  if (!problem)
    return Error{problem.error()};
  SimulationOptions simulation;
  simulation.blocks = *blocks;
  simulation.workers = options.workers;
  simulation.profile = true;
  Result<sim::Counters> counters =
      simulate(kernel, *module, *problem, simulation);
  if (!counters)
    return Error{"kernel " + kernel.entry + ": " + counters.error()};

  CheckOptions check;
  check.blocks = *blocks;
  check.samples = options.samples.value_or(affordableSamples(kernel, *blocks));
  check.workers = options.workers;
  check.definition = &*definition;
  CheckReport report = checkOutput(kernel, *problem, check);
  if (!report.passed())
    return Error{"wrong result: " + report.summary()};
  CaseResult result = describeCase(suite, test);
  result.simulation = simulationToJson(*counters, kernel, test);
  result.simulation["check"] = checkToJson(report);
  return result;
}
