//===- GpuProgram.h - Contractions as kernels for a GPU ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_GPUPROGRAM_H
#define TC_COMPILER_GPUPROGRAM_H

#include "tc/Compiler/Definition.h"
#include "tc/OnDemand/Compiler.h"
#include "tc/Pipelines/Stages.h"
#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc {

/// The same, and what only callers in C++ say.
struct GpuOptions : DeviceOptions {
  PTXExportOptions ptx;
  /// Sees the module after each stage of the pipeline; after the last one, PTX
  /// is made of it. Where groups are given up, stages run again from the first.
  llvm::function_ref<void(Stage, ModuleOp)> afterStage;
};

/// All contractions of a module.
struct GpuProgram {
  /// Definitions of the kernels, before indices were collapsed.
  Definitions definitions;
  /// A kernel for each of `definitions.kernels`, in order; or those that the
  /// module held already, if it has no contraction. Neither code nor kernels if
  /// all contractions are empty.
  CompiledModule compiled;
  /// Answers of the tuning database for each contraction that needed a
  /// schedule, if one was consulted.
  std::vector<std::string> tuned;
};

/// Compiles a module of that name, which is lowered in place. Its context must
/// have been created with `registerPTXExportDialects`. Errors name the place in
/// the source.
Result<GpuProgram> compileForGpu(ModuleOp module, const std::string &name,
                                 const GpuOptions &options);

} // namespace tc

#endif // TC_COMPILER_GPUPROGRAM_H
