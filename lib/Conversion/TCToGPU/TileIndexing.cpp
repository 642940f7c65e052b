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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "tc/Support/Arithmetic.h"

#include <limits>

namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
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

Value IndexBuilder::multiply(Value lhs, UniformNumber factor) {
  if (!factor.value)
    return multiply(lhs, factor.constant);
  if (!lhs)
    return lhs;
  return builder.createOrFold<arith::MulIOp>(loc, lhs, extend(factor.value),
                                             noWrap);
}

SplitIndex IndexBuilder::scale(SplitIndex lhs, UniformNumber stride) {
  if (stride.value)
    lhs = IndexBuilder(builder, loc, builder.getI32Type()).resolve(lhs);
  Value scaled = multiply(extend(lhs.value), stride);
  if (!stride.value)
    return {scaled, lhs.constant * stride.constant, lhs.condition,
            lhs.otherwise * stride.constant};
  // The part that threads share is apart from what they differ in.
  Value distance =
      lhs.constant ? multiply(extend(stride.value), lhs.constant) : Value();
  return {add(scaled, distance), 0};
}

Value IndexBuilder::divide(Value lhs, const Divisor &divisor) {
  if (!lhs)
    return lhs;
  Type wide = builder.getI64Type();
  Value number = arith::ExtUIOp::create(builder, loc, wide, lhs);
  Value twice = arith::AddIOp::create(builder, loc, number, number);
  auto product =
      arith::MulUIExtendedOp::create(builder, loc, twice, divisor.reciprocal);
  return arith::TruncIOp::create(builder, loc, type, product.getHigh());
}

Value IndexBuilder::remainder(Value lhs, const Divisor &divisor) {
  if (!lhs)
    return lhs;
  Value whole = multiply(divide(lhs, divisor), divisor);
  return arith::SubIOp::create(builder, loc, lhs, whole);
}

/// A factor and a shift such that `x * factor >> shift` is the quotient of each
/// x below `bound`, in 31 bits; none if there are none.
static std::optional<std::pair<int64_t, int64_t>> reciprocalOf(int64_t divisor,
                                                               int64_t bound) {
  for (int64_t shift = 0; shift < 31; ++shift) {
    int64_t power = int64_t(1) << shift;
    int64_t factor = (power + divisor - 1) / divisor;
    if (factor > std::numeric_limits<int32_t>::max() / bound)
      return std::nullopt;
    // Rounding up must not reach the next quotient.
    if ((factor * divisor - power) * bound <= power)
      return std::pair(factor, shift);
  }
  return std::nullopt;
}

Value IndexBuilder::divide(Value lhs, int64_t divisor, int64_t bound) {
  if (!lhs || divisor == 1)
    return lhs;
  if (bound != 0 && bound <= divisor)
    return Value();
  // Left to itself, LLVM divides small numbers in 16 bits, which takes
  // conversions.
  if (bound != 0 && bound <= std::numeric_limits<int32_t>::max() &&
      !isPowerOfTwo(divisor))
    if (auto reciprocal = reciprocalOf(divisor, bound))
      return arith::ShRUIOp::create(builder, loc,
                                    multiply(lhs, reciprocal->first),
                                    constant(reciprocal->second));
  return builder.createOrFold<arith::DivUIOp>(loc, lhs, constant(divisor));
}

Value IndexBuilder::ceilDivide(Value lhs, int64_t divisor) {
  return divide(add(lhs, constant(divisor - 1)), divisor);
}

Value IndexBuilder::remainder(Value lhs, int64_t divisor, int64_t bound) {
  if (!lhs || divisor == 1)
    return Value();
  if (bound != 0 && bound <= divisor)
    return lhs;
  if (bound != 0 && (divisor & (divisor - 1)) != 0)
    return builder.createOrFold<arith::AddIOp>(
        loc, lhs, multiply(divide(lhs, divisor, bound), -divisor), noWrap);
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

Value IndexBuilder::lessThan(SplitIndex lhs, UniformNumber bound) {
  if (!bound.value)
    return lessThan(lhs.value, bound.constant - lhs.constant);
  Value sum = lhs.constant ? add(lhs.value, constant(lhs.constant)) : lhs.value;
  return lessThan(sum, extend(bound.value));
}

Value IndexBuilder::selectLess(Value lhs, int64_t bound, Value yes, Value no) {
  return selectLess(lhs, constant(bound), yes, no);
}

Value IndexBuilder::selectLess(Value lhs, Value bound, Value yes, Value no) {
  return builder.createOrFold<arith::SelectOp>(loc, lessThan(lhs, bound),
                                               yes ? yes : constant(0),
                                               no ? no : constant(0));
}

SplitIndex IndexBuilder::resolve(SplitIndex index) {
  if (!index.condition)
    return index;
  Value part = builder.createOrFold<arith::SelectOp>(loc, index.condition,
                                                     constant(index.constant),
                                                     constant(index.otherwise));
  return {add(index.value, part), 0};
}

SplitIndex IndexBuilder::sum(SplitIndex lhs, SplitIndex rhs) {
  if (lhs.condition && rhs.condition && lhs.condition != rhs.condition)
    lhs = resolve(lhs);
  auto otherwise = [](const SplitIndex &index) {
    return index.condition ? index.otherwise : index.constant;
  };
  return {add(lhs.value, rhs.value), lhs.constant + rhs.constant,
          lhs.condition ? lhs.condition : rhs.condition,
          otherwise(lhs) + otherwise(rhs)};
}

Value IndexBuilder::toIndex(SplitIndex split) {
  assert(!split.condition && "resolve it first");
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

/// The digits of a number below `bound`, one after the other.
static SmallVector<SplitIndex> mixedDigits(IndexBuilder &index, Value number,
                                           int64_t bound,
                                           ArrayRef<int64_t> radices) {
  SmallVector<SplitIndex> result(radices.size());
  int64_t scale = 1;
  for (size_t i = 0; i < radices.size() && scale < bound; ++i) {
    int64_t left = (bound + scale - 1) / scale;
    Value quotient = index.divide(number, scale, bound);
    // All that is left is the last digit, even if it is too large.
    if (i + 1 == radices.size())
      result[i].value = radices[i] == 1 ? Value() : quotient;
    else
      result[i].value = index.remainder(quotient, radices[i], left);
    scale *= radices[i];
  }
  return result;
}

/// The digits of the sum of a number below `period` and a constant, which are
/// added one by one. None if a carry may go beyond the next digit.
static std::optional<SmallVector<SplitIndex>>
addDigits(IndexBuilder &index, Value number, int64_t period, int64_t constant,
          ArrayRef<int64_t> radices) {
  SmallVector<SplitIndex> result = mixedDigits(index, number, period, radices);
  // The condition that the sum below stays within its radix, null if it always
  // does.
  Value stays;
  int64_t scale = 1;
  for (size_t i = 0; i < radices.size(); ++i) {
    SplitIndex &digit = result[i];
    int64_t most = digit.value ? (period - 1) / scale : 0;
    digit.constant = constant / scale;
    scale *= radices[i];
    // The topmost digit takes all that is left: a round beyond the last number
    // must not alias a valid one.
    bool isLast = i + 1 == radices.size();
    if (!isLast) {
      most = std::min(most, radices[i] - 1);
      digit.constant %= radices[i];
    }
    if (isLast || most + digit.constant + (stays ? 1 : 0) < radices[i]) {
      if (stays) {
        digit.condition = stays;
        digit.otherwise = digit.constant + 1;
      }
      stays = Value();
      continue;
    }
    if (stays)
      return std::nullopt;
    stays = index.lessThan(digit.value, radices[i] - digit.constant);
    digit.condition = stays;
    digit.otherwise = digit.constant - radices[i];
  }
  return result;
}

SmallVector<SplitIndex> digits(IndexBuilder &index, Value number,
                               int64_t period, int64_t round,
                               ArrayRef<int64_t> radices) {
  int64_t constant = round * period;
  if (auto result = addDigits(index, number, period, constant, radices))
    return *result;
  return mixedDigits(index, index.add(number, index.constant(constant)),
                     constant + period, radices);
}

Type coordinateType(const KernelInfo &kernel, mlir::MLIRContext *context) {
  // The runtime sees to it that those of a launch do.
  if (kernel.contraction.runTime)
    return IntegerType::get(context, 32);
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
  if (kernel.contraction.runTime)
    return IntegerType::get(context, kernel.contraction.runTime->offsetBits);
  bool narrow =
      kernel.contraction.span(tensor) + kernel.contraction.offset[tensor] <=
      std::numeric_limits<int32_t>::max() / kernel.numbersOfElement(tensor);
  return IntegerType::get(context, narrow ? 32 : 64);
}

ShapeValues::ShapeValues(const KernelInfo &kernel, Operation *inKernel)
    : kernel(kernel), function(inKernel->getParentOfType<gpu::GPUFuncOp>()) {}

Value ShapeValues::argument(model::RunTimeQuantity quantity, unsigned index,
                            unsigned tensor, bool isReciprocal) const {
  gpu::GPUFuncOp owner = function;
  for (auto [place, argument] : llvm::enumerate(kernel.shapeArguments))
    if (argument.quantity == quantity && argument.index == index &&
        argument.tensor == tensor && argument.isReciprocal == isReciprocal)
      return owner.getArgument(kernel.firstShapeArgument() + place);
  return Value();
}

Divisor ShapeValues::divisor(model::RunTimeQuantity quantity,
                             unsigned index) const {
  return {argument(quantity, index),
          argument(quantity, index, /*tensor=*/0, /*isReciprocal=*/true)};
}

UniformNumber ShapeValues::extent(unsigned index) const {
  return {kernel.contraction.indices[index].extent,
          argument(model::RunTimeQuantity::Extent, index)};
}

UniformNumber ShapeValues::stride(model::Tensor tensor, unsigned index) const {
  return {kernel.contraction.indices[index].stride[tensor] *
              kernel.numbersOfElement(tensor),
          argument(model::RunTimeQuantity::Stride, index,
                   static_cast<unsigned>(tensor))};
}

UniformNumber ShapeValues::offset(model::Tensor tensor) const {
  return {kernel.contraction.offset[tensor] * kernel.numbersOfElement(tensor),
          argument(model::RunTimeQuantity::Offset, 0,
                   static_cast<unsigned>(tensor))};
}

UniformNumber ShapeValues::auxiliaryStride(unsigned number,
                                           unsigned index) const {
  return {kernel.auxiliaries[number].strides[index],
          argument(model::RunTimeQuantity::Stride, index, 3 + number)};
}

UniformNumber ShapeValues::auxiliaryOffset(unsigned number) const {
  return {kernel.auxiliaries[number].offset,
          argument(model::RunTimeQuantity::Offset, 0, 3 + number)};
}

Value threadNumber(OpBuilder &builder, Location loc, Type type) {
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(builder, loc, type, thread);
}

WarpPosition warpPosition(OpBuilder &builder, Location loc,
                          const model::KernelLayout &layout) {
  const model::MultiplyAtom &atom = layout.atom();
  int64_t lanes = atom.threads;
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value thread = threadNumber(builder, loc, index.getType());
  Value lane = index.remainder(thread, lanes);
  int64_t columns = (layout.lanesAlongN ? layout.threadsN : layout.threadsM) /
                    atom.lanes.columns;
  Value warp = layout.threads == lanes ? Value() : index.divide(thread, lanes);
  bool oneRow = layout.threads == lanes * columns;
  WarpPosition position;
  position.laneRow = index.divide(lane, atom.lanes.columns);
  position.laneColumn = index.remainder(lane, atom.lanes.columns);
  position.warpColumn = oneRow ? warp : index.remainder(warp, columns);
  position.warpRow = oneRow ? Value() : index.divide(warp, columns);
  return position;
}

ThreadPosition threadPosition(OpBuilder &builder, Location loc,
                              const model::KernelLayout &layout) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value fast, slow;
  if (layout.isCollective()) {
    const model::LaneGrid &lanes = layout.atom().lanes;
    WarpPosition warp = warpPosition(builder, loc, layout);
    fast = index.add(index.multiply(warp.warpColumn, lanes.columns),
                     warp.laneColumn);
    slow = index.add(index.multiply(warp.warpRow, lanes.rows), warp.laneRow);
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
    SplitIndex &front = local.front();
    front.value = index.multiply(front.value, group);
    front.constant = front.constant * group + within;
    front.otherwise = front.otherwise * group + within;
    return local;
  }
  Value number = index.add(index.multiply(position, group),
                           index.constant(round * threads * group + within));
  int64_t block = 1;
  for (int64_t radix : radices)
    block *= radix;
  return digits(index, number, block, 0, radices);
}

Value keepInPlace(OpBuilder &builder, Location loc, Value number) {
  Type type = number.getType();
  llvm::StringRef constraints = type.isF64()         ? "=d,0"
                                : type.isF32()       ? "=f,0"
                                : type.isInteger(64) ? "=l,0"
                                : type.isInteger(32) ? "=r,0"
                                                     : "";
  if (constraints.empty())
    return number;
  return LLVM::InlineAsmOp::create(
             builder, loc, type, number, /*asm_string=*/"", constraints,
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
             mlir::ArrayAttr())
      .getRes();
}

Value flattenSharedTile(OpBuilder &builder, Location loc, Value sharedTile) {
  auto type = cast<MemRefType>(sharedTile.getType());
  auto flat =
      MemRefType::get({type.getNumElements()}, type.getElementType(),
                      mlir::MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, flat, sharedTile, /*offset=*/0,
      ArrayRef<int64_t>{type.getNumElements()}, ArrayRef<int64_t>{1});
}

int64_t vectorBytes(mlir::VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

} // namespace tc
