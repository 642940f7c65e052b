//===- ComplexArithmetic.h - Complex numbers by their parts -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on vectors of real numbers that are the parts of complex ones: a
// real part in each even lane, and the imaginary one in the next.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_UTILS_COMPLEXARITHMETIC_H
#define TC_DIALECT_TC_UTILS_COMPLEXARITHMETIC_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Builders.h"

#include <utility>

namespace tc {

/// The real parts and the imaginary parts of such numbers.
std::pair<Value, Value> splitNumbers(OpBuilder &builder, Location loc,
                                     Value numbers);

/// The other way round.
Value joinNumbers(OpBuilder &builder, Location loc, Value real,
                  Value imaginary);

/// The factors of one of the three real products by which complex numbers a and
/// b are multiplied, those of a or those of b, from their parts:
///
///   (re a + im a) re b,  re a (im b - re b)  and  -im a (re b + im b)
///
/// (tc/Problem/ComplexParts.h), where conjugates have the other sign of im.
Value factorOfProduct(OpBuilder &builder, Location loc, Value real,
                      Value imaginary, bool isA, bool conjugated,
                      int64_t product);

/// The conjugates of such numbers.
Value conjugateNumbers(OpBuilder &builder, Location loc, Value numbers);

/// The numbers times i: (x, y) becomes (-y, x). It is also the second row of
/// the matrix ((x, y), (-y, x)), by which a pair is multiplied as by the
/// number.
Value turnNumbers(OpBuilder &builder, Location loc, Value numbers);

/// The numbers times another one, of which `imaginary` is null if it is zero.
Value scaleNumbers(OpBuilder &builder, Location loc, Value real,
                   Value imaginary, Value numbers);

} // namespace tc

#endif // TC_DIALECT_TC_UTILS_COMPLEXARITHMETIC_H
