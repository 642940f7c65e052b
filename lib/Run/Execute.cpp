//===- Execute.cpp - Running kernels and reporting --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "KernelResults.h"
#include "Resources.h"
#include "Shapes.h"
#include "SimulationReport.h"
#include "Stopwatch.h"
#include "WholeProgram.h"

#include "tc/Package/Blocks.h"
#include "tc/PackageSimulation/CounterReport.h"
#include "tc/Problem/Semiring.h"
#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tc;
using namespace tc::run;
using namespace tc::runtime;

/// The contraction that a kernel must compute.
static const Kernel &definitionOf(const CompiledProgram &program, size_t i) {
  return program.definitions.empty() ? program.loaded.package.kernels[i]
                                     : program.definitions[i];
}

//===----------------------------------------------------------------------===//
// Report of ptxas
//===----------------------------------------------------------------------===//

namespace {

/// Registers and spills of all kernels, or why they are unknown.
struct Resources {
  std::vector<KernelResources> kernels;
  std::string unknown;

  const KernelResources *find(const std::string &entry) const {
    auto found = llvm::find_if(
        kernels, [&](const KernelResources &k) { return k.entry == entry; });
    return found == kernels.end() ? nullptr : &*found;
  }
};

} // namespace

/// An assembler that is not there leaves them unknown; one that refuses the
/// code is an error.
static Result<Resources> askPtxas(const CompiledProgram &program,
                                  const Options &options) {
  Resources resources;
  if (!options.assemble) {
    resources.unknown = "not asked for";
    return resources;
  }
  const LoadedPackage &loaded = program.loaded;
  if (loaded.package.codeKind != CodeKind::PTX) {
    resources.unknown = "the code is assembled already";
    return resources;
  }
  if (Result<std::string> ptxas = findPtxas(); !ptxas) {
    resources.unknown = ptxas.error();
    return resources;
  }
  Result<Assembly> assembly = assemble(loaded.code, loaded.package.target);
  if (!assembly)
    return Error{assembly.error()};
  resources.kernels = std::move(assembly->resources);
  return resources;
}

static void addResources(const Resources &resources, const Kernel &kernel,
                         Report &report, Json &json) {
  const KernelResources *known = resources.find(symbolOf(kernel));
  if (!known) {
    report.text += reportLine("registers", "unknown: " + resources.unknown);
    json["registers"] = nullptr;
    return;
  }
  reportResources(*known, report.text, json);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static Json describeKernel(const Kernel &kernel, const Kernel &definition,
                           Report &report) {
  report.text += "kernel " + kernel.entry + "\n" +
                 reportLine("contraction", formulaOf(definition)) +
                 reportLine("extents", extentsOf(definition)) +
                 reportLine("types", typesOf(definition)) +
                 fusedCodeText(definition) + otherContractionsText(definition);
  Json json = kernelToJson(kernel);
  if (formulaOf(kernel) != formulaOf(definition)) {
    report.text += reportLine("collapsed to",
                              formulaOf(kernel) + " with " + extentsOf(kernel));
    json["collapsed_contraction"] = json["contraction"];
    json["collapsed_extents"] = json["extents"];
    Json original = kernelToJson(definition);
    json["contraction"] = original["contraction"];
    json["extents"] = original["extents"];
  }
  report.text += reportLine("schedule", kernel.schedule) +
                 reportLine("launch", launchOf(kernel));
  return json;
}

ProblemOptions run::problemOptions(const Options &options,
                                   const Kernel &definition, uint64_t seed) {
  ProblemOptions problem;
  problem.seed = seed;
  problem.alpha = options.alpha.value_or(1.0);
  problem.beta = options.beta.value_or(
      options.memoryLimit
          ? model::oneOf(definition.semiring, definition.accumulatorType)
          : 0.0);
  problem.workers = options.workers;
  return problem;
}

static Status simulateKernel(const Kernel &kernel, const Kernel &definition,
                             const sim::Module &module,
                             const std::optional<Listing> &listing,
                             size_t number, KernelResults &results,
                             const Options &options, uint64_t seed,
                             const Progress &progress, Report &report,
                             Json &json) {
  Result<std::vector<int64_t>> blocks = parseBlocks(options.blocks, kernel);
  if (!blocks)
    return Error{"--blocks: " + blocks.error()};
  ProblemOptions memory = problemOptions(options, definition, seed);
  memory.written = blocks->empty() ? Written::Much : Written::Little;
  Result<Problem> problem = makeProblem(definition, memory);
  if (!problem)
    return Error{problem.error()};
  if (std::string read = results.feed(number, definition, *problem);
      !read.empty())
    report.text += reportLine("results", read);
  SimulationOptions simulation = simulationOptions(options, *blocks);
  WorkProgress told = simulationProgress(options, progress);
  simulation.progress = std::ref(told);
  Stopwatch stopwatch;
  Result<sim::Counters> counters =
      simulate(kernel, module, *problem, simulation);
  if (!counters)
    return Error{"kernel " + kernel.entry + ": " + counters.error()};
  if (blocks->empty())
    results.keep(number, *problem);
  reportSimulation({std::move(*counters), stopwatch.seconds()}, kernel.grid[0],
                   bufferNames(kernel), listing, options, report, json);

  if (!options.check)
    return {};
  CheckOptions check;
  check.samples =
      options.check->samples.value_or(affordableSamples(kernel, *blocks));
  check.blocks = *blocks;
  check.workers = options.workers;
  check.definition = &definition;
  check.progress = checkProgress(progress);
  CheckReport result = checkOutput(kernel, *problem, check);
  report.text += reportLine("check", result.summary());
  json["check"] = checkToJson(result);
  report.note("kernel " + kernel.entry, result);
  return {};
}

static Status simulateAll(const CompiledProgram &program,
                          const Options &options, uint64_t seed,
                          const Progress &progress, Report &report) {
  const LoadedPackage &loaded = program.loaded;
  if (loaded.package.codeKind != CodeKind::PTX)
    return Error{options.input + ": $.code.kind: the simulator runs PTX, not "
                                 "cubins"};
  Result<sim::Module> module = sim::Module::parse(loaded.code, loaded.codePath);
  if (!module)
    return Error{module.error()};
  if (Status status = checkAgainstPTX(loaded.package, *module); !status)
    return status;
  Result<Resources> resources = askPtxas(program, options);
  if (!resources)
    return Error{resources.error()};
  KernelResults results(program.sources);
  for (size_t i = 0; i < loaded.package.kernels.size(); ++i) {
    const Kernel &kernel = loaded.package.kernels[i];
    const Kernel &definition = definitionOf(program, i);
    Json json = describeKernel(kernel, definition, report);
    if (!program.sources.empty())
      addSources(definition, program.sources[i], json);
    addResources(*resources, kernel, report, json);
    if (Status status =
            simulateKernel(kernel, definition, *module, program.listing, i,
                           results, options, seed, progress, report, json);
        !status)
      return status;
    report.json["kernels"].push_back(std::move(json));
  }
  return {};
}

/// Simulates all slices of each program.
static Status simulateSlices(const CompiledProgram &program,
                             const Options &options, uint64_t seed,
                             const Warn &warn, const Progress &progress,
                             Report &report) {
  const LoadedPackage &loaded = program.loaded;
  Result<sim::Module> module = sim::Module::parse(loaded.code, loaded.codePath);
  if (!module)
    return Error{module.error()};
  SimulationOptions simulation = simulationOptions(options, /*blocks=*/{});
  auto simulateOne = [&](size_t number, const Kernel &, Problem &problem) {
    const Kernel &kernel = loaded.package.kernels[number];
    Result<sim::Counters> counters =
        simulate(kernel, *module, problem, simulation);
    return counters ? Status()
                    : Error{"kernel " + kernel.entry + ": " + counters.error()};
  };
  for (const runtime::Program &each : loaded.package.programs) {
    ProblemOptions problem;
    problem.workers = options.workers;
    WorkProgress told("simulated", "steps", progress);
    auto run = [&](ProgramMemory &memory) {
      return runSteps(each, program.definitions, problem, memory, simulateOne,
                      [&](size_t done) { told(done, each.steps.size()); });
    };
    if (Status status =
            runWholeProgram(each, run, options, seed, warn, progress, report);
        !status)
      return status;
  }
  return {};
}

static Status runOnCuda(const CompiledProgram &program, const Options &options,
                        uint64_t seed, Report &report) {
  Result<Device> device = Device::open(options.device);
  if (!device)
    return Error{device.error()};
  report.text += deviceText(*device);
  report.json["device"] = deviceToJson(*device);
  Result<DeviceModule> module = DeviceModule::load(*device, program.loaded);
  if (!module)
    return Error{module.error()};
  for (size_t i = 0; i < program.loaded.package.kernels.size(); ++i) {
    const Kernel &kernel = program.loaded.package.kernels[i];
    const Kernel &definition = definitionOf(program, i);
    DeviceRunOptions runOptions;
    runOptions.problem = problemOptions(options, definition, seed);
    runOptions.check = options.check.has_value();
    if (options.check)
      runOptions.samples = options.check->samples;
    runOptions.repeats = options.repeats;
    runOptions.definition = &definition;
    Result<DeviceRun> run = runOnDevice(*module, kernel, runOptions);
    if (!run)
      return Error{run.error()};
    Json json = describeKernel(kernel, definition, report);
    report.text += deviceRunText(*run, definition);
    addDeviceRun(*run, definition, json);
    report.json["kernels"].push_back(std::move(json));
    if (run->check)
      report.note("kernel " + kernel.entry, *run->check);
  }
  return {};
}

void run::reportEmpty(const std::vector<EmptyContraction> &contractions,
                      Report &report) {
  for (const EmptyContraction &empty : contractions) {
    report.text +=
        "nothing launched\n" +
        reportLine("result", empty.output + " = beta * " + empty.output +
                                 ", because the extent of " + empty.index +
                                 " is 0");
    report.json["nothing_launched"].push_back(
        {{"result", "beta * " + empty.output}, {"empty_index", empty.index}});
  }
}

void run::reportPrograms(const std::vector<runtime::Program> &programs,
                         const std::vector<std::string> &obstacles,
                         Report &report) {
  for (const runtime::Program &program : programs) {
    if (!program.extents.empty()) {
      std::string names;
      for (const runtime::ProgramExtent &extent : program.extents)
        names += (names.empty() ? "" : ", ") + extent.name;
      report.text +=
          reportLine("program", program.name + ": " +
                                    std::to_string(program.steps.size()) +
                                    " steps, of any extents of " + names);
      report.json["programs"].push_back({{"name", program.name},
                                         {"steps", program.steps.size()},
                                         {"extents", names}});
      continue;
    }
    if (program.steps.size() < 2)
      continue;
    report.text += reportLine(
        "program", program.name + ": " + std::to_string(program.steps.size()) +
                       " steps, a workspace of " +
                       std::to_string(program.workspaceBytes) + " B");
    report.json["programs"].push_back(
        {{"name", program.name},
         {"steps", program.steps.size()},
         {"workspace_bytes", program.workspaceBytes}});
  }
  for (const std::string &obstacle : obstacles)
    report.text += reportLine("no program", obstacle);
}

Status run::execute(const CompiledProgram &program, const Options &options,
                    const Warn &warn, const Progress &progress,
                    Report &report) {
  uint64_t seed = options.seed.value_or(freshSeed());
  bool isCuda = options.machine == Machine::Cuda;
  report.json["input"] = options.input;
  report.json["target"] = isCuda ? "cuda" : "sim";
  report.json["seed"] = seed;
  report.json["kernels"] = Json::array();
  report.json["nothing_launched"] = Json::array();
  report.text += "seed " + std::to_string(seed) + "\n";

  reportEmpty(program.empty, report);
  const Package &package = program.loaded.package;
  if (!package.kernels.empty()) {
    report.json["chip"] = package.target;
    report.text += "compiled for " + package.target;
    if (program.compileSeconds > 0) {
      report.json["compile_seconds"] = program.compileSeconds;
      report.text += " in " + milliseconds(program.compileSeconds);
    }
    report.text += "\n";
    for (const std::string &tuned : program.tuned)
      report.text += reportLine("tuned", tuned);
    if (!program.tuned.empty())
      report.json["tuned"] = program.tuned;
    reportPrograms(package.programs, program.obstacles, report);
  }
  Result<CompiledProgram> shaped = applyShapes(program, options, report);
  if (!shaped)
    return Error{shaped.error()};
  // Whoever asks for a device wants to know if there is none.
  if (isCuda)
    return runOnCuda(*shaped, options, seed, report);
  if (package.kernels.empty())
    return {};
  if (Status status = simulateAll(*shaped, options, seed, progress, report);
      !status)
    return status;
  if (options.memoryLimit && options.blocks == "all")
    return simulateSlices(program, options, seed, warn, progress, report);
  return {};
}
