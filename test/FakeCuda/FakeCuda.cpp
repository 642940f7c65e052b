//===- FakeCuda.cpp - A CUDA driver for tests -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 whose kernels run in the simulator, so that code that talks to
// the driver is tested where there is none. It checks handles, the order of
// calls and sizes as the CUDA Driver API reference manual states them.
// Environment variables steer it:
//
//   FAKE_CUDA_FAIL=cuMemAlloc    that function fails
//   FAKE_CUDA_CAPABILITY=80      ten times major plus minor (90)
//   FAKE_CUDA_DEVICES=2          how many devices there are: 1, or 2
//   FAKE_CUDA_LAZY=1             what is queued on a stream is done when
//   somebody
//                                waits for it, and no sooner
//   FAKE_CUDA_LOG=FILE           the names of the functions called, appended
//   FAKE_CUDA_SKIP=1             kernels do nothing
//   FAKE_CUDA_SPOIL=TEXT         kernels with TEXT in their names leave the
//                                first bit of their last buffer flipped
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tc;
using namespace tc::fake;

static int capability() {
  const char *text = std::getenv("FAKE_CUDA_CAPABILITY");
  return text ? std::atoi(text) : 90;
}

static bool isDevice(int device) {
  return device >= 0 && device < Driver::devices();
}

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned flags) {
  ENTER("cuInit", false);
  if (flags != 0)
    return InvalidValue;
  Driver::get().initialized = true;
  return Success;
}

int cuGetErrorName(int code, const char **text) {
  *text = nameOf(code);
  return *text ? Success : InvalidValue;
}

int cuGetErrorString(int code, const char **text) {
  *text = nameOf(code) ? "text of the error" : nullptr;
  return *text ? Success : InvalidValue;
}

int cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion", false);
  *version = 13000;
  return Success;
}

int cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount", false);
  *count = Driver::devices();
  return Success;
}

int cuDeviceGet(int *device, int ordinal) {
  ENTER("cuDeviceGet", false);
  *device = ordinal;
  return isDevice(ordinal) ? Success : InvalidDevice;
}

int cuDeviceGetName(char *name, int length, int device) {
  ENTER("cuDeviceGetName", false);
  std::snprintf(name, length, "Fake GPU");
  return isDevice(device) ? Success : InvalidDevice;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER("cuDeviceGetAttribute", false);
  const std::map<int, int> values = {
      {13, 1'000'000},         {16, 2},
      {38, 1 << 20},           {75, capability() / 10},
      {76, capability() % 10}, {97, int(sharedByOptIn)}};
  auto found = values.find(attribute);
  if (found == values.end() || !isDevice(device))
    return InvalidValue;
  *value = found->second;
  return Success;
}

int cuDeviceGetPCIBusId(char *text, int length, int device) {
  ENTER("cuDeviceGetPCIBusId", false);
  std::snprintf(text, length, "0000:0%d:00.0", device);
  return isDevice(device) ? Success : InvalidDevice;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  if (!isDevice(device))
    return InvalidDevice;
  Context &primary = Driver::get().contexts[device];
  ++primary.retained;
  *context = &primary;
  return Success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER("cuDevicePrimaryCtxRelease", false);
  Driver &driver = Driver::get();
  if (!isDevice(device) || driver.contexts[device].retained == 0)
    return InvalidContext;
  Context &context = driver.contexts[device];
  if (--context.retained > 0)
    return Success;
  bool holds = !driver.events.empty();
  for (const auto &[address, block] : driver.memory)
    holds |= block.device == device;
  for (const FakeModule *module : driver.modules)
    holds |= module->context == &context;
  for (const auto &[handle, stream] : driver.streams)
    holds |= stream->context == &context;
  if (holds)
    std::fputs("fake CUDA driver: the context is released before what is in "
               "it\n",
               stderr);
  return Success;
}

int cuCtxSetCurrent(void *handle) {
  ENTER("cuCtxSetCurrent", false);
  auto *context = static_cast<Context *>(handle);
  std::vector<Context *> &stack = Driver::contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (!context)
    return Success;
  stack.push_back(context);
  return context->retained > 0 ? Success : InvalidContext;
}

int cuCtxGetCurrent(void **context) {
  ENTER("cuCtxGetCurrent", false);
  *context = Driver::get().current();
  return Success;
}

int cuCtxPushCurrent_v2(void *handle) {
  ENTER("cuCtxPushCurrent", false);
  auto *context = static_cast<Context *>(handle);
  if (!context || context->retained == 0)
    return InvalidContext;
  Driver::contextStack().push_back(context);
  return Success;
}

int cuCtxPopCurrent_v2(void **context) {
  ENTER("cuCtxPopCurrent", false);
  std::vector<Context *> &stack = Driver::contextStack();
  if (stack.empty())
    return InvalidContext;
  if (context)
    *context = stack.back();
  stack.pop_back();
  return Success;
}

int cuCtxSynchronize() {
  ENTER("cuCtxSynchronize");
  Driver &driver = Driver::get();
  driver.drainAll(driver.current());
  return driver.pendingError;
}

int cuModuleLoadDataEx(void **handle, const void *image, unsigned numOptions,
                       int *options, void **values) {
  ENTER("cuModuleLoadDataEx");
  Result<sim::Module> ptx =
      sim::Module::parse(static_cast<const char *>(image), "ptx");
  if (!ptx) {
    char *log = nullptr;
    for (unsigned i = 0; i < numOptions; ++i) {
      if (options[i] == 5)
        log = static_cast<char *>(values[i]);
      if (options[i] == 6 && log) {
        size_t room = reinterpret_cast<size_t>(values[i]);
        size_t length = std::snprintf(log, room, "%s\n", ptx.error().c_str());
        values[i] = reinterpret_cast<void *>(std::min(length, room));
      }
    }
    return InvalidPtx;
  }
  auto *module = new FakeModule(std::move(*ptx), Driver::get().current());
  Driver::get().modules.insert(module);
  *handle = module;
  return Success;
}

int cuModuleUnload(void *handle) {
  ENTER("cuModuleUnload");
  auto *module = static_cast<FakeModule *>(handle);
  Driver &driver = Driver::get();
  if (!driver.modules.count(module) || module->context != driver.current())
    return InvalidHandle;
  driver.modules.erase(module);
  delete module;
  return Success;
}

int cuModuleGetFunction(void **handle, void *moduleHandle, const char *name) {
  ENTER("cuModuleGetFunction");
  auto *module = static_cast<FakeModule *>(moduleHandle);
  if (!Driver::get().modules.count(module))
    return InvalidHandle;
  if (!module->ptx.findEntry(name))
    return NotFound;
  *handle =
      &module->functions.insert({name, Function{module, name}}).first->second;
  return Success;
}

int cuFuncGetAttribute(int *value, int attribute, void *handle) {
  ENTER("cuFuncGetAttribute");
  if (attribute != 3 && attribute != 4)
    return InvalidValue;
  *value = attribute == 4 ? 42 : 0;
  return handle ? Success : InvalidHandle;
}

int cuFuncSetAttribute(void *handle, int attribute, int value) {
  ENTER("cuFuncSetAttribute");
  if (attribute != 8 || value < 0 || value > sharedByOptIn)
    return InvalidValue;
  static_cast<Function *>(handle)->dynamicShared = value;
  return Success;
}

int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ,
                   unsigned sharedBytes, void *streamHandle, void **parameters,
                   void **extra) {
  ENTER("cuLaunchKernel");
  Driver &driver = Driver::get();
  std::shared_ptr<Stream> stream = driver.findStream(streamHandle);
  auto *function = static_cast<Function *>(handle);
  if (!stream || stream->context != driver.current() ||
      function->module->context != driver.current())
    return InvalidHandle;
  if (extra || sharedBytes > function->dynamicShared)
    return InvalidValue;
  if (std::getenv("FAKE_CUDA_SKIP"))
    return Success;
  const sim::EntryInfo *entry =
      function->module->ptx.findEntry(function->entry);

  // The parameters are the caller's again when this returns.
  std::vector<std::vector<std::byte>> values;
  for (size_t i = 0; i < entry->parameters.size(); ++i) {
    const auto *bytes = static_cast<const std::byte *>(parameters[i]);
    values.emplace_back(bytes, bytes + entry->parameters[i].size);
  }
  sim::LaunchConfig config;
  config.grid = {gridX, gridY, gridZ};
  config.block = {blockX, blockY, blockZ};
  config.dynamicSharedBytes = sharedBytes;
  int device = driver.current()->device;
  driver.enqueue(stream, [=] {
    Driver &driver = Driver::get();
    std::vector<sim::GlobalBuffer> buffers;
    std::vector<sim::KernelArgument> arguments;
    for (size_t i = 0; i < values.size(); ++i) {
      Address address = 0;
      if (values[i].size() == sizeof(address))
        std::memcpy(&address, values[i].data(), sizeof(address));
      size_t offset = 0;
      sim::GlobalBuffer buffer = driver.findBuffer(address, device, offset);
      if (!buffer.data) {
        arguments.push_back(
            sim::KernelArgument::bytes(values[i].data(), values[i].size()));
        continue;
      }
      arguments.push_back(sim::KernelArgument::address(buffers.size(), offset));
      buffer.name = entry->parameters[i].name;
      buffers.push_back(buffer);
    }
    Result<sim::Counters> counters = sim::launch(
        function->module->ptx, function->entry, config, buffers, arguments);
    const char *spoiled = std::getenv("FAKE_CUDA_SPOIL");
    if (spoiled && function->entry.find(spoiled) != std::string::npos)
      *buffers.back().data ^= std::byte(1);
    // As on a device, a fault shows only when somebody waits.
    if (!counters)
      driver.pendingError = IllegalAddress;
  });
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
