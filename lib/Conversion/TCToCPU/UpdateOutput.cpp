//===- UpdateOutput.cpp - Update of C by sums -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tc;
using namespace tc::cpu;
using mlir::VectorType;
namespace vector = mlir::vector;

int64_t cpu::alignmentOfStore(int64_t bytes) {
  constexpr int64_t widestVector = 64;
  return std::min(bytes, widestVector);
}

bool cpu::callsFunctions(mlir::Region &region) {
  auto isInstruction = [](Operation &op) {
    return !isa<mlir::math::MathDialect>(op.getDialect()) ||
           isa<mlir::math::AbsFOp, mlir::math::AbsIOp, mlir::math::CeilOp,
               mlir::math::CopySignOp, mlir::math::FloorOp, mlir::math::FmaOp,
               mlir::math::SqrtOp>(op);
  };
  return !llvm::all_of(region.front(), isInstruction);
}

Value OutputUpdater::splat(Value scalar, Type type) {
  return isa<VectorType>(type)
             ? vector::BroadcastOp::create(builder, type, scalar).getResult()
             : scalar;
}

Value OutputUpdater::timesAlpha(Value sum) {
  return output.alpha ? scale(output.alpha, output.alphaImaginary, sum) : sum;
}

Value OutputUpdater::loadLike(Value like, const OutputTensor &tensor,
                              Value position) {
  auto type = dyn_cast<VectorType>(like.getType());
  int64_t stride = tensor.strideOf(along);
  // Complex numbers have no other tensors than C, and parts side by side.
  if (type && (stride == 1 || numbers > 1))
    return emit.loadVector(tensor.elements, emit.mul(position, numbers),
                           type.getNumElements());
  Value first = emit.load(tensor.elements, position);
  if (!type)
    return first;
  VectorType loaded = type.clone(first.getType());
  if (stride == 0)
    return splat(first, loaded);
  SmallVector<Value> elements = {first};
  for (int64_t lane = 1; lane < type.getNumElements(); ++lane)
    elements.push_back(emit.load(
        tensor.elements, emit.add(position, emit.constant(lane * stride))));
  return vector::FromElementsOp::create(builder, loaded, elements);
}

Value OutputUpdater::applyEpilogue(Value value, Value old,
                                   const Positions &positions) {
  SmallVector<Value> arguments = {value, old};
  for (auto [tensor, position] :
       llvm::drop_begin(llvm::zip_equal(output.tensors, positions)))
    arguments.push_back(loadLike(value, tensor, position));
  return applyRegion(builder, builder.getLoc(), *output.epilogue, arguments);
}

Value OutputUpdater::scale(Value factor, Value imaginary, Value elements) {
  if (imaginary)
    return scaleNumbers(builder, builder.getLoc(), factor, imaginary, elements);
  return tc::multiply(builder, builder.getLoc(), output.semiring,
                      splat(factor, elements.getType()), elements);
}

void OutputUpdater::update(Value sum, const Positions &positions,
                           bool streams) {
  const OutputTensor &c = output.tensors.front();
  Value position = positions.front();
  Type elementType = cast<MemRefType>(c.elements.getType()).getElementType();
  auto type = dyn_cast<VectorType>(sum.getType());
  auto store = [&](Value value) {
    value = convertElements(builder, builder.getLoc(), value, elementType);
    Value number = emit.mul(position, numbers);
    if (!type)
      return emit.store(value, c.elements, number);
    auto op = vector::StoreOp::create(builder, value, c.elements, number);
    if (!streams)
      return;
    op.setNontemporal(true);
    op.setAlignment(alignmentOfStore(type.getNumElements() *
                                     elementType.getIntOrFloatBitWidth() / 8));
  };
  bool usesOld =
      output.epilogue && !output.epilogue->getArgument(1).use_empty();
  Value old;
  if (usesOld)
    old = loadLike(sum, c, position);
  auto finish = [&](Value value) {
    if (!output.epilogue)
      return store(value);
    auto map = [&] {
      // An argument without uses has any value.
      Value unread =
          old ? old
              : convertElements(builder, builder.getLoc(), value, elementType);
      store(applyEpilogue(value, unread, positions));
    };
    emit.ifThenElse(output.completes, map, [&] { store(value); });
  };
  auto addOld = [&] {
    Value contributes = convertElements(
        builder, builder.getLoc(), usesOld ? old : loadLike(sum, c, position),
        output.sumType);
    if (output.betaImaginary)
      return finish(
          combine(builder, builder.getLoc(), output.semiring,
                  scale(output.beta, output.betaImaginary, contributes), sum));
    if (!output.beta)
      return finish(combine(builder, builder.getLoc(), output.semiring,
                            contributes, sum));
    Value factor = splat(output.beta, sum.getType());
    // One rounding, whether the tile is full or not.
    finish(multiplyAndCombine(builder, builder.getLoc(), output.semiring,
                              factor, contributes, sum));
  };
  if (output.alwaysReads)
    return addOld();
  if (!output.reads)
    return finish(sum);
  emit.ifThenElse(output.reads, addOld, [&] { finish(sum); });
}
