//===- ComplexArithmetic.cpp - Complex numbers by their parts -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signs and places of the lanes are changed by one shuffle of the numbers and
// their negatives.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tc;
using mlir::VectorType;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

/// Lanes of the numbers, and, from their count on, of their negatives.
static Value select(OpBuilder &builder, Location loc, Value numbers,
                    function_ref<int64_t(int64_t lane, int64_t lanes)> source) {
  int64_t lanes = cast<VectorType>(numbers.getType()).getNumElements();
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane)
    places.push_back(source(lane, lanes));
  return vector::ShuffleOp::create(builder, loc, numbers,
                                   arith::NegFOp::create(builder, loc, numbers),
                                   places);
}

std::pair<Value, Value> tc::splitNumbers(OpBuilder &builder, Location loc,
                                         Value numbers) {
  int64_t lanes = cast<VectorType>(numbers.getType()).getNumElements();
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < lanes; lane += 2) {
    even.push_back(lane);
    odd.push_back(lane + 1);
  }
  auto take = [&](ArrayRef<int64_t> places) -> Value {
    return vector::ShuffleOp::create(builder, loc, numbers, numbers, places);
  };
  return {take(even), take(odd)};
}

Value tc::joinNumbers(OpBuilder &builder, Location loc, Value real,
                      Value imaginary) {
  return vector::InterleaveOp::create(builder, loc, real, imaginary);
}

Value tc::factorOfProduct(OpBuilder &builder, Location loc, Value real,
                          Value imaginary, bool isA, bool conjugated,
                          int64_t product) {
  auto add = [&](bool subtracts) -> Value {
    if (subtracts)
      return arith::SubFOp::create(builder, loc, real, imaginary);
    return arith::AddFOp::create(builder, loc, real, imaginary);
  };
  auto negate = [&](Value number) -> Value {
    return arith::NegFOp::create(builder, loc, number);
  };
  switch (product) {
  case 0:
    return isA ? add(conjugated) : real;
  case 1:
    return isA ? real : negate(add(!conjugated));
  default:
    if (!isA)
      return add(conjugated);
    return conjugated ? imaginary : negate(imaginary);
  }
}

Value tc::conjugateNumbers(OpBuilder &builder, Location loc, Value numbers) {
  return select(builder, loc, numbers, [](int64_t lane, int64_t lanes) {
    return lane % 2 == 0 ? lane : lanes + lane;
  });
}

Value tc::turnNumbers(OpBuilder &builder, Location loc, Value numbers) {
  return select(builder, loc, numbers, [](int64_t lane, int64_t lanes) {
    return lane % 2 == 0 ? lanes + lane + 1 : lane - 1;
  });
}

Value tc::scaleNumbers(OpBuilder &builder, Location loc, Value real,
                       Value imaginary, Value numbers) {
  auto splat = [&](Value part) {
    return vector::BroadcastOp::create(builder, loc, numbers.getType(), part);
  };
  Value scaled = arith::MulFOp::create(builder, loc, splat(real), numbers);
  if (!imaginary)
    return scaled;
  return mlir::math::FmaOp::create(builder, loc, splat(imaginary),
                                   turnNumbers(builder, loc, numbers), scaled);
}
