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
#include "tc/OnDemand/CompileOptions.h"

#include "tc/Buffers/Problem.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Target/CPU/CPUExport.h"

#include <functional>

namespace tc {

/// Decisions for a contraction, as lines of a report: schedule, threads, bytes
/// of panels, and the strategy beside those that it might have been.
std::string decisionsText(const HostKernel &kernel);

/// Sets the options of the pipeline for a CPU.
void setPipelineOptions(const CompileOptions &options,
                        TCCPUPipelineOptions &pipeline);

/// Chooses schedules for all contractions, and compiles them. Errors name the
/// place in the source.
Result<HostProgram> compileForCpu(const Source &source,
                                  const CompileOptions &options);

/// The same of a module of that name, which is lowered in place. Its context
/// must have been created with `registerCPUExportDialects`.
Result<HostProgram> compileForCpu(ModuleOp module, const std::string &name,
                                  const CompileOptions &options);

/// Reasons for the orders in which products of many tensors are computed, as
/// --tc-order explains it; nothing if there are none.
Result<std::string> explainOrdersForCpu(const Source &source,
                                        const CompileOptions &options);

/// A call of the function for a kernel with a problem's operands, which both
/// have to outlive it. It fails where memory is short, with C as it was.
std::function<Status()> prepareCall(const LoadedObject &code, size_t function,
                                    const HostKernel &kernel,
                                    runtime::Problem &problem);

} // namespace tc

#endif // TC_COMPILER_HOSTPROGRAM_H
