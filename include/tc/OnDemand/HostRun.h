//===- HostRun.h - Programs on the CPU --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_HOSTRUN_H
#define TC_ONDEMAND_HOSTRUN_H

#include "tc/OnDemand/LoadedProgram.h"

namespace tc {

/// Reason for the failure of a run of a program that takes extents.
struct RunError {
  CallStatus status;
  std::string message;
};

/// Runs a program that was compiled for the CPU, whose code it shares. Any
/// number of threads may do so at once.
class HostRunner {
public:
  /// Of a program that is one.
  explicit HostRunner(std::shared_ptr<const LoadedProgram> code);
  HostRunner(const HostRunner &) = delete;
  HostRunner &operator=(const HostRunner &) = delete;
  ~HostRunner();

  const LoadedProgram &code() const { return *loaded; }
  const runtime::Program &program() const { return *loaded->program.program; }

  /// Runs all steps on tensors that are given by their base pointers. Without a
  /// workspace, it has one that no other thread uses, and keeps it. Tiles of
  /// chains are shared out among threads, each with temporaries that the
  /// program keeps for it. Fails where memory is short.
  Status run(const std::vector<const void *> &tensors, void *workspace) const;

  /// Of a program that takes extents, which are given, in the order of their
  /// names, none negative: the bytes of its workspace, and a run. A workspace
  /// that is not given is allocated for the run. Both fail where there are more
  /// bytes than can be counted, the run where memory is short, or where the
  /// library that computes its contractions fails.
  Result<int64_t> workspaceBytes(const std::vector<int64_t> &extents) const;
  std::optional<RunError> run(const std::vector<const void *> &tensors,
                              const std::vector<int64_t> &extents,
                              void *workspace) const;

private:
  struct State;
  struct Memory;

  Status runSteps(const Memory &memory) const;
  Status runGroups(size_t number, const Memory &memory) const;
  Status runStep(size_t i, const Memory &memory) const;

  std::shared_ptr<const LoadedProgram> loaded;
  std::unique_ptr<State> state;
};

} // namespace tc

#endif // TC_ONDEMAND_HOSTRUN_H
