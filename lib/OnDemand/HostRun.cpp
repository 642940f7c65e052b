//===- HostRun.cpp - Programs on the CPU ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/HostRun.h"
#include "StepGroups.h"
#include "Workspaces.h"

#include "tc/Buffers/Problem.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/OnDemand/CallStatus.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

using namespace tc;
using runtime::ProgramPlace;
using runtime::ProgramStep;

struct HostRunner::State {
  /// Of each step and tensor, the numbers of a constant; empty for others.
  std::vector<std::vector<std::vector<std::byte>>> constants;
  /// Of each step, the numbers that the function takes, one behind the other.
  std::vector<std::vector<std::byte>> factors;
  /// Groups that threads share out, if there are several.
  std::vector<StepGroups> groups;
  Workspaces workspaces;
};

/// Addresses of the places of a step.
struct HostRunner::Memory {
  Memory(const std::vector<const void *> &tensors, char *workspace)
      : tensors(tensors), workspace(workspace), own(workspace) {}

  const std::vector<const void *> &tensors;
  char *workspace;
  /// Memory of a group of steps for its own places, if that is elsewhere.
  char *own;
  const StepGroups *groups = nullptr;

  char *find(const ProgramPlace &place) const {
    // A parameter that is read only is not written through this.
    if (place.kind == ProgramPlace::Kind::Parameter)
      return const_cast<char *>(
                 static_cast<const char *>(tensors[place.parameter])) +
             place.offset;
    bool isOwn = groups && groups->isOwn(place.offset);
    return (isOwn ? own : workspace) + place.offset;
  }
};

HostRunner::HostRunner(std::shared_ptr<const LoadedProgram> code)
    : loaded(std::move(code)), state(std::make_unique<State>()) {
  for (const ProgramStep &step : this->program().steps) {
    std::vector<std::vector<std::byte>> &constants =
        state->constants.emplace_back(step.tensors.size());
    std::vector<std::byte> &factors = state->factors.emplace_back();
    if (!step.kernel)
      continue;
    const runtime::Kernel &kernel =
        loaded->program.kernels[*step.kernel].definition;
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
  if (loaded->program.threads < 2)
    return;
  std::vector<runtime::Kernel> kernels;
  kernels.reserve(loaded->program.kernels.size());
  for (const HostKernel &kernel : loaded->program.kernels)
    kernels.push_back(kernel.definition);
  state->groups = findStepGroups(this->program(), kernels);
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

Status HostRunner::runStep(size_t i, const Memory &memory) const {
  const ProgramStep &step = program().steps[i];
  if (step.isFill()) {
    runtime::fill(reinterpret_cast<std::byte *>(memory.find(step.tensors[1])),
                  static_cast<size_t>(step.bytes), step.tensors[0].constant,
                  step.type);
    return {};
  }
  std::vector<void *> pointers;
  for (size_t tensor = 0; tensor < step.tensors.size(); ++tensor) {
    const ProgramPlace &place = step.tensors[tensor];
    pointers.push_back(place.kind == ProgramPlace::Kind::Constant
                           ? state->constants[i][tensor].data()
                           : static_cast<void *>(memory.find(place)));
  }
  if (!step.kernel) {
    std::memcpy(pointers[1], pointers[0], static_cast<size_t>(step.bytes));
    return {};
  }
  const HostKernel &kernel = loaded->program.kernels[*step.kernel];
  CallStatus status =
      runtime::dispatch(kernel.definition.accumulatorType, [&](auto zero) {
        return call<decltype(zero)>(loaded->code, *step.kernel, pointers,
                                    state->factors[i]);
      });
  if (status != CallStatus::Success)
    return lackOfMemory(kernel);
  return {};
}

/// Shares the groups out among threads, in runs of neighbours. Contractions in
/// them are computed by one thread each.
Status HostRunner::runGroups(size_t number, const Memory &memory) const {
  const StepGroups &groups = state->groups[number];
  cpu::Team team(
      std::min(loaded->program.threads, static_cast<int64_t>(groups.count)),
      loaded->ask);
  auto threads = static_cast<size_t>(team.size());
  // The first thread has the workspace itself.
  std::vector<Workspace> workspaces;
  while (workspaces.size() + 1 < threads) {
    Workspace own = state->workspaces.take(program());
    if (!own)
      break;
    workspaces.push_back(std::move(own));
  }
  threads = workspaces.size() + 1;
  team.shrink(static_cast<int64_t>(threads));
  std::vector<Status> results(threads);
  std::vector<std::exception_ptr> failures(threads);
  team.run(static_cast<int64_t>(threads), [&](int64_t task) {
    auto part = static_cast<size_t>(task);
    Memory own = memory;
    if (part > 0) {
      own.groups = &groups;
      own.own = static_cast<char *>(workspaces[part - 1].get());
    }
    size_t end =
        groups.first + groups.count * (part + 1) / threads * groups.length;
    // Tasks must throw nothing.
    try {
      for (size_t i =
               groups.first + groups.count * part / threads * groups.length;
           i < end && results[part]; ++i)
        results[part] = runStep(i, own);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  });
  for (Workspace &workspace : workspaces)
    state->workspaces.giveBack(std::move(workspace));
  for (const std::exception_ptr &failure : failures)
    if (failure)
      std::rethrow_exception(failure);
  for (const Status &result : results)
    if (!result)
      return result;
  return {};
}

Status HostRunner::runSteps(const Memory &memory) const {
  size_t group = 0;
  for (size_t i = 0; i < program().steps.size();) {
    bool begins =
        group < state->groups.size() && state->groups[group].first == i;
    if (Status status = begins ? runGroups(group, memory) : runStep(i, memory);
        !status)
      return status;
    i = begins ? state->groups[group++].end() : i + 1;
  }
  return {};
}

Status HostRunner::run(const std::vector<const void *> &tensors,
                       void *workspace) const {
  if (workspace)
    return runSteps({tensors, static_cast<char *>(workspace)});
  if (program().workspaceBytes == 0) {
    char none = 0;
    return runSteps({tensors, &none});
  }
  Workspace own = state->workspaces.take(program());
  if (!own)
    return lackOfWorkspace(program().workspaceBytes);
  Status status = runSteps({tensors, static_cast<char *>(own.get())});
  state->workspaces.giveBack(std::move(own));
  return status;
}

Result<int64_t>
HostRunner::workspaceBytes(const std::vector<int64_t> &extents) const {
  int64_t bytes = loaded->code.callWords(1, {extents.begin(), extents.end()});
  if (bytes == uncountableBytes)
    return Error{"the program's workspace has more bytes than can be counted "
                 "for these extents"};
  return bytes;
}

std::optional<RunError>
HostRunner::run(const std::vector<const void *> &tensors,
                const std::vector<int64_t> &extents, void *workspace) const {
  Workspace own;
  Result<int64_t> bytes = workspaceBytes(extents);
  if (!bytes)
    return RunError{CallStatus::OutOfMemory, bytes.error()};
  if (!workspace && *bytes > 0) {
    // A multiple of the alignment.
    own.reset(
        std::aligned_alloc(static_cast<size_t>(program().workspaceAlignment),
                           static_cast<size_t>(*bytes)));
    if (!own)
      return RunError{CallStatus::OutOfMemory, lackOfWorkspace(*bytes).message};
    workspace = own.get();
  }
  std::vector<uint64_t> words;
  words.reserve(tensors.size() + extents.size() + 1);
  for (const void *tensor : tensors)
    words.push_back(reinterpret_cast<uint64_t>(tensor));
  words.insert(words.end(), extents.begin(), extents.end());
  words.push_back(reinterpret_cast<uint64_t>(workspace));
  auto status = static_cast<CallStatus>(
      static_cast<int32_t>(loaded->code.callWords(0, words)));
  switch (status) {
  case CallStatus::Success:
    break;
  case CallStatus::OutOfMemory:
    return RunError{
        status, "there is no memory for what the program's contractions copy"};
  case CallStatus::InvalidArgument:
    return RunError{status, "the program's contractions are called with "
                            "extents or addresses that cannot be"};
  case CallStatus::InternalError:
    return RunError{status, "the library that computes the program's "
                            "contractions failed"};
  }
  return std::nullopt;
}
