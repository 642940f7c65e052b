//===- DeviceState.h - State of a device for the runtime --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DRIVER_DEVICESTATE_H
#define TC_DRIVER_DEVICESTATE_H

#include "CudaApi.h"
#include "tc/Driver/Device.h"

namespace tc::runtime {

struct Device::State {
  std::shared_ptr<const cuda::Api> api;
  int ordinal = 0;
  cuda::CUdevice device = 0;
  /// The device's primary one, if it is retained.
  cuda::CUcontext context = nullptr;
  std::string name, pciBusId;
  int driverVersion = 0;
  int major = 0, minor = 0, l2Bytes = 0, multiprocessors = 0;
  int sharedBytesPerBlock = 0;
  int clockKilohertz = 0;

  ~State() {
    if (context)
      api->primaryCtxRelease(device);
  }
};

struct DeviceModule::State {
  explicit State(const Device &device) : device(device) {}
  ~State() {
    if (module)
      device.state()->api->moduleUnload(module);
  }

  Device device;
  cuda::CUmodule module = nullptr;
};

/// Finds a kernel in its module, and asks for the shared memory that it needs.
Result<cuda::CUfunction> findFunction(const DeviceModule &module,
                                      const Kernel &kernel);

} // namespace tc::runtime

#endif // TC_DRIVER_DEVICESTATE_H
