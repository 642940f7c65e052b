//===- BlockArrival.h - Blocks that count themselves in ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that have something to add up count themselves in, in the workspace.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_BLOCKARRIVAL_H
#define TC_LIB_CONVERSION_TCTOGPU_BLOCKARRIVAL_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tc {

/// Counts the block in at the workspace's counter of that number (an index), at
/// which `blocks` of them (an i32) arrive, and returns whether it is the last,
/// in all threads: what the others have stored before is there for it. The
/// first thread does what `before` builds, if it is given, just before. What
/// lies at the beginning of the block's shared memory is lost.
Value arriveAtCounter(OpBuilder &builder, Location loc, Value workspace,
                      Value counter, Value blocks,
                      llvm::function_ref<void()> before = {});

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_BLOCKARRIVAL_H
