//===- MultiplyBlocks.cpp - The macro-kernel and the micro-kernel ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The macro-kernel walks the panels of two packed blocks. The micro-kernel
// multiplies two panels by outer products, with the register tile of C in
// vector registers, and updates C in place: by whole vectors where C's rows are
// contiguous and the tile is full, else through a buffer of the tile's size.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
using namespace tc::cpu;
using mlir::VectorType;
using model::CpuLayout;
using model::CpuSchedule;
using model::CpuSide;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

class MicroKernel {
public:
  MicroKernel(Emitter &emit, const CpuLayout &layout,
              const CpuSchedule &schedule, const PackedBlock &rowBlock,
              const SideTables &rowTables, const PackedBlock &columnBlock,
              const SideTables &columnTables, Value depth,
              const OutputUpdate &output)
      : emit(emit), builder(emit.builder), rows(layout.rows),
        columns(layout.columns), rowBlock(rowBlock), columnBlock(columnBlock),
        rowTables(rowTables), columnTables(columnTables), depth(depth),
        output(output), lanes(schedule.lanes),
        vectors(schedule.registerRows / schedule.lanes) {
    elementType = cast<MemRefType>(output.tensor.getType()).getElementType();
    vectorType = VectorType::get({lanes}, elementType);
  }

  /// One tile, by the numbers of its panels, and, if the loop over
  /// panels of columns is the outer one, the number of the next of those.
  void run(Value rowPanel, Value columnPanel, Value nextColumns);

private:
  int64_t strideInC(const CpuSide &side) const {
    return side.indices.front().stride[model::Tensor::C];
  }
  /// Whether C is updated by whole vectors, or halves, where a tile is full.
  bool updatesVectors() const {
    return strideInC(rows) == 1 && rows.chunk * 2 >= lanes;
  }
  SmallVector<Value> multiply(Value rowPanel, Value columnPanel,
                              Value nextColumns);
  Value isFull(const CpuSide &side, const SideTables &tables, Value panel);
  Value chunkEntry(const CpuSide &side, Value table, Value panel,
                   int64_t element);
  /// The position in C of a column's elements, those of the rows aside.
  Value columnOffset(Value panel, int64_t column);
  void prefetchOutput(Value rowPanel, Value columnPanel);
  void storeVectors(ArrayRef<Value> sums, Value rowPanel, Value columnPanel,
                    bool streams);
  void storeThroughScratch(ArrayRef<Value> sums, Value rowPanel,
                           Value columnPanel);
  /// Stores what `combine` makes of the old element or elements and the new.
  void update(Value sum, Value position, bool streams);
  Value splat(Value scalar, Type type) {
    return isa<VectorType>(type)
               ? vector::BroadcastOp::create(builder, type, scalar).getResult()
               : scalar;
  }

  Emitter &emit;
  ImplicitLocOpBuilder &builder;
  const CpuSide &rows, &columns;
  const PackedBlock &rowBlock, &columnBlock;
  const SideTables &rowTables, &columnTables;
  Value depth;
  const OutputUpdate &output;
  int64_t lanes, vectors;
  Type elementType;
  VectorType vectorType;
};

} // namespace

SmallVector<Value> MicroKernel::multiply(Value rowPanel, Value columnPanel,
                                         Value nextColumns) {
  Value rowStart = emit.mul(rowPanel, rowBlock.panelStride);
  Value columnStart = emit.mul(columnPanel, columnBlock.panelStride);
  Value nextStart;
  if (nextColumns)
    nextStart = emit.mul(nextColumns, columnBlock.panelStride);
  Value zero = arith::ConstantOp::create(builder, vectorType,
                                         builder.getZeroAttr(vectorType));
  SmallVector<Value> sums(columns.width * vectors, zero);
  auto loop = scf::ForOp::create(builder, emit.constant(0), depth,
                                 emit.constant(1), sums);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  // The next panel of columns may lie in the third cache.
  if (nextColumns)
    emit.prefetch(columnBlock.buffer,
                  emit.add(nextStart, emit.mul(k, columns.width)),
                  /*isWrite=*/false);
  Value row = emit.add(rowStart, emit.mul(k, rows.width));
  Value column = emit.add(columnStart, emit.mul(k, columns.width));
  SmallVector<Value> left;
  for (int64_t v = 0; v < vectors; ++v)
    left.push_back(emit.loadVector(
        rowBlock.buffer, emit.add(row, emit.constant(v * lanes)), lanes));
  for (int64_t j = 0; j < columns.width; ++j) {
    Value right =
        splat(emit.load(columnBlock.buffer, emit.add(column, emit.constant(j))),
              vectorType);
    for (int64_t v = 0; v < vectors; ++v) {
      int64_t i = j * vectors + v;
      sums[i] = vector::FMAOp::create(builder, left[v], right,
                                      loop.getRegionIterArg(i));
    }
  }
  scf::YieldOp::create(builder, sums);
  return SmallVector<Value>(loop.getResults());
}

Value MicroKernel::chunkEntry(const CpuSide &side, Value table, Value panel,
                              int64_t element) {
  return emit.load(table, emit.add(emit.mul(panel, side.chunksPerPanel()),
                                   emit.constant(element / side.chunk)));
}

Value MicroKernel::columnOffset(Value panel, int64_t column) {
  Value chunk = chunkEntry(columns, columnTables.outputOffsets, panel, column);
  return emit.add(output.base,
                  emit.add(chunk, emit.constant(column % columns.chunk *
                                                strideInC(columns))));
}

Value MicroKernel::isFull(const CpuSide &side, const SideTables &tables,
                          Value panel) {
  Value count = emit.constant(0);
  for (int64_t element = 0; element < side.width; element += side.chunk)
    count = emit.add(count, chunkEntry(side, tables.counts, panel, element));
  return emit.equal(count, emit.constant(side.width));
}

void MicroKernel::update(Value sum, Value position, bool streams) {
  auto type = dyn_cast<VectorType>(sum.getType());
  auto store = [&](Value value) {
    if (!type)
      return emit.store(value, output.tensor, position);
    auto op = vector::StoreOp::create(builder, value, output.tensor, position);
    if (!streams)
      return;
    op.setNontemporal(true);
    op.setAlignment(type.getNumElements() *
                    elementType.getIntOrFloatBitWidth() / 8);
  };
  auto accumulate = [&] {
    Value old =
        type ? emit.loadVector(output.tensor, position, type.getNumElements())
             : emit.load(output.tensor, position);
    Value factor = splat(output.beta, sum.getType());
    // One rounding, whether the tile is full or not.
    store(mlir::LLVM::FMAOp::create(builder, factor, old, sum));
  };
  if (output.alwaysReads)
    return accumulate();
  if (!output.reads)
    return store(sum);
  emit.ifThenElse(output.reads, accumulate, [&] { store(sum); });
}

void MicroKernel::storeVectors(ArrayRef<Value> sums, Value rowPanel,
                               Value columnPanel, bool streams) {
  SmallVector<Value> rowOffsets;
  for (int64_t row = 0; row < rows.width; row += rows.chunk)
    rowOffsets.push_back(
        chunkEntry(rows, rowTables.outputOffsets, rowPanel, row));
  for (int64_t j = 0; j < columns.width; ++j) {
    Value column = columnOffset(columnPanel, j);
    for (int64_t row = 0; row < rows.width; row += rows.chunk) {
      Value sum = sums[j * vectors + row / lanes];
      if (rows.chunk < lanes)
        sum = vector::ExtractStridedSliceOp::create(
            builder, sum, ArrayRef<int64_t>{row % lanes},
            ArrayRef<int64_t>{rows.chunk}, ArrayRef<int64_t>{1});
      update(sum, emit.add(column, rowOffsets[row / rows.chunk]), streams);
    }
  }
}

void MicroKernel::storeThroughScratch(ArrayRef<Value> sums, Value rowPanel,
                                      Value columnPanel) {
  for (auto [i, sum] : llvm::enumerate(sums))
    emit.storeVector(sum, output.scratch,
                     emit.constant(static_cast<int64_t>(i) * lanes));
  auto forChunks =
      [&](const CpuSide &side, const SideTables &tables, Value panel,
          function_ref<void(Value first, Value offset, Value count)> body) {
        emit.loop(emit.constant(side.chunksPerPanel()), [&](Value chunk) {
          Value number =
              emit.add(emit.mul(panel, side.chunksPerPanel()), chunk);
          body(emit.mul(chunk, side.chunk),
               emit.load(tables.outputOffsets, number),
               emit.load(tables.counts, number));
        });
      };
  auto updateElement = [&](Value from, Value to) {
    update(emit.load(output.scratch, from), to, /*streams=*/false);
  };
  auto updateRows = [&](Value from, Value to, Value count) {
    auto byElement = [&] {
      emit.loop(count, [&](Value lane) {
        updateElement(emit.add(from, lane),
                      emit.add(to, emit.mul(lane, strideInC(rows))));
      });
    };
    if (strideInC(rows) != 1 || rows.chunk == 1)
      return byElement();
    emit.ifThenElse(
        emit.equal(count, emit.constant(rows.chunk)),
        [&] {
          update(emit.loadVector(output.scratch, from, rows.chunk), to,
                 /*streams=*/false);
        },
        byElement);
  };
  forChunks(columns, columnTables, columnPanel,
            [&](Value firstColumn, Value columnOffset, Value columnCount) {
              emit.loop(columnCount, [&](Value lane) {
                Value from = emit.mul(emit.add(firstColumn, lane), rows.width);
                Value to = emit.add(
                    output.base,
                    emit.add(columnOffset, emit.mul(lane, strideInC(columns))));
                forChunks(rows, rowTables, rowPanel,
                          [&](Value firstRow, Value rowOffset, Value rowCount) {
                            updateRows(emit.add(from, firstRow),
                                       emit.add(to, rowOffset), rowCount);
                          });
              });
            });
}

void MicroKernel::prefetchOutput(Value rowPanel, Value columnPanel) {
  for (int64_t j = 0; j < columns.width; ++j) {
    Value column = columnOffset(columnPanel, j);
    for (int64_t row = 0; row < rows.width; row += rows.chunk)
      emit.prefetch(output.tensor,
                    emit.add(column, chunkEntry(rows, rowTables.outputOffsets,
                                                rowPanel, row)),
                    /*isWrite=*/true);
  }
}

void MicroKernel::run(Value rowPanel, Value columnPanel, Value nextColumns) {
  // Stores through the caches need C's lines to be there.
  if (updatesVectors() && !output.streams)
    prefetchOutput(rowPanel, columnPanel);
  SmallVector<Value> sums = multiply(rowPanel, columnPanel, nextColumns);
  if (output.alpha) {
    Value alpha = splat(output.alpha, vectorType);
    for (Value &sum : sums)
      sum = arith::MulFOp::create(builder, alpha, sum);
  }
  if (!updatesVectors())
    return storeThroughScratch(sums, rowPanel, columnPanel);
  Value full =
      arith::AndIOp::create(builder, isFull(rows, rowTables, rowPanel),
                            isFull(columns, columnTables, columnPanel));
  emit.ifThenElse(
      full,
      [&] {
        if (!output.streams)
          return storeVectors(sums, rowPanel, columnPanel, /*streams=*/false);
        emit.ifThenElse(
            output.streams,
            [&] { storeVectors(sums, rowPanel, columnPanel, true); },
            [&] { storeVectors(sums, rowPanel, columnPanel, false); });
      },
      [&] { storeThroughScratch(sums, rowPanel, columnPanel); });
}

void cpu::multiplyBlocks(Emitter &emit, const CpuLayout &layout,
                         const CpuSchedule &schedule, const PackedBlock &rows,
                         const SideTables &rowTables,
                         const PackedBlock &columns,
                         const SideTables &columnTables, Value depth,
                         const OutputUpdate &output) {
  MicroKernel kernel(emit, layout, schedule, rows, rowTables, columns,
                     columnTables, depth, output);
  auto walk = [&](Value outerPanels, Value innerPanels,
                  function_ref<void(Value, Value)> body) {
    emit.loop(outerPanels, [&](Value outer) {
      emit.loop(innerPanels, [&](Value inner) { body(outer, inner); });
    });
  };
  if (schedule.columnsInnermost)
    walk(rowTables.panels, columnTables.panels,
         [&](Value rowPanel, Value columnPanel) {
           kernel.run(rowPanel, columnPanel, Value());
         });
  else
    walk(columnTables.panels, rowTables.panels,
         [&](Value columnPanel, Value rowPanel) {
           Value last = emit.sub(columnTables.panels, emit.constant(1));
           Value next = emit.min(emit.add(columnPanel, emit.constant(1)), last);
           kernel.run(rowPanel, columnPanel, next);
         });
}
