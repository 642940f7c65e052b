//===- FakeNvml.cpp - The NVIDIA Management Library for tests ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libnvidia-ml.so.1 that knows the device of the fake driver. Functions whose
// name FAKE_NVML_FAIL holds fail.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int device;

static int enter(const char *name, void *handle = &device) {
  const char *failing = std::getenv("FAKE_NVML_FAIL");
  bool fails = failing && std::strcmp(failing, name) == 0;
  return fails || handle != &device ? 999 : 0;
}

#define GIVE(name, pointer, value)                                             \
  if (int code = enter(name, handle))                                          \
    return code;                                                               \
  *pointer = value;                                                            \
  return 0

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() { return enter("nvmlInit"); }
int nvmlShutdown() { return enter("nvmlShutdown"); }

int nvmlSystemGetDriverVersion(char *text, unsigned length) {
  std::snprintf(text, length, "580.65.06");
  return enter("nvmlSystemGetDriverVersion");
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **handle) {
  *handle = &device;
  return std::strcmp(id, "0000:00:00.0") == 0
             ? enter("nvmlDeviceGetHandleByPciBusId")
             : 6;
}

int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *megahertz) {
  GIVE("nvmlDeviceGetClockInfo", megahertz, which == 1 ? 1980 : 3201);
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius) {
  GIVE("nvmlDeviceGetTemperature", celsius, sensor == 0 ? 41 : 0);
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts) {
  GIVE("nvmlDeviceGetPowerUsage", milliwatts, 123'500);
}

int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts) {
  GIVE("nvmlDeviceGetEnforcedPowerLimit", milliwatts, 700'000);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle,
                                              unsigned long long *reasons) {
  GIVE("nvmlDeviceGetCurrentClocksThrottleReasons", reasons, 0x24);
}

} // extern "C"
#pragma GCC visibility pop
