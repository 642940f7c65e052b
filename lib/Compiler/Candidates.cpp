//===- Candidates.cpp - Schedules to measure ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Candidates.h"

#include "tc/Analysis/CpuStrategies.h"
#include "tc/Analysis/FormChoice.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/InitAll.h"
#include "tc/Machine/TargetFile.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using mlir::OwningOpRef;
using model::Role;
using Json = nlohmann::ordered_json;

/// Logarithm: the most decisive figures differ by factors.
static double logOf(int64_t number) {
  return std::log2(static_cast<double>(std::max<int64_t>(number, 1)));
}

static void addTiles(Json &features,
                     const std::vector<model::TileExtent> &tiles,
                     const char *role) {
  features[std::string("block_") + role] = logOf(model::extentsProduct(tiles));
  for (const model::TileExtent &tile : tiles)
    features["tile_" + tile.label] = logOf(tile.extent);
}

/// A list as flags, one for each pair of what and where.
template <typename Values, typename Name>
static void addOrder(Json &features, const std::string &what,
                     const Values &values, Name name) {
  size_t place = 0;
  for (const auto &value : values)
    features[what + "_" + std::to_string(place++) + "_" +
             std::string(name(value))] = 1;
}

static Json featuresOf(const model::Schedule &schedule) {
  Json features;
  addTiles(features, schedule.m, "m");
  addTiles(features, schedule.n, "n");
  addTiles(features, schedule.k, "k");
  features["register_m"] = logOf(schedule.registerM);
  features["register_n"] = logOf(schedule.registerN);
  features["threads"] = logOf(schedule.threads());
  features["stages"] = schedule.stages;
  features["split_k"] = logOf(schedule.mapping.splitK);
  features["raster_m"] = logOf(schedule.mapping.rasterM);
  features["tiles_per_block"] = logOf(schedule.mapping.tilesPerBlock);
  features["stationary_" +
           std::string(stringify(schedule.mapping.stationary))] = 1;
  features["instruction_" + std::string(stringify(schedule.instruction))] = 1;
  return features;
}

static Json featuresOf(const model::CpuSchedule &schedule) {
  Json features;
  addTiles(features, schedule.m, "m");
  addTiles(features, schedule.n, "n");
  addTiles(features, schedule.k, "k");
  features["strategy_" + std::string(stringify(schedule.strategy))] = 1;
  // Of what has no blocks.
  addOrder(features, "loop", schedule.loops,
           [](const std::string &label) { return label; });
  if (!schedule.vectorIndex.empty())
    features["vector_" + schedule.vectorIndex] = 1;
  if (!schedule.columnIndex.empty())
    features["column_" + schedule.columnIndex] = 1;
  features["rows_m"] = schedule.rows == Role::M ? 1 : 0;
  addOrder(features, "order", schedule.order,
           [](Role role) { return stringify(role); });
  features["columns_innermost"] = schedule.columnsInnermost ? 1 : 0;
  features["register_rows"] = logOf(schedule.registerRows);
  features["register_columns"] = logOf(schedule.registerColumns);
  features["stream"] = schedule.stream ? 1 : 0;
  features["threads_batch"] = logOf(schedule.threads.batch);
  features["threads_m"] = logOf(schedule.threads.m);
  features["threads_n"] = logOf(schedule.threads.n);
  return features;
}

template <typename ScheduleAttrT, typename Candidates, typename SecondsOf>
static Result<Json> write(ContractOp op, const tuning::TuningKey &key,
                          const Candidates &candidates, SecondsOf secondsOf) {
  Json json;
  json["contraction"] = key.contraction;
  json["machine"] = key.machine;
  json["syntax"] = key.syntax;
  json["candidates"] = Json::array();
  for (const auto &candidate : candidates) {
    auto schedule = ScheduleAttrT::get(op.getContext(), candidate.schedule);
    Result<std::string> stored = storedScheduleOf(op, schedule);
    if (!stored)
      return Error{stored.error()};
    std::string text;
    llvm::raw_string_ostream(text) << schedule;
    json["candidates"].push_back(
        {{"schedule", text},
         {"stored", *stored},
         {"seconds", secondsOf(candidate)},
         {"features", featuresOf(candidate.schedule)}});
  }
  return json;
}

static Result<Json> listForGpu(ContractOp op, const std::string &name,
                               size_t most) {
  Result<model::Target> target = lookUpTarget(op, name);
  if (!target)
    return Error{target.error()};
  ErrorCollector errors(*op.getContext());
  FailureOr<model::Contraction> contraction = chooseForm(op, *target);
  if (failed(contraction))
    return errors.get("unknown shape");
  model::SearchOptions search;
  search.runnersUp = static_cast<unsigned>(most - 1);
  search.distinguishesRegisterTiles = true;
  Result<model::SearchResult> found =
      model::search(*contraction, *target, search);
  if (!found)
    return Error{"no schedule for " + name + ": " + found.error()};
  Result<tuning::TuningKey> key = tuningKeyOf(op, *target);
  if (!key)
    return Error{key.error()};
  return write<ScheduleAttr>(
      op, *key, found->candidates,
      [](const model::Candidate &each) { return each.cost.seconds(); });
}

/// Adds the call of the library, where nothing speaks against it: in front if
/// it is what would be chosen, else by its time.
static void addLibrary(std::vector<model::CpuCandidate> &candidates,
                       const std::vector<model::StrategyChoice> &choices,
                       size_t most) {
  const model::StrategyChoice &library = choices.back();
  if (!library.unavailable.empty() || !library.objection.empty())
    return;
  auto place = candidates.begin();
  if (&model::fastestStrategy(choices) != &library)
    place = std::find_if(candidates.begin() + 1, candidates.end(),
                         [&](const model::CpuCandidate &candidate) {
                           return candidate.time.total() > library.time.total();
                         });
  candidates.insert(place, {library.schedule, library.time});
  if (candidates.size() > most)
    candidates.pop_back();
}

static Result<Json> listForCpu(ContractOp op,
                               const TCCPUPipelineOptions &options,
                               std::optional<int64_t> workspaceLimit,
                               size_t most) {
  Result<model::CpuTarget> target = model::loadCpuTarget(options.targetFile);
  if (!target)
    return Error{target.error()};
  ErrorCollector errors(*op.getContext());
  FailureOr<std::vector<model::Contraction>> forms = toCpuForms(op);
  if (failed(forms))
    return errors.get("unknown shape");
  Result<std::vector<model::CpuCandidate>> found = model::rankCpuSchedules(
      *forms, *target, workspaceLimit, options.threads, most);
  if (!found)
    return Error{"no CPU schedule: " + found.error()};
  FailureOr<Result<std::vector<model::StrategyChoice>>> choices =
      considerStrategies(op, *target,
                         {workspaceLimit, options.threads,
                          options.libraryCalls == "always",
                          options.targetFile.empty()});
  if (succeeded(choices) && *choices)
    addLibrary(*found, **choices, most);
  Result<tuning::TuningKey> key = tuningKeyOf(op, *target, options.threads);
  if (!key)
    return Error{key.error()};
  return write<CpuScheduleAttr>(
      op, *key, *found,
      [](const model::CpuCandidate &each) { return each.time.total(); });
}

Result<Json> tc::listCandidates(const Source &source, const std::string &target,
                                const CompileOptions &options, size_t most) {
  DialectRegistry registry;
  registerAllTC(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = makeModule(context, source);
  if (!module)
    return Error{module.error()};
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  // A schedule that is found is that of all products.
  pipeline.sumOperands = false;
  ErrorCollector errors(context);
  mlir::PassManager manager(&context);
  // Passes of the pipelines before they choose schedules.
  if (target == "cpu") {
    addCPUStage(manager, Stage::Prepare, pipeline);
    addCPUStage(manager, Stage::Fuse, pipeline);
    buildTCCPUNormalize(manager);
  } else {
    buildTCNormalize(manager);
  }
  if (failed(manager.run(**module)))
    return errors.get(source.name + ": cannot be compiled");
  std::vector<ContractOp> contractions;
  (*module)->walk([&](ContractOp op) {
    if (!op.hasZeroExtent())
      contractions.push_back(op);
  });
  if (contractions.size() != 1)
    return Error{source.name + ": " + std::to_string(contractions.size()) +
                 " contractions in it need a schedule; only one can be tuned "
                 "at a time"};
  return target == "cpu" ? listForCpu(contractions.front(), pipeline,
                                      options.workspaceLimit, most)
                         : listForGpu(contractions.front(), target, most);
}
