//===- Compile.h - From the input to kernels --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_COMPILE_H
#define TC_LIB_RUN_COMPILE_H

#include "Listing.h"
#include "tc/Run/Options.h"

#include "tc/Compiler/Definition.h"
#include "tc/OnDemand/Compiler.h"
#include "tc/Package/Package.h"

#include <vector>

namespace tc::run {

/// Program to run.
struct CompiledProgram {
  /// Code and launch descriptions. No kernels if all contractions are empty.
  runtime::LoadedPackage loaded;
  /// The contractions as the input has them, before indices were collapsed, one
  /// for each kernel. Empty for packages, whose kernels speak for themselves.
  std::vector<runtime::Kernel> definitions;
  /// Of each kernel.
  std::vector<TensorSources> sources;
  /// As in CompiledModule.
  std::vector<std::string> obstacles;
  std::vector<EmptyContraction> empty;
  /// As in GpuProgram.
  std::vector<std::string> tuned;
  /// True if the input left shapes open, and they were given for compiling.
  bool hasGivenExtents = false;
  /// The MLIR from which the PTX was made, if it is asked for and there is any.
  std::optional<Listing> listing;
  /// From reading the input to PTX; zero for packages.
  double compileSeconds = 0;
};

/// The name of the target to compile for; the module describes it if it is not
/// built in.
Result<std::string> chooseTarget(ModuleOp module, const Options &options);

/// Sets the options of the compilation for that target.
void setDeviceOptions(const Options &options, const std::string &target,
                      DeviceOptions &device);

/// Reads and compiles the input, whatever it is.
Result<CompiledProgram> loadProgram(const Options &options);

} // namespace tc::run

#endif // TC_LIB_RUN_COMPILE_H
