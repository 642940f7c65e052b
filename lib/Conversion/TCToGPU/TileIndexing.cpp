//===- TileIndexing.cpp - Coordinates and offsets within tiles ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the index arithmetic that the tile passes share.
//
//===----------------------------------------------------------------------===//

#include "TileIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;

namespace tc {

// Offsets are signed and never wrap; saying so lets LLVM move constants
// through sign extensions into immediate offsets.
static constexpr arith::IntegerOverflowFlags noWrap =
    arith::IntegerOverflowFlags::nsw;

Location nameStep(Operation *op, const llvm::Twine &name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(op->getContext(), name),
                            op->getLoc());
}

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

Value IndexBuilder::add(Value lhs, Value rhs) {
  if (!lhs)
    return rhs;
  if (!rhs)
    return lhs;
  return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs, noWrap);
}

Value IndexBuilder::multiply(Value lhs, int64_t factor) {
  if (!lhs || factor == 0)
    return Value();
  if (factor == 1)
    return lhs;
  return builder.createOrFold<arith::MulIOp>(loc, lhs, constant(factor),
                                             noWrap);
}

Value IndexBuilder::divide(Value lhs, int64_t divisor) {
  if (!lhs || divisor == 1)
    return lhs;
  return builder.createOrFold<arith::DivUIOp>(loc, lhs, constant(divisor));
}

Value IndexBuilder::remainder(Value lhs, int64_t divisor) {
  if (!lhs || divisor == 1)
    return Value();
  return builder.createOrFold<arith::RemUIOp>(loc, lhs, constant(divisor));
}

Value IndexBuilder::exclusiveOr(Value lhs, Value rhs) {
  return builder.createOrFold<arith::XOrIOp>(loc, lhs, rhs);
}

Value IndexBuilder::extend(Value value) {
  if (!value || value.getType() == type)
    return value;
  return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
}

Value IndexBuilder::lessThan(Value lhs, int64_t bound) {
  return lessThan(lhs, constant(bound));
}

Value IndexBuilder::lessThan(Value lhs, Value bound) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                             lhs ? lhs : constant(0), bound);
}

Value IndexBuilder::selectLess(Value lhs, int64_t bound, Value yes, Value no) {
  return builder.createOrFold<arith::SelectOp>(loc, lessThan(lhs, bound),
                                               yes ? yes : constant(0),
                                               no ? no : constant(0));
}

Value IndexBuilder::toIndex(SplitIndex split) {
  Type indexType = builder.getIndexType();
  IndexBuilder wide(builder, loc, indexType);
  Value result;
  if (split.value)
    result =
        builder.createOrFold<arith::IndexCastOp>(loc, indexType, split.value);
  if (split.constant || !result)
    result = wide.add(result, wide.constant(split.constant));
  return result;
}

Value conjunction(OpBuilder &builder, Location loc,
                  ArrayRef<Value> conditions) {
  Value result;
  for (Value condition : conditions)
    result = result
                 ? builder.createOrFold<arith::AndIOp>(loc, result, condition)
                 : condition;
  return result;
}

SmallVector<SplitIndex> digits(IndexBuilder &index, Value number,
                               int64_t period, int64_t round,
                               ArrayRef<int64_t> radices) {
  size_t count = radices.size();
  // The number's digits fill the first `whole` places and, if `rest` is not
  // one, the lower part of the next.
  size_t whole = 0;
  int64_t prefix = 1;
  while (whole < count && period % (prefix * radices[whole]) == 0)
    prefix *= radices[whole++];
  int64_t rest = period / prefix;
  bool separable = whole == count || radices[whole] % rest == 0;

  SmallVector<SplitIndex> result(count);
  if (!separable || (whole == count && round != 0)) {
    Value all =
        index.add(number, round ? index.constant(round * period) : Value());
    int64_t scale = 1;
    for (size_t i = 0; i < count; ++i) {
      Value quotient = index.divide(all, scale);
      result[i].value = i + 1 == count ? (radices[i] == 1 ? Value() : quotient)
                                       : index.remainder(quotient, radices[i]);
      scale *= radices[i];
    }
    return result;
  }

  int64_t scale = 1;
  for (size_t i = 0; i < whole; ++i) {
    Value quotient = index.divide(number, scale);
    scale *= radices[i];
    // The topmost digit of the number needs no remainder.
    if (scale == period || radices[i] == 1)
      result[i].value = radices[i] == 1 ? Value() : quotient;
    else
      result[i].value = index.remainder(quotient, radices[i]);
  }
  int64_t remaining = round;
  for (size_t i = whole; i < count; ++i) {
    int64_t below = i == whole ? rest : 1;
    if (below != 1)
      result[i].value = index.divide(number, scale);
    int64_t rounds = radices[i] / below;
    // The topmost digit takes all that is left: a round beyond the last number
    // must not alias a valid one.
    int64_t digit = i + 1 == count ? remaining : remaining % rounds;
    result[i].constant = digit * below;
    remaining /= rounds;
  }
  return result;
}

Type coordinateType(const KernelInfo &kernel, mlir::MLIRContext *context) {
  for (const auto *dims : {&kernel.layout.batch, &kernel.layout.m,
                           &kernel.layout.n, &kernel.layout.k})
    for (const model::TileDim &dim : *dims)
      // The fetch of the tile after the last one starts beyond the extent.
      if (dim.extent > std::numeric_limits<int32_t>::max() - 2 * dim.tile)
        return IntegerType::get(context, 64);
  return IntegerType::get(context, 32);
}

Type offsetType(const KernelInfo &kernel, model::Tensor tensor,
                mlir::MLIRContext *context) {
  bool narrow =
      kernel.contraction.span(tensor) + kernel.contraction.offset[tensor] <=
      std::numeric_limits<int32_t>::max() / kernel.numbersOfElement(tensor);
  return IntegerType::get(context, narrow ? 32 : 64);
}

Value threadNumber(OpBuilder &builder, Location loc, Type type) {
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(builder, loc, type, thread);
}

WarpPosition warpPosition(OpBuilder &builder, Location loc,
                          const model::KernelLayout &layout) {
  constexpr int64_t lanes = model::matrixLaneRows * model::matrixLaneColumns;
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value thread = threadNumber(builder, loc, index.getType());
  Value lane = index.remainder(thread, lanes);
  int64_t columns = (layout.lanesAlongN ? layout.threadsN : layout.threadsM) /
                    model::matrixLaneColumns;
  Value warp = layout.threads == lanes ? Value() : index.divide(thread, lanes);
  bool oneRow = layout.threads == lanes * columns;
  WarpPosition position;
  position.laneRow = index.divide(lane, model::matrixLaneColumns);
  position.laneColumn = index.remainder(lane, model::matrixLaneColumns);
  position.warpColumn = oneRow ? warp : index.remainder(warp, columns);
  position.warpRow = oneRow ? Value() : index.divide(warp, columns);
  return position;
}

ThreadPosition threadPosition(OpBuilder &builder, Location loc,
                              const model::KernelLayout &layout) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value fast, slow;
  if (model::isMatrixInstruction(layout.instruction)) {
    WarpPosition warp = warpPosition(builder, loc, layout);
    fast = index.add(index.multiply(warp.warpColumn, model::matrixLaneColumns),
                     warp.laneColumn);
    slow = index.add(index.multiply(warp.warpRow, model::matrixLaneRows),
                     warp.laneRow);
  } else {
    Value thread = threadNumber(builder, loc, index.getType());
    int64_t lanes = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
    int64_t others = layout.lanesAlongN ? layout.threadsM : layout.threadsN;
    fast = others == 1 ? thread : index.remainder(thread, lanes);
    slow = others == 1 ? Value() : index.divide(thread, lanes);
  }
  return layout.lanesAlongN ? ThreadPosition{slow, fast}
                            : ThreadPosition{fast, slow};
}

SmallVector<SplitIndex> localCoordinates(OpBuilder &builder, Location loc,
                                         const model::KernelLayout &layout,
                                         bool ofN, const ThreadPosition &thread,
                                         int64_t element) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  int64_t group = ofN ? layout.groupN : layout.groupM;
  SmallVector<int64_t> radices;
  for (const model::TileDim &dim : llvm::reverse(ofN ? layout.n : layout.m))
    radices.push_back(dim.tile);

  // element = (round * threads + position) * group + within
  int64_t round = element / group, within = element % group;
  Value position = ofN ? thread.n : thread.m;
  if (layout.swapsPlaces(ofN) && round % 2 == 1)
    position = index.exclusiveOr(position, index.constant(1));
  if (!radices.empty() && radices.front() % group == 0) {
    radices.front() /= group;
    SmallVector<SplitIndex> local =
        digits(index, position ? position : index.constant(0), threads, round,
               radices);
    local.front().value = index.multiply(local.front().value, group);
    local.front().constant = local.front().constant * group + within;
    return local;
  }
  Value number = index.add(index.multiply(position, group),
                           index.constant(round * threads * group + within));
  int64_t block = 1;
  for (int64_t radix : radices)
    block *= radix;
  return digits(index, number, block, 0, radices);
}

Value flattenPanel(OpBuilder &builder, Location loc, Value panel) {
  auto type = cast<MemRefType>(panel.getType());
  auto flat =
      MemRefType::get({type.getNumElements()}, type.getElementType(),
                      mlir::MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, panel, /*offset=*/0,
      ArrayRef<int64_t>{type.getNumElements()}, ArrayRef<int64_t>{1});
}

int64_t vectorBytes(mlir::VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

} // namespace tc
