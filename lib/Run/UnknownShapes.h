//===- UnknownShapes.h - Shapes that types leave open -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_UNKNOWNSHAPES_H
#define TC_LIB_RUN_UNKNOWNSHAPES_H

#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tc::run {

/// Gives the arguments of functions that contractions take the extents of their
/// indices where their types leave extents open, and strides that are open
/// those of contiguous tensors; what is computed from them gets the shapes that
/// follow. Returns whether there was any. Fails, naming place and index, if an
/// open extent is not among `extents`, if one that a type says is another
/// there, if no contraction has one of its indices, or if the shape of another
/// tensor does not follow.
Result<bool> giveShapes(ModuleOp module,
                        const std::map<std::string, int64_t> &extents);

} // namespace tc::run

#endif // TC_LIB_RUN_UNKNOWNSHAPES_H
