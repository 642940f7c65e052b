//===- TestDevice.cpp - Instruction tests on a GPU ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"

using namespace tc;
using namespace tc::crosscheck;
using namespace tc::isa;
using namespace tc::runtime::cuda;

/// Ends the enclosing function with the error of a call that fails.
#define CHECK_CALL(call, name)                                                 \
  if (Status status = api->check(call, name); !status)                         \
    return Error { status.error() }

Result<TestDevice> TestDevice::open(int ordinal) {
  Result<std::shared_ptr<const Api>> loaded = Api::load();
  if (!loaded)
    return Error{loaded.error()};
  TestDevice result;
  result.api = *loaded;
  const std::shared_ptr<const Api> &api = result.api;
  int count = 0, number = 0, major = 0, minor = 0;
  CHECK_CALL(api->deviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count)
    return Error{"no CUDA device " + std::to_string(ordinal) +
                 "; the driver sees " + std::to_string(count)};
  CHECK_CALL(api->deviceGet(&result.device, ordinal), "cuDeviceGet");
  char text[256] = {};
  CHECK_CALL(api->deviceGetName(text, sizeof(text), result.device),
             "cuDeviceGetName");
  result.deviceName = text;
  CHECK_CALL(api->driverGetVersion(&number), "cuDriverGetVersion");
  result.version =
      std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  CHECK_CALL(
      api->deviceGetAttribute(&major, ComputeCapabilityMajor, result.device),
      "cuDeviceGetAttribute");
  CHECK_CALL(
      api->deviceGetAttribute(&minor, ComputeCapabilityMinor, result.device),
      "cuDeviceGetAttribute");
  result.capability = static_cast<unsigned>(10 * major + minor);
  CUcontext context = nullptr;
  CHECK_CALL(api->primaryCtxRetain(&context, result.device),
             "cuDevicePrimaryCtxRetain");
  result.hasContext = true;
  CHECK_CALL(api->ctxSetCurrent(context), "cuCtxSetCurrent");
  return Result<TestDevice>(std::move(result));
}

TestDevice::TestDevice(TestDevice &&other)
    : api(std::move(other.api)), device(other.device),
      hasContext(std::exchange(other.hasContext, false)),
      deviceName(std::move(other.deviceName)),
      version(std::move(other.version)), capability(other.capability) {}

TestDevice::~TestDevice() {
  if (hasContext)
    api->primaryCtxRelease(device);
}

Result<CUmodule> TestDevice::load(const TestModule &module) const {
  std::vector<char> log(8192);
  int options[] = {ErrorLogBuffer, ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUmodule handle = nullptr;
  Status status = api->check(
      api->moduleLoadDataEx(&handle, module.text.c_str(), 2, options, values),
      "cuModuleLoadDataEx");
  if (!status)
    return Error{status.error() + ": " + log.data()};
  return handle;
}

Status TestDevice::launch(CUfunction function, std::size_t blocks,
                          CUdeviceptr in, CUdeviceptr out) const {
  std::vector<std::byte> bytes = parameterBlock();
  void *parameters[] = {&in, &out, bytes.data()};
  CHECK_CALL(api->launchKernel(function, static_cast<unsigned>(blocks), 1, 1,
                               blockSize, 1, 1, 0, nullptr, parameters,
                               nullptr),
             "cuLaunchKernel");
  CHECK_CALL(api->ctxSynchronize(), "cuCtxSynchronize");
  return {};
}

Result<std::vector<Bits>> TestDevice::run(CUmodule handle,
                                          const TestModule &module,
                                          std::size_t number) const {
  const Instruction &test = *module.instructions[number];
  std::vector<Row> rows = rowsOf(test);
  std::vector<Bits> in = packRows(rows);
  std::vector<Bits> out(rows.size() * test.results.size());
  CUfunction function = nullptr;
  CHECK_CALL(
      api->moduleGetFunction(&function, handle, module.entries[number].c_str()),
      "cuModuleGetFunction");

  struct Memory {
    const Api &api;
    CUdeviceptr address = 0;
    ~Memory() {
      if (address)
        api.memFree(address);
    }
  };
  Memory inMemory{*api}, outMemory{*api};
  for (auto [memory, data] : {std::pair{&inMemory, &in}, {&outMemory, &out}}) {
    CHECK_CALL(api->memAlloc(&memory->address, data->size() * sizeof(Bits)),
               "cuMemAlloc");
    CHECK_CALL(api->memcpyHtoD(memory->address, data->data(),
                               data->size() * sizeof(Bits)),
               "cuMemcpyHtoD");
  }
  if (Status status = launch(function, rows.size() / blockSize,
                             inMemory.address, outMemory.address);
      !status)
    return Error{status.error()};
  CHECK_CALL(
      api->memcpyDtoH(out.data(), outMemory.address, out.size() * sizeof(Bits)),
      "cuMemcpyDtoH");
  return out;
}
