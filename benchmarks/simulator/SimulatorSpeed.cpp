//===- SimulatorSpeed.cpp - Speed of the simulator ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the register-tiled double-precision matrix product of the simulator's
// tests on one core, with or without detectors, and prints simulated
// thread-instructions per second.
//
//===----------------------------------------------------------------------===//

#include "CpuTime.h"

#include "tc/Simulator/Simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tc::sim;

int main(int argc, char **argv) {
  const std::string detectors = argc == 4 ? argv[3] : "all";
  if (argc < 3 || argc > 4 || (detectors != "all" && detectors != "none")) {
    std::fprintf(stderr, "usage: %s llvm_gemm.ptx EXTENT [all|none]\n",
                 argv[0]);
    return 1;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const long extent = std::strtol(argv[2], nullptr, 10);
  if (!file || extent <= 0 || extent > 8192 || extent % 64 != 0) {
    std::fprintf(stderr,
                 "error: '%s' cannot be read, or %s is not a multiple "
                 "of 64 up to 8192\n",
                 argv[1], argv[2]);
    return 1;
  }
  tc::Result<Module> module = Module::parse(text.str(), argv[1]);
  if (!module) {
    std::fprintf(stderr, "error: %s\n", module.error().c_str());
    return 1;
  }

  const auto n = static_cast<std::uint32_t>(extent);
  std::vector<double> matrices[3];
  std::vector<GlobalBuffer> buffers;
  for (std::vector<double> &matrix : matrices) {
    matrix.assign(std::size_t(n) * n, 1.0 / 3.0);
    buffers.push_back({"matrix", reinterpret_cast<std::byte *>(matrix.data()),
                       matrix.size() * sizeof(double), true});
  }
  LaunchConfig config;
  config.grid = {n / 64, n / 64, 1};
  config.block = {64, 1, 1};
  config.dynamicSharedBytes = 8 * 64 * sizeof(double);
  config.workers = 1;
  if (detectors == "none")
    config.detectors = Detectors::none();
  std::vector<double> rates;
  for (int repetition = 0; repetition < 5; ++repetition) {
    double start = tc::benchmark::threadSeconds();
    tc::Result<Counters> counters =
        launch(*module, "gemm", config, buffers,
               {KernelArgument::address(0), KernelArgument::address(1),
                KernelArgument::address(2), KernelArgument::scalar(n)});
    double seconds = tc::benchmark::threadSeconds() - start;
    if (!counters) {
      std::fprintf(stderr, "error: %s\n", counters.error().c_str());
      return 1;
    }
    rates.push_back(static_cast<double>(counters->threadInstructions) /
                    seconds);
  }
  std::sort(rates.begin(), rates.end());
  std::printf("%.0f million thread-instructions a second and core "
              "(median of %zu, %.0f to %.0f)\n",
              rates[rates.size() / 2] / 1e6, rates.size(), rates.front() / 1e6,
              rates.back() / 1e6);
  return 0;
}
