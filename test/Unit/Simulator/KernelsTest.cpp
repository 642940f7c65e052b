//===- KernelsTest.cpp - Compiled kernels against the host ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole kernels as compilers emit them. Inputs/README.md says how each was
// made.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

static Module load(const std::string &name) {
  std::ifstream file(std::string(TC_SIMULATOR_INPUTS) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  Result<Module> module = Module::parse(text.str(), name);
  if (!module)
    throw std::runtime_error(module.error());
  return *module;
}

template <typename T> static std::vector<T> random(std::size_t size) {
  std::mt19937_64 generator(size);
  std::uniform_real_distribution<T> distribution(-1, 1);
  std::vector<T> values(size);
  for (T &value : values)
    value = distribution(generator);
  return values;
}

static Counters run(const Module &module, const std::string &entry,
                    const LaunchConfig &config,
                    std::vector<GlobalBuffer> buffers,
                    const std::vector<KernelArgument> &arguments) {
  Result<Counters> result = launch(module, entry, config, buffers, arguments);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result ? *result : Counters();
}

TEST(Kernels, NvccVectorAdd) {
  const int n = 1000;
  std::vector<float> a = random<float>(n), b = random<float>(n + 1), c(n);
  b.resize(n);
  LaunchConfig config;
  config.grid = {8, 1, 1};
  config.block = {128, 1, 1};
  Counters counters =
      run(load("nvcc.ptx"), "vectorAdd", config,
          {bufferOf(a, "a", false), bufferOf(b, "b", false), bufferOf(c, "c")},
          {KernelArgument::address(0), KernelArgument::address(1),
           KernelArgument::address(2), KernelArgument::scalar(n)});
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(c[i], a[i] + b[i]);
  EXPECT_EQ(counters.buffers[0].loadBytes, 4000u);
  EXPECT_EQ(counters.buffers[0].loadSectors, 125u);
  EXPECT_EQ(counters.buffers[2].storeSectors, 125u);
}

TEST(Kernels, NvccTiledMatrixProduct) {
  const int m = 37, n = 50, k = 19;
  std::vector<double> a = random<double>(m * k), b = random<double>(k * n),
                      c(m * n);
  LaunchConfig config;
  config.grid = {4, 3, 1};
  config.block = {16, 16, 1};
  Counters counters =
      run(load("nvcc.ptx"), "matrixProduct", config,
          {bufferOf(a, "a", false), bufferOf(b, "b", false), bufferOf(c, "c")},
          {KernelArgument::address(0), KernelArgument::address(1),
           KernelArgument::address(2), KernelArgument::scalar(m),
           KernelArgument::scalar(n), KernelArgument::scalar(k)});
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum = std::fma(a[i * k + l], b[l * n + j], sum);
      EXPECT_EQ(c[i * n + j], sum);
    }
  // Two tiles along k, each with a barrier before and after.
  EXPECT_EQ(counters.barriers, 12u * 2 * 2);
  EXPECT_EQ(counters.fmaF64, 12u * 256 * 32);
}

TEST(Kernels, NvccReduction) {
  const unsigned n = 5000, blocks = 4, threads = 256;
  std::vector<float> in(n), out(blocks);
  for (unsigned i = 0; i < n; ++i)
    in[i] = static_cast<float>(i % 17);
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = threads * sizeof(float);
  run(load("nvcc.ptx"), "reduction", config,
      {bufferOf(in, "in", false), bufferOf(out, "out")},
      {KernelArgument::address(0), KernelArgument::address(1),
       KernelArgument::scalar(n)});
  for (unsigned block = 0; block < blocks; ++block) {
    float wanted = 0;
    for (unsigned i = 0; i < n; ++i)
      if (i / threads % blocks == block)
        wanted += in[i];
    EXPECT_EQ(out[block], wanted); // Small integers, so the order is no matter.
  }
}

/// The register-tiled product C = A^T B of square matrices.
class LlvmGemm : public ::testing::Test {
protected:
  Counters run(unsigned workers) {
    c.assign(n * n, 0);
    LaunchConfig config;
    config.grid = {n / 64, n / 64, 1};
    config.block = {64, 1, 1};
    config.dynamicSharedBytes = 8 * 64 * sizeof(double);
    config.workers = workers;
    return ::run(
        load("llvm_gemm.ptx"), "gemm", config,
        {bufferOf(a, "a", false), bufferOf(b, "b", false), bufferOf(c, "c")},
        {KernelArgument::address(0), KernelArgument::address(1),
         KernelArgument::address(2), KernelArgument::scalar(n)});
  }

  static constexpr unsigned n = 192;
  std::vector<double> a = random<double>(n * n), b = random<double>(n * n), c;
};

TEST_F(LlvmGemm, AgreesWithTheHost) {
  Counters counters = run(0);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      double sum = 0;
      for (unsigned k = 0; k < n; ++k)
        sum = std::fma(a[k * n + i], b[k * n + j], sum);
      ASSERT_EQ(c[i * n + j], sum) << i << " " << j;
    }
  EXPECT_EQ(counters.fmaF64, std::uint64_t(n) * n * n);
  // Each of 3 x 3 blocks reads a shared tile of 64 columns of both.
  EXPECT_EQ(counters.buffers[0].loadBytes, 9u * 64 * n * 8);
  EXPECT_EQ(counters.buffers[1].loadBytes, 9u * 64 * n * 8);
  EXPECT_EQ(counters.buffers[2].storeBytes, std::uint64_t(n) * n * 8);
  EXPECT_EQ(counters.buffers[2].loadBytes, 0u);
}

TEST_F(LlvmGemm, DoesNotDependOnWorkers) {
  Counters one = run(1);
  std::vector<double> result = c;
  Counters two = run(2);
  EXPECT_EQ(std::memcmp(result.data(), c.data(), c.size() * sizeof(double)), 0);
  EXPECT_EQ(one.threadInstructions, two.threadInstructions);
  EXPECT_EQ(one.warpInstructionsByKind, two.warpInstructionsByKind);
  EXPECT_EQ(one.shared.loadWavefronts, two.shared.loadWavefronts);
  EXPECT_EQ(one.barriers, two.barriers);
  EXPECT_EQ(one.blocks, two.blocks);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.buffers[i].loadSectors, two.buffers[i].loadSectors);
    EXPECT_EQ(one.buffers[i].storeSectors, two.buffers[i].storeSectors);
  }
}

TEST(Kernels, LlvmAssortmentParses) {
  // The back end's code for a function with one instruction of each kind.
  Module module = load("llvm_assortment.ptx");
  ASSERT_EQ(module.entries().size(), 1u);
  EXPECT_EQ(module.entries()[0].parameters.size(), 10u);
}
