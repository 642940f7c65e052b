//===- HostShape.cpp - The shape that a kernel is launched with -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostShape.h"

#include "tc/Problem/ComplexParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace tc;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::ImplicitLocOpBuilder;

namespace {

/// The arithmetic of tc/Gpu/Layout/DynamicShape.h on values of type i64 that
/// are not negative. Constants are folded.
class HostArithmetic {
public:
  explicit HostArithmetic(ImplicitLocOpBuilder &builder) : builder(builder) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(a, b);
  }
  Value multiply(Value a, int64_t b) { return multiply(a, constant(b)); }
  Value ceilDivide(Value a, int64_t divisor) {
    Value most = add(a, constant(divisor - 1));
    return builder.createOrFold<arith::DivUIOp>(most, constant(divisor));
  }
  Value minimum(Value a, int64_t b) {
    return builder.createOrFold<arith::MinSIOp>(a, constant(b));
  }
  /// Nothing is launched where a divisor is zero.
  Value divide(Value a, Value b) {
    return builder.createOrFold<arith::DivUIOp>(a, atLeastOne(b));
  }
  Value remainder(Value a, Value b) {
    return builder.createOrFold<arith::RemUIOp>(a, atLeastOne(b));
  }
  Value atLeastOne(Value a) {
    return builder.createOrFold<arith::MaxSIOp>(a, constant(1));
  }
  /// ceil(2^63 / a), unsigned.
  Value reciprocal(Value a) {
    Value divisor = atLeastOne(a);
    Value most = add(divisor, constant(std::numeric_limits<int64_t>::max()));
    return builder.createOrFold<arith::DivUIOp>(most, divisor);
  }

private:
  ImplicitLocOpBuilder &builder;
};

} // namespace

Value tc::viewAsRepresentative(ImplicitLocOpBuilder &builder, Value buffer,
                               MemRefType type) {
  auto own = cast<MemRefType>(buffer.getType());
  if (own.getShape() == type.getShape() && own.getLayout() == type.getLayout())
    return buffer;
  Value base =
      memref::ExtractStridedMetadataOp::create(builder, buffer).getBaseBuffer();
  auto [strides, offset] = type.getStridesAndOffset();
  auto inMemory = MemRefType::get(type.getShape(), type.getElementType(),
                                  type.getLayout(), own.getMemorySpace());
  return memref::ReinterpretCastOp::create(builder, inMemory, base, offset,
                                           type.getShape(), strides);
}

/// The shape of a contraction's operands, or of what takes the place of C,
/// strides and offsets of complex ones in real numbers.
static model::ShapeNumbers<Value>
shapeOf(ImplicitLocOpBuilder &builder, ContractOp op, ArrayRef<Value> tensors,
        const model::Contraction &contraction, HostArithmetic &arithmetic) {
  model::ShapeNumbers<Value> shape;
  size_t count = contraction.indices.size();
  shape.extents.assign(count, Value());
  shape.strides.assign(tensors.size(), std::vector<Value>(count));
  auto number = [&](int64_t known, Value unknown) -> Value {
    if (!ShapedType::isDynamic(known))
      return arithmetic.constant(known);
    return arith::IndexCastOp::create(builder, builder.getI64Type(), unknown);
  };
  for (unsigned part = 0; part < count; ++part)
    if (model::isPart(contraction, part))
      shape.extents[part] = arithmetic.constant(model::partsOfNumber);
  for (auto [place, buffer, indices] :
       llvm::enumerate(tensors, op.getIndexLists())) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t numbers = isa<mlir::ComplexType>(type.getElementType())
                          ? model::partsOfNumber
                          : 1;
    auto inNumbers = [&](int64_t known, Value unknown) {
      return arithmetic.multiply(number(known, unknown), numbers);
    };
    auto [strides, offset] = type.getStridesAndOffset();
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, buffer);
    shape.offsets.push_back(inNumbers(offset, metadata.getOffset()));
    for (auto [dim, label] : llvm::enumerate(indices)) {
      unsigned index = *contraction.find(label.getValue());
      Value &extent = shape.extents[index];
      int64_t known = type.getDimSize(dim);
      // One operand may know what another does not.
      if (!extent || !ShapedType::isDynamic(known))
        extent = number(known, metadata.getSizes()[dim]);
      Value &stride = shape.strides[place][index];
      Value along = inNumbers(strides[dim], metadata.getStrides()[dim]);
      stride = stride ? arithmetic.add(stride, along) : along;
    }
    if (metadata.use_empty())
      metadata.erase();
  }
  return shape;
}

Value tc::appendShape(ImplicitLocOpBuilder &builder, ContractOp op,
                      ArrayRef<Value> tensors, const KernelInfo &info,
                      SmallVector<Value> &arguments) {
  if (!info.contraction.runTime)
    return arith::ConstantIndexOp::create(builder, info.layout.blocks);
  HostArithmetic arithmetic(builder);
  model::ShapeNumbers<Value> shape =
      shapeOf(builder, op, tensors, info.contraction, arithmetic);
  model::TileLists tiles = model::tileListsOf(info.layout);
  for (const model::RunTimeArgument &argument : info.shapeArguments) {
    Value value = model::valueOf(argument, tiles, shape, arithmetic);
    if (argument.isReciprocal)
      value = arithmetic.reciprocal(value);
    Type type = typeOfArgument(argument, builder.getContext());
    if (value.getType() != type)
      value = builder.createOrFold<arith::TruncIOp>(type, value);
    arguments.push_back(value);
  }
  // Blocks that share a sum have one tile in common.
  Value blocks = arithmetic.multiply(
      model::countBlocks(tiles, shape, arithmetic), info.layout.mapping.splitK);
  return builder.createOrFold<arith::IndexCastOp>(builder.getIndexType(),
                                                  blocks);
}

HostWorkspace tc::sizeWorkspace(ImplicitLocOpBuilder &builder,
                                const model::SharedSums &sums, Value blocks) {
  HostArithmetic arithmetic(builder);
  Value count =
      builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(), blocks);
  Value offset = model::partialsOffset(sums, count, arithmetic);
  Value bytes =
      arithmetic.add(offset, arithmetic.multiply(count, sums.bytesPerBlock));
  auto toIndex = [&](Value number) {
    return builder.createOrFold<arith::IndexCastOp>(builder.getIndexType(),
                                                    number);
  };
  return {toIndex(bytes),
          toIndex(arithmetic.divide(offset, arithmetic.constant(4)))};
}
