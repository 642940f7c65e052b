//===- DeviceBenchTest.cpp - Measuring on a device, of sorts ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device and the libraries are those of test/FakeCuda.
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/DeviceBench.h"
#include "Support/ScopedVariable.h"
#include "Support/TemporaryFolder.h"
#include "tc/Support/Files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

static const std::string missingLibrary = "/nonexistent/lib.so";

namespace {

class DeviceBenchTest : public testing::Test {
protected:
  /// A suite of one matrix product, whose package is in a folder of the test.
  Suite makeSuite(size_t kernels = 1) const {
    Suite suite;
    suite.name = "example";
    suite.target = "sm_80";
    suite.folder = folder.name();
    Result<LoadedPackage> loaded = loadPackage(TC_TEST_INPUTS "/matmul.json");
    EXPECT_TRUE(loaded) << loaded.error();
    loaded->package.kernels.resize(kernels);
    EXPECT_TRUE(
        replaceFile(suite.folder + "/product.json", toJson(loaded->package)));
    EXPECT_TRUE(replaceFile(suite.folder + "/" + loaded->package.codeFile,
                            loaded->code));
    Case product;
    product.name = "product";
    product.type = "f64";
    product.indices = {{{"i", "k"}, {"k", "j"}, {"i", "j"}}};
    product.extents = {{"i", 5}, {"j", 7}, {"k", 3}};
    product.package = "product.json";
    suite.cases = {product};
    return suite;
  }

  TemporaryFolder folder;
};

} // namespace

static DeviceBenchOptions fewRuns() {
  DeviceBenchOptions options;
  options.repeats = 4;
  options.warmUps = 2;
  options.flush = Flush::Write;
  options.seed = 7;
  return options;
}

static Result<CaseResult> runCase(const Suite &suite,
                                  const DeviceBenchOptions &options) {
  Result<DeviceBench> bench = DeviceBench::open(options);
  if (!bench)
    return Error{bench.error()};
  return bench->run(suite, suite.cases[0]);
}

/// The outcome of a contender; a failure and an empty one if it is not there.
static Outcome outcomeOf(const Result<CaseResult> &result, const char *name) {
  EXPECT_TRUE(result) << result.error();
  const Outcome *outcome = result ? result->find(name) : nullptr;
  EXPECT_TRUE(outcome) << name;
  return outcome ? *outcome : Outcome();
}

TEST_F(DeviceBenchTest, AllContendersAreMeasured) {
  for (Flush flush : {Flush::Read, Flush::Write}) {
    DeviceBenchOptions options = fewRuns();
    options.flush = flush;
    Result<CaseResult> result = runCase(makeSuite(), options);
    for (const char *name : {"tc", "cublas", "cutensor", "cutensor-best"}) {
      Outcome outcome = outcomeOf(result, name);
      EXPECT_EQ(outcome.error, "") << name;
      EXPECT_EQ(outcome.samples.size(), 4u);
      ASSERT_TRUE(outcome.verdict) << name;
      EXPECT_TRUE(outcome.verdict->passed);
      bool isCompared = outcome.contender == "cutensor" ||
                        outcome.contender == "cutensor-best";
      EXPECT_EQ(outcome.difference.has_value(), isCompared);
      EXPECT_LT(outcome.difference.value_or(0), 1e-14);
    }
    EXPECT_TRUE(result->passed());
  }
}

TEST_F(DeviceBenchTest, DetailsOfEachContender) {
  Suite suite = makeSuite();
  suite.cases[0].machineCode = MachineCodeFigures();
  suite.cases[0].machineCode->multiply = "DMMA.16x8x8";
  suite.cases[0].predictedTime = {2.5e-5, 3e-6, "tensor pipe"};
  Result<CaseResult> result = runCase(suite, fewRuns());
  Json ours = outcomeOf(result, "tc").details;
  EXPECT_EQ(ours["code"], "ptx");
  EXPECT_EQ(ours["machine_code"]["multiply"], "DMMA.16x8x8");
  EXPECT_EQ(ours["predicted_time"], Json({{"seconds", 2.5e-5},
                                          {"launch_seconds", 3e-6},
                                          {"limited_by", "tensor pipe"}}));
  EXPECT_EQ(ours["registers"], 42);
  EXPECT_EQ(ours["grid"], Json({6, 1, 1}));
  EXPECT_EQ(outcomeOf(result, "cublas").details,
            Json({{"m", 5}, {"n", 7}, {"k", 3}, {"batch", 1}}));
  EXPECT_EQ(outcomeOf(result, "cutensor").details,
            Json({{"algorithm", "default"},
                  {"kernel_rank", 0},
                  {"workspace_bytes", 0}}));
  // The fake's fastest plan, of the six that it has.
  EXPECT_EQ(outcomeOf(result, "cutensor-best").details,
            Json({{"algorithm", "gett"},
                  {"kernel_rank", 1},
                  {"workspace_bytes", 0},
                  {"plans_timed", 6}}));
}

TEST_F(DeviceBenchTest, FloorAndConditions) {
  Result<CaseResult> result = runCase(makeSuite(), fewRuns());
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->work.flops, 2 * 5 * 7 * 3);
  EXPECT_EQ(result->work.bytes, 8 * (15 + 21 + 35));
  ASSERT_TRUE(result->floor);
  EXPECT_GT(result->floor->seconds, 0);
  EXPECT_EQ(result->conditions["before"]["multiprocessor_mhz"], 1980);
  EXPECT_EQ(result->conditions["after"]["power_limit_watts"], 700.0);
  EXPECT_EQ(result->conditions["after"]["throttled_by"][0],
            "software power cap");
}

TEST_F(DeviceBenchTest, DescribesTheMachine) {
  DeviceBenchOptions options = fewRuns();
  options.cublasPath = missingLibrary;
  Result<DeviceBench> bench = DeviceBench::open(options);
  ASSERT_TRUE(bench) << bench.error();
  Results results;
  bench->describe(results);
  EXPECT_EQ(results.machine, "cuda");
  EXPECT_EQ(results.device["name"], "Fake GPU");
  EXPECT_EQ(results.options["flush"], "write");
  EXPECT_EQ(results.options["flush_bytes"], 4 << 20);
  EXPECT_EQ(results.versions["cutensor"], "2.3.1");
  EXPECT_EQ(results.versions["driver"], "580.65.06");
  EXPECT_EQ(results.versions["cuda_driver_api"], "13.0");
  EXPECT_GT(results.ceilings["copy_bytes_per_second"], 0);
  // 2 multiprocessors at 1 GHz.
  EXPECT_EQ(results.ceilings["flops_per_second"]["f64"], 2 * 128 * 2e9);
  ASSERT_EQ(results.unavailable.size(), 1u);
  EXPECT_EQ(results.unavailable[0].first, "cublas");
  EXPECT_EQ(
      results.unavailable[0].second.find(missingLibrary + ": cannot open"), 0u);
  options.cublasPath = "";
  bench = DeviceBench::open(options);
  ASSERT_TRUE(bench);
  bench->describe(results);
  EXPECT_EQ(results.versions["cublas"], "13.1.0");
}

TEST_F(DeviceBenchTest, ContendersTakeTurns) {
  const std::string log = folder.path("calls");
  DeviceBenchOptions options = fewRuns();
  options.peers = {"cublas", "cutensor"};
  Suite suite = makeSuite();
  {
    ScopedVariable variable("FAKE_CUDA_LOG", log);
    ASSERT_TRUE(runCase(suite, options));
  }
  std::vector<std::string> calls;
  std::istringstream text(*readFile(log));
  for (std::string line; std::getline(text, line);)
    calls.push_back(line);
  // The contenders that run after each flush.
  std::string turns;
  for (size_t i = 0; i + 2 < calls.size(); ++i)
    if (calls[i] == "cuMemsetD32Async" && calls[i + 1] == "cuEventRecord")
      turns += calls[i + 2] == "cuLaunchKernel"               ? "t"
               : calls[i + 2] == "cublasGemmStridedBatchedEx" ? "b"
               : calls[i + 2] == "cutensorContract"           ? "n"
                                                              : "";
  // Two rounds that warm up, and four.
  EXPECT_EQ(turns, "tbnbntntb"
                   "tbnbntntb");
}

TEST_F(DeviceBenchTest, WrongResultsAreReportedAndNotTimed) {
  const std::pair<const char *, const char *> peers[] = {
      {"cublasGemmStridedBatchedEx", "cublas"},
      {"cutensorContract", "cutensor"}};
  for (auto [call, name] : peers) {
    ScopedVariable variable("FAKE_PEER_SPOIL", call);
    Result<CaseResult> result = runCase(makeSuite(), fewRuns());
    Outcome wrong = outcomeOf(result, name);
    EXPECT_EQ(wrong.error.find("wrong result: FAILED: "), 0u) << wrong.error;
    EXPECT_TRUE(wrong.samples.empty());
    ASSERT_TRUE(wrong.verdict);
    EXPECT_FALSE(wrong.verdict->passed);
    EXPECT_EQ(outcomeOf(result, "tc").samples.size(), 4u);
    EXPECT_FALSE(result->passed());
  }
  Suite suite = makeSuite();
  std::string path = suite.folder + "/matmul.ptx";
  std::string ptx = *readFile(path);
  ptx.replace(ptx.find("fma.rn.f64"), 10,
              "sub.f64 %fd2, %fd2, %fd3; fma.rn.f64");
  ASSERT_TRUE(replaceFile(path, ptx));
  Result<CaseResult> result = runCase(suite, fewRuns());
  EXPECT_EQ(outcomeOf(result, "tc").error.find("wrong result: "), 0u);
  EXPECT_EQ(outcomeOf(result, "cutensor").error, "");
}

TEST_F(DeviceBenchTest, FailuresOfPeersNameTheCall) {
  const std::pair<const char *, const char *> ofCases[] = {
      {"cublasGemmStridedBatchedEx", "cublas"},
      {"cutensorCreateTensorDescriptor", "cutensor"},
      {"cutensorCreateContraction", "cutensor"},
      {"cutensorCreatePlanPreference", "cutensor"},
      {"cutensorEstimateWorkspaceSize", "cutensor"},
      {"cutensorCreatePlan", "cutensor"},
      {"cutensorContract", "cutensor-best"}};
  for (auto [call, name] : ofCases) {
    ScopedVariable variable("FAKE_PEER_FAIL", call);
    Result<CaseResult> result = runCase(makeSuite(), fewRuns());
    Outcome failed = outcomeOf(result, name);
    EXPECT_EQ(failed.error.find(std::string(call) + ": "), 0u) << failed.error;
    EXPECT_EQ(outcomeOf(result, "tc").error, "");
  }
  for (const char *call :
       {"cublasCreate", "cublasGetVersion", "cutensorCreate"}) {
    ScopedVariable variable("FAKE_PEER_FAIL", call);
    Result<DeviceBench> bench = DeviceBench::open(fewRuns());
    ASSERT_TRUE(bench) << bench.error();
    Results results;
    bench->describe(results);
    ASSERT_FALSE(results.unavailable.empty()) << call;
    EXPECT_NE(results.unavailable[0].second.find(std::string(call) + ": "),
              std::string::npos);
  }
}

TEST_F(DeviceBenchTest, FailuresOfTheDriverAreReported) {
  Suite suite = makeSuite();
  for (const char *call :
       {"cuInit", "cuModuleLoadDataEx", "cuMemAlloc", "cuEventCreate",
        "cuEventRecord", "cuEventSynchronize", "cuMemcpyDtoDAsync",
        "cuLaunchKernel"}) {
    ScopedVariable variable("FAKE_CUDA_FAIL", call);
    DeviceBenchOptions options = fewRuns();
    options.flush = Flush::Read;
    Result<CaseResult> result = runCase(suite, options);
    ASSERT_FALSE(result) << call;
    EXPECT_NE(result.error().find(std::string(call) + ": CUDA_ERROR_"),
              std::string::npos)
        << result.error();
  }
  Result<DeviceBench> bench = DeviceBench::open(fewRuns());
  ASSERT_TRUE(bench) << bench.error();
  ScopedVariable variable("FAKE_CUDA_FAIL", "cuCtxSynchronize");
  Result<CaseResult> result = bench->run(suite, suite.cases[0]);
  EXPECT_EQ(outcomeOf(result, "tc").error.find("cuCtxSynchronize: "), 0u);
}

TEST_F(DeviceBenchTest, CasesThatCannotBeRun) {
  DeviceBenchOptions options = fewRuns();
  Suite suite = makeSuite(/*kernels=*/2);
  std::string path = suite.folder + "/product.json";
  EXPECT_EQ(runCase(suite, options).error(),
            path + ": $.kernels: 2 kernels, expected one");
  suite = makeSuite();
  suite.cases[0].extents[0].second = 6;
  EXPECT_EQ(runCase(suite, options).error(),
            path + ": kernel matmul is not for the contraction: its tensor A "
                   "is laid out otherwise");
  suite.cases[0].package = "";
  EXPECT_EQ(runCase(suite, options).error(),
            "there is no package: the suite is not compiled");
  suite.cases[0].type = "f4";
  EXPECT_EQ(runCase(suite, options).error(), "unknown element type \"f4\"");
  ScopedVariable variable("FAKE_CUDA_CAPABILITY", "99");
  EXPECT_EQ(runCase(makeSuite(), options).error(),
            "the peak rates of sm_99 are unknown");
}

TEST_F(DeviceBenchTest, SumsWithinAnOperandAreNoMatrixProduct) {
  Suite suite = makeSuite();
  // The same buffers, but k is in A only: the package is wrong for that.
  suite.cases[0].indices[1] = {"l", "j"};
  suite.cases[0].extents.emplace_back("l", 3);
  Result<CaseResult> result = runCase(suite, fewRuns());
  EXPECT_EQ(outcomeOf(result, "cublas").error,
            "not a matrix product: k is summed within one operand");
  EXPECT_EQ(outcomeOf(result, "tc").error.find("wrong result: "), 0u);
  EXPECT_EQ(outcomeOf(result, "cutensor").error, "");
}

TEST_F(DeviceBenchTest, CubinsRunOnTheirOwnArchitecture) {
  Suite suite = makeSuite();
  suite.cases[0].cubin = "absent.json";
  // The device is sm_90: the PTX for sm_80 runs, its cubin would not.
  EXPECT_EQ(outcomeOf(runCase(suite, fewRuns()), "tc").error, "");
  ScopedVariable variable("FAKE_CUDA_CAPABILITY", "86");
  EXPECT_EQ(runCase(suite, fewRuns()).error(),
            suite.folder + "/absent.json: No such file or directory");
}
