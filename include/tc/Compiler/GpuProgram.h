//===- GpuProgram.h - Contractions as kernels for a GPU ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_GPUPROGRAM_H
#define TC_COMPILER_GPUPROGRAM_H

#include "tc/Compiler/Definition.h"
#include "tc/Target/PTX/PTXExport.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc {

/// How contractions are compiled for a GPU.
struct GpuOptions {
  /// A built-in target, or one that the module describes.
  std::string target = "sm_90";
  /// The schedule to obey, in the syntax of #tc.schedule, if any.
  std::string schedule;
  /// The tuning database to consult, as `chooseTunedFile` takes it.
  std::optional<std::string> tuned;
  /// The best schedules of the search that are compiled to machine code, whose
  /// time decides.
  unsigned refine = 1;
  /// Whether one kernel may add up contractions that feed one another's C.
  bool mergesSums = true;
  /// Whether contractions that feed one another may become one kernel, where
  /// that is predicted to be faster. Groups that are chains always do.
  bool fusesChains = true;
  /// Whether kernels have second versions, for tensors that are aligned to
  /// their elements only. Each is a kernel of the program, behind all of its
  /// function.
  bool anyAlignment = false;
  /// Whether kernels take extents and strides as arguments, those of the module
  /// being representative, with second versions for shapes that the first do
  /// not take.
  bool dynamicShapes = false;
  /// Bytes that temporaries of a product of many tensors may take at the same
  /// time, if there is a limit.
  std::optional<int64_t> memoryLimit;
  PTXExportOptions ptx;
  /// Sees the module with the kernels, from which PTX is made then.
  llvm::function_ref<void(ModuleOp)> inspect;
};

/// All contractions of a module.
struct GpuProgram {
  /// What they compute, before indices were collapsed.
  Definitions definitions;
  /// A kernel for each of `definitions.kernels`, in order; or those that the
  /// module held already, if it has no contraction. Neither code nor kernels if
  /// all contractions are empty.
  CompiledModule compiled;
  /// What the tuning database had for each contraction that needed a schedule,
  /// if one was consulted.
  std::vector<std::string> tuned;
};

/// Compiles a module of that name, which is lowered in place. Its context must
/// have been created with `registerPTXExportDialects`. Errors name the place in
/// the source.
Result<GpuProgram> compileForGpu(ModuleOp module, const std::string &name,
                                 const GpuOptions &options);

} // namespace tc

#endif // TC_COMPILER_GPUPROGRAM_H
