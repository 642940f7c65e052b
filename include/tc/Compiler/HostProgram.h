//===- HostProgram.h - Contractions as code for a CPU -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_HOSTPROGRAM_H
#define TC_COMPILER_HOSTPROGRAM_H

#include "tc/Compiler/Definition.h"
#include "tc/Compiler/Source.h"

#include "tc/Pipelines/Pipelines.h"
#include "tc/Reference/Problem.h"
#include "tc/Target/CPU/CPUExport.h"

#include <functional>

namespace tc {

/// How contractions are compiled for the CPU of this machine.
struct HostOptions {
  /// The schedule to obey, in the syntax of #tc.cpu_schedule, if any.
  std::string schedule;
  /// The tuning database to consult, as `chooseTunedFile` takes it.
  std::optional<std::string> tuned;
  /// A file with the CPU to choose schedules for, instead of this machine's.
  std::string targetFile;
  /// "auto", or the name of a strategy; the bytes that its copies may take, if
  /// there is a limit.
  std::string strategy = "auto";
  std::optional<int64_t> workspaceLimit;
  /// Bytes that temporaries of a product of many tensors may take at the same
  /// time, if there is a limit.
  std::optional<int64_t> memoryLimit;
  /// Whether contractions that feed one another are computed in tiles: "auto",
  /// "always" or "never".
  std::string tileChains = "auto";
  /// Threads that chosen schedules may use; by default one for each core that
  /// this process may use.
  std::optional<unsigned> threads;
};

/// One contraction: as the input has it, and what was decided.
struct HostKernel {
  runtime::Kernel definition;
  TensorSources sources;
  std::string schedule;
  int64_t threads = 1;
  int64_t panelBytes = 0;
  /// What strategiesToJson() tells, and "origins", as cpuExplanationText() has
  /// it, as JSON.
  std::string strategies;
};

/// What was decided for a contraction, as lines of a report: schedule, threads,
/// bytes of panels, and the strategy beside those that it might have been.
std::string decisionsText(const HostKernel &kernel);

/// The error of a call that finds no memory for a contraction's panels and
/// copies.
Error lackOfMemory(const HostKernel &kernel);

/// All contractions of an input.
struct HostProgram {
  std::vector<HostKernel> kernels;
  std::vector<EmptyContraction> empty;
  /// What they compute together, or why that is unknown. Of a program that
  /// takes extents, it has parameters and no steps: their extents are as
  /// `programShapesAttrName` says.
  std::optional<runtime::Program> program;
  std::string programObstacle;
  /// Threads that a run may use.
  int64_t threads = 1;
  /// The names of the extents that each call says, if there are any. There are
  /// no kernels then, but two functions: that which runs all, and that which
  /// says how many bytes the workspace has.
  std::vector<std::string> extents;
  /// A function for each kernel, and their declarations in C.
  CompiledObject object;
  std::string header;

  /// Whether there are the functions that there have to be.
  bool isWhole() const {
    return object.functions.size() == (extents.empty() ? kernels.size() : 2);
  }
};

/// What the options say of the way to code for a CPU.
void setPipelineOptions(const HostOptions &options,
                        TCCPUPipelineOptions &pipeline);

/// Chooses schedules for all contractions, and compiles them. Errors name the
/// place in the source.
Result<HostProgram> compileForCpu(const Source &source,
                                  const HostOptions &options);

/// The same of a module of that name, which is lowered in place. Its context
/// must have been created with `registerCPUExportDialects`.
Result<HostProgram> compileForCpu(ModuleOp module, const std::string &name,
                                  const HostOptions &options);

/// A call of the function for a kernel with a problem's operands, which both
/// have to outlive it. It fails where memory is short, with C as it was.
std::function<Status()> prepareCall(const LoadedObject &code, size_t function,
                                    const HostKernel &kernel,
                                    runtime::Problem &problem);

} // namespace tc

#endif // TC_COMPILER_HOSTPROGRAM_H
