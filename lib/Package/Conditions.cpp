//===- Conditions.cpp - The state that a device is in -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures and numbers are those of the NVML API reference guide.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Conditions.h"

#include <dlfcn.h>

using namespace tc::runtime;

static constexpr int success = 0;
static constexpr int clockMultiprocessor = 1, clockMemory = 2;
static constexpr int temperatureOfGpu = 0;

struct ConditionsMonitor::Library {
  void *handle = nullptr;
  bool initialized = false;

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driverVersion)(char *, unsigned) = nullptr;
  int (*deviceByPciBusId)(const char *, void **) = nullptr;
  int (*clock)(void *, int, unsigned *) = nullptr;
  int (*temperature)(void *, int, unsigned *) = nullptr;
  int (*power)(void *, unsigned *) = nullptr;
  int (*powerLimit)(void *, unsigned *) = nullptr;
  int (*throttleReasons)(void *, unsigned long long *) = nullptr;

  Library() : handle(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (!handle)
      return;
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(driverVersion, "nvmlSystemGetDriverVersion");
    find(deviceByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
    find(clock, "nvmlDeviceGetClockInfo");
    find(temperature, "nvmlDeviceGetTemperature");
    find(power, "nvmlDeviceGetPowerUsage");
    find(powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
    // Drivers before 535 have the function under its older name only.
    find(throttleReasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (!throttleReasons)
      find(throttleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    initialized = init && init() == success;
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library() {
    if (initialized && shutdown)
      shutdown();
    if (handle)
      dlclose(handle);
  }

private:
  template <typename Function>
  void find(Function &function, const char *symbol) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
  }
};

ConditionsMonitor::ConditionsMonitor(const std::string &pciBusId)
    : library(std::make_shared<Library>()) {
  if (!library->initialized || !library->deviceByPciBusId ||
      library->deviceByPciBusId(pciBusId.c_str(), &device) != success)
    device = nullptr;
}

/// Value of `get(..., &value)`, if there is such a function and it succeeds.
template <typename Value, typename... Parameters, typename... Arguments>
static std::optional<Value> ask(int (*get)(Parameters...),
                                Arguments... arguments) {
  Value value{};
  if (get && get(arguments..., &value) == success)
    return value;
  return std::nullopt;
}

static std::optional<double> inWatts(std::optional<unsigned> milliwatts) {
  if (!milliwatts)
    return std::nullopt;
  return *milliwatts * 1e-3;
}

Conditions ConditionsMonitor::read() const {
  Conditions now;
  if (!device)
    return now;
  now.multiprocessorMegahertz =
      ask<unsigned>(library->clock, device, clockMultiprocessor);
  now.memoryMegahertz = ask<unsigned>(library->clock, device, clockMemory);
  now.celsius = ask<unsigned>(library->temperature, device, temperatureOfGpu);
  now.powerWatts = inWatts(ask<unsigned>(library->power, device));
  now.powerLimitWatts = inWatts(ask<unsigned>(library->powerLimit, device));
  now.throttleBits = ask<unsigned long long>(library->throttleReasons, device);
  return now;
}

std::string ConditionsMonitor::driverVersion() const {
  char text[96] = {};
  if (!library->initialized || !library->driverVersion ||
      library->driverVersion(text, sizeof(text)) != success)
    return "";
  return text;
}

std::vector<std::string> Conditions::throttleReasons() const {
  static constexpr std::pair<uint64_t, const char *> names[] = {
      {0x001, "idle"},
      {0x002, "applications clocks"},
      {0x004, "software power cap"},
      {0x008, "hardware slowdown"},
      {0x010, "sync boost"},
      {0x020, "software thermal slowdown"},
      {0x040, "hardware thermal slowdown"},
      {0x080, "hardware power brake"},
      {0x100, "display clocks"}};
  std::vector<std::string> reasons;
  for (auto [bit, name] : names)
    if (throttleBits.value_or(0) & bit)
      reasons.push_back(name);
  return reasons;
}
