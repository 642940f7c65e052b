//===- HostRun.cpp - Programs on the CPU ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/HostRun.h"

#include "tc/Reference/Problem.h"

#include <cstdlib>
#include <mutex>

using namespace tc;
using runtime::ProgramPlace;
using runtime::ProgramStep;

namespace {
struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;
} // namespace

struct HostRunner::State {
  /// Of each step and tensor, the numbers of a constant; empty for others.
  std::vector<std::vector<std::vector<std::byte>>> constants;
  /// Of each step, the numbers that the function takes, one behind the other.
  std::vector<std::vector<std::byte>> factors;
  std::mutex mutex;
  /// Workspaces that nobody uses.
  std::vector<Memory> workspaces;
};

HostRunner::HostRunner(LoadedProgram program)
    : loaded(std::move(program)), state(std::make_unique<State>()) {
  for (const ProgramStep &step : this->program().steps) {
    std::vector<std::vector<std::byte>> &constants =
        state->constants.emplace_back(step.tensors.size());
    std::vector<std::byte> &factors = state->factors.emplace_back();
    if (!step.kernel)
      continue;
    const runtime::Kernel &kernel =
        loaded.program.kernels[*step.kernel].definition;
    for (size_t i = 0; i < step.tensors.size(); ++i)
      if (step.tensors[i].kind == ProgramPlace::Kind::Constant)
        constants[i] = runtime::makeConstant(step.tensors[i].constant,
                                             *tensorsOf(kernel)[i]);
    for (const auto &factor : {step.alpha, step.beta})
      if (factor) {
        std::vector<std::byte> bytes =
            runtime::bytesOf(*factor, kernel.accumulatorType);
        factors.insert(factors.end(), bytes.begin(), bytes.end());
      }
  }
}

HostRunner::~HostRunner() = default;

/// Calls a function with the numbers in those bytes, which are of one type.
template <typename T>
static CallStatus call(const LoadedObject &code, size_t function,
                       const std::vector<void *> &pointers,
                       const std::vector<std::byte> &bytes) {
  std::vector<T> factors(bytes.size() / sizeof(T));
  std::memcpy(factors.data(), bytes.data(), bytes.size());
  return code.call(function, pointers[0], pointers[1], pointers[2], factors,
                   {pointers.begin() + 3, pointers.end()});
}

Status HostRunner::runSteps(const std::vector<const void *> &tensors,
                            char *workspace) const {
  const std::vector<ProgramStep> &steps = program().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const ProgramStep &step = steps[i];
    if (step.isFill()) {
      const ProgramPlace &to = step.tensors[1];
      // What is read only is no place to fill.
      char *begin = to.kind == ProgramPlace::Kind::Workspace
                        ? workspace
                        : const_cast<char *>(
                              static_cast<const char *>(tensors[to.parameter]));
      runtime::fill(reinterpret_cast<std::byte *>(begin + to.offset),
                    static_cast<size_t>(step.bytes), step.tensors[0].constant,
                    step.type);
      continue;
    }
    std::vector<void *> pointers;
    for (size_t tensor = 0; tensor < step.tensors.size(); ++tensor) {
      const ProgramPlace &place = step.tensors[tensor];
      // What is read only is not written through this.
      const void *pointer = nullptr;
      switch (place.kind) {
      case ProgramPlace::Kind::Parameter:
        pointer =
            static_cast<const char *>(tensors[place.parameter]) + place.offset;
        break;
      case ProgramPlace::Kind::Workspace:
        pointer = workspace + place.offset;
        break;
      case ProgramPlace::Kind::Constant:
        pointer = state->constants[i][tensor].data();
        break;
      }
      pointers.push_back(const_cast<void *>(pointer));
    }
    if (!step.kernel) {
      std::memcpy(pointers[1], pointers[0], static_cast<size_t>(step.bytes));
      continue;
    }
    const HostKernel &kernel = loaded.program.kernels[*step.kernel];
    CallStatus status =
        runtime::dispatch(kernel.definition.accumulatorType, [&](auto zero) {
          return call<decltype(zero)>(loaded.code, *step.kernel, pointers,
                                      state->factors[i]);
        });
    if (status == CallStatus::OutOfMemory)
      return lackOfMemory(kernel);
  }
  return {};
}

Status HostRunner::run(const std::vector<const void *> &tensors,
                       void *workspace) const {
  auto bytes = static_cast<size_t>(program().workspaceBytes);
  if (workspace)
    return runSteps(tensors, static_cast<char *>(workspace));
  if (bytes == 0) {
    char none = 0;
    return runSteps(tensors, &none);
  }
  Memory own;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    if (!state->workspaces.empty()) {
      own = std::move(state->workspaces.back());
      state->workspaces.pop_back();
    }
  }
  if (!own) {
    auto alignment = static_cast<size_t>(program().workspaceAlignment);
    own.reset(std::aligned_alloc(alignment, (bytes + alignment - 1) /
                                                alignment * alignment));
    if (!own)
      return Error{"there is no memory for the program's workspace of " +
                   std::to_string(bytes) + " B"};
  }
  Status status = runSteps(tensors, static_cast<char *>(own.get()));
  std::lock_guard<std::mutex> lock(state->mutex);
  state->workspaces.push_back(std::move(own));
  return status;
}
