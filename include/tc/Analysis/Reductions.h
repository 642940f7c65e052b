//===- Reductions.h - Contractions that are added up ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction whose elements are all added up to one number need not be
// stored. Passes agree here on which are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_REDUCTIONS_H
#define TC_ANALYSIS_REDUCTIONS_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tc {

/// Returns true if a contraction is in a group of which all elements are added
/// up in place of storing them. Schedules are chosen for that.
bool isReduced(ContractOp op);

/// The operation that adds all elements of the contraction's result up to one
/// number, from zero on, and is the only one that uses it; null if there is
/// none or if one kernel cannot do both. On tensors it is the user of the
/// result, on buffers that of C: which is allocated for that, and which nothing
/// else but contractions before uses, and nothing may happen to memory between
/// the two. `addsTerms` tells that the contraction reads C only to add to the
/// other terms of its sum, the first of which does not.
mlir::linalg::LinalgOp findReduction(ContractOp op, bool addsTerms = false);

/// The operation that makes the output of a reduction zero; null if none does.
mlir::linalg::FillOp findZeroFill(mlir::linalg::LinalgOp reduction);

} // namespace tc

#endif // TC_ANALYSIS_REDUCTIONS_H
