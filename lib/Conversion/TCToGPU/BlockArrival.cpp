//===- BlockArrival.cpp - Blocks that count themselves in -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockArrival.h"
#include "TileIndexing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace LLVM = mlir::LLVM;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ValueRange;

/// Orders what the thread, and those that it has waited for at a barrier, have
/// done before what they do next, for all blocks.
static void fence(OpBuilder &builder, Location loc) {
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel, "device");
}

/// Counts the block in; whether it is the last of so many. The count wraps
/// around to zero by then, which the next launch begins with.
static Value arrive(OpBuilder &builder, Location loc, Value workspace,
                    Value counter, Value blocks) {
  IndexBuilder index(builder, loc, builder.getIndexType());
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext(), 1);
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, workspace);
  Value address =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                 index.add(base, index.multiply(counter, 4)));
  Value pointer = LLVM::IntToPtrOp::create(builder, loc, pointerType, address);
  IndexBuilder count(builder, loc, builder.getI32Type());
  Value last = count.add(blocks, count.constant(-1));
  Value before = LLVM::AtomicRMWOp::create(
      builder, loc, LLVM::AtomicBinOp::uinc_wrap, pointer, last,
      LLVM::AtomicOrdering::monotonic, "device");
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, before,
                               last);
}

Value tc::arriveAtCounter(OpBuilder &builder, Location loc, Value workspace,
                          Value counter, Value blocks,
                          llvm::function_ref<void()> before) {
  IndexBuilder index(builder, loc, builder.getIndexType());
  // Shared memory has been read by then, so that its place is free.
  gpu::BarrierOp::create(builder, loc);
  auto workgroup = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Value shared = gpu::DynamicSharedMemoryOp::create(
      builder, loc,
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup));
  Value zero = index.constant(0);
  Value flag = memref::ViewOp::create(
      builder, loc,
      MemRefType::get({1}, builder.getI32Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup),
      shared, zero, ValueRange());
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, zero);
  auto guarded =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    if (before)
      before();
    fence(builder, loc);
    Value isLast = arrive(builder, loc, workspace, counter, blocks);
    fence(builder, loc);
    memref::StoreOp::create(
        builder, loc,
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), isLast),
        flag, ValueRange{zero});
  }
  gpu::BarrierOp::create(builder, loc);
  IndexBuilder word(builder, loc, builder.getI32Type());
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      memref::LoadOp::create(builder, loc, flag, ValueRange{zero}),
      word.constant(0));
}
