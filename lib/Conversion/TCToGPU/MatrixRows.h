//===- MatrixRows.h - Complex numbers in shared tiles -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows that stand in a shared tile for complex numbers, whether a copy or
// the producer brings them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_MATRIXROWS_H
#define TC_LIB_CONVERSION_TCTOGPU_MATRIXROWS_H

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tc {

/// The vectors that the shared tile of an input holds in place of a vector of
/// its elements, one for each row of the matrices that elements become: both
/// rows of complex numbers that are expanded, the second one negated if what it
/// is multiplied by is conjugated. Any other vector is the only one.
SmallVector<Value> matrixRowsOf(OpBuilder &builder, Location loc,
                                const model::Contraction &contraction,
                                const model::TiledCopy &tiledCopy,
                                model::Tensor input, Value elements);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_MATRIXROWS_H
