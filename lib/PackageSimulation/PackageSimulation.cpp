//===- PackageSimulation.cpp - Packages in the simulator --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/PackageSimulation/PackageSimulation.h"

#include "tc/Package/Cubin.h"
#include "tc/Problem/Semiring.h"

#include <set>

using namespace tc;
using namespace tc::runtime;

/// Buffers of the simulator lie at multiples of this many bytes.
static constexpr int64_t bufferAlignment = 512;

static std::string pathOfKernel(size_t i) {
  return "$.kernels[" + std::to_string(i) + "]";
}

static Status checkThreads(const std::string &path, const Kernel &kernel,
                           const sim::EntryInfo &entry) {
  auto text = [](const auto &dim) {
    return "[" + std::to_string(dim[0]) + ", " + std::to_string(dim[1]) + ", " +
           std::to_string(dim[2]) + "]";
  };
  if (entry.requiredThreads)
    for (size_t i = 0; i < 3; ++i)
      if (kernel.block[i] != (*entry.requiredThreads)[i])
        return Error{path + ".block: " + text(kernel.block) +
                     ", but .reqntid of entry " + entry.name + " is " +
                     text(*entry.requiredThreads)};
  if (entry.maxThreads) {
    // The directive bounds the product (PTX ISA 11.4.2).
    int64_t most = 1, threads = 1;
    for (size_t i = 0; i < 3; ++i) {
      most *= (*entry.maxThreads)[i];
      threads *= kernel.block[i];
    }
    if (threads > most)
      return Error{path + ".block: " + std::to_string(threads) +
                   " threads, but .maxntid of entry " + entry.name + " is " +
                   text(*entry.maxThreads)};
  }
  return {};
}

static Status checkParameters(const std::string &path, const Kernel &kernel,
                              const sim::EntryInfo &entry) {
  struct Expected {
    std::string name;
    uint64_t size;
    uint64_t alignment;
  };
  std::vector<Expected> expected;
  for (const TensorArgument *tensor : tensorsOf(kernel))
    expected.push_back({tensor->name, sizeof(uint64_t),
                        static_cast<uint64_t>(tensor->alignment)});
  uint64_t scalarBytes = model::byteWidth(kernel.accumulatorType);
  if (kernel.alpha.isArgument)
    expected.push_back({"alpha", scalarBytes, 1});
  if (kernel.beta.isArgument)
    expected.push_back({"beta", scalarBytes, 1});
  if (kernel.dynamicShape)
    for (const ShapeArgument &argument : kernel.dynamicShape->arguments)
      expected.push_back({std::string(model::stringify(argument.quantity)),
                          static_cast<uint64_t>(argument.bytes), 1});
  if (kernel.workspace)
    expected.push_back({"workspace", sizeof(uint64_t),
                        static_cast<uint64_t>(kernel.workspace->alignment)});

  if (entry.parameters.size() != expected.size())
    return Error{path + ".arguments: " + std::to_string(expected.size()) +
                 " arguments, but entry " + entry.name + " has " +
                 std::to_string(entry.parameters.size()) + " parameters"};
  for (size_t i = 0; i < expected.size(); ++i) {
    const sim::ParameterInfo &parameter = entry.parameters[i];
    std::string argument = path + ".arguments[" + std::to_string(i) + "]";
    if (parameter.size != expected[i].size)
      return Error{argument + ": " + expected[i].name + " has " +
                   std::to_string(expected[i].size) + " bytes, but parameter " +
                   parameter.name + " has " + std::to_string(parameter.size)};
    if (parameter.pointerAlignment > expected[i].alignment)
      return Error{argument +
                   ".alignment: " + std::to_string(expected[i].alignment) +
                   ", but parameter " + parameter.name + " needs " +
                   std::to_string(parameter.pointerAlignment)};
  }
  return {};
}

/// The path of the name of a kernel's entry in a description.
static std::string pathOfSymbol(size_t number, const Kernel &kernel) {
  return pathOfKernel(number) + (kernel.symbol.empty() ? ".entry" : ".symbol");
}

Status tc::runtime::checkAgainstPTX(const Package &package,
                                    const sim::Module &module) {
  if (module.target() != package.target)
    return Error{"$.target: " + package.target + ", but the PTX is for " +
                 module.target()};
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    const Kernel &kernel = package.kernels[i];
    std::string path = pathOfKernel(i);
    const sim::EntryInfo *entry = module.findEntry(symbolOf(kernel));
    if (!entry)
      return Error{pathOfSymbol(i, kernel) + ": the PTX has no entry " +
                   symbolOf(kernel)};
    if (Status s = checkThreads(path, kernel, *entry); !s)
      return s;
    if (Status s = checkParameters(path, kernel, *entry); !s)
      return s;
    if (kernel.staticSharedBytes !=
        static_cast<int64_t>(entry->staticSharedBytes))
      return Error{path + ".static_shared_bytes: " +
                   std::to_string(kernel.staticSharedBytes) + ", but entry " +
                   entry->name + " has " +
                   std::to_string(entry->staticSharedBytes)};
  }
  return {};
}

Status tc::runtime::checkAgainstCubin(const Package &package,
                                      std::string_view cubin) {
  Result<std::vector<std::string>> entries = entriesOfCubin(cubin);
  if (!entries)
    return Error{"$.code.file: " + entries.error()};
  std::set<std::string> names(entries->begin(), entries->end());
  for (size_t i = 0; i < package.kernels.size(); ++i)
    if (const Kernel &kernel = package.kernels[i];
        !names.count(symbolOf(kernel)))
      return Error{pathOfSymbol(i, kernel) + ": the cubin has no entry " +
                   symbolOf(kernel)};
  return {};
}

Status tc::runtime::checkAgainstCode(const LoadedPackage &loaded) {
  if (loaded.package.codeKind == CodeKind::Cubin)
    return checkAgainstCubin(loaded.package, loaded.code);
  Result<sim::Module> module = sim::Module::parse(loaded.code, loaded.codePath);
  if (!module)
    return Error{module.error()};
  return checkAgainstPTX(loaded.package, *module);
}

/// Adds a workspace that holds zeros where it has to, and nothing elsewhere.
static Status addWorkspace(const Kernel &kernel, bool leastAligned,
                           std::vector<std::byte> &storage,
                           std::vector<sim::GlobalBuffer> &buffers,
                           std::vector<sim::KernelArgument> &arguments) {
  const Workspace &workspace = *kernel.workspace;
  if (Status s = checkHostMemory("the workspace needs", workspace.bytes); !s)
    return s;
  storage.resize(static_cast<size_t>(workspace.bytes));
  std::fill(storage.begin() + workspace.zeroedBytes, storage.end(),
            std::byte(0xff));
  buffers.push_back({"workspace", storage.data(), storage.size()});
  sim::GlobalBuffer &buffer = buffers.back();
  if (leastAligned && workspace.alignment < bufferAlignment)
    buffer.misalignment = static_cast<size_t>(workspace.alignment);
  buffer.isUninitialized = true;
  buffer.initializedBytes = static_cast<size_t>(workspace.zeroedBytes);
  arguments.push_back(sim::KernelArgument::address(buffers.size() - 1));
  return {};
}

/// Checks that a kernel has left its workspace as the next launch needs it.
static Status checkZeroed(const Kernel &kernel,
                          const SimulationOptions &options,
                          const std::vector<std::byte> &storage) {
  // Not all blocks at the barrier have run.
  if (kernel.reduces && !options.blocks.empty())
    return {};
  for (int64_t i = 0; i < kernel.workspace->zeroedBytes; ++i)
    if (storage[static_cast<size_t>(i)] != std::byte(0))
      return Error{"byte " + std::to_string(i) +
                   " of the workspace is not zero after the kernel has ended"};
  return {};
}

Result<sim::Counters> tc::runtime::simulate(const Kernel &kernel,
                                            const sim::Module &module,
                                            Problem &problem,
                                            const SimulationOptions &options) {
  sim::LaunchConfig config;
  for (size_t i = 0; i < 3; ++i) {
    config.grid[i] = kernel.grid[i];
    config.block[i] = kernel.block[i];
  }
  config.dynamicSharedBytes = kernel.dynamicSharedBytes;
  config.blocks.assign(options.blocks.begin(), options.blocks.end());
  config.workers = options.workers;
  config.detectors = options.detectors;
  config.instructionLimit = options.instructionLimit;
  config.secondsPerBlock = options.secondsPerBlock;
  config.profile = options.profile;
  config.progress = options.progress;

  std::vector<sim::GlobalBuffer> buffers;
  std::vector<sim::KernelArgument> arguments;
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  for (size_t i = 0; i < tensors.size(); ++i) {
    HostTensor &tensor = problem.tensors[i];
    const TensorArgument &argument = *tensors[i];
    // The alignment that the kernel may not rely on is spoiled.
    bool spoil = options.leastAligned && argument.alignment < bufferAlignment;
    buffers.push_back({argument.name, tensor.data(), tensor.bytes(),
                       argument.isWritten,
                       spoil ? static_cast<size_t>(argument.alignment) : 0});
    buffers.back().isUninitialized = tensor.contents() == Contents::Poison;
    buffers.back().isWrittenOnce = true;
    // Between the elements of a tensor with gaps, nothing has to be written.
    Result<Geometry> geometry = geometryOf(argument);
    buffers.back().mustBeWritten =
        argument.isWritten && geometry && geometry->isDense();
    arguments.push_back(sim::KernelArgument::address(i));
  }
  for (const std::vector<std::byte> &value : scalarArguments(kernel, problem))
    arguments.push_back(sim::KernelArgument::bytes(value.data(), value.size()));
  if (kernel.workspace)
    if (Status s = addWorkspace(kernel, options.leastAligned, problem.workspace,
                                buffers, arguments);
        !s)
      return Error{s.error()};
  Result<sim::Counters> counters =
      sim::launch(module, symbolOf(kernel), config, buffers, arguments);
  if (counters && kernel.workspace)
    if (Status s = checkZeroed(kernel, options, problem.workspace); !s)
      return Error{s.error()};
  return counters;
}
