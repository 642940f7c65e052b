//===- FakeCuda.cpp - A CUDA driver for tests -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 of one device, whose kernels run in the simulator, so that
// what talks to the driver is tested where there is none. It checks handles,
// the order of calls and sizes as the CUDA Driver API reference manual states
// them. Environment variables steer it:
//
//   FAKE_CUDA_FAIL=cuMemAlloc    that function fails
//   FAKE_CUDA_CAPABILITY=80      ten times major plus minor (90)
//   FAKE_CUDA_LOG=FILE           the names of the functions called, appended
//   FAKE_CUDA_SPOIL=TEXT         kernels with TEXT in their names leave the
//                                first bit of their last buffer flipped
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/Simulator.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

using namespace tc;

namespace {

enum Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  OutOfResources = 701,
};

const char *nameOf(int code) {
  switch (code) {
  case Success:
    return "CUDA_SUCCESS";
  case InvalidValue:
    return "CUDA_ERROR_INVALID_VALUE";
  case OutOfMemory:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case NotInitialized:
    return "CUDA_ERROR_NOT_INITIALIZED";
  case InvalidDevice:
    return "CUDA_ERROR_INVALID_DEVICE";
  case InvalidContext:
    return "CUDA_ERROR_INVALID_CONTEXT";
  case InvalidPtx:
    return "CUDA_ERROR_INVALID_PTX";
  case InvalidHandle:
    return "CUDA_ERROR_INVALID_HANDLE";
  case NotFound:
    return "CUDA_ERROR_NOT_FOUND";
  case NotReady:
    return "CUDA_ERROR_NOT_READY";
  case IllegalAddress:
    return "CUDA_ERROR_ILLEGAL_ADDRESS";
  case OutOfResources:
    return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
  default:
    return nullptr;
  }
}

constexpr int64_t sharedByDefault = 48 * 1024;
constexpr int64_t sharedByOptIn = 227 * 1024;

struct FakeModule;

struct Function {
  FakeModule *module;
  std::string entry;
  int64_t dynamicShared = sharedByDefault;
};

struct FakeModule {
  explicit FakeModule(sim::Module ptx) : ptx(std::move(ptx)) {}
  sim::Module ptx;
  std::map<std::string, Function> functions;
};

struct Event {
  bool timed = true, recorded = false, waitedFor = false;
  std::chrono::steady_clock::time_point time;
};

/// All that the driver knows.
struct Driver {
  bool initialized = false;
  int contexts = 0;
  bool contextIsCurrent = false;
  /// What an earlier kernel did; every call that waits reports it.
  int pendingError = Success;
  std::set<FakeModule *> modules;
  std::set<Event *> events;
  /// What makes its calls in order; all is done at once anyway. The default
  /// stream, which is null, is none of them.
  std::set<void *> streams;
  /// Memory by device address.
  std::map<unsigned long long, std::vector<std::byte>> memory;
  /// Memory of the host that kernels may use, by its address, with its size.
  std::map<unsigned long long, size_t> registered;
  /// The part of it that the driver has allocated.
  std::map<unsigned long long, std::unique_ptr<std::byte[]>> managed;
  /// No memory of this process is there.
  static constexpr unsigned long long firstAddress = 0x900000000000;
  unsigned long long nextAddress = firstAddress;

  static Driver &get() {
    static Driver driver;
    return driver;
  }

  bool isStream(void *stream) const { return !stream || streams.count(stream); }

  /// What a pointer stands for that may be the device's or the host's: null if
  /// it is the device's, and the range is not.
  std::byte *resolve(unsigned long long address, size_t bytes) {
    size_t offset = 0;
    if (std::vector<std::byte> *block = find(address, bytes, offset))
      return block->data() + offset;
    bool isDevices = address >= firstAddress && address < nextAddress;
    return isDevices ? nullptr : reinterpret_cast<std::byte *>(address);
  }

  /// The buffer that a kernel's argument points into, and the offset in it;
  /// no data if it is no pointer.
  sim::GlobalBuffer findBuffer(unsigned long long address, size_t &offset) {
    if (std::vector<std::byte> *block = find(address, 1, offset))
      return {"", block->data(), block->size()};
    auto next = registered.upper_bound(address);
    if (next == registered.begin())
      return {"", nullptr, 0};
    auto &[base, bytes] = *std::prev(next);
    offset = address - base;
    if (offset >= bytes)
      return {"", nullptr, 0};
    sim::GlobalBuffer buffer{"", reinterpret_cast<std::byte *>(base), bytes};
    buffer.misalignment = base % 512;
    return buffer;
  }

  /// The allocation that holds the range, and the offset in it.
  std::vector<std::byte> *find(unsigned long long address, size_t bytes,
                               size_t &offset) {
    auto next = memory.upper_bound(address);
    if (next == memory.begin())
      return nullptr;
    auto &[base, block] = *std::prev(next);
    offset = address - base;
    return offset <= block.size() && block.size() - offset >= bytes ? &block
                                                                    : nullptr;
  }
};

/// What happens first in every function: the log, and the failure asked for.
int enter(const char *name, bool needsContext = true) {
  if (const char *path = std::getenv("FAKE_CUDA_LOG"))
    if (std::FILE *log = std::fopen(path, "a")) {
      std::fprintf(log, "%s\n", name);
      std::fclose(log);
    }
  const char *failing = std::getenv("FAKE_CUDA_FAIL");
  if (failing && std::string(failing) == name)
    return std::string(name) == "cuMemAlloc" ? OutOfMemory : InvalidValue;
  Driver &driver = Driver::get();
  if (!driver.initialized && std::string(name) != "cuInit")
    return NotInitialized;
  if (needsContext && !driver.contextIsCurrent)
    return InvalidContext;
  return Success;
}

int capability() {
  const char *text = std::getenv("FAKE_CUDA_CAPABILITY");
  return text ? std::atoi(text) : 90;
}

} // namespace

#define ENTER(...)                                                             \
  if (int code = enter(__VA_ARGS__))                                           \
  return code

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
  *count = 1;
  return Success;
}

int cuDeviceGet(int *device, int ordinal) {
  ENTER("cuDeviceGet", false);
  *device = 0;
  return ordinal == 0 ? Success : InvalidDevice;
}

int cuDeviceGetName(char *name, int length, int device) {
  ENTER("cuDeviceGetName", false);
  std::snprintf(name, length, "Fake GPU");
  return device == 0 ? Success : InvalidDevice;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER("cuDeviceGetAttribute", false);
  const std::map<int, int> values = {
      {13, 1'000'000},         {16, 2},
      {38, 1 << 20},           {75, capability() / 10},
      {76, capability() % 10}, {97, int(sharedByOptIn)}};
  auto found = values.find(attribute);
  if (found == values.end() || device != 0)
    return InvalidValue;
  *value = found->second;
  return Success;
}

int cuDeviceGetPCIBusId(char *text, int length, int device) {
  ENTER("cuDeviceGetPCIBusId", false);
  std::snprintf(text, length, "0000:00:00.0");
  return device == 0 ? Success : InvalidDevice;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  ++Driver::get().contexts;
  *context = &Driver::get();
  return device == 0 ? Success : InvalidDevice;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER("cuDevicePrimaryCtxRelease", false);
  Driver &driver = Driver::get();
  if (driver.contexts == 0 || device != 0)
    return InvalidContext;
  if (--driver.contexts == 0 &&
      !(driver.memory.empty() && driver.modules.empty() &&
        driver.events.empty() && driver.streams.empty()))
    std::fputs("fake CUDA driver: the context is released before what is in "
               "it\n",
               stderr);
  driver.contextIsCurrent = driver.contexts > 0;
  return Success;
}

int cuCtxSetCurrent(void *context) {
  ENTER("cuCtxSetCurrent", false);
  Driver &driver = Driver::get();
  driver.contextIsCurrent = context == &driver && driver.contexts > 0;
  return driver.contextIsCurrent ? Success : InvalidContext;
}

int cuCtxSynchronize() {
  ENTER("cuCtxSynchronize");
  return Driver::get().pendingError;
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
  auto *module = new FakeModule(std::move(*ptx));
  Driver::get().modules.insert(module);
  *handle = module;
  return Success;
}

int cuModuleUnload(void *handle) {
  ENTER("cuModuleUnload");
  auto *module = static_cast<FakeModule *>(handle);
  if (!Driver::get().modules.erase(module))
    return InvalidHandle;
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
                   unsigned sharedBytes, void *stream, void **parameters,
                   void **extra) {
  ENTER("cuLaunchKernel");
  Driver &driver = Driver::get();
  if (!driver.isStream(stream))
    return InvalidHandle;
  if (extra)
    return InvalidValue;
  auto *function = static_cast<Function *>(handle);
  if (sharedBytes > function->dynamicShared)
    return InvalidValue;
  const sim::EntryInfo *entry =
      function->module->ptx.findEntry(function->entry);

  std::vector<sim::GlobalBuffer> buffers;
  std::vector<sim::KernelArgument> arguments;
  for (size_t i = 0; i < entry->parameters.size(); ++i) {
    size_t size = entry->parameters[i].size;
    unsigned long long address = 0;
    if (size == sizeof(address))
      std::memcpy(&address, parameters[i], size);
    size_t offset = 0;
    sim::GlobalBuffer buffer = driver.findBuffer(address, offset);
    if (!buffer.data) {
      arguments.push_back(sim::KernelArgument::bytes(parameters[i], size));
      continue;
    }
    arguments.push_back(sim::KernelArgument::address(buffers.size(), offset));
    buffer.name = entry->parameters[i].name;
    buffers.push_back(buffer);
  }
  sim::LaunchConfig config;
  config.grid = {gridX, gridY, gridZ};
  config.block = {blockX, blockY, blockZ};
  config.dynamicSharedBytes = sharedBytes;
  Result<sim::Counters> counters = sim::launch(
      function->module->ptx, function->entry, config, buffers, arguments);
  const char *spoiled = std::getenv("FAKE_CUDA_SPOIL");
  if (spoiled && function->entry.find(spoiled) != std::string::npos)
    *buffers.back().data ^= std::byte(1);
  // As on a device, a fault shows only when somebody waits.
  if (!counters)
    driver.pendingError = IllegalAddress;
  return Success;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  ENTER("cuMemAlloc");
  if (bytes == 0)
    return InvalidValue;
  Driver &driver = Driver::get();
  *address = driver.nextAddress;
  // Memory that nobody has written holds no zeros.
  driver.memory[*address].assign(bytes, std::byte(0xA5));
  driver.nextAddress += (bytes + 4095) / 4096 * 4096 + (1 << 20);
  return Success;
}

int cuMemFree_v2(unsigned long long address) {
  ENTER("cuMemFree");
  Driver &driver = Driver::get();
  if (driver.managed.erase(address))
    driver.registered.erase(address);
  else if (!driver.memory.erase(address))
    return InvalidValue;
  return Success;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  ENTER("cuMemcpyHtoD");
  size_t offset = 0;
  std::vector<std::byte> *block = Driver::get().find(to, bytes, offset);
  if (!block)
    return InvalidValue;
  std::memcpy(block->data() + offset, from, bytes);
  return Driver::get().pendingError;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  ENTER("cuMemcpyDtoH");
  size_t offset = 0;
  std::vector<std::byte> *block = Driver::get().find(from, bytes, offset);
  if (!block)
    return InvalidValue;
  std::memcpy(to, block->data() + offset, bytes);
  return Driver::get().pendingError;
}

int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                         size_t bytes, void *stream) {
  ENTER("cuMemcpyDtoDAsync");
  size_t toOffset = 0, fromOffset = 0;
  std::vector<std::byte> *target = Driver::get().find(to, bytes, toOffset);
  std::vector<std::byte> *source = Driver::get().find(from, bytes, fromOffset);
  if (!target || !source || !Driver::get().isStream(stream))
    return InvalidValue;
  std::memmove(target->data() + toOffset, source->data() + fromOffset, bytes);
  return Success;
}

int cuMemsetD32Async(unsigned long long to, unsigned value, size_t words,
                     void *stream) {
  ENTER("cuMemsetD32Async");
  size_t offset = 0;
  std::vector<std::byte> *block = Driver::get().find(to, 4 * words, offset);
  if (!block || to % 4 != 0 || !Driver::get().isStream(stream))
    return InvalidValue;
  for (size_t i = 0; i < words; ++i)
    std::memcpy(block->data() + offset + 4 * i, &value, 4);
  return Success;
}

int cuMemsetD16Async(unsigned long long to, unsigned short value, size_t count,
                     void *stream) {
  ENTER("cuMemsetD16Async");
  size_t offset = 0;
  std::vector<std::byte> *block = Driver::get().find(to, 2 * count, offset);
  if (!block || to % 2 != 0 || !Driver::get().isStream(stream))
    return InvalidValue;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(block->data() + offset + 2 * i, &value, 2);
  return Success;
}

int cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes,
                  void *stream) {
  ENTER("cuMemcpyAsync");
  Driver &driver = Driver::get();
  std::byte *target = driver.resolve(to, bytes);
  std::byte *source = driver.resolve(from, bytes);
  if (!target || !source || !driver.isStream(stream))
    return InvalidValue;
  std::memmove(target, source, bytes);
  return driver.pendingError;
}

int cuMemAllocManaged(unsigned long long *address, size_t bytes,
                      unsigned flags) {
  ENTER("cuMemAllocManaged");
  if (bytes == 0 || flags != 1)
    return InvalidValue;
  // The host has to see it at the same address.
  auto *memory = new std::byte[bytes];
  std::memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<unsigned long long>(memory);
  Driver::get().managed[*address].reset(memory);
  Driver::get().registered[*address] = bytes;
  return Success;
}

int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostRegister");
  auto address = reinterpret_cast<unsigned long long>(pointer);
  if (!pointer || bytes == 0 || flags != 0 ||
      Driver::get().registered.count(address))
    return InvalidValue;
  Driver::get().registered[address] = bytes;
  return Success;
}

int cuMemHostUnregister(void *pointer) {
  ENTER("cuMemHostUnregister");
  auto address = reinterpret_cast<unsigned long long>(pointer);
  return Driver::get().registered.erase(address) ? Success : InvalidValue;
}

int cuStreamCreate(void **stream, unsigned flags) {
  ENTER("cuStreamCreate");
  if (flags > 1)
    return InvalidValue;
  *stream = new char;
  Driver::get().streams.insert(*stream);
  return Success;
}

int cuStreamDestroy_v2(void *stream) {
  ENTER("cuStreamDestroy");
  if (!Driver::get().streams.erase(stream))
    return InvalidHandle;
  delete static_cast<char *>(stream);
  return Success;
}

int cuStreamSynchronize(void *stream) {
  ENTER("cuStreamSynchronize");
  return Driver::get().isStream(stream) ? Driver::get().pendingError
                                        : int(InvalidHandle);
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  ENTER("cuStreamWaitEvent");
  Driver &driver = Driver::get();
  return driver.isStream(stream) && !flags &&
                 driver.events.count(static_cast<Event *>(event))
             ? Success
             : InvalidHandle;
}

int cuEventCreate(void **handle, unsigned flags) {
  ENTER("cuEventCreate");
  auto *event = new Event;
  event->timed = !(flags & 2);
  Driver::get().events.insert(event);
  *handle = event;
  return Success;
}

int cuEventDestroy_v2(void *handle) {
  ENTER("cuEventDestroy");
  auto *event = static_cast<Event *>(handle);
  if (!Driver::get().events.erase(event))
    return InvalidHandle;
  delete event;
  return Success;
}

int cuEventRecord(void *handle, void *stream) {
  ENTER("cuEventRecord");
  auto *event = static_cast<Event *>(handle);
  if (!Driver::get().events.count(event) || !Driver::get().isStream(stream))
    return InvalidHandle;
  event->recorded = true;
  event->waitedFor = false;
  event->time = std::chrono::steady_clock::now();
  return Success;
}

int cuEventSynchronize(void *handle) {
  ENTER("cuEventSynchronize");
  auto *event = static_cast<Event *>(handle);
  if (!Driver::get().events.count(event))
    return InvalidHandle;
  event->waitedFor = true;
  return Driver::get().pendingError;
}

int cuEventElapsedTime(float *milliseconds, void *startHandle,
                       void *stopHandle) {
  ENTER("cuEventElapsedTime");
  auto *start = static_cast<Event *>(startHandle);
  auto *stop = static_cast<Event *>(stopHandle);
  if (!start->timed || !stop->timed || !start->recorded || !stop->recorded)
    return InvalidHandle;
  if (!stop->waitedFor)
    return NotReady;
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->time - start->time)
          .count();
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
