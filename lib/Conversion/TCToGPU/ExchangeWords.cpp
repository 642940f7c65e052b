//===- ExchangeWords.cpp - Words that lanes of a warp exchange ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By pairs of lanes whose numbers differ in one bit, bit after bit: each keeps
// the half of its words that has its own bit, and sends the other half.
//
//===----------------------------------------------------------------------===//

#include "ExchangeWords.h"

#include "tc/Gpu/Layout/KernelLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
using mlir::SmallVector;
using mlir::Value;

SmallVector<Value> tc::exchangeWords(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     SmallVector<Value> words, Value lane) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        number);
  };
  Value warp = constant(model::warpThreads);
  Value zero = constant(0);
  for (size_t bit = 1; bit < words.size(); bit *= 2) {
    Value mask = constant(static_cast<int64_t>(bit));
    Value isUpper = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, loc, lane, mask), zero);
    for (size_t number = 0; number < words.size(); ++number) {
      if (number & bit)
        continue;
      Value &low = words[number], &high = words[number | bit];
      Value sent = arith::SelectOp::create(builder, loc, isUpper, low, high);
      Value kept = arith::SelectOp::create(builder, loc, isUpper, high, low);
      Value received = gpu::ShuffleOp::create(builder, loc, sent, mask, warp,
                                              gpu::ShuffleMode::XOR)
                           .getShuffleResult();
      low = arith::SelectOp::create(builder, loc, isUpper, received, kept);
      high = arith::SelectOp::create(builder, loc, isUpper, kept, received);
    }
  }
  return words;
}
