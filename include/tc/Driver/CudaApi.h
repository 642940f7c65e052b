//===- CudaApi.h - The part of the CUDA driver API in use -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations, so that building needs no CUDA toolkit. Names and
// signatures are those of the CUDA Driver API reference manual; symbols carry
// the version suffixes that cuda.h hides behind macros.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DRIVER_CUDAAPI_H
#define TC_DRIVER_CUDAAPI_H

#include "tc/Support/Result.h"

#include <cstddef>
#include <memory>
#include <string>

namespace tc::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphExec = struct CUgraphExec_st *;

/// Values of CUdevice_attribute.
enum DeviceAttribute : int {
  ClockRate = 13, ///< kHz
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

/// Values of CUpointer_attribute.
enum PointerAttribute : int {
  MemoryType = 2,
  IsManaged = 8,
  DeviceOrdinal = 9,
};

/// The value of CUmemorytype for memory of a device.
constexpr unsigned memoryTypeDevice = 2;

/// Values of CUresult that are distinguished.
constexpr CUresult errorOutOfMemory = 2;

/// Values of CUmemAttach_flags.
enum AttachFlag : unsigned { AttachGlobal = 1 };

/// Values of CUstreamCaptureMode: what other threads do at the same time is
/// allowed.
enum CaptureMode : int { CaptureThreadLocal = 1 };

/// Values of CUstream_flags: the stream waits for no default stream.
enum StreamFlag : unsigned { NonBlocking = 1 };

/// Values of CUevent_flags.
enum EventFlag : unsigned { DisableTiming = 2 };

/// Values of CUfunction_attribute.
enum FunctionAttribute : int {
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
};

/// Values of CUjit_option.
enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6 };

/// Calls X(member, symbol, parameters) for every function in use.
#define TC_CUDA_FUNCTIONS(X)                                                   \
  X(init, cuInit, (unsigned))                                                  \
  X(getErrorName, cuGetErrorName, (CUresult, const char **))                   \
  X(getErrorString, cuGetErrorString, (CUresult, const char **))               \
  X(driverGetVersion, cuDriverGetVersion, (int *))                             \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                 \
  X(deviceGet, cuDeviceGet, (CUdevice *, int))                                 \
  X(deviceGetName, cuDeviceGetName, (char *, int, CUdevice))                   \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int, CUdevice))          \
  X(deviceGetPCIBusId, cuDeviceGetPCIBusId, (char *, int, CUdevice))           \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))       \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice))               \
  X(ctxSetCurrent, cuCtxSetCurrent, (CUcontext))                               \
  X(ctxPushCurrent, cuCtxPushCurrent_v2, (CUcontext))                          \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *))                          \
  X(ctxSynchronize, cuCtxSynchronize, ())                                      \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (CUmodule *, const void *, unsigned, int *, void **))                      \
  X(moduleUnload, cuModuleUnload, (CUmodule))                                  \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (CUfunction *, CUmodule, const char *))                                    \
  X(funcGetAttribute, cuFuncGetAttribute, (int *, int, CUfunction))            \
  X(funcSetAttribute, cuFuncSetAttribute, (CUfunction, int, int))              \
  X(launchKernel, cuLaunchKernel,                                              \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  X(memAlloc, cuMemAlloc_v2, (CUdeviceptr *, size_t))                          \
  X(memFree, cuMemFree_v2, (CUdeviceptr))                                      \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))          \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                     \
    (CUdeviceptr, CUdeviceptr, size_t, CUstream))                              \
  X(memcpyAsync, cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, size_t, CUstream))  \
  X(memAllocManaged, cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned))     \
  X(memHostRegister, cuMemHostRegister_v2, (void *, size_t, unsigned))         \
  X(memHostUnregister, cuMemHostUnregister, (void *))                          \
  X(pointerGetAttributes, cuPointerGetAttributes,                              \
    (unsigned, int *, void **, CUdeviceptr))                                   \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (CUdeviceptr, unsigned char, size_t, CUstream))                            \
  X(memsetD16Async, cuMemsetD16Async,                                          \
    (CUdeviceptr, unsigned short, size_t, CUstream))                           \
  X(memsetD32Async, cuMemsetD32Async,                                          \
    (CUdeviceptr, unsigned, size_t, CUstream))                                 \
  X(streamCreate, cuStreamCreate, (CUstream *, unsigned))                      \
  X(streamDestroy, cuStreamDestroy_v2, (CUstream))                             \
  X(streamSynchronize, cuStreamSynchronize, (CUstream))                        \
  X(streamIsCapturing, cuStreamIsCapturing, (CUstream, int *))                 \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (CUstream, int))              \
  X(streamEndCapture, cuStreamEndCapture, (CUstream, CUgraph *))               \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (CUgraphExec *, CUgraph, unsigned long long))                              \
  X(graphLaunch, cuGraphLaunch, (CUgraphExec, CUstream))                       \
  X(graphDestroy, cuGraphDestroy, (CUgraph))                                   \
  X(graphExecDestroy, cuGraphExecDestroy, (CUgraphExec))                       \
  X(streamWaitEvent, cuStreamWaitEvent, (CUstream, CUevent, unsigned))         \
  X(eventCreate, cuEventCreate, (CUevent *, unsigned))                         \
  X(eventDestroy, cuEventDestroy_v2, (CUevent))                                \
  X(eventRecord, cuEventRecord, (CUevent, CUstream))                           \
  X(eventSynchronize, cuEventSynchronize, (CUevent))                           \
  X(eventElapsedTime, cuEventElapsedTime, (float *, CUevent, CUevent))

/// The driver's functions. The library stays loaded until the program ends,
/// because the driver does not support being unloaded.
struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration.
#define TC_CUDA_MEMBER(member, symbol, parameters) CUresult(*member) parameters;
  TC_CUDA_FUNCTIONS(TC_CUDA_MEMBER)
#undef TC_CUDA_MEMBER

  /// Loads and initialises the driver.
  static Result<std::shared_ptr<const Api>> load();

  /// An error that names the call, unless it succeeded.
  Status check(CUresult result, const char *call) const;

  /// Loads PTX, which must end with a zero, or machine code. The error has what
  /// the driver's compiler says.
  Result<CUmodule> loadModule(const void *image) const;
};

} // namespace tc::runtime::cuda

#endif // TC_DRIVER_CUDAAPI_H
