//===- DeviceMemoryTest.cpp - Memory, events and conditions -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device is the fake driver of test/FakeCuda, and so is its management
// library.
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/DeviceMemory.h"
#include "Support/ScopedVariable.h"
#include "tc/Package/Conditions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace tc;
using namespace tc::runtime;

static Device openDevice() {
  Result<Device> device = Device::open(0);
  EXPECT_TRUE(device) << device.error();
  return *device;
}

static DeviceBuffer allocate(const Device &device, size_t bytes) {
  Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device, bytes, "a test");
  EXPECT_TRUE(buffer) << buffer.error();
  return std::move(*buffer);
}

TEST(DeviceMemoryTest, DeviceProperties) {
  Device device = openDevice();
  EXPECT_EQ(device.clockHertz(), 1e9);
  EXPECT_EQ(device.pciBusId(), "0000:00:00.0");
  EXPECT_EQ(device.driverVersion(), 13000);
}

TEST(DeviceMemoryTest, CopiesAndFills) {
  Device device = openDevice();
  DeviceBuffer first = allocate(device, 12), second = allocate(device, 8);
  unsigned data[] = {1, 2, 3};
  ASSERT_TRUE(first.upload(data, sizeof(data)));
  ASSERT_TRUE(second.fill(7));
  unsigned result[2] = {};
  ASSERT_TRUE(second.download(result, sizeof(result)));
  EXPECT_EQ(result[0], 7u);
  EXPECT_EQ(result[1], 7u);
  ASSERT_TRUE(second.copyFrom(first));
  ASSERT_TRUE(synchronize(device));
  ASSERT_TRUE(second.download(result, sizeof(result)));
  EXPECT_EQ(result[0], 1u);
  EXPECT_EQ(result[1], 2u);
  // A copy of more than there is.
  EXPECT_FALSE(first.copyFrom(second));
}

TEST(DeviceMemoryTest, MovesKeepOneOwner) {
  Device device = openDevice();
  DeviceBuffer first = allocate(device, 4);
  DeviceAddress address = first.address();
  DeviceBuffer second = std::move(first);
  EXPECT_EQ(second.address(), address);
  EXPECT_EQ(second.bytes(), 4u);
  first = allocate(device, 8);
  EXPECT_NE(first.address(), address);
  EXPECT_TRUE(second.fill(1));
}

TEST(DeviceMemoryTest, EventsMeasure) {
  Device device = openDevice();
  Result<DeviceEvent> start = DeviceEvent::create(device);
  Result<DeviceEvent> stop = DeviceEvent::create(device);
  ASSERT_TRUE(start);
  ASSERT_TRUE(stop);
  // The pause between the events bounds their distance from below, and the time
  // around them from above.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::duration<double> pause(0.02);
  Clock::time_point before = Clock::now();
  ASSERT_TRUE(start->record());
  std::this_thread::sleep_for(pause);
  ASSERT_TRUE(stop->record());
  std::chrono::duration<double> around = Clock::now() - before;
  Result<double> seconds = stop->secondsSince(*start);
  ASSERT_TRUE(seconds) << seconds.error();
  EXPECT_GE(*seconds, 0.999 * pause.count());
  EXPECT_LE(*seconds, 1.001 * around.count());
}

TEST(DeviceMemoryTest, ErrorsNameTheCall) {
  Device device = openDevice();
  DeviceBuffer buffer = allocate(device, 4);
  ScopedVariable failing("FAKE_CUDA_FAIL", "cuMemcpyDtoDAsync");
  EXPECT_EQ(buffer.copyFrom(buffer).error(),
            "cuMemcpyDtoDAsync: CUDA_ERROR_INVALID_VALUE (text of the error)");
  ScopedVariable full("FAKE_CUDA_FAIL", "cuMemAlloc");
  EXPECT_EQ(DeviceBuffer::allocate(device, 9, "a test").error(),
            "cannot allocate 9 bytes on the device for a test: cuMemAlloc: "
            "CUDA_ERROR_OUT_OF_MEMORY (text of the error)");
}

TEST(ConditionsTest, AreRead) {
  ConditionsMonitor monitor("0000:00:00.0");
  Conditions now = monitor.read();
  EXPECT_EQ(now.multiprocessorMegahertz, 1980u);
  EXPECT_EQ(now.memoryMegahertz, 3201u);
  EXPECT_EQ(now.celsius, 41u);
  EXPECT_DOUBLE_EQ(now.powerWatts.value(), 123.5);
  EXPECT_DOUBLE_EQ(now.powerLimitWatts.value(), 700);
  // The function has its older name only.
  EXPECT_EQ(now.throttleReasons(),
            (std::vector<std::string>{"software power cap",
                                      "software thermal slowdown"}));
  EXPECT_EQ(monitor.driverVersion(), "580.65.06");
}

TEST(ConditionsTest, WhatFailsIsUnknown) {
  ConditionsMonitor monitor("0000:00:00.0");
  ScopedVariable failing("FAKE_NVML_FAIL", "nvmlDeviceGetPowerUsage");
  EXPECT_FALSE(monitor.read().powerWatts);
  EXPECT_TRUE(monitor.read().celsius);
  EXPECT_FALSE(ConditionsMonitor("0000:00:00.1").read().celsius);
  ScopedVariable none("FAKE_NVML_FAIL", "nvmlInit");
  ConditionsMonitor without("0000:00:00.0");
  EXPECT_FALSE(without.read().celsius);
  EXPECT_EQ(without.driverVersion(), "");
  EXPECT_TRUE(without.read().throttleReasons().empty());
}
