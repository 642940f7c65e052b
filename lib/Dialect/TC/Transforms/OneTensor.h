//===- OneTensor.h - A factor that changes nothing --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_TRANSFORMS_ONETENSOR_H
#define TC_LIB_DIALECT_TC_TRANSFORMS_ONETENSOR_H

#include "tc/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A tensor without dimensions, or such a buffer, which the caller frees, that
/// holds the semiring's one: what tensors are multiplied with that are only
/// summed.
Value createOne(mlir::OpBuilder &builder, Location loc,
                model::Semiring semiring, Type type, bool asBuffer);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_TRANSFORMS_ONETENSOR_H
