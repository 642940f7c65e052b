//===- PartsView.cpp - Complex buffers as real ones -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No upstream operation views a buffer with another element type, so this
// builds the descriptor that the buffer will have in the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/PartsView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace NVVM = mlir::NVVM;

/// The number of a buffer's address space in the LLVM dialect.
static unsigned addressSpaceOf(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Global
             ? static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)
             : 0;
}

/// A buffer of one dimension at an address, as its descriptor: two pointers,
/// the offset, the extent and the stride.
static Value atAddress(OpBuilder &builder, Location loc, Value pointer,
                       MemRefType type) {
  Type number = builder.getI64Type();
  Type numbers = LLVM::LLVMArrayType::get(number, 1);
  auto structType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      {pointer.getType(), pointer.getType(), number, numbers, numbers});
  Value descriptor = LLVM::PoisonOp::create(builder, loc, structType);
  auto insert = [&](Value field, ArrayRef<int64_t> place) {
    descriptor =
        LLVM::InsertValueOp::create(builder, loc, descriptor, field, place);
  };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(value));
  };
  insert(pointer, 0);
  insert(pointer, 1);
  insert(constant(0), 2);
  insert(constant(type.getDimSize(0)), {3, 0});
  insert(constant(1), {4, 0});
  return mlir::UnrealizedConversionCastOp::create(builder, loc, type,
                                                  descriptor)
      .getResult(0);
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
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value address =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), base);
  auto pointerType =
      LLVM::LLVMPointerType::get(builder.getContext(), addressSpaceOf(type));
  Value pointer = LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
  return atAddress(builder, loc, pointer, flat);
}
