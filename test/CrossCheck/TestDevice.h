//===- TestDevice.h - Instruction tests on a GPU ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of the instruction table through the CUDA driver, which
// compiles their PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_CROSSCHECK_TESTDEVICE_H
#define TC_TEST_CROSSCHECK_TESTDEVICE_H

#include "../InstructionTests/Instructions.h"
#include "tc/Driver/CudaApi.h"

namespace tc::crosscheck {

/// A CUDA device with its primary context.
class TestDevice {
public:
  /// Without a driver the error names libcuda.so.1.
  static Result<TestDevice> open(int ordinal);
  ~TestDevice();
  TestDevice(TestDevice &&other);
  TestDevice &operator=(TestDevice &&) = delete;

  const std::string &name() const { return deviceName; }
  /// Ten times major plus minor.
  unsigned computeCapability() const { return capability; }
  /// Of CUDA, as the driver has it: "13.0".
  const std::string &cudaVersion() const { return version; }

  /// Compiles a module. The driver's messages are part of an error.
  Result<runtime::cuda::CUmodule> load(const isa::TestModule &module) const;
  void unload(runtime::cuda::CUmodule module) const {
    api->moduleUnload(module);
  }
  /// Runs one test of a module and returns the contents of `out`.
  Result<std::vector<isa::Bits>> run(runtime::cuda::CUmodule handle,
                                     const isa::TestModule &module,
                                     std::size_t test) const;

private:
  TestDevice() = default;
  Status launch(runtime::cuda::CUfunction function, std::size_t blocks,
                runtime::cuda::CUdeviceptr in,
                runtime::cuda::CUdeviceptr out) const;

  std::shared_ptr<const runtime::cuda::Api> api;
  runtime::cuda::CUdevice device = 0;
  bool hasContext = false;
  std::string deviceName, version;
  unsigned capability = 0;
};

} // namespace tc::crosscheck

#endif // TC_TEST_CROSSCHECK_TESTDEVICE_H
