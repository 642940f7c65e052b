//===- ParallelLoops.cpp - What a team of threads does --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regions and loops of OpenMP, and the packing of panels that threads share.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

using namespace tc;
using namespace tc::cpu;
namespace arith = mlir::arith;
namespace omp = mlir::omp;

void Emitter::parallel(int64_t threads, function_ref<void()> body) {
  omp::ParallelOperands operands;
  operands.numThreads = arith::ConstantOp::create(
      builder, builder.getI32IntegerAttr(static_cast<int32_t>(threads)));
  auto region = omp::ParallelOp::create(builder, operands);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region.getRegion());
  body();
  omp::TerminatorOp::create(builder);
}

void Emitter::shareOut(int64_t end, function_ref<void(Value)> body) {
  omp::LoopNestOperands bounds;
  bounds.loopLowerBounds.push_back(constant(0));
  bounds.loopUpperBounds.push_back(constant(end));
  bounds.loopSteps.push_back(constant(1));
  omp::WsloopOperands operands;
  operands.scheduleKind = omp::ClauseScheduleKindAttr::get(
      builder.getContext(), omp::ClauseScheduleKind::Static);
  auto wrapper = omp::WsloopOp::create(builder, operands);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&wrapper.getRegion());
  auto loop = omp::LoopNestOp::create(builder, bounds);
  mlir::Block *block = builder.createBlock(
      &loop.getRegion(), {}, builder.getIndexType(), builder.getLoc());
  body(block->getArgument(0));
  omp::YieldOp::create(builder, ValueRange());
}

void cpu::packTogether(Emitter &emit, const model::CpuLayout &layout,
                       const model::CpuSide &side, Value source, Value base,
                       const Range &range, const Range &k,
                       const SideTables &tables, const PackedBlock &packed) {
  emit.shareOut(1, [&](Value) {
    packBlock(emit, layout, side, source, base, range, k, tables, packed);
  });
}
