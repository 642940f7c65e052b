//===- ElementArithmetic.h - Code on a contraction's elements ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the operations of semirings, conversions of numbers and the regions of
// contractions, on scalars and on vectors alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_UTILS_ELEMENTARITHMETIC_H
#define TC_DIALECT_TC_UTILS_ELEMENTARITHMETIC_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Builders.h"

namespace mlir {
class Region;
} // namespace mlir

namespace tc {

/// The code in place of addition and multiplication: the operations of a
/// semiring that has a name, or the regions of a user-defined one.
struct SemiringCode {
  SemiringCode(model::Semiring semiring = model::Semiring::PlusTimes)
      : semiring(semiring) {}
  explicit SemiringCode(ContractOp op);

  model::Semiring semiring;
  /// Of a user-defined one.
  mlir::Region *product = nullptr, *combine = nullptr;
  mlir::TypedAttr identity;
};

/// The sum of no products, as a constant of a type or of a vector of it.
mlir::TypedAttr getEmptySum(const SemiringCode &semiring, Type type);

/// Combines two numbers, or vectors of them, of the same type. Complex numbers
/// are combined and multiplied one by one only.
Value combine(OpBuilder &builder, Location loc, const SemiringCode &semiring,
              Value x, Value y);

/// Multiplies two numbers, or vectors of them, of the same type.
Value multiply(OpBuilder &builder, Location loc, const SemiringCode &semiring,
               Value x, Value y);

/// Combines `sum` with the product of `x` and `y`: with one rounding where the
/// semiring is that of floating-point numbers.
Value multiplyAndCombine(OpBuilder &builder, Location loc,
                         const SemiringCode &semiring, Value x, Value y,
                         Value sum);

/// The same for vectors, by as few instructions as CPUs have for it: a target
/// that cannot fuse them rounds twice. `sum` may be NaN with plus_times only.
Value accumulate(OpBuilder &builder, Location loc, const SemiringCode &semiring,
                 Value x, Value y, Value sum);

/// Converts a number or a vector to an element type: the same value where that
/// type has it, else the nearest one, or, of integers, the lowest bits.
Value convertElements(OpBuilder &builder, Location loc, Value value,
                      Type elementType);

/// Builds what the region of a contraction yields for its arguments: numbers of
/// the types of the region's arguments, or vectors of one shape of them.
Value applyRegion(OpBuilder &builder, Location loc, mlir::Region &region,
                  mlir::ValueRange arguments);

} // namespace tc

#endif // TC_DIALECT_TC_UTILS_ELEMENTARITHMETIC_H
