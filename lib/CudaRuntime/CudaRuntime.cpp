//===- CudaRuntime.cpp - Functions that lowered host code calls -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions `mgpu*` that upstream's gpu-to-llvm calls in place of
// operations of the gpu dialect, with the signatures that it gives them, on the
// CUDA driver, which is loaded at the first call. They cannot report errors:
// one is printed, and ends the process. docs/gpu-host-code.md lists the
// functions.
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/DeviceState.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

namespace {

[[noreturn]] void fail(const char *function, const std::string &reason) {
  // The output of the program comes first; its destructors may need the device
  // that failed, and do not run.
  std::fflush(nullptr);
  std::fprintf(stderr, "libtc_cuda_runtime: error: %s: %s\n", function,
               reason.c_str());
  std::_Exit(EXIT_FAILURE);
}

/// The device that each thread works on; the first by default.
thread_local int chosenOrdinal = 0;

/// The driver, with the context of the thread's device current.
class Driver {
public:
  explicit Driver(const char *function)
      : function(function), state(*open(function).state()), api(*state.api) {
    check(api.ctxSetCurrent(state.context), "cuCtxSetCurrent");
  }

  void check(CUresult result, const char *call) const {
    if (Status s = api.check(result, call); !s)
      fail(function, s.error());
  }

  const char *function;
  const Device::State &state;
  const Api &api;

private:
  /// Devices stay open until the process ends: destructors of modules, which
  /// run late, use them.
  static const Device &open(const char *function) {
    static std::mutex mutex;
    static auto &devices = *new std::map<int, Device>;
    std::lock_guard<std::mutex> lock(mutex);
    auto found = devices.find(chosenOrdinal);
    if (found == devices.end()) {
      Result<Device> opened = Device::open(chosenOrdinal);
      if (!opened)
        fail(function, opened.error());
      found = devices.emplace(chosenOrdinal, std::move(*opened)).first;
    }
    return found->second;
  }
};

CUdeviceptr toAddress(void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

CUmodule load(const char *function, const void *image) {
  Driver driver(function);
  Result<CUmodule> module = driver.api.loadModule(image);
  if (!module)
    fail(function, module.error());
  return *module;
}

/// The bytes from the first to the last element of a descriptor of that rank:
/// two pointers, the offset, extents and strides.
struct Span {
  Span(int64_t rank, const int64_t *descriptor, int64_t elementBytes) {
    const int64_t *offset = descriptor + 2;
    const int64_t *sizes = offset + 1, *strides = sizes + rank;
    int64_t elements = 1;
    for (int64_t i = 0; i < rank; ++i) {
      if (sizes[i] == 0)
        return;
      elements += (sizes[i] - 1) * strides[i];
    }
    begin = reinterpret_cast<void *>(descriptor[1] + *offset * elementBytes);
    bytes = static_cast<size_t>(elements * elementBytes);
  }

  void *begin = nullptr;
  size_t bytes = 0;
};

} // namespace

#pragma GCC visibility push(default)
extern "C" {

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

CUmodule mgpuModuleLoad(void *image, size_t /*bytes*/) {
  return load(__func__, image);
}

/// The driver's compiler optimises as it does by default: the level of the code
/// was chosen when it was made.
CUmodule mgpuModuleLoadJIT(void *image, int /*optimizationLevel*/) {
  return load(__func__, image);
}

void mgpuModuleUnload(CUmodule module) {
  Driver driver(__func__);
  driver.check(driver.api.moduleUnload(module), "cuModuleUnload");
}

CUfunction mgpuModuleGetFunction(CUmodule module, const char *name) {
  Driver driver(__func__);
  CUfunction function = nullptr;
  CUresult result = driver.api.moduleGetFunction(&function, module, name);
  if (Status s = driver.api.check(result, "cuModuleGetFunction"); !s)
    fail(__func__, "kernel " + std::string(name) + ": " + s.error());
  return function;
}

void mgpuLaunchKernel(CUfunction function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, CUstream stream,
                      void **parameters, void **extra, size_t /*count*/) {
  Driver driver(__func__);
  if (sharedBytes > driver.state.sharedBytesPerBlock)
    fail(__func__, "the kernel needs " + std::to_string(sharedBytes) +
                       " bytes of shared memory a block, " + driver.state.name +
                       " has " +
                       std::to_string(driver.state.sharedBytesPerBlock));
  // More than 48 KiB must be asked for; asking for less does no harm.
  if (sharedBytes > 0)
    driver.check(driver.api.funcSetAttribute(
                     function, MaxDynamicSharedSizeBytes, sharedBytes),
                 "cuFuncSetAttribute");
  driver.check(
      driver.api.launchKernel(
          function, static_cast<unsigned>(gridX), static_cast<unsigned>(gridY),
          static_cast<unsigned>(gridZ), static_cast<unsigned>(blockX),
          static_cast<unsigned>(blockY), static_cast<unsigned>(blockZ),
          static_cast<unsigned>(sharedBytes), stream, parameters, extra),
      "cuLaunchKernel");
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUstream mgpuStreamCreate() {
  Driver driver(__func__);
  CUstream stream = nullptr;
  constexpr unsigned nonBlocking = 1;
  driver.check(driver.api.streamCreate(&stream, nonBlocking), "cuStreamCreate");
  return stream;
}

void mgpuStreamDestroy(CUstream stream) {
  Driver driver(__func__);
  driver.check(driver.api.streamDestroy(stream), "cuStreamDestroy");
}

void mgpuStreamSynchronize(CUstream stream) {
  Driver driver(__func__);
  driver.check(driver.api.streamSynchronize(stream), "cuStreamSynchronize");
}

void mgpuStreamWaitEvent(CUstream stream, CUevent event) {
  Driver driver(__func__);
  driver.check(driver.api.streamWaitEvent(stream, event, /*flags=*/0),
               "cuStreamWaitEvent");
}

CUevent mgpuEventCreate() {
  Driver driver(__func__);
  CUevent event = nullptr;
  driver.check(driver.api.eventCreate(&event, DisableTiming), "cuEventCreate");
  return event;
}

void mgpuEventDestroy(CUevent event) {
  Driver driver(__func__);
  driver.check(driver.api.eventDestroy(event), "cuEventDestroy");
}

void mgpuEventSynchronize(CUevent event) {
  Driver driver(__func__);
  driver.check(driver.api.eventSynchronize(event), "cuEventSynchronize");
}

void mgpuEventRecord(CUevent event, CUstream stream) {
  Driver driver(__func__);
  driver.check(driver.api.eventRecord(event, stream), "cuEventRecord");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *mgpuMemAlloc(uint64_t bytes, CUstream /*stream*/, bool isHostShared) {
  Driver driver(__func__);
  CUdeviceptr address = 0;
  if (bytes == 0)
    return nullptr;
  CUresult result =
      isHostShared ? driver.api.memAllocManaged(&address, bytes, AttachGlobal)
                   : driver.api.memAlloc(&address, bytes);
  if (Status s = driver.api.check(result, isHostShared ? "cuMemAllocManaged"
                                                       : "cuMemAlloc");
      !s)
    fail(__func__, std::to_string(bytes) + " bytes: " + s.error());
  return reinterpret_cast<void *>(address);
}

void mgpuMemFree(void *pointer, CUstream /*stream*/) {
  Driver driver(__func__);
  if (pointer)
    driver.check(driver.api.memFree(toAddress(pointer)), "cuMemFree");
}

void mgpuMemcpy(void *to, void *from, size_t bytes, CUstream stream) {
  Driver driver(__func__);
  if (bytes > 0)
    driver.check(
        driver.api.memcpyAsync(toAddress(to), toAddress(from), bytes, stream),
        "cuMemcpyAsync");
}

void mgpuMemset32(void *to, unsigned value, size_t count, CUstream stream) {
  Driver driver(__func__);
  if (count > 0)
    driver.check(driver.api.memsetD32Async(toAddress(to), value, count, stream),
                 "cuMemsetD32Async");
}

void mgpuMemset16(void *to, unsigned short value, size_t count,
                  CUstream stream) {
  Driver driver(__func__);
  if (count > 0)
    driver.check(driver.api.memsetD16Async(toAddress(to), value, count, stream),
                 "cuMemsetD16Async");
}

void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  Driver driver(__func__);
  if (bytes > 0)
    driver.check(driver.api.memHostRegister(pointer, bytes, /*flags=*/0),
                 "cuMemHostRegister");
}

void mgpuMemHostUnregister(void *pointer) {
  Driver driver(__func__);
  driver.check(driver.api.memHostUnregister(pointer), "cuMemHostUnregister");
}

void mgpuMemHostRegisterMemRef(int64_t rank, const int64_t *descriptor,
                               int64_t elementBytes) {
  Span span(rank, descriptor, elementBytes);
  mgpuMemHostRegister(span.begin, span.bytes);
}

void mgpuMemHostUnregisterMemRef(int64_t rank, const int64_t *descriptor,
                                 int64_t elementBytes) {
  Span span(rank, descriptor, elementBytes);
  if (span.bytes > 0)
    mgpuMemHostUnregister(span.begin);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// Of the calling thread. An ordinal that is none is reported by the next call.
void mgpuSetDefaultDevice(int32_t ordinal) { chosenOrdinal = ordinal; }

} // extern "C"
#pragma GCC visibility pop
