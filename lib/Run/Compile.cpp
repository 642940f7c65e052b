//===- Compile.cpp - From the input to kernels ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Input.h"
#include "Stopwatch.h"

#include "tc/Analysis/TargetLookup.h"
#include "tc/Compiler/GpuProgram.h"
#include "tc/InitAll.h"
#include "tc/Machine/TargetFile.h"
#include "tc/Package/KernelText.h"
#include "tc/PackageSimulation/PackageSimulation.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <set>
#include <tuple>

using namespace tc;
using namespace tc::run;

Result<std::string> run::chooseTarget(ModuleOp module, const Options &options) {
  if (options.targetFile.empty()) {
    Result<model::Target> target = lookUpTarget(module, options.chip);
    if (!target)
      return Error{"--chip: " + target.error()};
    return options.chip;
  }
  Result<model::Target> target = model::loadTarget(options.targetFile);
  if (!target)
    return Error{"--target-file: " + target.error()};
  module.getContext()->loadDialect<mlir::DLTIDialect>();
  attachTarget(module, *target);
  return target->name;
}

void run::setDeviceOptions(const Options &options, const std::string &target,
                           DeviceOptions &device) {
  static_cast<CompileOptions &>(device) = options;
  device.target = target;
  // The module has it.
  device.targetFile.clear();
  // A chain stores what it computes.
  device.fusesChains = options.fusesChains && !options.reduces;
}

static Status compileModule(ModuleOp module, const Options &options,
                            CompiledProgram &program) {
  Result<std::string> target = chooseTarget(module, options);
  if (!target)
    return Error{target.error()};
  auto list = [&](Stage stage, ModuleOp lowered) {
    if (stage == Stage::Lower && (options.profile || !options.mlir.empty()))
      program.listing = makeListing(
          lowered, options.mlir.empty() ? "lowered.mlir" : options.mlir);
  };
  GpuOptions gpu;
  setDeviceOptions(options, *target, gpu);
  gpu.ptx.lineInfo = options.profile.has_value();
  gpu.afterStage = list;
  std::string besides = describeWorkInLinalg(module);
  Result<GpuProgram> compiled = compileForGpu(module, options.input, gpu);
  if (!compiled)
    return Error{compiled.error()};
  program.definitions = std::move(compiled->definitions.kernels);
  program.sources = std::move(compiled->definitions.sources);
  // Of a product of many tensors, what the last step makes is added up.
  if (options.reduces && !program.definitions.empty() &&
      !program.definitions.back().reduces)
    return Error{"--reduce: the epilogue uses c, which is then read"};
  program.empty = std::move(compiled->definitions.empty);
  program.tuned = std::move(compiled->tuned);
  program.obstacles = std::move(compiled->compiled.programObstacles);
  if (compiled->compiled.package.kernels.empty())
    return {};
  program.loaded.package = std::move(compiled->compiled.package);
  // Kernels may do it, but then a program launches these.
  if (program.loaded.package.programs.empty() && !besides.empty())
    program.obstacles = {std::move(besides)};
  program.loaded.code = std::move(compiled->compiled.ptx);
  program.loaded.codePath = "PTX";
  return {};
}

/// Contents of the tensors of each kernel when a program launches it first.
static std::vector<TensorSources> findSources(const runtime::Package &package) {
  using runtime::ProgramPlace;
  std::vector<TensorSources> sources;
  sources.reserve(package.kernels.size());
  for (const runtime::Kernel &kernel : package.kernels)
    sources.emplace_back(runtime::tensorsOf(kernel).size());
  for (const runtime::Program &program : package.programs) {
    auto keyOf = [](const ProgramPlace &place) {
      return std::tuple(place.kind, place.parameter, place.slot, place.offset);
    };
    std::map<std::tuple<ProgramPlace::Kind, size_t, size_t, int64_t>,
             TensorSource>
        held;
    std::set<size_t> seen;
    for (const runtime::ProgramStep &step : program.steps) {
      if (step.isFill()) {
        held[keyOf(step.tensors[1])] = {{}, step.tensors[0].constant};
        continue;
      }
      if (!step.kernel) {
        held[keyOf(step.tensors[1])] = held[keyOf(step.tensors[0])];
        continue;
      }
      if (seen.insert(*step.kernel).second)
        for (size_t i = 0; i < step.tensors.size(); ++i) {
          const ProgramPlace &place = step.tensors[i];
          TensorSource &source = sources[*step.kernel][i];
          if (place.kind == ProgramPlace::Kind::Constant)
            source.number = place.constant;
          else
            source = held[keyOf(place)];
        }
      // Of several outputs, only C is kept for those that read it.
      for (size_t place : outputsOf(package.kernels[*step.kernel]))
        held.erase(keyOf(step.tensors[place]));
      held[keyOf(step.tensors[2])] = {static_cast<int64_t>(*step.kernel), {}};
    }
  }
  return sources;
}

static Result<CompiledProgram> loadPackageProgram(const Options &options) {
  if (Status status = rejectNotationOptions(options); !status)
    return Error{status.error()};
  if (!options.schedule.empty())
    return Error{"--schedule: " + options.input + " is already compiled"};
  if (options.tuned)
    return Error{"--tuned: " + options.input + " is already compiled"};
  if (options.memoryLimit)
    return Error{"--memory-limit: " + options.input + " is already compiled"};
  if (options.refine > 1)
    return Error{"--refine: " + options.input + " is already compiled"};
  if (!options.mlir.empty())
    return Error{"--save-mlir: " + options.input + " is already compiled"};
  if (!options.targetFile.empty())
    return Error{"--target-file: " + options.input + " is already compiled"};
  if (options.dynamicShapes)
    return Error{"--dynamic-shapes: " + options.input + " is already compiled"};
  Result<runtime::LoadedPackage> loaded = runtime::loadPackage(options.input);
  if (!loaded)
    return Error{loaded.error()};
  CompiledProgram program;
  program.loaded = std::move(*loaded);
  program.sources = findSources(program.loaded.package);
  if (Status status = runtime::checkAgainstCode(program.loaded); !status)
    return Error{options.input + ": " + status.error()};
  return program;
}

/// Factors that nothing takes would be ignored; say so instead.
static Status checkFactors(const Options &options,
                           const CompiledProgram &program) {
  auto anyTakes = [&](runtime::Scalar runtime::Kernel::*factor) {
    return llvm::any_of(program.loaded.package.kernels,
                        [&](const runtime::Kernel &kernel) {
                          return (kernel.*factor).isArgument;
                        });
  };
  if (options.alpha && !anyTakes(&runtime::Kernel::alpha))
    return Error{"--alpha: no kernel of " + options.input +
                 " takes it as an argument"};
  if (options.beta && !anyTakes(&runtime::Kernel::beta))
    return Error{"--beta: no kernel of " + options.input +
                 " takes it as an argument"};
  return {};
}

Result<CompiledProgram> run::loadProgram(const Options &options) {
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  if (*kind == InputKind::Package) {
    if (!options.saturates)
      return Error{"--saturate: " + options.input + " says that itself"};
    Result<CompiledProgram> program = loadPackageProgram(options);
    if (!program)
      return program;
    if (Status status = checkFactors(options, *program); !status)
      return Error{status.error()};
    return program;
  }

  Stopwatch stopwatch;
  DialectRegistry registry;
  registerAllTC(registry);
  registerPTXExportDialects(registry);
  // Contractions are small programs: threads would cost more than they give.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<InputModule> input = readModule(context, options, *kind);
  if (!input)
    return Error{input.error()};
  CompiledProgram program;
  Options compiled = options;
  compiled.dynamicShapes |= input->hadUnknownShapes;
  program.hasGivenExtents = input->hadUnknownShapes;
  if (Status status = compileModule(*input->module, compiled, program); !status)
    return Error{status.error()};
  program.compileSeconds = stopwatch.seconds();
  if (*kind == InputKind::MLIR && !program.definitions.empty())
    if (Status status = checkFactors(options, program); !status)
      return Error{status.error()};
  return program;
}
