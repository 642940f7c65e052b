//===- ParallelLoops.cpp - Work of a team of threads ----------------------===//
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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>

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

void Emitter::shareOut(int64_t end, function_ref<void(Value)> body,
                       bool endsRegion) {
  omp::LoopNestOperands bounds;
  bounds.loopLowerBounds.push_back(constant(0));
  bounds.loopUpperBounds.push_back(constant(end));
  bounds.loopSteps.push_back(constant(1));
  omp::WsloopOperands operands;
  operands.scheduleKind = omp::ClauseScheduleKindAttr::get(
      builder.getContext(), omp::ClauseScheduleKind::Static);
  if (endsRegion)
    operands.nowait = builder.getUnitAttr();
  auto wrapper = omp::WsloopOp::create(builder, operands);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&wrapper.getRegion());
  auto loop = omp::LoopNestOp::create(builder, bounds);
  mlir::Block *block = builder.createBlock(
      &loop.getRegion(), {}, builder.getIndexType(), builder.getLoc());
  body(block->getArgument(0));
  omp::YieldOp::create(builder, ValueRange());
}

void Emitter::barrier() { omp::BarrierOp::create(builder); }

Value Emitter::allocateOnStack(MemRefType type, int64_t alignment) {
  // In a loop, or behind a branch, the stack would grow each time.
  mlir::Region *region = builder.getInsertionBlock()->getParent();
  while (
      !isa<mlir::FunctionOpInterface, omp::ParallelOp>(region->getParentOp()) &&
      region->getParentRegion())
    region = region->getParentRegion();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region->front());
  return mlir::memref::AllocaOp::create(builder, type,
                                        builder.getI64IntegerAttr(alignment));
}

namespace {

/// The index along which a block is cut, so that each thread packs a part of
/// it.
struct Cut {
  /// True for an index of K, false for one of the side; and the index's place
  /// there. All that vary more slowly have blocks of one element.
  bool isK = false;
  size_t place = 0;
  /// Elements that stay together, and how often they go into a whole block.
  int64_t unit = 1, units = 0;
};

} // namespace

/// The cut that can give threads the most equal parts: along the index of K, or
/// of the side, that varies most slowly in the panels.
static Cut chooseCut(const model::CpuLayout &layout,
                     const model::CpuSide &side) {
  Cut best;
  for (bool isK : {false, true}) {
    ArrayRef<model::CpuIndex> indices = isK ? layout.k : side.indices;
    Cut cut;
    cut.isK = isK;
    for (size_t i = 0; i < indices.size(); ++i)
      if (indices[i].tile > 1)
        cut.place = i;
    if (!isK && cut.place == 0)
      cut.unit = side.chunk;
    // Squares that are transposed stay whole.
    if (side.packing == model::Packing::Transpose && side.transposesK == isK &&
        side.transposed == cut.place)
      cut.unit = side.transposedExtent;
    cut.units = indices[cut.place].tile / cut.unit;
    if (cut.units > best.units)
      best = cut;
  }
  return best;
}

/// A buffer from a position on.
static Value startAt(Emitter &emit, Value buffer, Value position) {
  auto type = cast<MemRefType>(buffer.getType());
  auto layout = mlir::StridedLayoutAttr::get(type.getContext(),
                                             mlir::ShapedType::kDynamic, {1});
  return mlir::memref::ReinterpretCastOp::create(
      emit.builder,
      MemRefType::get(type.getShape(), type.getElementType(), layout), buffer,
      mlir::OpFoldResult(position),
      ArrayRef<mlir::OpFoldResult>(
          emit.builder.getIndexAttr(type.getDimSize(0))),
      ArrayRef<mlir::OpFoldResult>(emit.builder.getIndexAttr(1)));
}

void cpu::packTogether(Emitter &emit, const model::CpuLayout &layout,
                       const model::CpuSide &side, Value source, Value base,
                       const Range &range, const Range &k,
                       const SideTables &tables, const PackedBlock &packed) {
  Cut cut = chooseCut(layout, side);
  int64_t parts = std::max<int64_t>(std::min(layout.threads, cut.units), 1);
  emit.shareOut(parts, [&](Value part) {
    const Range &whole = cut.isK ? k : range;
    Value size = whole.sizes[cut.place];
    Value next = emit.add(part, emit.constant(1));
    Value first, ownSize;
    if (auto known = mlir::getConstantIntValue(size);
        known && *known % (parts * cut.unit) == 0) {
      ownSize = emit.constant(*known / parts);
      first = emit.mul(part, ownSize);
    } else {
      // The last part also has the rest that is no whole unit.
      Value units = emit.floorDiv(size, cut.unit);
      auto firstOf = [&](Value part) {
        return emit.mul(emit.floorDiv(emit.mul(part, units), parts), cut.unit);
      };
      first = firstOf(part);
      Value end = arith::SelectOp::create(
          emit.builder, emit.equal(next, emit.constant(parts)), size,
          firstOf(next));
      ownSize = emit.sub(end, first);
    }
    Range own = whole;
    own.origins[cut.place] = emit.add(whole.origins[cut.place], first);
    own.sizes[cut.place] = ownSize;

    // The beginning of the part in the panels, or in the tables of chunks.
    Value begin = first;
    PackedBlock target = packed;
    SideTables ownTables = tables;
    if (cut.isK) {
      for (size_t i = 0; i < cut.place; ++i)
        begin = emit.mul(begin, k.sizes[i]);
      target.buffer = startAt(emit, packed.buffer, emit.mul(begin, side.width));
    } else {
      begin = cut.place == 0
                  ? emit.floorDiv(first, side.chunk)
                  : emit.mul(first, emit.ceilDiv(range.sizes[0], side.chunk));
      for (size_t i = 1; i < cut.place; ++i)
        begin = emit.mul(begin, range.sizes[i]);
      for (Value *table : {&ownTables.counts, &ownTables.places})
        if (*table)
          *table = startAt(emit, *table, begin);
      if (!tables.places)
        target.buffer =
            startAt(emit, packed.buffer, emit.mul(begin, packed.panelStride));
      // Chunks that the last panel lacks are filled once.
      if (!side.hasFullPanels() &&
          mlir::getConstantIntValue(tables.missing) != 0)
        ownTables.missing = arith::SelectOp::create(
            emit.builder, emit.equal(next, emit.constant(parts)),
            tables.missing, emit.constant(0));
    }
    emit.ifThen(emit.lessThan(emit.constant(0), ownSize), [&] {
      packBlock(emit, layout, side, source, base, cut.isK ? range : own,
                cut.isK ? own : k, ownTables, target);
    });
  });
}
