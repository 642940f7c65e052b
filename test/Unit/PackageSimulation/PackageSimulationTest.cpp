//===- PackageSimulationTest.cpp - Packages in the simulator ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Reference/Check.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tc;
using namespace tc::runtime;

static LoadedPackage load() {
  Result<LoadedPackage> loaded = loadPackage(TC_TEST_INPUTS "/matmul.json");
  EXPECT_TRUE(loaded) << loaded.error();
  return *loaded;
}

static sim::Module parse(const LoadedPackage &loaded) {
  Result<sim::Module> module = sim::Module::parse(loaded.code, "matmul.ptx");
  EXPECT_TRUE(module) << module.error();
  return *module;
}

TEST(PackageSimulationTest, DescriptionFitsItsCode) {
  Status status = checkAgainstCode(load());
  EXPECT_TRUE(status) << status.error();
}

TEST(PackageSimulationTest, DescriptionDoesNotFit) {
  struct {
    const char *what;
    std::function<void(LoadedPackage &)> spoil;
    const char *error;
  } cases[] = {
      {"target", [](LoadedPackage &l) { l.package.target = "sm_90"; },
       "$.target: sm_90, but the PTX is for sm_80"},
      {"entry", [](LoadedPackage &l) { l.package.kernels[1].entry = "none"; },
       "$.kernels[1].entry: the PTX has no entry none"},
      {"maxntid",
       [](LoadedPackage &l) { l.package.kernels[0].block = {9, 1, 1}; },
       "$.kernels[0].block: 9 threads, but .maxntid of entry matmul is [8, 1, "
       "1]"},
      {"reqntid",
       [](LoadedPackage &l) { l.package.kernels[1].block = {4, 1, 1}; },
       "$.kernels[1].block: [4, 1, 1], but .reqntid of entry scale is [5, 1, "
       "1]"},
      {"missing argument",
       [](LoadedPackage &l) { l.package.kernels[1].beta = {0, false}; },
       "$.kernels[1].arguments: 4 arguments, but entry scale has 5 "
       "parameters"},
      {"size of a scalar",
       [](LoadedPackage &l) {
         l.package.kernels[1].accumulatorType = model::ElementType::F64;
       },
       "$.kernels[1].arguments[3]: alpha has 8 bytes, but parameter alpha has "
       "4"},
      {"alignment",
       [](LoadedPackage &l) { l.package.kernels[0].tensors[1].alignment = 8; },
       "$.kernels[0].arguments[1].alignment: 8, but parameter b needs 16"},
      {"shared memory",
       [](LoadedPackage &l) { l.package.kernels[0].staticSharedBytes = 128; },
       "$.kernels[0].static_shared_bytes: 128, but entry matmul has 0"},
  };
  for (const auto &test : cases) {
    LoadedPackage loaded = load();
    test.spoil(loaded);
    Status status = checkAgainstCode(loaded);
    ASSERT_FALSE(status) << test.what;
    EXPECT_EQ(status.error(), test.error);
  }
}

TEST(PackageSimulationTest, CodeThatIsNoPTX) {
  LoadedPackage loaded = load();
  loaded.code = "not PTX";
  Status status = checkAgainstCode(loaded);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rfind(loaded.codePath + ":1: ", 0), 0u)
      << status.error();
}

TEST(PackageSimulationTest, WholeKernelIsRight) {
  LoadedPackage loaded = load();
  const Kernel &kernel = loaded.package.kernels[0];
  Problem problem = std::move(*makeProblem(kernel, {}));
  Result<sim::Counters> counters = simulate(kernel, parse(loaded), problem, {});
  ASSERT_TRUE(counters) << counters.error();
  EXPECT_EQ(counters->blocks, 6u);
  EXPECT_EQ(counters->fmaF64, 5u * 7 * 3);
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
}

TEST(PackageSimulationTest, ChosenBlocks) {
  LoadedPackage loaded = load();
  const Kernel &kernel = loaded.package.kernels[0];
  Problem problem = std::move(*makeProblem(kernel, {}));
  SimulationOptions options;
  options.blocks = {2, 3};
  ASSERT_TRUE(simulate(kernel, parse(loaded), problem, options));
  CheckOptions check;
  check.blocks = {2, 3};
  CheckReport report = checkOutput(kernel, problem, check);
  EXPECT_TRUE(report.passed()) << report.summary();
  // The other blocks did not run.
  EXPECT_FALSE(checkOutput(kernel, problem, {}).passed());
}

TEST(PackageSimulationTest, ScalarArguments) {
  LoadedPackage loaded = load();
  const Kernel &kernel = loaded.package.kernels[1];
  for (double beta : {0.0, 3.0}) {
    ProblemOptions options;
    options.alpha = 0.3;
    options.beta = beta;
    Problem problem = std::move(*makeProblem(kernel, options));
    Result<sim::Counters> counters =
        simulate(kernel, parse(loaded), problem, {});
    ASSERT_TRUE(counters) << counters.error();
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
  }
}

TEST(PackageSimulationTest, FaultsStopTheRun) {
  LoadedPackage loaded = load();
  Kernel kernel = loaded.package.kernels[0];
  // The kernel reads more of B than this one has.
  kernel.tensors[1].extents = {2, 7};
  kernel.tensors[0].extents = {5, 2};
  Problem problem = std::move(*makeProblem(kernel, {}));
  Result<sim::Counters> counters = simulate(kernel, parse(loaded), problem, {});
  ASSERT_FALSE(counters);
  EXPECT_NE(counters.error().find("matmul.ptx:"), std::string::npos)
      << counters.error();
}

TEST(PackageSimulationTest, NoBetterAlignedThanPromised) {
  LoadedPackage loaded = load();
  SimulationOptions options;
  options.leastAligned = true;
  for (Kernel &kernel : loaded.package.kernels) {
    Problem problem = std::move(*makeProblem(kernel, {}));
    Result<sim::Counters> counters =
        simulate(kernel, parse(loaded), problem, options);
    ASSERT_TRUE(counters) << counters.error();
    CheckReport report = checkOutput(kernel, problem, {});
    EXPECT_TRUE(report.passed()) << report.summary();
  }
  // The kernel's accesses have 8 bytes, and its description must say so.
  Kernel kernel = loaded.package.kernels[0];
  for (TensorArgument &tensor : kernel.tensors)
    tensor.alignment = 4;
  size_t parameters = loaded.code.find(".ptr .global .align 16");
  while (parameters != std::string::npos) {
    loaded.code.replace(parameters, 22, "");
    parameters = loaded.code.find(".ptr .global .align 16");
  }
  Problem problem = std::move(*makeProblem(kernel, {}));
  ASSERT_TRUE(simulate(kernel, parse(loaded), problem, {}));
  Result<sim::Counters> counters =
      simulate(kernel, parse(loaded), problem, options);
  ASSERT_FALSE(counters);
  EXPECT_NE(counters.error().find("misaligned load of 8 bytes"),
            std::string::npos)
      << counters.error();
}

/// The error of a run of the first kernel with another instruction before its
/// store of a result, if beta is 0, else behind it.
static std::string errorWith(const std::string &instruction, double beta,
                             sim::Detectors detectors = {}) {
  LoadedPackage loaded = load();
  Kernel kernel = loaded.package.kernels[0];
  kernel.beta.value = beta;
  const std::string store = "st.global.f64 \t[%rd10], %fd1;";
  size_t place = loaded.code.find(store);
  EXPECT_NE(place, std::string::npos);
  loaded.code.insert(beta == 0 ? place : place + store.size(), instruction);
  Problem problem = std::move(*makeProblem(kernel, {}));
  SimulationOptions options;
  options.detectors = detectors;
  Result<sim::Counters> counters =
      simulate(kernel, parse(loaded), problem, options);
  return counters ? "" : counters.error();
}

TEST(PackageSimulationTest, EachElementIsWrittenOnce) {
  const char *again = "st.global.f64 [%rd10], %fd2;";
  EXPECT_NE(errorWith(again, 1).find("is to be written once"),
            std::string::npos);
  EXPECT_EQ(errorWith(again, 1, sim::Detectors::none()), "");
}

TEST(PackageSimulationTest, OldResultMeansNothingIfBetaIsZero) {
  const char *load = "ld.global.f64 %fd2, [%rd10];";
  EXPECT_NE(errorWith(load, 0).find("which nothing has initialized"),
            std::string::npos);
  EXPECT_EQ(errorWith(load, 0, sim::Detectors::none()), "");
  EXPECT_EQ(errorWith(load, 1), "");
}

TEST(PackageSimulationTest, InputsAreReadOnly) {
  LoadedPackage loaded = load();
  Kernel kernel = loaded.package.kernels[0];
  // As if the kernel wrote its third argument, which is not to be written.
  kernel.tensors[2].isWritten = false;
  Problem problem = std::move(*makeProblem(kernel, {}));
  EXPECT_FALSE(simulate(kernel, parse(loaded), problem, {}));
}

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

/// The least ELF file that passes for a cubin: section names and one kernel.
static std::string makeCubin(const std::string &entry) {
  std::string names = std::string("\0.text.", 7) + entry + '\0';
  std::string file(64, '\0');
  auto put = [&](size_t offset, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      file[offset + i] = static_cast<char>(value >> (8 * i));
  };
  file.replace(0, 6,
               "\x7f"
               "ELF\x02\x01");
  put(18, 190, 2);               // machine
  put(40, 64 + names.size(), 8); // section table
  put(58, 64, 2);                // size of its entries
  put(60, 2, 2);                 // sections
  put(62, 0, 2);                 // the one with the names
  file += names;
  size_t table = file.size();
  file.resize(table + 2 * 64);
  put(table + 24, 64, 8); // the names' place in the file
  put(table + 64, 1, 4);  // ".text.ENTRY"
  return file;
}

TEST(PackageSimulationTest, Cubins) {
  LoadedPackage loaded = load();
  loaded.package.codeKind = CodeKind::Cubin;
  loaded.package.kernels.resize(1);
  loaded.code = makeCubin("matmul");
  Status status = checkAgainstCode(loaded);
  EXPECT_TRUE(status) << status.error();

  loaded.code = makeCubin("other");
  status = checkAgainstCode(loaded);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            "$.kernels[0].entry: the cubin has no entry matmul");

  loaded.code = "PTX";
  status = checkAgainstCode(loaded);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "$.code.file: not a cubin");
}

TEST(PackageSimulationTest, DamagedCubinsAreHarmless) {
  LoadedPackage loaded = load();
  loaded.package.codeKind = CodeKind::Cubin;
  loaded.package.kernels.resize(1);
  std::string whole = makeCubin("matmul");
  for (size_t length = 0; length < whole.size(); ++length) {
    loaded.code = whole.substr(0, length);
    // Cut off behind all that matters it may still do.
    if (length < 64 + 15)
      EXPECT_FALSE(checkAgainstCode(loaded)) << length;
    else
      (void)static_cast<bool>(checkAgainstCode(loaded));
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    loaded.code = whole;
    loaded.code[i] = '\xff';
    (void)static_cast<bool>(checkAgainstCode(loaded));
  }
}
