//===- Workspace.cpp - Memory of one contraction --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Panels and tables share one allocation, each part at the begin of a cache
// line. It is checked before anything is written, so that C is as it was where
// memory is short.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "tc/Conversion/TCToCPU/Outlined.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/MathExtras.h"

using namespace tc;
using namespace tc::cpu;
namespace arith = mlir::arith;
namespace cf = mlir::cf;
namespace func = mlir::func;
namespace memref = mlir::memref;

/// Of a cache line and of the widest vectors.
static constexpr int64_t partAlignment = 64;

void Workspace::request(Value &view, Type elementType, int64_t elements) {
  auto type = MemRefType::get({elements}, elementType);
  int64_t width =
      elementType.isIndex() ? 8 : elementType.getIntOrFloatBitWidth() / 8;
  requests.push_back({&view, type, bytes});
  bytes += static_cast<int64_t>(llvm::alignTo(elements * width, partAlignment));
}

void Workspace::allocate() {
  if (requests.empty())
    return;
  auto alloc = memref::AllocOp::create(
      emit.builder, MemRefType::get({bytes}, emit.builder.getI8Type()));
  alloc.setAlignment(partAlignment);
  memory = alloc;
  for (const Request &request : requests)
    *request.view = memref::ViewOp::create(emit.builder, request.type, memory,
                                           emit.constant(request.offset),
                                           mlir::ValueRange());
}

Value Workspace::isAllocated() {
  return memory ? cpu::isAllocated(emit, memory) : emit.boolean(true);
}

void Workspace::free() {
  if (memory)
    memref::DeallocOp::create(emit.builder, memory);
}

Value cpu::isAllocated(Emitter &emit, Value memory) {
  // An aligned address of none is none.
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(emit.builder, memory);
  return arith::CmpIOp::create(emit.builder, arith::CmpIPredicate::ne, address,
                               emit.constant(0));
}

void cpu::requireMemory(Emitter &emit, Value condition,
                        ArrayRef<Value> allocated) {
  require(emit, condition, memoryFailure, allocated);
}

void cpu::require(Emitter &emit, Value condition, const CallFailure &failure,
                  ArrayRef<Value> allocated) {
  ImplicitLocOpBuilder &builder = emit.builder;
  mlir::Block *block = builder.getInsertionBlock();
  if (!isa<func::FuncOp>(block->getParentOp()) ||
      !block->getParentOp()->hasAttr(outlinedAttrName)) {
    cf::AssertOp::create(builder, condition, failure.message);
    return;
  }
  SmallVector<Value> freed(allocated);
  for (Operation &op :
       llvm::make_range(builder.getInsertionPoint(), block->end()))
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      freed.push_back(dealloc.getMemref());
  mlir::Block *rest = block->splitBlock(builder.getInsertionPoint());
  mlir::Block *leaving = builder.createBlock(rest);
  for (Value memory : freed)
    memref::DeallocOp::create(builder, memory);
  Value number = arith::ConstantOp::create(
      builder, builder.getI32IntegerAttr(static_cast<int32_t>(failure.status)));
  func::ReturnOp::create(builder, number);
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, condition, rest, leaving);
  builder.setInsertionPointToStart(rest);
}
