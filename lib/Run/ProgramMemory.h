//===- ProgramMemory.h - Programs, step by step -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_PROGRAMMEMORY_H
#define TC_LIB_RUN_PROGRAMMEMORY_H

#include "tc/Buffers/Problem.h"
#include "tc/Package/Program.h"

#include <functional>

namespace tc::run {

/// The tensors of a program and its workspace, in the host's memory.
struct ProgramMemory {
  /// Of each parameter: random numbers if the program reads it, else poison.
  std::vector<runtime::HostTensor> parameters;
  /// Holds all bits at first, which are NaNs.
  std::vector<std::byte> workspace;
};

/// Allocates and fills them. Fails where memory is short.
Result<ProgramMemory> makeMemory(const runtime::Program &program, uint64_t seed,
                                 unsigned workers);

/// Computes C of a problem that was made for the kernel of that number.
using RunKernel = std::function<Status(
    size_t number, const runtime::Kernel &kernel, runtime::Problem &problem)>;

/// Runs the steps of a program, each on a copy of what its tensors hold. Where
/// a kernel does not read C, it finds poison there, and what lies between the
/// elements of C stays.
///
/// @param kernels    what the kernels of the program compute
/// @param afterStep  takes the number of steps that are done
Status runSteps(const runtime::Program &program,
                const std::vector<runtime::Kernel> &kernels,
                const runtime::ProblemOptions &options, ProgramMemory &memory,
                const RunKernel &run,
                const std::function<void(size_t)> &afterStep);

} // namespace tc::run

#endif // TC_LIB_RUN_PROGRAMMEMORY_H
