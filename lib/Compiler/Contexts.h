//===- Contexts.h - Contexts of MLIR for one compilation each ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_COMPILER_CONTEXTS_H
#define TC_LIB_COMPILER_CONTEXTS_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace tc {

/// A context that knows all that code for CPUs is made of, for one compilation
/// at a time. It waits for the next one then, as loading dialects takes
/// milliseconds; but not for ever, as it keeps all types and attributes that
/// there were. What is made in it ends before it.
class CpuContext {
public:
  /// One that waits, or a new one. Any number of threads may take one at once.
  CpuContext();
  ~CpuContext();
  CpuContext(const CpuContext &) = delete;
  CpuContext &operator=(const CpuContext &) = delete;

  mlir::MLIRContext &get() { return *kept->context; }

private:
  struct Kept {
    std::unique_ptr<mlir::MLIRContext> context;
    unsigned uses = 0;
  };
  struct Pool;
  static Pool &pool();

  std::unique_ptr<Kept> kept;
};

} // namespace tc

#endif // TC_LIB_COMPILER_CONTEXTS_H
