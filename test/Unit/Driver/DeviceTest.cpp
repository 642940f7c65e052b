//===- DeviceTest.cpp - Kernels on a device, of sorts -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device is the fake driver of test/FakeCuda.
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/Device.h"
#include "Support/ScopedVariable.h"
#include "Support/TemporaryFolder.h"
#include "tc/Reference/Check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace tc;
using namespace tc::runtime;

static LoadedPackage loadExample() {
  Result<LoadedPackage> loaded = loadPackage(TC_TEST_INPUTS "/matmul.json");
  EXPECT_TRUE(loaded) << loaded.error();
  return *loaded;
}

/// Calls all functions of a launcher; returns the first error.
static Status runAll(const LoadedPackage &package, Problem &problem,
                     Timing *timing = nullptr, size_t number = 0) {
  const Kernel &kernel = package.package.kernels[number];
  Result<Device> device = Device::open(0);
  if (!device)
    return Error{device.error()};
  Result<DeviceModule> module = DeviceModule::load(*device, package);
  if (!module)
    return Error{module.error()};
  Result<DeviceKernel> prepared =
      DeviceKernel::prepare(*module, kernel, problem);
  if (!prepared)
    return Error{prepared.error()};
  if (Status s = prepared->run(); !s)
    return s;
  if (Status s = prepared->fetch(problem); !s)
    return s;
  Result<Timing> result = prepared->time(20);
  if (!result)
    return Error{result.error()};
  if (timing)
    *timing = *result;
  return {};
}

TEST(DeviceTest, Properties) {
  Result<Device> device = Device::open(0);
  ASSERT_TRUE(device) << device.error();
  EXPECT_EQ(device->name(), "Fake GPU");
  EXPECT_EQ(device->computeCapability(), 90u);
  EXPECT_EQ(device->l2Bytes(), 1 << 20);
  EXPECT_EQ(device->multiprocessors(), 2);
  Result<Device> other = Device::open(1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "no CUDA device 1; the driver sees 1");
  EXPECT_FALSE(Device::open(-1));
}

TEST(DeviceTest, RunsAndTimes) {
  LoadedPackage package = loadExample();
  const Kernel &kernel = package.package.kernels[0];
  Problem problem = std::move(*makeProblem(kernel, {}));
  Timing timing;
  Status status = runAll(package, problem, &timing);
  ASSERT_TRUE(status) << status.error();
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(timing.samples.size(), 20u);
  EXPECT_TRUE(std::is_sorted(timing.samples.begin(), timing.samples.end()));
  EXPECT_GT(timing.median(), 0);
}

TEST(DeviceTest, PassesScalars) {
  LoadedPackage package = loadExample();
  const Kernel &kernel = package.package.kernels[1];
  ProblemOptions options;
  options.alpha = -2;
  Problem problem = std::move(*makeProblem(kernel, options));
  Status status = runAll(package, problem, nullptr, 1);
  ASSERT_TRUE(status) << status.error();
  CheckReport report = checkOutput(kernel, problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
}

TEST(DeviceTest, FlushesBeforeEachTimedRun) {
  TemporaryFolder folder;
  const std::string log = folder.path("calls");
  LoadedPackage package = loadExample();
  Problem problem = std::move(*makeProblem(package.package.kernels[0], {}));
  {
    ScopedVariable variable("FAKE_CUDA_LOG", log);
    ASSERT_TRUE(runAll(package, problem));
  }
  std::vector<std::string> calls;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    calls.push_back(line);
  auto launch = std::find(calls.begin(), calls.end(), "cuMemcpyDtoH");
  int launches = 0;
  const std::vector<std::string> before = {"cuMemsetD32Async", "cuEventRecord"};
  const std::vector<std::string> after = {"cuEventRecord", "cuEventSynchronize",
                                          "cuEventElapsedTime"};
  for (;; ++launches) {
    launch = std::find(launch + 1, calls.end(), "cuLaunchKernel");
    if (launch == calls.end())
      break;
    EXPECT_TRUE(std::equal(before.begin(), before.end(), launch - 2));
    EXPECT_TRUE(std::equal(after.begin(), after.end(), launch + 1));
  }
  EXPECT_EQ(launches, 3 + 20);
  // All resources are given back.
  auto count = [&](const char *name) {
    return std::count(calls.begin(), calls.end(), name);
  };
  EXPECT_EQ(count("cuMemAlloc"), count("cuMemFree"));
  EXPECT_EQ(count("cuEventCreate"), count("cuEventDestroy"));
  EXPECT_EQ(count("cuModuleLoadDataEx"), count("cuModuleUnload"));
  EXPECT_EQ(count("cuDevicePrimaryCtxRetain"),
            count("cuDevicePrimaryCtxRelease"));
}

TEST(DeviceTest, EveryFailureIsReported) {
  const char *functions[] = {"cuInit",
                             "cuDeviceGetCount",
                             "cuDeviceGet",
                             "cuDeviceGetName",
                             "cuDeviceGetAttribute",
                             "cuDriverGetVersion",
                             "cuDeviceGetPCIBusId",
                             "cuCtxSetCurrent",
                             "cuDevicePrimaryCtxRetain",
                             "cuCtxSynchronize",
                             "cuModuleLoadDataEx",
                             "cuModuleGetFunction",
                             "cuFuncGetAttribute",
                             "cuFuncSetAttribute",
                             "cuLaunchKernel",
                             "cuMemAlloc",
                             "cuMemcpyHtoD",
                             "cuMemcpyDtoH",
                             "cuMemsetD32Async",
                             "cuEventCreate",
                             "cuEventRecord",
                             "cuEventSynchronize",
                             "cuEventElapsedTime"};
  LoadedPackage package = loadExample();
  // So that there is an attribute to set.
  package.package.kernels[0].dynamicSharedBytes = 64 * 1024;
  for (const char *function : functions) {
    ScopedVariable variable("FAKE_CUDA_FAIL", function);
    Problem problem = std::move(*makeProblem(package.package.kernels[0], {}));
    Status status = runAll(package, problem);
    ASSERT_FALSE(status) << function;
    EXPECT_NE(status.error().find(std::string(function) + ": CUDA_ERROR_"),
              std::string::npos)
        << status.error();
    EXPECT_EQ(status.error().find('\n'), std::string::npos);
  }
}

TEST(DeviceTest, MuchSharedMemoryIsAskedFor) {
  LoadedPackage package = loadExample();
  Kernel &kernel = package.package.kernels[0];
  kernel.dynamicSharedBytes = 200 * 1024;
  Problem problem = std::move(*makeProblem(kernel, {}));
  Status status = runAll(package, problem);
  EXPECT_TRUE(status) << status.error();
  kernel.dynamicSharedBytes = 228 * 1024;
  status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "kernel matmul needs 233472 bytes of shared memory "
                            "a block, Fake GPU has 232448");
}

TEST(DeviceTest, CompilerMessagesAreShown) {
  LoadedPackage package = loadExample();
  package.code = "nonsense";
  Problem problem = std::move(*makeProblem(package.package.kernels[0], {}));
  Status status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().find("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX "
                                "(text of the error): ptx:1: "),
            std::string::npos)
      << status.error();
}

TEST(DeviceTest, CodeForAnotherChip) {
  ScopedVariable variable("FAKE_CUDA_CAPABILITY", "75");
  LoadedPackage package = loadExample();
  Problem problem = std::move(*makeProblem(package.package.kernels[0], {}));
  Status status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            package.codePath +
                ": the ptx is for sm_80, device 0 (Fake GPU) is sm_75");
  // A cubin needs the same major version; PTX does not.
  ScopedVariable newer("FAKE_CUDA_CAPABILITY", "90");
  EXPECT_TRUE(runAll(package, problem));
  package.package.codeKind = CodeKind::Cubin;
  status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            package.codePath +
                ": the cubin is for sm_80, device 0 (Fake GPU) is sm_90");
  // Code for features of an architecture or a family runs only there.
  package.package.codeKind = CodeKind::PTX;
  package.package.target = "sm_80a";
  status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            package.codePath +
                ": the ptx is for sm_80a, device 0 (Fake GPU) is sm_90");
  package.package.target = "sm_90a";
  EXPECT_TRUE(runAll(package, problem));
  package.package.target = "sm_80f";
  EXPECT_FALSE(runAll(package, problem));
}

TEST(DeviceTest, FaultOfAKernelIsReported) {
  LoadedPackage package = loadExample();
  Kernel &kernel = package.package.kernels[0];
  // The kernel reads more of B than there is.
  kernel.tensors[1].extents = {2, 7};
  kernel.tensors[0].extents = {5, 2};
  Problem problem = std::move(*makeProblem(kernel, {}));
  Status status = runAll(package, problem);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "kernel matmul: cuCtxSynchronize: "
                            "CUDA_ERROR_ILLEGAL_ADDRESS (text of the error)");
}

TEST(TimingTest, Median) {
  Timing timing;
  EXPECT_EQ(timing.median(), 0);
  timing.samples = {1, 2, 4};
  EXPECT_EQ(timing.median(), 2);
  timing.samples = {1, 2, 4, 8};
  EXPECT_EQ(timing.median(), 3);
}
