//===- HostProgram.h - Contractions as code for a CPU -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_HOSTPROGRAM_H
#define TC_TOOLS_TC_RUN_HOSTPROGRAM_H

#include "Compile.h"
#include "Input.h"

#include "tc/Pipelines/Pipelines.h"
#include "tc/Target/CPU/CPUExport.h"

namespace tc::run {

/// One contraction: as the input has it, and what was decided.
struct HostKernel {
  runtime::Kernel definition;
  std::string schedule;
  int64_t threads = 1;
  int64_t panelBytes = 0;
  /// What strategiesToJson() tells, as text.
  std::string strategies;
};

/// All contractions of an input. What is added here is kept in the cache only
/// if HostCache.cpp lists it, too.
struct HostProgram {
  std::vector<HostKernel> kernels;
  std::vector<EmptyContraction> empty;
  /// A function for each kernel.
  CompiledObject object;
};

/// What the command line says of the way to code for a CPU.
void setPipelineOptions(const Options &options, TCCPUPipelineOptions &pipeline);

/// Chooses schedules for all contractions, and compiles them.
Result<HostProgram> compileForCpu(const InputText &input,
                                  const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_HOSTPROGRAM_H
