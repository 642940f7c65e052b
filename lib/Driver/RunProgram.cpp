//===- RunProgram.cpp - All steps of a program ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageOnDevice.h"

#include "tc/Buffers/Problem.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

PackageLauncher::OnDevice::ProgramState::~ProgramState() {
  for (DeviceAddress address : allocations)
    api->memFree(address);
}

/// Value of all bytes of a fill, if that is one value.
static std::optional<unsigned char> findByte(const ProgramStep &step) {
  std::vector<std::byte> element = bytesOf(step.tensors[0].constant, step.type);
  if (std::any_of(element.begin(), element.end(),
                  [&](std::byte byte) { return byte != element.front(); }))
    return std::nullopt;
  return static_cast<unsigned char>(element.front());
}

/// The numbers that a tensor of a step has, which lie on the device when it is
/// run; none of what a memset writes.
static std::vector<std::byte>
constantOf(const Package &package, const ProgramStep &step, size_t tensor) {
  const model::Constant &number = step.tensors[tensor].constant;
  if (step.kernel)
    return makeConstant(number,
                        *tensorsOf(package.kernels[*step.kernel])[tensor]);
  if (findByte(step))
    return {};
  std::vector<std::byte> numbers(static_cast<size_t>(step.bytes));
  fill(numbers.data(), numbers.size(), number, step.type);
  return numbers;
}

LaunchStatus PackageLauncher::OnDevice::loadProgram(const Package &package,
                                                    const Program &program) {
  auto made = std::make_unique<ProgramState>();
  made->api = device.state()->api;
  for (const ProgramStep &step : program.steps) {
    std::vector<DeviceAddress> &constants = made->constants.emplace_back();
    constants.resize(step.tensors.size());
    for (size_t i = 0; i < step.tensors.size(); ++i) {
      if (step.tensors[i].kind != ProgramPlace::Kind::Constant)
        continue;
      std::vector<std::byte> numbers = constantOf(package, step, i);
      if (numbers.empty())
        continue;
      LaunchStatus s = upload(api(), numbers, constants[i]);
      if (constants[i])
        made->allocations.push_back(constants[i]);
      if (s)
        return s;
    }
  }
  programs.push_back(std::move(made));
  return {};
}

/// Queues a copy or a fill: that of numbers which lie on the device, if `from`
/// is not zero, is a copy of these.
static LaunchStatus write(const Api &api, const ProgramStep &step,
                          DeviceAddress from, DeviceAddress to,
                          CUstream stream) {
  auto bytes = static_cast<size_t>(step.bytes);
  if (step.isFill() && from == 0)
    return statusOf(
        api, api.memsetD8Async(to, findByte(step).value_or(0), bytes, stream),
        "cuMemsetD8Async");
  return statusOf(api, api.memcpyDtoDAsync(to, from, bytes, stream),
                  "cuMemcpyDtoDAsync");
}

LaunchStatus PackageLauncher::OnDevice::runSteps(
    const std::vector<ProgramLaunch> &launches, const ProgramState &program,
    DeviceAddress workspace, CUstream stream) const {
  for (size_t i = 0; i < launches.size(); ++i) {
    const ProgramLaunch &launch = launches[i];
    std::vector<DeviceAddress> addresses = launch.addresses;
    for (size_t tensor = 0; tensor < addresses.size(); ++tensor) {
      const ProgramPlace &place = launch.step->tensors[tensor];
      if (place.kind == ProgramPlace::Kind::Constant)
        addresses[tensor] = program.constants[i][tensor];
      else if (place.kind == ProgramPlace::Kind::Workspace)
        addresses[tensor] =
            workspace + static_cast<DeviceAddress>(place.offset);
    }
    if (!launch.kernel) {
      if (LaunchStatus s = write(api(), *launch.step, addresses.front(),
                                 addresses.back(), stream))
        return s;
      continue;
    }
    KernelLaunch ready;
    ready.kernel = launch.kernel;
    ready.number = launch.number;
    ready.addresses = std::move(addresses);
    for (size_t factor = 0; factor < launch.factors.size(); ++factor)
      if (!launch.factors[factor].empty())
        ready.factors[factor] = launch.factors[factor].data();
    if (launch.kernel->workspace) {
      ready.workspace =
          workspace + static_cast<DeviceAddress>(*launch.step->workspace);
      // Temporaries may have been there.
      if (LaunchStatus s = clearCounters(ready, stream))
        return s;
    }
    if (LaunchStatus s = queue(ready, launch.shape, stream))
      return s;
  }
  return {};
}

LaunchStatus
PackageLauncher::OnDevice::run(const ProgramRun &run,
                               std::optional<DeviceAddress> workspace,
                               void *streamHandle) {
  ScopedContext context(device);
  if (LaunchStatus s = context.status())
    return s;
  ProgramState &prepared = *programs[run.number];
  const Program &program = run.bound->program;
  CUstream stream = streamOf(streamHandle);
  if (workspace || program.workspaceBytes == 0)
    return runSteps(run.launches, prepared, workspace.value_or(0), stream);
  Workspace needed;
  needed.bytes = program.workspaceBytes;
  needed.alignment = program.workspaceAlignment;
  return prepared.workspaces
      .find(device, needed, "program " + program.name,
            /*varies=*/!run.bound->shapes.empty())
      .use(stream, [&](DeviceAddress own) {
        return runSteps(run.launches, prepared, own, stream);
      });
}

LaunchStatus
PackageLauncher::bind(size_t number, const std::vector<int64_t> &extents,
                      std::shared_ptr<const BoundProgram> &bound) const {
  // Beyond that, programs hardly come back to what was.
  constexpr size_t maxBound = 1024;
  const Program &program = loaded.package.programs[number];
  std::vector<int64_t> key = {static_cast<int64_t>(number)};
  key.insert(key.end(), extents.begin(), extents.end());
  std::lock_guard<std::mutex> lock(state->mutex);
  if (auto known = state->programs.find(key); known != state->programs.end()) {
    bound = known->second;
    return {};
  }
  auto made = std::make_shared<BoundProgram>();
  if (program.extents.empty() && extents.empty()) {
    made->program = program;
  } else {
    Result<BoundProgram> result = bindProgram(loaded.package, program, extents);
    if (!result)
      return invalid(result.error());
    *made = std::move(*result);
  }
  if (state->programs.size() >= maxBound)
    state->programs.clear();
  state->programs[std::move(key)] = made;
  bound = std::move(made);
  return {};
}

LaunchStatus PackageLauncher::findWorkspaceBytes(
    size_t number, const std::vector<int64_t> &extents, int64_t &bytes) const {
  std::shared_ptr<const BoundProgram> bound;
  if (LaunchStatus s = bind(number, extents, bound))
    return s;
  bytes = bound->program.workspaceBytes;
  return {};
}

/// The address of a parameter's place. Where the workspace and constants lie is
/// not known yet: an address in their stead which is aligned as they are known
/// to be, and no better.
static DeviceAddress addressFor(const Program &program,
                                const ProgramPlace &place,
                                const ProgramArguments &arguments) {
  // That of all that cuMemAlloc gives.
  constexpr DeviceAddress allocated = 256;
  auto offset = static_cast<DeviceAddress>(place.offset);
  switch (place.kind) {
  case ProgramPlace::Kind::Parameter:
    return addressOf(arguments.tensors[place.parameter]) + offset;
  case ProgramPlace::Kind::Workspace: {
    DeviceAddress bits =
        static_cast<DeviceAddress>(program.workspaceAlignment) | offset;
    return bits & ~(bits - 1);
  }
  case ProgramPlace::Kind::Constant:
    return allocated;
  }
  return 0;
}

/// Name of a place.
static std::string describe(const Program &program, const ProgramPlace &place) {
  switch (place.kind) {
  case ProgramPlace::Kind::Parameter:
    return program.parameters[place.parameter].name;
  case ProgramPlace::Kind::Workspace:
    return "a temporary of program " + program.name;
  case ProgramPlace::Kind::Constant:
    return "a constant of program " + program.name;
  }
  return "";
}

LaunchStatus PackageLauncher::prepareStep(const BoundProgram &bound,
                                          size_t number,
                                          const ProgramArguments &arguments,
                                          ProgramLaunch &launch) const {
  const Program &program = bound.program;
  const ProgramStep &step = program.steps[number];
  launch.step = &step;
  for (const ProgramPlace &place : step.tensors)
    launch.addresses.push_back(addressFor(program, place, arguments));
  if (!step.kernel)
    return {};
  std::vector<const void *> pointers;
  pointers.reserve(launch.addresses.size());
  for (DeviceAddress address : launch.addresses)
    pointers.push_back(reinterpret_cast<const void *>(address));
  LaunchArguments given;
  given.tensors = pointers.data();
  given.count = pointers.size();
  if (bound.shapes.empty()) {
    launch.number = chooseVersion(*step.kernel, given);
    launch.kernel = &loaded.package.kernels[launch.number];
  } else {
    std::shared_ptr<const ShapedVersions> versions;
    if (LaunchStatus s =
            findVersions(*step.kernel, bound.shapes[number], versions))
      return s;
    const ShapedVersion &version = chooseAligned(*versions, given);
    launch.number = version.number;
    launch.kernel = &version.kernel;
    launch.shape = version.arguments;
    launch.owner = versions;
  }
  std::vector<const TensorArgument *> tensors = tensorsOf(*launch.kernel);
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto alignment = static_cast<DeviceAddress>(tensors[i]->alignment);
    if (launch.addresses[i] % alignment != 0)
      return invalid("the least address of " +
                     describe(program, step.tensors[i]) +
                     " is no multiple of the " + std::to_string(alignment) +
                     " bytes to which the code for " + loaded.package.target +
                     " takes it to be aligned");
  }
  if (step.alpha)
    launch.factors[0] = bytesOf(*step.alpha, launch.kernel->accumulatorType);
  if (step.beta)
    launch.factors[1] = bytesOf(*step.beta, launch.kernel->accumulatorType);
  return {};
}

LaunchStatus PackageLauncher::prepareProgram(size_t number,
                                             const ProgramArguments &arguments,
                                             ProgramRun &run) const {
  const std::vector<Program> &programs = loaded.package.programs;
  if (number >= programs.size())
    return invalid("there is no program " + std::to_string(number) +
                   ": the package has " + std::to_string(programs.size()));
  run.number = number;
  if (LaunchStatus s = bind(number, arguments.extents, run.bound))
    return s;
  const Program &program = run.bound->program;
  const std::vector<ProgramParameter> &parameters = program.parameters;
  if (arguments.count != parameters.size())
    return invalid("program " + program.name + " takes " +
                   std::to_string(parameters.size()) + " tensors, and " +
                   std::to_string(arguments.count) + " are given");
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!arguments.tensors[i])
      return invalid("the pointer of " + parameters[i].name + " is NULL");
  if (addressOf(arguments.workspace) %
          static_cast<DeviceAddress>(program.workspaceAlignment) !=
      0)
    return invalid("the workspace's address is no multiple of " +
                   std::to_string(program.workspaceAlignment) + " bytes");
  for (size_t step = 0; step < program.steps.size(); ++step)
    if (LaunchStatus s = prepareStep(*run.bound, step, arguments,
                                     run.launches.emplace_back()))
      return s;
  std::vector<const void *> pointers(arguments.tensors,
                                     arguments.tensors + arguments.count);
  pointers.push_back(program.workspaceBytes > 0 ? arguments.workspace
                                                : nullptr);
  auto nameOf = [&](size_t tensor) {
    return tensor < parameters.size()
               ? "the memory of " + parameters[tensor].name
               : std::string("the workspace");
  };
  int ordinal = 0;
  if (LaunchStatus s =
          findCommonDevice(pointers.data(), pointers.size(), nameOf, ordinal))
    return s;
  return loadOn(ordinal, run.onDevice);
}

LaunchStatus
PackageLauncher::runProgram(size_t number,
                            const ProgramArguments &arguments) const {
  ProgramRun run;
  if (LaunchStatus s = prepareProgram(number, arguments, run))
    return s;
  std::optional<DeviceAddress> workspace;
  if (arguments.workspace)
    workspace = addressOf(arguments.workspace);
  return run.onDevice->run(run, workspace, arguments.stream);
}
