//===- Operands.cpp - Tensors as one dimension, and factors -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/Utils/PartsView.h"
#include "tc/Dialect/TC/Utils/ScaleOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
using namespace tc::cpu;
using model::Contraction;
using model::Tensor;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

Value cpu::beforeReshaping(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    buffer = op->getOperand(0);
  }
  return buffer;
}

/// A view of a buffer as one dimension of real numbers, from its base pointer,
/// by its strides along the contraction's indices.
static Value flatten(ImplicitLocOpBuilder &builder,
                     const Contraction &contraction, Value buffer,
                     int64_t offset, ArrayRef<int64_t> strides,
                     int64_t numbersOfElement) {
  int64_t reach = offset;
  for (auto [index, stride] : llvm::zip_equal(contraction.indices, strides))
    if (stride > 0)
      reach += (index.extent - 1) * stride;
  Location loc = builder.getLoc();
  return viewParts(builder, loc,
                   withKnownOffset(builder, loc, beforeReshaping(buffer)),
                   (reach + 1) * numbersOfElement);
}

static SmallVector<int64_t> stridesOf(const Contraction &contraction,
                                      Tensor tensor) {
  return llvm::map_to_vector(
      contraction.indices,
      [&](const model::Index &index) { return index.stride[tensor]; });
}

Value cpu::flattenInput(Emitter &emit, ContractOp op,
                        const Contraction &contraction, Tensor input,
                        int64_t numbersOfElement) {
  return flatten(emit.builder, contraction, op.getOperandOf(input),
                 contraction.offset[input], stridesOf(contraction, input),
                 numbersOfElement);
}

SmallVector<OutputTensor> cpu::flattenOutputs(Emitter &emit, ContractOp op,
                                              const Contraction &contraction,
                                              int64_t numbersOfElement) {
  SmallVector<OutputTensor> tensors;
  auto add = [&](Value buffer, int64_t offset, SmallVector<int64_t> strides) {
    Value elements = flatten(emit.builder, contraction, buffer, offset, strides,
                             numbersOfElement);
    tensors.push_back({elements, emit.constant(offset), std::move(strides)});
  };
  add(op.getC(), contraction.offset[Tensor::C],
      stridesOf(contraction, Tensor::C));
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (auto [buffer, labels] :
       llvm::zip_equal(op.getAuxiliaries(), ArrayRef(lists).drop_front(3))) {
    auto type = cast<MemRefType>(buffer.getType());
    auto [ownStrides, offset] = type.getStridesAndOffset();
    if (ShapedType::isDynamic(offset))
      offset = offsetFromLowest(type);
    SmallVector<int64_t> strides(contraction.indices.size());
    for (auto [label, stride] : llvm::zip_equal(labels, ownStrides)) {
      unsigned position = *contraction.find(label.getValue());
      if (contraction.indices[position].extent > 1)
        strides[position] = stride;
    }
    add(buffer, offset, std::move(strides));
  }
  return tensors;
}

static Value differs(ImplicitLocOpBuilder &builder, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, a, b);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, a, b);
}

void OutputUpdate::setFactors(Emitter &emit, ContractOp op) {
  ImplicitLocOpBuilder &builder = emit.builder;
  if (op.getAlpha() && !isOne(op.getSemiring(), op.getAlpha()))
    std::tie(alpha, alphaImaginary) =
        splitFactor(builder, builder.getLoc(), op.getAlpha());
  if (op.getBeta() && !isZero(op.getSemiring(), op.getBeta()))
    std::tie(beta, betaImaginary) =
        splitFactor(builder, builder.getLoc(), op.getBeta());
  auto differsFromZero = [&](Value number) {
    return differs(
        builder, number,
        arith::ConstantOp::create(builder, getZero(op.getSemiring(), sumType)));
  };
  reads = Value();
  if (beta && !mlir::matchPattern(beta, mlir::m_Constant())) {
    reads = differsFromZero(beta);
    if (betaImaginary)
      reads =
          arith::OrIOp::create(builder, reads, differsFromZero(betaImaginary));
  }
  alwaysReads = op.getAccumulate() || (beta && !reads);
}

void OutputUpdate::addUpBlocks(Emitter &emit, model::Semiring code,
                               Value isFirst) {
  ImplicitLocOpBuilder &builder = emit.builder;
  if (betaImaginary)
    betaImaginary = arith::SelectOp::create(
        builder, isFirst, betaImaginary,
        arith::ConstantOp::create(builder, builder.getZeroAttr(sumType)));
  // A user-defined semiring has no one, nor a beta.
  if (code != model::Semiring::UserDefined) {
    Value one = arith::ConstantOp::create(builder, getOne(code, sumType));
    beta =
        beta ? arith::SelectOp::create(builder, isFirst, beta, one).getResult()
             : one;
  }
  Value later = arith::XOrIOp::create(builder, isFirst, emit.boolean(true));
  reads =
      reads ? arith::OrIOp::create(builder, later, reads).getResult() : later;
}
