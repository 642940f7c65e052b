//===- matmul.cpp - A CUDA kernel without a GPU ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the tiled matrix product that nvcc made of
// test/Unit/Simulator/Inputs/nvcc.cu, checks it, and prints its cost.
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/Simulator.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace tc::sim;

static GlobalBuffer bufferOf(std::vector<double> &matrix, const char *name) {
  return {name, reinterpret_cast<std::byte *>(matrix.data()),
          matrix.size() * sizeof(double)};
}

static int fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fail("usage: matmul nvcc.ptx");
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  tc::Result<Module> module = Module::parse(text.str(), argv[1]);
  if (!module)
    return fail(module.error()); // The file, the line, and what is wrong.

  const int m = 100, n = 70, k = 40, tile = 16;
  std::vector<double> a(m * k), b(k * n), c(m * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = std::sin(i);
  for (int i = 0; i < k * n; ++i)
    b[i] = std::cos(i);

  std::vector<GlobalBuffer> buffers = {bufferOf(a, "A"), bufferOf(b, "B"),
                                       bufferOf(c, "C")};
  buffers[0].writable = buffers[1].writable = false;
  buffers[2].isUninitialized = buffers[2].isWrittenOnce = true;
  LaunchConfig config; // All detectors are on.
  config.grid = {(n + tile - 1) / tile, (m + tile - 1) / tile, 1};
  config.block = {tile, tile, 1};
  config.profile = true;
  tc::Result<Counters> counters =
      launch(*module, "matrixProduct", config, buffers,
             {KernelArgument::address(0), KernelArgument::address(1),
              KernelArgument::address(2), KernelArgument::scalar(m),
              KernelArgument::scalar(n), KernelArgument::scalar(k)});
  if (!counters)
    return fail(counters.error()); // Also the instruction, block and thread.

  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum = std::fma(a[i * k + l], b[l * n + j], sum);
      if (c[i * n + j] != sum)
        return fail("C[" + std::to_string(i) + "," + std::to_string(j) +
                    "] is wrong");
    }

  std::printf("C = A * B is right\n");
  std::printf("A: %llu sectors read\n", static_cast<unsigned long long>(
                                            counters->buffers[0].loadSectors));
  std::printf(
      "bank conflicts: %llu\n",
      static_cast<unsigned long long>(counters->shared.loadWavefronts -
                                      counters->shared.idealLoadWavefronts));
  if (const LoopProfile *loop = counters->profile->mainLoop())
    std::printf("main loop: %.1f of %.1f instructions multiply\n",
                loop->perTrip(InstructionKind::FmaF64),
                static_cast<double>(loop->warpInstructions) /
                    static_cast<double>(loop->trips));
  return 0;
}
