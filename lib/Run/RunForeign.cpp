//===- RunForeign.cpp - Kernels that others have compiled -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunForeign.h"

#include "Input.h"
#include "SimulationReport.h"
#include "Stopwatch.h"
#include "TimeReport.h"

#include "tc/Foreign/Simulation.h"
#include "tc/Support/Files.h"
#include "tc/Target/PTX/MachineCode.h"
#include "tc/Target/PTX/PTXExport.h"
#include "tc/Timing/Report.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc;
using namespace tc::run;
using runtime::Json;
using runtime::reportLine;

/// Options that say what else the input does, or how it is compiled.
static Status rejectOtherOptions(const Options &options) {
  if (Status status = rejectNotationOptions(options); !status)
    return status;
  const std::pair<const char *, bool> given[] = {
      {"--schedule", !options.schedule.empty()},
      {"--tuned", options.tuned.has_value()},
      {"--extents", options.extents.has_value()},
      {"--strides", options.strides.has_value()},
      {"--alpha", options.alpha.has_value()},
      {"--beta", options.beta.has_value()},
      {"--dynamic-shapes", options.dynamicShapes},
      {"--any-alignment", options.anyAlignment},
      {"--save-mlir", !options.mlir.empty()},
      {"--save-package", !options.package.empty()},
      {"--explain", options.explains()},
      {"--emit", options.emit.has_value()},
      {"--machine-code", options.machineCode.has_value()},
      {"--target", options.machine != Machine::Simulator},
      {"--target-file", !options.targetFile.empty() && !options.time}};
  for (auto [name, isGiven] : given)
    if (isGiven)
      return Error{std::string(name) + ": " + options.input +
                   " is PTX of others, which is simulated or timed"};
  return {};
}

Result<std::optional<foreign::LoadedDescription>>
run::loadForeign(const Options &options) {
  using Loaded = std::optional<foreign::LoadedDescription>;
  Result<InputKind> kind = kindOf(options.input);
  if (!kind || *kind != InputKind::Package)
    return Loaded();
  Result<std::string> text = readFile(options.input);
  if (!text || !foreign::isDescription(*text))
    return Loaded();
  Result<foreign::LoadedDescription> loaded =
      foreign::load(*text, options.input);
  if (!loaded)
    return Error{loaded.error()};
  if (Status status = rejectOtherOptions(options); !status)
    return Error{status.error()};
  return Loaded(std::move(*loaded));
}

static std::string launchText(const foreign::Launch &launch,
                              const sim::EntryInfo &entry) {
  return runtime::launchText(launch.grid, launch.block,
                             static_cast<int64_t>(entry.staticSharedBytes),
                             launch.dynamicSharedBytes);
}

static Json launchToJson(const foreign::Launch &launch,
                         const sim::EntryInfo &entry) {
  Json json;
  json["entry"] = launch.entry;
  json["grid"] = launch.grid;
  json["block"] = launch.block;
  json["static_shared_bytes"] = entry.staticSharedBytes;
  json["dynamic_shared_bytes"] = launch.dynamicSharedBytes;
  return json;
}

static Result<sim::Module>
parseModule(const foreign::LoadedDescription &loaded) {
  Result<sim::Module> module = sim::Module::parse(loaded.code, loaded.codePath);
  if (!module)
    return module;
  for (const foreign::Launch &launch : loaded.description.launches)
    if (!module->findEntry(launch.entry))
      return Error{loaded.codePath + ": has no entry '" + launch.entry + "'"};
  return module;
}

static Status simulateLaunch(foreign::Simulation &run, size_t number,
                             const foreign::LoadedDescription &loaded,
                             const sim::Module &module, const Options &options,
                             const Progress &progress, Report &report) {
  const foreign::Launch &launch = loaded.description.launches[number];
  const sim::EntryInfo &entry = *module.findEntry(launch.entry);
  Result<std::vector<int64_t>> blocks =
      foreign::parseBlocks(options.blocks, launch);
  if (!blocks)
    return Error{"--blocks: " + blocks.error()};
  report.text += "launch " + launch.entry + "\n" +
                 reportLine("launch", launchText(launch, entry));
  Json json = launchToJson(launch, entry);
  runtime::SimulationOptions simulation = simulationOptions(options, *blocks);
  WorkProgress told = simulationProgress(options, progress);
  simulation.progress = std::ref(told);
  Stopwatch stopwatch;
  Result<sim::Counters> counters = run.simulate(number, module, simulation);
  if (!counters)
    return Error{counters.error()};
  reportSimulation({std::move(*counters), stopwatch.seconds()},
                   launch.grid[0] * launch.grid[1] * launch.grid[2],
                   run.bufferNames(), std::nullopt, options, report, json);
  report.json["launches"].push_back(std::move(json));
  return {};
}

static Status checkAll(foreign::Simulation &run,
                       const foreign::LoadedDescription &loaded,
                       const Options &options, Report &report) {
  if (loaded.description.checks.empty())
    return Error{"--check: " + options.input + " says nothing of results"};
  if (options.blocks != "all")
    return Error{"--check: which block makes which part of a result is not "
                 "known; it goes without --blocks"};
  for (const foreign::Check &check : loaded.description.checks) {
    Result<runtime::CheckReport> result =
        run.check(check, options.check->samples);
    if (!result)
      return Error{options.input + ": " + result.error()};
    std::string name = loaded.description.buffers[check.output].tensor.name;
    report.text += "check of " + name + " " + result->summary() + "\n";
    Json json = runtime::checkToJson(*result);
    json["output"] = name;
    report.json["checks"].push_back(std::move(json));
    report.note("buffer " + name, *result);
  }
  return {};
}

Status run::runForeign(const foreign::LoadedDescription &loaded,
                       const Options &options, const Progress &progress,
                       Report &report) {
  uint64_t seed = options.seed.value_or(runtime::freshSeed());
  Result<sim::Module> module = parseModule(loaded);
  if (!module)
    return Error{module.error()};
  report.json["input"] = options.input;
  report.json["name"] = loaded.description.name;
  report.json["target"] = "sim";
  report.json["seed"] = seed;
  report.json["chip"] = module->target();
  report.json["launches"] = Json::array();
  report.json["checks"] = Json::array();
  report.text +=
      "seed " + std::to_string(seed) + "\nPTX for " + module->target() + "\n";
  Result<foreign::Simulation> run =
      foreign::Simulation::create(loaded, seed, options.workers);
  if (!run)
    return Error{options.input + ": " + run.error()};
  for (size_t i = 0; i < loaded.description.launches.size(); ++i)
    if (Status status =
            simulateLaunch(*run, i, loaded, *module, options, progress, report);
        !status)
      return status;
  return options.check ? checkAll(*run, loaded, options, report) : Status();
}

//===----------------------------------------------------------------------===//
// Predicted times
//===----------------------------------------------------------------------===//

/// Bytes that all blocks together load at most, each byte once.
static double bytesRead(const foreign::Description &description) {
  double sum = 0;
  for (const foreign::Buffer &buffer : description.buffers)
    if (Result<runtime::Geometry> geometry = runtime::geometryOf(buffer.tensor);
        geometry && buffer.tensor.isRead)
      sum += static_cast<double>(geometry->elements()) *
             static_cast<double>(
                 model::byteWidth(model::realTypeOf(buffer.tensor.type)));
  return sum;
}

Result<std::string>
run::reportForeignTime(const foreign::LoadedDescription &loaded,
                       const Options &options) {
  if (options.time == TimeForm::SVG && loaded.description.launches.size() > 1)
    return Error{"--time=svg: draws one launch, of which " + options.input +
                 " has " + std::to_string(loaded.description.launches.size())};
  Result<sim::Module> module = parseModule(loaded);
  if (!module)
    return Error{module.error()};
  Result<Assembly> assembly = assemble(loaded.code, module->target());
  if (!assembly)
    return Error{"--time: " + assembly.error()};
  Result<TimedCode> code = disassembleToTime(assembly->cubin, options);
  if (!code)
    return Error{code.error()};
  const timing::Machine &machine = code->machine;
  std::string text;
  Json json = describeCode(*code, options);
  json["launches"] = Json::array();
  for (const foreign::Launch &described : loaded.description.launches) {
    const sim::EntryInfo &entry = *module->findEntry(described.entry);
    const sass::Function *function = code->listing.find(described.entry);
    const KernelResources *resources = assembly->find(described.entry);
    if (!function || !resources)
      return Error{"--time: the cubin has no function '" + described.entry +
                   "'"};
    Result<std::vector<std::byte>> parameters =
        foreign::parametersOf(described, entry);
    if (!parameters)
      return Error{loaded.codePath + ": " + parameters.error()};
    timing::Launch launch;
    for (size_t i = 0; i < 3; ++i) {
      launch.grid[i] = static_cast<uint32_t>(described.grid[i]);
      launch.block[i] = static_cast<uint32_t>(described.block[i]);
    }
    launch.sharedBytes = static_cast<int64_t>(entry.staticSharedBytes) +
                         described.dynamicSharedBytes;
    launch.registers = resources->registers;
    launch.parameters = std::move(*parameters);
    launch.distinctBytes = bytesRead(loaded.description);
    Result<timing::Prediction> prediction =
        timing::predict(*function, launch, machine);
    if (!prediction)
      return Error{"--time: " + prediction.error()};
    if (options.time == TimeForm::SVG)
      return timing::timelineSvg(prediction->timeline);
    text += "launch " + described.entry + " for " + machine.target.product +
            "\n" + reportLine("launch", launchText(described, entry));
    for (const auto &[title, line] :
         timing::linesOf(*prediction, *function, machine))
      text += reportLine(title, line);
    text += timing::timelineText(prediction->timeline);
    Json reported = launchToJson(described, entry);
    reported["registers"] = resources->registers;
    reported["time"] = timing::toJson(*prediction, machine);
    json["launches"].push_back(std::move(reported));
  }
  return options.time == TimeForm::JSON ? runtime::dump(json) : text;
}
