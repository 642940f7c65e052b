//===- MaterializeSum.cpp - The loops of a sum of contractions ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the loops of several contractions add to the same sums, one after the
// other.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Gpu/Layout/SumExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace vector = mlir::vector;
using mlir::ValueRange;
using mlir::VectorType;
using model::Tensor;

/// Adds this term's products to the sums of those before, which have their last
/// term's layout and alpha.
SmallVector<Value> LoopNest::addTerm(ValueRange sums,
                                     const KernelInfo &before) {
  SmallVector<Value> present(sums);
  rescaleSums(present, before.attr->alpha, kernel.attr->alpha);
  model::SumOrder order = model::compareSums(before.layout, layout);
  if (order != model::SumOrder::Other) {
    if (order == model::SumOrder::Transposed)
      present = transposeSums(present, before.layout);
    // All threads must have read the shared tiles of the term before.
    gpu::BarrierOp::create(builder, loc);
    return addProducts(present);
  }
  auto vectorType = VectorType::get({layout.groupN}, sumType);
  SmallVector<Type> types(layout.registerM * (layout.registerN / layout.groupN),
                          vectorType);
  auto converted = ConvertAccumulatorsOp::create(
      builder, loc, types, present, storage, before.term, kernel.term);
  return addProducts(converted.getResults());
}

/// Sums of the term before, whose M is this one's N, as this one has them.
SmallVector<Value> LoopNest::transposeSums(ValueRange sums,
                                           const model::KernelLayout &before) {
  auto vectorType = VectorType::get({layout.groupN}, sumType);
  int64_t columns = before.registerN / before.groupN;
  SmallVector<Value> transposed;
  for (int64_t m = 0; m < layout.registerM; ++m)
    for (int64_t n = 0; n < layout.registerN; n += layout.groupN) {
      SmallVector<Value> group;
      for (int64_t v = 0; v < layout.groupN; ++v)
        group.push_back(vector::ExtractOp::create(
            builder, loc, sums[(n + v) * columns + m / before.groupN],
            m % before.groupN));
      transposed.push_back(
          vector::FromElementsOp::create(builder, loc, vectorType, group));
    }
  return transposed;
}

/// Multiplies sums so that the factor `to` gives them what `from` would have
/// given them before.
void LoopNest::rescaleSums(SmallVector<Value> &sums, mlir::TypedAttr from,
                           mlir::TypedAttr to) {
  double ratio = getRatio(from, to);
  if (ratio == 1)
    return;
  for (Value &sum : sums) {
    auto type = cast<VectorType>(sum.getType());
    if (ratio == -1 && isa<FloatType>(sumType)) {
      sum = arith::NegFOp::create(builder, loc, sum);
      continue;
    }
    mlir::TypedAttr factor =
        isa<FloatType>(sumType)
            ? mlir::TypedAttr(builder.getFloatAttr(sumType, ratio))
            : builder.getIntegerAttr(sumType, static_cast<int64_t>(ratio));
    Value factors = arith::ConstantOp::create(
        builder, loc, mlir::SplatElementsAttr::get(type, Attribute(factor)));
    sum = tc::multiply(builder, loc, model::Semiring::PlusTimes, factors, sum);
  }
}

void LoopNest::enterBeside(const LoopNest &other) {
  storage = other.storage;
  flattenInputs();
  for (auto [index, origin] : other.outputOrigins)
    outputOrigins[index] = toCoordinate(origin);
}

/// A number of another contraction, where extents may be such that it is
/// counted in another type.
Value LoopNest::toCoordinate(Value origin) {
  Type type = coordinate.getType();
  if (type.getIntOrFloatBitWidth() < origin.getType().getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, type, origin);
  return coordinate.extend(origin);
}

void LoopNest::finish(ValueRange sums) {
  flatC = flatten(Tensor::C);
  for (auto [number, side] : llvm::enumerate(kernel.auxiliaries))
    flatSides.push_back(flatten(3 + number, side.elements));
  storeTile(sums);
}

void tc::buildSum(ArrayRef<ContractOp> ops, const KernelPlan &plan) {
  size_t last = ops.size() - 1;
  auto infoOf = [&](size_t op) -> const KernelInfo & {
    return plan.contractions[op == last ? 0 : op + 1];
  };
  std::vector<const model::KernelLayout *> layouts;
  std::vector<double> factors;
  for (size_t op = 0; op < ops.size(); ++op) {
    layouts.push_back(&infoOf(op).layout);
    factors.push_back(getNumber(infoOf(op).attr->alpha).real());
  }
  LoopNest main(ops[last], infoOf(last));
  main.enter();
  SmallVector<Value> sums;
  const KernelInfo *before = nullptr;
  for (size_t op : model::orderTerms(layouts, factors)) {
    if (op == last)
      break;
    LoopNest nest(ops[op], infoOf(op));
    nest.moveTo(ops[last]);
    nest.enterBeside(main);
    sums = before ? nest.addTerm(sums, *before) : nest.beginSums();
    before = &infoOf(op);
    nest.erase();
  }
  main.flattenInputs();
  main.finish(main.addTerm(sums, *before));
  main.erase();
}
