//===- PartsView.cpp - Other views of buffers -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No upstream operation views a buffer with another element type or another
// base pointer, so this builds the descriptor that the buffer will have in the
// LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Utils/PartsView.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tc;
using mlir::ShapedType;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace NVVM = mlir::NVVM;

/// The number of a buffer's address space in the LLVM dialect.
static unsigned addressSpaceOf(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (auto number = dyn_cast_or_null<mlir::IntegerAttr>(type.getMemorySpace()))
    return number.getInt();
  return space && space.getValue() == gpu::AddressSpace::Global
             ? static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)
             : 0;
}

/// A pointer to so many bytes beyond a buffer's base pointer.
static Value basePointer(OpBuilder &builder, Location loc, Value buffer,
                         Value bytes = Value()) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  if (bytes)
    address = arith::AddIOp::create(builder, loc, address, bytes);
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  auto type = LLVM::LLVMPointerType::get(
      builder.getContext(), addressSpaceOf(cast<MemRefType>(buffer.getType())));
  return LLVM::IntToPtrOp::create(builder, loc, type, number);
}

/// A buffer at an address, as its descriptor: two pointers, the offset and,
/// unless it is a scalar, extents and strides.
static Value atAddress(OpBuilder &builder, Location loc, Value pointer,
                       MemRefType type) {
  Type number = builder.getI64Type();
  SmallVector<Type> fields = {pointer.getType(), pointer.getType(), number};
  if (type.getRank() > 0)
    fields.append(2, LLVM::LLVMArrayType::get(number, type.getRank()));
  auto structType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(builder, loc, structType);
  auto insert = [&](Value field, ArrayRef<int64_t> place) {
    descriptor =
        LLVM::InsertValueOp::create(builder, loc, descriptor, field, place);
  };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(value));
  };
  auto [strides, offset] = type.getStridesAndOffset();
  insert(pointer, 0);
  insert(pointer, 1);
  insert(constant(offset), 2);
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    insert(constant(extent), {3, static_cast<int64_t>(dim)});
  // Along an extent of one, a stride may be unknown and is of no account.
  for (auto [dim, stride] : llvm::enumerate(strides))
    insert(constant(ShapedType::isDynamic(stride) ? 1 : stride),
           {4, static_cast<int64_t>(dim)});
  return mlir::UnrealizedConversionCastOp::create(builder, loc, type,
                                                  descriptor)
      .getResult(0);
}

Value tc::withKnownOffset(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  if (!ShapedType::isDynamic(offset))
    return buffer;
  // Code of the host reaches it by a plain pointer.
  if (llvm::isa_and_nonnull<gpu::AddressSpaceAttr>(type.getMemorySpace())) {
    type = MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
    buffer = memref::MemorySpaceCastOp::create(builder, loc, type, buffer);
  }
  int64_t distance = offsetFromLowest(type);
  Value first = memref::ExtractStridedMetadataOp::create(builder, loc, buffer)
                    .getOffset();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value lowest = first;
  if (distance > 0)
    lowest = arith::SubIOp::create(builder, loc, first, constant(distance));
  int64_t width = model::byteWidth(*getModelElementType(type.getElementType()));
  Value bytes = arith::MulIOp::create(builder, loc, lowest, constant(width));
  auto layout =
      mlir::StridedLayoutAttr::get(type.getContext(), distance, strides);
  return atAddress(builder, loc, basePointer(builder, loc, buffer, bytes),
                   MemRefType::get(type.getShape(), type.getElementType(),
                                   layout, type.getMemorySpace()));
}

Value tc::firstElement(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t width = model::byteWidth(*getModelElementType(type.getElementType()));
  Value bytes;
  if (int64_t offset = type.getStridesAndOffset().second;
      ShapedType::isDynamic(offset))
    bytes = arith::MulIOp::create(
        builder, loc,
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer)
            .getOffset(),
        arith::ConstantIndexOp::create(builder, loc, width));
  else if (offset != 0)
    bytes = arith::ConstantIndexOp::create(builder, loc, offset * width);
  return atAddress(builder, loc, basePointer(builder, loc, buffer, bytes),
                   MemRefType::get({}, type.getElementType()));
}

Value tc::bufferAt(OpBuilder &builder, Location loc, Value buffer,
                   int64_t bytes, MemRefType type) {
  Value distance = bytes == 0
                       ? Value()
                       : arith::ConstantIndexOp::create(builder, loc, bytes);
  return atAddress(builder, loc, basePointer(builder, loc, buffer, distance),
                   type);
}

Value tc::viewParts(OpBuilder &builder, Location loc, Value buffer,
                    int64_t size) {
  auto type = cast<MemRefType>(buffer.getType());
  auto complexType = dyn_cast<mlir::ComplexType>(type.getElementType());
  if (!complexType) {
    auto flat = MemRefType::get({size}, type.getElementType(),
                                mlir::MemRefLayoutAttrInterface(),
                                type.getMemorySpace());
    return memref::ReinterpretCastOp::create(
        builder, loc, flat, buffer, /*offset=*/0, ArrayRef<int64_t>{size},
        ArrayRef<int64_t>{1});
  }
  auto flat =
      MemRefType::get({size}, complexType.getElementType(),
                      mlir::MemRefLayoutAttrInterface(), type.getMemorySpace());
  return atAddress(builder, loc, basePointer(builder, loc, buffer), flat);
}
