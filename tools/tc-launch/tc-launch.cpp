//===- tc-launch.cpp - Run packages without a compiler ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs, checks and times the kernels of a package on a CUDA device. Needs the
// driver and nothing else.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "tc/Package/ProgramShape.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Report/Report.h"
#include "tc/Support/Tool.h"

#include <algorithm>
#include <cstdio>

using namespace tc;
using namespace tc::launch;
using namespace tc::runtime;

/// Gives the kernels the extents that the user says, and leaves out those that
/// do not take them.
static Status applyExtents(Package &package, const Options &options,
                           Report &report) {
  if (options.extents.empty())
    return {};
  bool anyTakes = std::any_of(
      package.kernels.begin(), package.kernels.end(),
      [](const Kernel &kernel) { return kernel.dynamicShape.has_value(); });
  if (!anyTakes)
    return Error{"--extents: no kernel of " + options.package +
                 " takes them as arguments"};
  auto program =
      std::find_if(package.programs.begin(), package.programs.end(),
                   [](const Program &each) { return !each.extents.empty(); });
  Result<ShapedKernels> shaped =
      program != package.programs.end()
          ? bindSteps(package, *program, options.extents)
          : bindAll(package, [&](const Kernel &kernel) {
              return contiguousShape(kernel, options.extents);
            });
  if (!shaped)
    return Error{"--extents: " + shaped.error()};
  report.text += shapedKernelsText(*shaped);
  addShapedKernels(*shaped, report.json);
  package.kernels = std::move(shaped->kernels);
  return {};
}

static Result<std::vector<const Kernel *>>
selectKernels(const Package &package, const Options &options) {
  std::vector<const Kernel *> selected;
  for (const Kernel &kernel : package.kernels)
    if (options.kernel.empty() || kernel.entry == options.kernel)
      selected.push_back(&kernel);
  if (selected.empty())
    return Error{options.package + ": no kernel named " + options.kernel};
  return selected;
}

static void describeKernel(const Kernel &kernel, Report &report) {
  report.text += "kernel " + kernel.entry + "\n" +
                 reportLine("contraction", formulaOf(kernel)) +
                 reportLine("extents", extentsOf(kernel)) +
                 reportLine("types", typesOf(kernel)) +
                 otherContractionsText(kernel) +
                 reportLine("launch", launchOf(kernel));
}

static Status runKernel(const Kernel &kernel, const DeviceModule &module,
                        const DeviceRunOptions &options, Report &report) {
  Result<DeviceRun> run = runOnDevice(module, kernel, options);
  if (!run)
    return Error{run.error()};
  describeKernel(kernel, report);
  report.text += deviceRunText(*run, kernel);
  Json json = kernelToJson(kernel);
  addDeviceRun(*run, kernel, json);
  report.json["kernels"].push_back(std::move(json));
  if (run->check)
    report.note("kernel " + kernel.entry, *run->check);
  return {};
}

static Status run(const Options &options, Report &report) {
  Result<LoadedPackage> loaded = loadPackage(options.package);
  if (!loaded)
    return Error{loaded.error()};
  if (Status s = checkAgainstCode(*loaded); !s)
    return Error{options.package + ": " + s.error()};
  const Package &package = loaded->package;
  if (Status s = applyExtents(loaded->package, options, report); !s)
    return s;
  Result<std::vector<const Kernel *>> kernels = selectKernels(package, options);
  if (!kernels)
    return Error{kernels.error()};

  report.text += "package " + package.name + ", " +
                 std::string(stringify(package.codeKind)) + " for " +
                 package.target + "\n";
  report.json["package"] = package.name;
  report.json["target"] = package.target;
  report.json["code"] = stringify(package.codeKind);
  if (options.validate) {
    for (const Kernel *kernel : *kernels) {
      describeKernel(*kernel, report);
      report.json["kernels"].push_back(kernelToJson(*kernel));
    }
    report.text += "valid\n";
    return {};
  }

  Result<Device> device = Device::open(options.device);
  if (!device)
    return Error{device.error()};
  DeviceRunOptions runOptions;
  runOptions.problem.seed = options.seed.value_or(freshSeed());
  runOptions.problem.alpha = options.alpha;
  runOptions.problem.beta = options.beta;
  runOptions.check = options.check;
  runOptions.samples = options.samples;
  runOptions.repeats = options.repeats;
  report.text += deviceText(*device) + "seed " +
                 std::to_string(runOptions.problem.seed) + "\n";
  report.json["device"] = deviceToJson(*device);
  report.json["seed"] = runOptions.problem.seed;
  report.json["kernels"] = Json::array();

  Result<DeviceModule> module = DeviceModule::load(*device, *loaded);
  if (!module)
    return Error{module.error()};
  for (const Kernel *kernel : *kernels)
    if (Status s = runKernel(*kernel, *module, runOptions, report); !s)
      return s;
  return {};
}

int main(int argc, char **argv) {
  Result<Options> options = parseOptions(argc, argv);
  if (!options)
    return failTool("tc-launch", options.error());
  if (options->help) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (options->version) {
    std::puts("tc-launch " TC_VERSION);
    return 0;
  }

  Report report;
  if (Status s = run(*options, report); !s)
    return failTool("tc-launch", s.error());
  return endTool("tc-launch", report.render(options->json), report.failure);
}
