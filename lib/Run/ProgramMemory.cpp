//===- ProgramMemory.cpp - Programs, step by step -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMemory.h"

#include "tc/Package/Package.h"

#include <cstring>

using namespace tc;
using namespace tc::run;
using runtime::HostTensor;
using runtime::ProgramPlace;

static runtime::TensorArgument
argumentOf(const runtime::ProgramParameter &parameter) {
  runtime::TensorArgument argument;
  argument.name = parameter.name;
  argument.type = parameter.type;
  for (size_t dim = 0; dim < parameter.extents.size(); ++dim)
    argument.labels.push_back(std::to_string(dim));
  argument.extents = parameter.extents;
  argument.strides = parameter.strides;
  argument.offset = parameter.offset;
  argument.isRead = parameter.isRead;
  argument.isWritten = parameter.isWritten;
  return argument;
}

Result<ProgramMemory> run::makeMemory(const runtime::Program &program,
                                      uint64_t seed, unsigned workers) {
  std::vector<runtime::TensorArgument> arguments;
  arguments.reserve(program.parameters.size());
  for (const runtime::ProgramParameter &parameter : program.parameters)
    arguments.push_back(argumentOf(parameter));
  std::vector<const runtime::TensorArgument *> held;
  held.reserve(arguments.size());
  for (const runtime::TensorArgument &argument : arguments)
    held.push_back(&argument);
  if (Status status = runtime::checkTensorMemory(held); !status)
    return Error{status.error()};
  if (Status status = runtime::checkHostMemory("the workspace needs",
                                               program.workspaceBytes);
      !status)
    return Error{status.error()};
  ProgramMemory memory;
  for (const runtime::TensorArgument &argument : arguments) {
    auto stream = static_cast<uint32_t>(memory.parameters.size());
    Result<HostTensor> tensor = HostTensor::create(
        argument,
        argument.isRead ? runtime::Contents::Random : runtime::Contents::Poison,
        runtime::Random(seed, stream), workers);
    if (!tensor)
      return Error{tensor.error()};
    memory.parameters.push_back(std::move(*tensor));
  }
  memory.workspace.assign(static_cast<size_t>(program.workspaceBytes),
                          std::byte(0xff));
  return memory;
}

/// Address of a place that is no constant.
static std::byte *addressOf(const ProgramPlace &place, ProgramMemory &memory) {
  std::byte *base = place.kind == ProgramPlace::Kind::Parameter
                        ? memory.parameters[place.parameter].data()
                        : memory.workspace.data();
  return base + place.offset;
}

static void load(HostTensor &tensor, const runtime::TensorArgument &argument,
                 const ProgramPlace &place, ProgramMemory &memory) {
  if (place.kind == ProgramPlace::Kind::Constant) {
    std::vector<std::byte> numbers =
        runtime::makeConstant(place.constant, argument);
    std::memcpy(tensor.data(), numbers.data(), tensor.bytes());
  } else {
    std::memcpy(tensor.data(), addressOf(place, memory), tensor.bytes());
  }
  tensor.keepAsInitial();
}

static void store(const HostTensor &tensor, std::byte *to) {
  auto width = static_cast<size_t>(model::byteWidth(tensor.type()));
  for (int64_t i = 0; i < tensor.geometry().bufferElements(); ++i)
    if (tensor.contains(i))
      std::memcpy(to + static_cast<size_t>(i) * width,
                  tensor.data() + static_cast<size_t>(i) * width, width);
}

Status run::runSteps(const runtime::Program &program,
                     const std::vector<runtime::Kernel> &kernels,
                     const runtime::ProblemOptions &options,
                     ProgramMemory &memory, const RunKernel &run,
                     const std::function<void(size_t)> &afterStep) {
  size_t done = 0;
  for (const runtime::ProgramStep &step : program.steps) {
    if (step.isFill()) {
      runtime::fill(addressOf(step.tensors[1], memory),
                    static_cast<size_t>(step.bytes), step.tensors[0].constant,
                    step.type);
      afterStep(++done);
      continue;
    }
    if (!step.kernel) {
      std::memmove(addressOf(step.tensors[1], memory),
                   addressOf(step.tensors[0], memory),
                   static_cast<size_t>(step.bytes));
      afterStep(++done);
      continue;
    }
    const runtime::Kernel &kernel = kernels[*step.kernel];
    runtime::ProblemOptions factors = options;
    factors.alpha = step.alpha.value_or(options.alpha);
    factors.beta = step.beta.value_or(options.beta);
    Result<runtime::Problem> problem = runtime::makeProblem(kernel, factors);
    if (!problem)
      return Error{problem.error()};
    for (size_t i = 0; i < step.tensors.size(); ++i)
      if (problem->tensors[i].contents() != runtime::Contents::Poison)
        load(problem->tensors[i], *tensorsOf(kernel)[i], step.tensors[i],
             memory);
    if (Status status = run(*step.kernel, kernel, *problem); !status)
      return status;
    for (size_t place : outputsOf(kernel))
      store(problem->tensors[place], addressOf(step.tensors[place], memory));
    afterStep(++done);
  }
  return {};
}
