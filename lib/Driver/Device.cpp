//===- Device.cpp - Kernels on a CUDA device --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Driver/Device.h"
#include "tc/Driver/DeviceMemory.h"
#include "tc/Driver/DeviceState.h"
#include "tc/Package/Conditions.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Result<Device> Device::open(int ordinal) {
  Result<Device> device = retain(ordinal);
  if (!device)
    return device;
  const State &state = *device->state();
  if (Status s = state.api->check(state.api->ctxSetCurrent(state.context),
                                  "cuCtxSetCurrent");
      !s)
    return Error{s.error()};
  return device;
}

Result<Device> Device::retain(int ordinal) {
  Result<std::shared_ptr<const Api>> loaded = Api::load();
  if (!loaded)
    return Error{loaded.error()};
  const std::shared_ptr<const Api> &api = *loaded;
  auto state = std::make_shared<State>();
  state->api = api;
  state->ordinal = ordinal;

  int count = 0;
  if (Status s = api->check(api->deviceGetCount(&count), "cuDeviceGetCount");
      !s)
    return Error{s.error()};
  if (ordinal < 0 || ordinal >= count)
    return Error{"no CUDA device " + std::to_string(ordinal) +
                 "; the driver sees " + std::to_string(count)};
  if (Status s =
          api->check(api->deviceGet(&state->device, ordinal), "cuDeviceGet");
      !s)
    return Error{s.error()};

  if (Status s = api->check(api->driverGetVersion(&state->driverVersion),
                            "cuDriverGetVersion");
      !s)
    return Error{s.error()};
  char text[256] = {};
  if (Status s =
          api->check(api->deviceGetName(text, sizeof(text), state->device),
                     "cuDeviceGetName");
      !s)
    return Error{s.error()};
  state->name = text;
  if (Status s =
          api->check(api->deviceGetPCIBusId(text, sizeof(text), state->device),
                     "cuDeviceGetPCIBusId");
      !s)
    return Error{s.error()};
  state->pciBusId = text;

  const std::pair<DeviceAttribute, int *> attributes[] = {
      {ComputeCapabilityMajor, &state->major},
      {ComputeCapabilityMinor, &state->minor},
      {L2CacheSize, &state->l2Bytes},
      {MultiprocessorCount, &state->multiprocessors},
      {ClockRate, &state->clockKilohertz},
      {MaxSharedMemoryPerBlockOptin, &state->sharedBytesPerBlock}};
  for (auto [attribute, value] : attributes)
    if (Status s =
            api->check(api->deviceGetAttribute(value, attribute, state->device),
                       "cuDeviceGetAttribute");
        !s)
      return Error{s.error()};

  if (Status s =
          api->check(api->primaryCtxRetain(&state->context, state->device),
                     "cuDevicePrimaryCtxRetain");
      !s)
    return Error{s.error()};
  return Device(std::move(state));
}

int Device::ordinal() const { return shared->ordinal; }
const std::string &Device::name() const { return shared->name; }
unsigned Device::computeCapability() const {
  return 10 * shared->major + shared->minor;
}
int64_t Device::l2Bytes() const { return shared->l2Bytes; }
int64_t Device::multiprocessors() const { return shared->multiprocessors; }
double Device::clockHertz() const { return shared->clockKilohertz * 1e3; }
const std::string &Device::pciBusId() const { return shared->pciBusId; }
int Device::driverVersion() const { return shared->driverVersion; }

//===----------------------------------------------------------------------===//
// DeviceModule
//===----------------------------------------------------------------------===//

Status tc::runtime::checkCompatible(const Device &device,
                                    const Package &package) {
  unsigned wanted = computeCapabilityOf(package.target).value_or(0);
  unsigned present = device.computeCapability();
  char kind = package.target.empty() ? '0' : package.target.back();
  bool isFamily = kind == 'f' || package.codeKind == CodeKind::Cubin;
  bool fits = kind == 'a' ? present == wanted
                          : present >= wanted &&
                                (!isFamily || present / 10 == wanted / 10);
  if (fits)
    return {};
  return Error{"the " + std::string(stringify(package.codeKind)) + " is for " +
               package.target + ", device " + std::to_string(device.ordinal()) +
               " (" + device.name() + ") is sm_" + std::to_string(present)};
}

Result<DeviceModule> DeviceModule::load(const Device &device,
                                        const LoadedPackage &package) {
  const Device::State &state = *device.state();
  if (Status s = checkCompatible(device, package.package); !s)
    return Error{package.codePath + ": " + s.error()};

  auto module = std::make_shared<State>(device);
  Result<CUmodule> loaded = state.api->loadModule(package.code.c_str());
  if (!loaded)
    return Error{package.codePath + ": " + loaded.error()};
  module->module = *loaded;
  return DeviceModule(std::move(module));
}

//===----------------------------------------------------------------------===//
// DeviceKernel
//===----------------------------------------------------------------------===//

Result<CUfunction> tc::runtime::findFunction(const DeviceModule &module,
                                             const Kernel &kernel) {
  const Device::State &device = *module.state()->device.state();
  const Api &api = *device.api;
  CUfunction function = nullptr;
  if (Status s =
          api.check(api.moduleGetFunction(&function, module.state()->module,
                                          symbolOf(kernel).c_str()),
                    "cuModuleGetFunction");
      !s)
    return Error{"kernel " + kernel.entry + ": " + s.error()};
  int64_t sharedBytes = kernel.staticSharedBytes + kernel.dynamicSharedBytes;
  if (sharedBytes > device.sharedBytesPerBlock)
    return Error{"kernel " + kernel.entry + " needs " +
                 std::to_string(sharedBytes) +
                 " bytes of shared memory a block, " + device.name + " has " +
                 std::to_string(device.sharedBytesPerBlock)};
  // More than 48 KiB must be asked for; asking for less does no harm.
  if (kernel.dynamicSharedBytes > 0)
    if (Status s = api.check(
            api.funcSetAttribute(function, MaxDynamicSharedSizeBytes,
                                 static_cast<int>(kernel.dynamicSharedBytes)),
            "cuFuncSetAttribute");
        !s)
      return Error{"kernel " + kernel.entry + ": " + s.error()};
  return function;
}

Result<DeviceKernel> DeviceKernel::prepare(const DeviceModule &module,
                                           const Kernel &kernel,
                                           const Problem &problem) {
  DeviceKernel prepared(module.state(), kernel);
  const Device::State &device = *module.state()->device.state();
  const Api &api = *device.api;

  Result<CUfunction> function = findFunction(module, kernel);
  if (!function)
    return Error{function.error()};
  prepared.function = *function;

  int registers = 0, localBytes = 0;
  const std::pair<FunctionAttribute, int *> attributes[] = {
      {NumRegs, &registers}, {LocalSizeBytes, &localBytes}};
  for (auto [attribute, value] : attributes)
    if (Status s = api.check(api.funcGetAttribute(value, attribute, *function),
                             "cuFuncGetAttribute");
        !s)
      return Error{"kernel " + kernel.entry + ": " + s.error()};
  prepared.registers = registers;
  prepared.localBytes = localBytes;

  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const HostTensor &tensor = problem.tensors[i];
    const TensorArgument &argument = *tensors[i];
    auto buffer = DeviceBuffer::allocate(module.state()->device, tensor.bytes(),
                                         "tensor " + argument.name);
    if (!buffer)
      return Error{buffer.error()};
    if (buffer->address() % argument.alignment != 0)
      return Error{"the device's buffer for tensor " + argument.name +
                   " is not aligned to " + std::to_string(argument.alignment) +
                   " bytes"};
    if (Status s = buffer->upload(tensor.data(), tensor.bytes()); !s)
      return Error{s.error()};
    if (i < prepared.addresses.size())
      prepared.addresses[i] = buffer->address();
    else
      prepared.auxiliaryAddresses.push_back(buffer->address());
    prepared.buffers.push_back(
        std::make_shared<DeviceBuffer>(std::move(*buffer)));
  }
  prepared.scalars = scalarArguments(kernel, problem);
  if (kernel.workspace) {
    const Workspace &workspace = *kernel.workspace;
    auto buffer = DeviceBuffer::allocate(module.state()->device,
                                         static_cast<size_t>(workspace.bytes),
                                         "the workspace");
    if (!buffer)
      return Error{buffer.error()};
    if (buffer->address() % workspace.alignment != 0)
      return Error{"the device's buffer for the workspace is not aligned to " +
                   std::to_string(workspace.alignment) + " bytes"};
    std::vector<std::byte> zeros(static_cast<size_t>(workspace.zeroedBytes));
    if (!zeros.empty())
      if (Status s = buffer->upload(zeros.data(), zeros.size()); !s)
        return Error{s.error()};
    prepared.workspace = buffer->address();
    prepared.buffers.push_back(
        std::make_shared<DeviceBuffer>(std::move(*buffer)));
  }
  return prepared;
}

Status DeviceKernel::launch() {
  const Api &api = *module->device.state()->api;
  std::vector<void *> parameters;
  parameters.reserve(addresses.size() + auxiliaryAddresses.size() +
                     scalars.size());
  for (DeviceAddress &address : addresses)
    parameters.push_back(&address);
  for (DeviceAddress &address : auxiliaryAddresses)
    parameters.push_back(&address);
  for (std::vector<std::byte> &scalar : scalars)
    parameters.push_back(scalar.data());
  if (kernel.workspace)
    parameters.push_back(&workspace);
  const Dim3 &grid = kernel.grid, &block = kernel.block;
  if (Status s = api.check(
          api.launchKernel(static_cast<CUfunction>(function), grid[0], grid[1],
                           grid[2], block[0], block[1], block[2],
                           kernel.dynamicSharedBytes, /*stream=*/nullptr,
                           parameters.data(), /*extra=*/nullptr),
          "cuLaunchKernel");
      !s)
    return Error{"kernel " + kernel.entry + ": " + s.error()};
  return {};
}

Status DeviceKernel::run() {
  if (Status s = launch(); !s)
    return s;
  // Faults of the kernel itself are reported by what waits for it.
  if (Status s = synchronize(module->device); !s)
    return Error{"kernel " + kernel.entry + ": " + s.error()};
  return {};
}

Status DeviceKernel::fetch(Problem &problem) const {
  for (size_t place : outputsOf(kernel)) {
    HostTensor &tensor = problem.tensors[place];
    if (Status s = buffers[place]->download(tensor.data(), tensor.bytes()); !s)
      return s;
  }
  return {};
}

Status DeviceKernel::restore(const Problem &problem) {
  for (size_t place : outputsOf(kernel)) {
    const HostTensor &tensor = problem.tensors[place];
    if (Status s = buffers[place]->upload(tensor.data(), tensor.bytes()); !s)
      return s;
  }
  return {};
}

Result<Timing> DeviceKernel::time(int repeats) {
  constexpr int warmUps = 3;
  const Device &device = module->device;
  size_t words = std::max<size_t>(2 * size_t(device.l2Bytes()) / 4, 1);
  Result<DeviceBuffer> flush =
      DeviceBuffer::allocate(device, words * 4, "the cache flush");
  if (!flush)
    return Error{flush.error()};
  Result<DeviceEvent> start = DeviceEvent::create(device);
  if (!start)
    return Error{start.error()};
  Result<DeviceEvent> stop = DeviceEvent::create(device);
  if (!stop)
    return Error{stop.error()};

  Timing timing;
  for (int i = -warmUps; i < repeats; ++i) {
    // All of this is queued before the flush ends, so that the time between
    // the events holds no delay of the host.
    if (Status s = flush->fill(i); !s)
      return Error{s.error()};
    if (Status s = start->record(); !s)
      return Error{s.error()};
    if (Status s = launch(); !s)
      return Error{s.error()};
    if (Status s = stop->record(); !s)
      return Error{s.error()};
    Result<double> seconds = stop->secondsSince(*start);
    if (!seconds)
      return Error{"kernel " + kernel.entry + ": " + seconds.error()};
    if (i >= 0)
      timing.samples.push_back(*seconds);
  }
  Conditions conditions = ConditionsMonitor(device.pciBusId()).read();
  timing.multiprocessorClock = conditions.multiprocessorMegahertz.value_or(0);
  timing.memoryClock = conditions.memoryMegahertz.value_or(0);
  std::sort(timing.samples.begin(), timing.samples.end());
  return timing;
}

double Timing::median() const {
  size_t count = samples.size();
  if (count == 0)
    return 0;
  return (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}
