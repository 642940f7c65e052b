//===- PackageSpeed.cpp - Speed of simulating packages --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates some blocks of the kernels of packages on one core, without and
// with detectors, and prints simulated thread-instructions per second.
// suite_speed.py runs it on the TCCG benchmark.
//
//===----------------------------------------------------------------------===//

#include "CpuTime.h"

#include "tc/Package/Package.h"
#include "tc/PackageSimulation/PackageSimulation.h"

#include <algorithm>
#include <cstdio>

using namespace tc;
using namespace tc::runtime;

/// Each figure is the median of at least so many launches, which take at least
/// so long together.
static constexpr std::size_t minLaunches = 3;
static constexpr double minSeconds = 0.1;
/// And each launch has as many blocks as execute about so many
/// thread-instructions, so that what a launch costs by itself matters little.
static constexpr std::uint64_t wantedInstructions = 16'000'000;

/// Blocks that are spread evenly over the grid.
static std::vector<std::uint64_t> chooseBlocks(const Kernel &kernel,
                                               std::uint64_t most) {
  std::uint64_t grid = kernel.grid[0], count = std::min(grid, most);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count; ++i)
    blocks.push_back(i * grid / count);
  return blocks;
}

/// A launch of a kernel, ready to be repeated.
struct Run {
  std::vector<std::vector<std::byte>> tensors;
  std::vector<sim::GlobalBuffer> buffers;
  std::vector<sim::KernelArgument> arguments;
  sim::LaunchConfig config;
};

static Result<Run> prepare(const Kernel &kernel, const sim::Module &module) {
  if (kernel.alpha.isArgument || kernel.beta.isArgument)
    return Error{"kernel " + kernel.entry + " takes factors as arguments"};
  Run run;
  for (const TensorArgument &tensor : kernel.tensors) {
    Result<Geometry> geometry = geometryOf(tensor);
    if (!geometry)
      return Error{geometry.error()};
    // Some normal number in every type.
    run.tensors.emplace_back(geometry->bufferElements() *
                                 model::byteWidth(tensor.type),
                             std::byte(0x3f));
    std::vector<std::byte> &bytes = run.tensors.back();
    run.arguments.push_back(sim::KernelArgument::address(run.buffers.size()));
    run.buffers.push_back(
        {tensor.name, bytes.data(), bytes.size(), tensor.isWritten});
    run.buffers.back().isUninitialized = !tensor.isRead;
    run.buffers.back().isWrittenOnce = true;
  }
  for (size_t i = 0; i < 3; ++i) {
    run.config.grid[i] = kernel.grid[i];
    run.config.block[i] = kernel.block[i];
  }
  run.config.dynamicSharedBytes = kernel.dynamicSharedBytes;
  run.config.workers = 1;
  run.config.detectors = sim::Detectors::none();
  run.config.blocks = {0};
  Result<sim::Counters> block =
      launch(module, symbolOf(kernel), run.config, run.buffers, run.arguments);
  if (!block)
    return Error{block.error()};
  run.config.blocks = chooseBlocks(
      kernel, 1 + wantedInstructions /
                      std::max<std::uint64_t>(1, block->threadInstructions));
  return run;
}

/// Thread-instructions a second.
static Result<double> measure(const Kernel &kernel, const sim::Module &module,
                              Run &run, const sim::Detectors &detectors) {
  run.config.detectors = detectors;
  std::vector<double> rates;
  double total = 0;
  while (rates.size() < minLaunches || total < minSeconds) {
    double start = benchmark::threadSeconds();
    Result<sim::Counters> counters = launch(
        module, symbolOf(kernel), run.config, run.buffers, run.arguments);
    double seconds = benchmark::threadSeconds() - start;
    if (!counters)
      return Error{counters.error()};
    rates.push_back(static_cast<double>(counters->threadInstructions) /
                    seconds);
    total += seconds;
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

static Status measurePackage(const std::string &path) {
  Result<LoadedPackage> loaded = loadPackage(path);
  if (!loaded)
    return Error{loaded.error()};
  Result<sim::Module> module =
      sim::Module::parse(loaded->code, loaded->codePath);
  if (!module)
    return Error{module.error()};
  if (Status status = checkAgainstPTX(loaded->package, *module); !status)
    return Error{path + ": " + status.error()};
  for (const Kernel &kernel : loaded->package.kernels) {
    Result<Run> run = prepare(kernel, *module);
    if (!run)
      return Error{path + ": " + run.error()};
    Result<double> without =
        measure(kernel, *module, *run, sim::Detectors::none());
    Result<double> with = measure(kernel, *module, *run, sim::Detectors());
    if (!without || !with)
      return Error{path + ": " + (without ? with : without).error()};
    std::printf("%s %s %.1f %.1f\n", path.c_str(), kernel.entry.c_str(),
                *without / 1e6, *with / 1e6);
    std::fflush(stdout);
  }
  return {};
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: %s PACKAGE.json...\n"
                 "Prints package, kernel, and millions of thread-instructions "
                 "a second and core without and with detectors.\n",
                 argv[0]);
    return 1;
  }
  for (int i = 1; i < argc; ++i)
    if (Status status = measurePackage(argv[i]); !status) {
      std::fprintf(stderr, "error: %s\n", status.error().c_str());
      return 1;
    }
  return 0;
}
