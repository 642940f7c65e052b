//===- Simulation.cpp - Foreign PTX in the simulator ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Foreign/Simulation.h"

#include "tc/Foreign/Numpy.h"

#include "tc/Package/Blocks.h"
#include "tc/Reference/ErrorSums.h"
#include "tc/Support/Arithmetic.h"

#include <cmath>

using namespace tc;
using namespace tc::foreign;
using runtime::CheckReport;
using runtime::HostTensor;

/// Buffers of the simulator lie at multiples of this many bytes.
static constexpr int64_t bufferAlignment = 512;

static int64_t blocksOf(const Launch &launch) {
  return saturatingMultiply(saturatingMultiply(launch.grid[0], launch.grid[1]),
                            launch.grid[2]);
}

Result<std::vector<int64_t>> tc::foreign::parseBlocks(std::string_view text,
                                                      const Launch &launch) {
  // A kernel of that many blocks, each with a tile of its own.
  runtime::Kernel kernel;
  kernel.grid = {blocksOf(launch), 1, 1};
  kernel.gridDims = {{"block", kernel.grid[0], 1}};
  return runtime::parseBlocks(text, kernel);
}

Result<std::vector<std::byte>>
tc::foreign::parametersOf(const Launch &launch, const sim::EntryInfo &entry) {
  if (launch.arguments.size() != entry.parameters.size())
    return Error{"entry '" + entry.name + "': takes " +
                 std::to_string(entry.parameters.size()) + " arguments, not " +
                 std::to_string(launch.arguments.size())};
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    const sim::ParameterInfo &parameter = entry.parameters[i];
    if (argument.bytes.size() != parameter.size)
      return Error{"entry '" + entry.name + "': argument " + std::to_string(i) +
                   " has " + std::to_string(argument.bytes.size()) +
                   " bytes, the parameter has " +
                   std::to_string(parameter.size)};
    size_t place = (bytes.size() + parameter.alignment - 1) /
                   parameter.alignment * parameter.alignment;
    bytes.resize(place);
    bytes.insert(bytes.end(), argument.bytes.begin(), argument.bytes.end());
    for (const Pointer &pointer : argument.pointers) {
      constexpr uint64_t first = 16, distance = uint64_t(1) << 40;
      uint64_t address = (first + pointer.buffer) * distance + pointer.offset;
      std::memcpy(bytes.data() + place + pointer.at, &address, sizeof(address));
    }
  }
  return bytes;
}

Result<Simulation> Simulation::create(const LoadedDescription &loaded,
                                      uint64_t seed, unsigned workers) {
  Simulation run(loaded, seed, workers);
  std::vector<const runtime::TensorArgument *> described;
  described.reserve(loaded.description.buffers.size());
  for (const Buffer &buffer : loaded.description.buffers)
    described.push_back(&buffer.tensor);
  if (Status status = runtime::checkTensorMemory(described); !status)
    return Error{status.error()};
  for (size_t i = 0; i < loaded.description.buffers.size(); ++i) {
    Result<HostTensor> tensor =
        makeTensor(loaded.description.buffers[i], seed,
                   static_cast<uint32_t>(i), loaded.folder, workers);
    if (!tensor)
      return Error{tensor.error()};
    run.tensors.push_back(std::move(*tensor));
  }
  return run;
}

std::vector<std::string> Simulation::bufferNames() const {
  std::vector<std::string> names;
  names.reserve(loaded.description.buffers.size());
  for (const Buffer &buffer : loaded.description.buffers)
    names.push_back(buffer.tensor.name);
  return names;
}

static sim::KernelArgument toBytes(const Argument &argument) {
  auto result =
      sim::KernelArgument::bytes(argument.bytes.data(), argument.bytes.size());
  for (const Pointer &pointer : argument.pointers)
    result.setAddress(pointer.at, pointer.buffer, pointer.offset);
  return result;
}

/// Of a pointer, the alignment is checked that its parameter asks for.
static sim::KernelArgument toArgument(const Argument &argument) {
  bool isPointer = argument.pointers.size() == 1 &&
                   argument.bytes.size() == sizeof(uint64_t);
  return isPointer ? sim::KernelArgument::address(argument.pointers[0].buffer,
                                                  argument.pointers[0].offset)
                   : toBytes(argument);
}

Result<sim::Counters>
Simulation::simulate(size_t number, const sim::Module &module,
                     const runtime::SimulationOptions &options) {
  const Launch &launch = loaded.description.launches[number];
  sim::LaunchConfig config;
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = static_cast<uint32_t>(launch.grid[i]);
    config.block[i] = static_cast<uint32_t>(launch.block[i]);
  }
  config.dynamicSharedBytes = static_cast<uint64_t>(launch.dynamicSharedBytes);
  config.blocks.assign(options.blocks.begin(), options.blocks.end());
  config.workers = options.workers;
  config.instructionLimit = options.instructionLimit;
  config.secondsPerBlock = options.secondsPerBlock;
  config.detectors = options.detectors;
  config.profile = options.profile;
  config.progress = options.progress;

  std::vector<sim::GlobalBuffer> buffers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Buffer &described = loaded.description.buffers[i];
    const runtime::TensorArgument &tensor = described.tensor;
    sim::GlobalBuffer buffer{tensor.name, tensors[i].data(), tensors[i].bytes(),
                             tensor.isWritten};
    if (options.leastAligned && tensor.alignment < bufferAlignment)
      buffer.misalignment = static_cast<size_t>(tensor.alignment);
    // The data that earlier launches have written is not known here.
    buffer.isUninitialized = !tensor.isRead && number == 0;
    buffer.isWrittenOnce = described.isWrittenOnce;
    Result<runtime::Geometry> geometry = runtime::geometryOf(tensor);
    buffer.mustBeWritten = !tensor.isRead && geometry && geometry->isDense() &&
                           loaded.description.launches.size() == 1;
    buffers.push_back(buffer);
  }
  std::vector<sim::KernelArgument> arguments;
  arguments.reserve(launch.arguments.size());
  for (const Argument &argument : launch.arguments)
    arguments.push_back(toArgument(argument));
  for (const Variable &variable : loaded.description.variables)
    config.variables.push_back({variable.name, toBytes(variable.contents)});
  return sim::launch(module, launch.entry, config, buffers, arguments);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Result<CheckReport>
Simulation::checkContraction(const ContractionCheck &check, size_t output,
                             std::optional<int64_t> samples) {
  const std::vector<Buffer> &buffers = loaded.description.buffers;
  runtime::Kernel kernel;
  runtime::Problem problem;
  auto take = [&](const Buffer &buffer, size_t which,
                  uint32_t stream) -> Status {
    // Inputs are made anew: a kernel may have written over them since.
    Result<HostTensor> tensor =
        makeTensor(buffer, seed, stream, loaded.folder, workers);
    if (!tensor)
      return Error{tensor.error()};
    kernel.tensors[which] = buffer.tensor;
    problem.tensors.push_back(std::move(*tensor));
    return {};
  };
  for (size_t i = 0; i < check.inputs.size(); ++i) {
    Buffer buffer = buffers[check.inputs[i]];
    buffer.tensor.labels = check.labels[i];
    if (Status status = take(buffer, i, static_cast<uint32_t>(check.inputs[i]));
        !status)
      return Error{status.error()};
  }
  if (check.inputs.size() == 1) {
    Buffer one;
    one.tensor.name = "one";
    one.tensor.type = buffers[check.inputs[0]].tensor.type;
    one.fill = ConstantFill{1};
    if (Status status = take(one, 1, 0); !status)
      return Error{status.error()};
  }
  kernel.tensors[2] = buffers[output].tensor;
  kernel.accumulatorType = check.sums;
  kernel.precision = check.precision;
  kernel.alpha.value = problem.alpha = check.alpha;
  kernel.beta.value = problem.beta = check.beta;
  problem.seed = seed;
  problem.tensors.push_back(std::move(tensors[output]));
  runtime::CheckOptions options;
  options.samples = samples.value_or(runtime::affordableSamples(kernel, {}));
  options.workers = workers;
  CheckReport report = runtime::checkOutput(kernel, problem, options);
  tensors[output] = std::move(problem.tensors.back());
  return report;
}

Result<CheckReport> Simulation::checkFile(const FileCheck &check,
                                          size_t output) {
  const Buffer &buffer = loaded.description.buffers[output];
  Result<NumpyArray> array =
      loadArray(loaded.folder, check.path, buffer.tensor);
  if (!array)
    return Error{array.error()};
  const HostTensor &tensor = tensors[output];
  CheckReport report;
  runtime::ErrorSums sums;
  int64_t place = 0;
  runtime::dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    runtime::forEachPosition(
        tensor.geometry(), 0, tensor.geometry().elements(),
        [&](int64_t position) {
          long double expected = array->at(place++);
          auto element = static_cast<long double>(tensor.as<T>()[position]);
          sums.add(runtime::errorOf(element, expected, tensor.type()), expected,
                   /*magnitude=*/0, /*rounding=*/0);
        });
  });
  report.owned = report.compared =
      place / (model::isComplex(buffer.tensor.type) ? 2 : 1);
  report.relativeError = sums.relativeError();
  report.tolerance = check.tolerance;
  return report;
}

Result<CheckReport> Simulation::check(const Check &check,
                                      std::optional<int64_t> samples) {
  if (const auto *contraction = std::get_if<ContractionCheck>(&check.reference))
    return checkContraction(*contraction, check.output, samples);
  return checkFile(std::get<FileCheck>(check.reference), check.output);
}
