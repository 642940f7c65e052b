//===- CudaProgram.h - Programs of the CUDA Toolkit -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_CUDAPROGRAM_H
#define TC_LIB_TARGET_PTX_CUDAPROGRAM_H

#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "llvm/Support/FileUtilities.h"

#include <memory>
#include <string>

namespace tc {

/// Folders where a CUDA Toolkit may be: for what is part of a Python package,
/// that of NVIDIA's packages beside it, and then the usual place.
SmallVector<std::string> cudaToolkits();

/// The path of a program: what the environment variable holds, else the one on
/// PATH, else the one of a CUDA Toolkit; an error says where was looked.
Result<std::string> findCudaProgram(StringRef name, const char *variable);

/// A file that a program reads or writes, and that is removed with this.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(StringRef suffix);

  StringRef path() const { return name; }
  Status write(StringRef contents) const;
  Result<std::string> read() const;

private:
  explicit TemporaryFile(StringRef path)
      : name(path), remover(std::make_unique<llvm::FileRemover>(path)) {}

  std::string name;
  std::unique_ptr<llvm::FileRemover> remover;
};

/// Output of a program.
struct ProgramOutput {
  std::string standardOutput, standardError;
};

/// Runs a program, whose messages are in the error if it fails.
Result<ProgramOutput> runProgram(const std::string &path,
                                 ArrayRef<StringRef> arguments);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_CUDAPROGRAM_H
