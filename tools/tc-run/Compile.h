//===- Compile.h - From the input to kernels --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_COMPILE_H
#define TC_TOOLS_TC_RUN_COMPILE_H

#include "CommandLine.h"
#include "Listing.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Runtime/Package.h"
#include "tc/Support/LLVM.h"

#include <vector>

namespace tc::run {

/// A contraction with an index of extent zero: C becomes beta * C, and no
/// kernel is launched for that.
struct EmptyContraction {
  /// The output with its indices, as in "C[i,j]", and the index at fault.
  std::string output, index;
};

/// What is told of a contraction with an index of extent zero.
EmptyContraction describeEmpty(ContractOp op);

/// What there is to run.
struct Program {
  /// Code and launch descriptions. No kernels if all contractions are empty.
  runtime::LoadedPackage loaded;
  /// For each kernel the contraction as the input has it, before its indices
  /// were collapsed. Empty for packages, whose kernels speak for themselves.
  std::vector<runtime::Kernel> definitions;
  std::vector<EmptyContraction> empty;
  /// The MLIR from which the PTX was made, if it is asked for and there is any.
  std::optional<Listing> listing;
  /// From reading the input to PTX; zero for packages.
  double compileSeconds = 0;
};

/// The name of the target to compile for; the module describes it if it is not
/// built in.
Result<std::string> chooseTarget(ModuleOp module, const Options &options);

/// Reads and compiles the input, whatever it is.
Result<Program> loadProgram(const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_COMPILE_H
