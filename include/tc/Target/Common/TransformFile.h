//===- TransformFile.h - From one file to another ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common code of the tools that read one file and write another.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_COMMON_TRANSFORMFILE_H
#define TC_TARGET_COMMON_TRANSFORMFILE_H

#include "tc/Support/Files.h"
#include "tc/Support/MLIR/LLVM.h"

#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <memory>
#include <string>

namespace tc {

/// Makes the output of the input, or fails after it has said why.
using Transformation = std::function<LogicalResult(
    std::unique_ptr<llvm::MemoryBuffer>, raw_ostream &)>;

/// Reads the file `input` and writes the file `output`, together with those
/// that are in `others` by then; "-" stands for standard input and output. If
/// anything fails, nothing is written. Prints an error after `tool`, its name.
LogicalResult transformFile(StringRef tool, const std::string &input,
                            const std::string &output,
                            const Transformation &transform,
                            OutputFiles &others);

} // namespace tc

#endif // TC_TARGET_COMMON_TRANSFORMFILE_H
