//===- MatrixRows.cpp - Complex numbers in shared tiles -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixRows.h"

#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tc;
namespace arith = mlir::arith;

SmallVector<Value> tc::matrixRowsOf(OpBuilder &builder, Location loc,
                                    const model::Contraction &contraction,
                                    const model::TiledCopy &tiledCopy,
                                    model::Tensor input, Value elements) {
  if (!contraction.parts || contraction.parts->expanded != input)
    return {elements};
  if (contraction.conjugates[input])
    elements = conjugateNumbers(builder, loc, elements);
  if (!tiledCopy.matrixRows)
    return {elements};
  Value second = turnNumbers(builder, loc, elements);
  if (contraction.conjugates[model::Tensor::A])
    second = arith::NegFOp::create(builder, loc, second);
  return {elements, second};
}
