//===- PackageSpeed.cpp - How fast packages are simulated -----------------===//
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

#include "tc/Runtime/Package.h"
#include "tc/Runtime/PackageSimulation.h"

#include <algorithm>
#include <cstdio>

using namespace tc;
using namespace tc::runtime;

/// Each figure is the median of at least so many launches, which take at least
/// so long together.
static constexpr std::size_t leastLaunches = 3;
static constexpr double leastSeconds = 0.3;

/// Blocks that are spread evenly over the grid.
static std::vector<int64_t> chooseBlocks(const Kernel &kernel, int64_t most) {
  int64_t grid = kernel.grid[0], count = std::min(grid, most);
  std::vector<int64_t> blocks;
  for (int64_t i = 0; i < count; ++i)
    blocks.push_back(i * grid / count);
  return blocks;
}

/// Thread-instructions a second.
static Result<double> measure(const Kernel &kernel, const sim::Module &module,
                              Problem &problem, SimulationOptions options) {
  std::vector<double> rates;
  double total = 0;
  while (rates.size() < leastLaunches || total < leastSeconds) {
    double start = benchmark::threadSeconds();
    Result<sim::Counters> counters = simulate(kernel, module, problem, options);
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

static Status measurePackage(const std::string &path, int64_t blocks) {
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
    Result<Problem> problem = makeProblem(kernel, ProblemOptions());
    if (!problem)
      return Error{path + ": " + problem.error()};
    SimulationOptions options;
    options.blocks = chooseBlocks(kernel, blocks);
    options.workers = 1;
    options.detectors = sim::Detectors::none();
    Result<double> without = measure(kernel, *module, *problem, options);
    options.detectors = sim::Detectors();
    Result<double> with = measure(kernel, *module, *problem, options);
    if (!without || !with)
      return Error{path + ": " + (without ? with : without).error()};
    std::printf("%s %s %.1f %.1f\n", path.c_str(), kernel.entry.c_str(),
                *without / 1e6, *with / 1e6);
  }
  return {};
}

int main(int argc, char **argv) {
  int64_t blocks = argc > 2 ? std::strtoll(argv[1], nullptr, 10) : 0;
  if (blocks <= 0) {
    std::fprintf(stderr,
                 "usage: %s BLOCKS PACKAGE.json...\n"
                 "Prints package, kernel, and millions of thread-instructions "
                 "a second and core without and with detectors.\n",
                 argv[0]);
    return 1;
  }
  for (int i = 2; i < argc; ++i)
    if (Status status = measurePackage(argv[i], blocks); !status) {
      std::fprintf(stderr, "error: %s\n", status.error().c_str());
      return 1;
    }
  return 0;
}
