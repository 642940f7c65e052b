//===- PTXExport.h - From GPU kernels to PTX and packages -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the output of --tc-to-gpu into PTX through LLVM's NVPTX backend,
// into a cubin through ptxas, and describes the launch.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PTXEXPORT_H
#define TC_TARGET_PTX_PTXEXPORT_H

#include "tc/Package/Package.h"
#include "tc/Support/Files.h"
#include "tc/Support/MLIR/LLVM.h"

#include <string>

namespace tc {

/// PTX and the description of the kernels in it. The description's `codeKind`
/// is PTX and its `codeFile` is left to whoever writes the files.
struct CompiledModule {
  std::string ptx;
  runtime::Package package;
  /// The reasons why functions that launch kernels are no programs of the
  /// package, as "function f: 'scf.if' has a condition that is unknown". None
  /// for one that only launches one kernel.
  std::vector<std::string> programObstacles;
};

struct PTXExportOptions {
  /// True if the PTX gives the places that its instructions are from, by
  /// `.file` and `.loc`: the locations of the module's operations. The
  /// instructions are the same.
  bool lineInfo = false;
};

/// Makes the translations of the dialects that a kernel is lowered to, and
/// their conversions to LLVM, known to a context created from the registry.
void registerPTXExportDialects(DialectRegistry &registry);

/// Translates the contraction kernels of a module, which all must be for one
/// target. The module is left as it is. Its context must have been created with
/// `registerPTXExportDialects`. Emits an error and fails if there is no kernel
/// or if one does not lower.
FailureOr<CompiledModule> translateToPTX(ModuleOp module,
                                         const PTXExportOptions &options = {});

/// The report of ptxas on one kernel.
struct KernelResources {
  std::string entry;
  int64_t registers = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0;
};

/// A cubin and the resources of its kernels.
struct Assembly {
  std::string cubin;
  std::vector<KernelResources> resources;

  /// The report of ptxas on a kernel; null if there is none.
  const KernelResources *find(StringRef entry) const;
};

/// The path of ptxas: the environment variable TC_PTXAS, else the one on PATH,
/// else the one of a CUDA Toolkit in its usual place; an error says where was
/// looked.
Result<std::string> findPtxas();

/// Assembles PTX for a chip with ptxas, whose messages are in the error if it
/// fails.
Result<Assembly> assemble(StringRef ptx, StringRef chip);

/// The files that translations make besides their output. They leave them to
/// tc-translate, which writes all of its files together.
OutputFiles &translationOutputs();

/// Registers --tc-to-ptx and --tc-to-cubin with tc-translate.
void registerTCToPTXTranslations();

} // namespace tc

#endif // TC_TARGET_PTX_PTXEXPORT_H
