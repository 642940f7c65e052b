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

#include "tc/Cpu/CpuStores.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
        output(output), products(layout.products),
        numbers(output.numbersOfElement()), lanes(schedule.lanes),
        joinsColumns(output.streamedElements > layout.rows.chunk),
        vectors(schedule.registerRows / schedule.lanes),
        updater(emit, output, layout.rows.indices.front()),
        vectorType(VectorType::get({lanes}, output.sumType)) {}

  /// One tile, by the numbers of its panels, and, if the loop over
  /// panels of columns is the outer one, the number of the next of those.
  void run(Value rowPanel, Value columnPanel, Value nextColumns);

private:
  using Positions = OutputUpdater::Positions;

  /// The distance of neighbours along a chunk.
  static int64_t strideIn(const OutputTensor &tensor, const CpuSide &side) {
    return tensor.strideOf(side.indices.front());
  }
  int64_t strideInC(const CpuSide &side) const {
    return strideIn(output.tensors.front(), side);
  }
  /// Returns true if C is updated by whole vectors, or halves, where a tile is
  /// full. Code that calls functions is long, and stands in a loop.
  bool updatesVectors() const {
    return strideInC(rows) == 1 && rows.chunk * 2 >= lanes &&
           !(output.epilogue && callsFunctions(*output.epilogue));
  }
  /// Adds what is in `b` and `lane` times the stride along a side.
  Positions move(const Positions &a, const Positions &b) const;
  Positions move(const Positions &a, Value lane, const CpuSide &side) const;
  Positions chunkOffsets(const SideTables &tables, Value number) const;
  /// The sums of a tile, by columns and by vectors of rows; none where parts of
  /// complex numbers have been left in OutputUpdate::partSums.
  SmallVector<Value> multiply(Value rowPanel, Value columnPanel,
                              Value nextColumns);
  /// Adds the products of two panels, or one of the products of complex
  /// numbers, if it is given.
  SmallVector<Value> addProducts(Value rowPanel, Value columnPanel,
                                 Value nextColumns, Value product,
                                 SmallVector<Value> sums);
  Value placeOfPart(size_t number, Value part);
  void storeParts(ArrayRef<Value> sums, Value part);
  Value loadPart(size_t number, Value part);
  /// Of a tile's sums, times alpha, those of that number. Parts of complex
  /// numbers are side by side.
  Value sumOf(ArrayRef<Value> sums, size_t number);
  Value isFull(const CpuSide &side, const SideTables &tables, Value panel);
  /// The number in its block of the chunk that holds a panel's element.
  Value chunkNumber(const CpuSide &side, Value panel, int64_t element) const;
  /// The positions of a column's elements, those of the rows aside.
  Positions columnPositions(Value panel, int64_t column) const;
  Positions bases() const;
  void prefetchOutput(Value rowPanel, Value columnPanel);
  Value placeOfSums(Value rowPanel, Value columnPanel, size_t number);
  SmallVector<Value> addWaitingSums(ArrayRef<Value> sums, Value rowPanel,
                                    Value columnPanel);
  /// Updates C with a tile's sums, all products being in them as far as C can
  /// tell.
  void updateTile(ArrayRef<Value> sums, Value rowPanel, Value columnPanel);
  Value cutOut(ArrayRef<Value> sums, int64_t row, int64_t column);
  Value join(ArrayRef<Value> sums, int64_t row, int64_t column);
  void storeVectors(ArrayRef<Value> sums, Value rowPanel, Value columnPanel,
                    bool streams);
  void storeVectors(OutputUpdater &updating, ArrayRef<Value> sums,
                    Value rowPanel, Value columnPanel, bool streams);
  void storeThroughScratch(ArrayRef<Value> sums, Value rowPanel,
                           Value columnPanel);
  Value splat(Value scalar, Type type) {
    return vector::BroadcastOp::create(builder, type, scalar);
  }

  Emitter &emit;
  ImplicitLocOpBuilder &builder;
  const CpuSide &rows, &columns;
  const PackedBlock &rowBlock, &columnBlock;
  const SideTables &rowTables, &columnTables;
  Value depth;
  const OutputUpdate &output;
  /// Real products for one of the elements, and numbers that these have in C.
  int64_t products, numbers;
  int64_t lanes;
  /// True if streaming stores hold elements of more than one column.
  bool joinsColumns;
  int64_t vectors;
  OutputUpdater updater;
  VectorType vectorType;
};

} // namespace

SmallVector<Value> MicroKernel::multiply(Value rowPanel, Value columnPanel,
                                         Value nextColumns) {
  Value zero = arith::ConstantOp::create(
      builder, getEmptySum(output.semiring, vectorType));
  SmallVector<Value> zeros(columns.width * vectors, zero);
  if (products == 1)
    return addProducts(rowPanel, columnPanel, nextColumns, Value(),
                       std::move(zeros));
  // The sums of the first product are where those of the others begin, the
  // imaginary and the real parts. They wait in memory: registers are full.
  storeParts(zeros, emit.constant(0));
  emit.loop(emit.constant(products), [&](Value product) {
    SmallVector<Value> sums;
    for (size_t i = 0; i < zeros.size(); ++i)
      sums.push_back(loadPart(i, emit.constant(0)));
    sums = addProducts(rowPanel, columnPanel, nextColumns, product,
                       std::move(sums));
    storeParts(sums, emit.remainder(product, model::partsOfNumber));
  });
  return {};
}

/// The position of some vector of sums among those of one part.
Value MicroKernel::placeOfPart(size_t number, Value part) {
  Value first = emit.mul(part, rows.width * columns.width);
  return emit.add(first, emit.constant(static_cast<int64_t>(number) * lanes));
}

void MicroKernel::storeParts(ArrayRef<Value> sums, Value part) {
  for (auto [i, sum] : llvm::enumerate(sums))
    emit.storeVector(sum, output.partSums, placeOfPart(i, part));
}

Value MicroKernel::loadPart(size_t number, Value part) {
  return emit.loadVector(output.partSums, placeOfPart(number, part), lanes);
}

Value MicroKernel::sumOf(ArrayRef<Value> sums, size_t number) {
  Value sum = products == 1 ? sums[number]
                            : joinNumbers(builder, builder.getLoc(),
                                          loadPart(number, emit.constant(0)),
                                          loadPart(number, emit.constant(1)));
  return updater.timesAlpha(sum);
}

SmallVector<Value> MicroKernel::addProducts(Value rowPanel, Value columnPanel,
                                            Value nextColumns, Value product,
                                            SmallVector<Value> sums) {
  auto startOf = [&](const PackedBlock &block, Value panel) {
    Value start = emit.mul(panel, block.panelStride);
    return product ? emit.add(start, emit.mul(block.factorStride, product))
                   : start;
  };
  Value rowStart = startOf(rowBlock, rowPanel);
  Value columnStart = startOf(columnBlock, columnPanel);
  auto step = [&](Value k, SmallVectorImpl<Value> &sums) {
    Value row = emit.add(rowStart, emit.mul(k, rows.width));
    Value column = emit.add(columnStart, emit.mul(k, columns.width));
    SmallVector<Value> left;
    for (int64_t v = 0; v < vectors; ++v)
      left.push_back(emit.loadVector(
          rowBlock.buffer, emit.add(row, emit.constant(v * lanes)), lanes));
    for (int64_t j = 0; j < columns.width; ++j) {
      Value right = splat(
          emit.load(columnBlock.buffer, emit.add(column, emit.constant(j))),
          vectorType);
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = sums[j * vectors + v];
        Value factors[] = {left[v], right};
        if (rows.input == model::Tensor::B)
          std::swap(factors[0], factors[1]);
        sum = accumulate(builder, builder.getLoc(), output.semiring, factors[0],
                         factors[1], sum);
      }
    }
  };
  auto loopOverSteps = [&](Value begin, Value end, int64_t unrolled,
                           function_ref<void(Value)> before) {
    auto loop =
        scf::ForOp::create(builder, begin, end, emit.constant(unrolled), sums);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    before(k);
    sums.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
    for (int64_t i = 0; i < unrolled; ++i)
      step(emit.add(k, emit.constant(i)), sums);
    scf::YieldOp::create(builder, sums);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  };
  // As many steps at once as make the loop's own instructions few.
  constexpr int64_t unrolled = 2;
  Value rounds = emit.floorDiv(depth, unrolled);
  Value unrolledEnd = emit.mul(rounds, unrolled);
  // The next panel of columns may lie in the third cache. As many panels of
  // rows as steps are unrolled fetch a part each.
  Value fetched;
  if (nextColumns) {
    Value part = emit.mul(emit.remainder(rowPanel, unrolled), rounds);
    fetched = emit.add(startOf(columnBlock, nextColumns),
                       emit.mul(part, columns.width));
  }
  loopOverSteps(emit.constant(0), unrolledEnd, unrolled, [&](Value k) {
    if (!fetched)
      return;
    // One line for each round: a multiple of the step, which loops can carry.
    Value line = columns.width % unrolled == 0
                     ? emit.mul(k, columns.width / unrolled)
                     : emit.mul(emit.floorDiv(k, unrolled), columns.width);
    emit.prefetch(columnBlock.buffer, emit.add(fetched, line),
                  /*isWrite=*/false);
  });
  if (mlir::getConstantIntValue(emit.sub(depth, unrolledEnd)) != 0)
    loopOverSteps(unrolledEnd, depth, 1, [](Value) {});
  return sums;
}

MicroKernel::Positions MicroKernel::move(const Positions &a,
                                         const Positions &b) const {
  Positions moved;
  for (auto [from, by] : llvm::zip_equal(a, b))
    moved.push_back(emit.add(from, by));
  return moved;
}

MicroKernel::Positions MicroKernel::move(const Positions &a, Value lane,
                                         const CpuSide &side) const {
  Positions moved;
  for (auto [from, tensor] : llvm::zip_equal(a, output.tensors))
    moved.push_back(emit.add(from, emit.mul(lane, strideIn(tensor, side))));
  return moved;
}

MicroKernel::Positions MicroKernel::chunkOffsets(const SideTables &tables,
                                                 Value number) const {
  Positions offsets;
  for (Value table : tables.outputOffsets)
    offsets.push_back(table ? emit.load(table, number) : emit.constant(0));
  return offsets;
}

MicroKernel::Positions MicroKernel::bases() const {
  return llvm::map_to_vector(
      output.tensors, [](const OutputTensor &tensor) { return tensor.base; });
}

Value MicroKernel::chunkNumber(const CpuSide &side, Value panel,
                               int64_t element) const {
  return emit.add(emit.mul(panel, side.chunksPerPanel()),
                  emit.constant(element / side.chunk));
}

MicroKernel::Positions MicroKernel::columnPositions(Value panel,
                                                    int64_t column) const {
  Positions chunk = move(
      bases(), chunkOffsets(columnTables, chunkNumber(columns, panel, column)));
  return move(chunk, emit.constant(column % columns.chunk), columns);
}

Value MicroKernel::isFull(const CpuSide &side, const SideTables &tables,
                          Value panel) {
  if (!tables.counts)
    return emit.boolean(true);
  Value count = emit.constant(0);
  for (int64_t element = 0; element < side.width; element += side.chunk)
    count = emit.add(
        count, emit.load(tables.counts, chunkNumber(side, panel, element)));
  return emit.equal(count, emit.constant(side.width));
}

/// A chunk of a column's sums.
Value MicroKernel::cutOut(ArrayRef<Value> sums, int64_t row, int64_t column) {
  Value sum = sumOf(sums, column * vectors + row / lanes);
  if (rows.chunk == lanes)
    return sum;
  return vector::ExtractStridedSliceOp::create(
      builder, sum, ArrayRef<int64_t>{row % lanes * numbers},
      ArrayRef<int64_t>{rows.chunk * numbers}, ArrayRef<int64_t>{1});
}

/// A vector of sums that begins in the middle of a run, and goes on at the
/// begin of the same run in the next columns.
Value MicroKernel::join(ArrayRef<Value> sums, int64_t row, int64_t column) {
  int64_t run = model::runInPanel(rows), firstOfRun = row / run * run;
  SmallVector<int64_t> sources;
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t element = row % run + lane;
    int64_t from = firstOfRun + element % run;
    int64_t source = (column + element / run) * vectors + from / lanes;
    if (sources.empty() || sources.back() != source)
      sources.push_back(source);
    int64_t place =
        (static_cast<int64_t>(sources.size()) - 1) * lanes + from % lanes;
    for (int64_t number = 0; number < numbers; ++number)
      places.push_back(place * numbers + number);
  }
  // Chunks are halves, so that two vectors hold all that one has.
  assert(sources.size() <= 2);
  return vector::ShuffleOp::create(builder, sumOf(sums, sources.front()),
                                   sumOf(sums, sources.back()), places);
}

void MicroKernel::storeVectors(ArrayRef<Value> sums, Value rowPanel,
                               Value columnPanel, bool streams) {
  if (output.alwaysReads || !output.reads)
    return storeVectors(updater, sums, rowPanel, columnPanel, streams);
  // One branch for all vectors of the tile.
  auto storeWith = [&](const OutputUpdate &update) {
    OutputUpdater known(emit, update, rows.indices.front());
    storeVectors(known, sums, rowPanel, columnPanel, streams);
  };
  OutputUpdate reading = output, writing = output;
  reading.alwaysReads = true;
  writing.reads = Value();
  emit.ifThenElse(
      output.reads, [&] { storeWith(reading); }, [&] { storeWith(writing); });
}

void MicroKernel::storeVectors(OutputUpdater &updating, ArrayRef<Value> sums,
                               Value rowPanel, Value columnPanel,
                               bool streams) {
  SmallVector<Positions> rowOffsets, columnOffsets;
  for (int64_t row = 0; row < rows.width; row += rows.chunk)
    rowOffsets.push_back(
        chunkOffsets(rowTables, chunkNumber(rows, rowPanel, row)));
  for (int64_t j = 0; j < columns.width; ++j)
    columnOffsets.push_back(columnPositions(columnPanel, j));
  auto positionsOf = [&](int64_t row, int64_t j) {
    Positions chunk = move(columnOffsets[j], rowOffsets[row / rows.chunk]);
    return move(chunk, emit.constant(row % rows.chunk), rows);
  };
  // Elements that lie side by side are stored one after the other: columns of
  // one run may go on where it ends.
  int64_t run = model::runInPanel(rows);
  for (int64_t first = 0; first < rows.width; first += run) {
    if (streams && joinsColumns) {
      for (int64_t element = 0; element < run * columns.width;
           element += lanes) {
        int64_t row = first + element % run, j = element / run;
        updating.update(join(sums, row, j), positionsOf(row, j), streams);
      }
      continue;
    }
    for (int64_t j = 0; j < columns.width; ++j)
      for (int64_t row = first; row < first + run; row += rows.chunk)
        updating.update(cutOut(sums, row, j), positionsOf(row, j), streams);
  }
}

void MicroKernel::storeThroughScratch(ArrayRef<Value> sums, Value rowPanel,
                                      Value columnPanel) {
  for (int64_t i = 0; i < columns.width * vectors; ++i)
    emit.storeVector(sumOf(sums, i), output.scratch,
                     emit.constant(i * lanes * numbers));
  auto forChunks =
      [&](const CpuSide &side, const SideTables &tables, Value panel,
          function_ref<void(Value first, const Positions &offsets, Value count)>
              body) {
        emit.loop(emit.constant(side.chunksPerPanel()), [&](Value chunk) {
          Value number =
              emit.add(emit.mul(panel, side.chunksPerPanel()), chunk);
          body(emit.mul(chunk, side.chunk), chunkOffsets(tables, number),
               elementsOfChunk(emit, side, tables, number));
        });
      };
  // A complex element is updated at once; where its parts are rows, they are a
  // chunk at least.
  int64_t parts = output.isComplex && numbers == 1 ? model::partsOfNumber : 1;
  auto updateElements = [&](Value from, const Positions &to, int64_t count) {
    from = emit.mul(from, numbers);
    count *= numbers;
    Value sum = count == 1 ? emit.load(output.scratch, from)
                           : emit.loadVector(output.scratch, from, count);
    updater.update(sum, to, /*streams=*/false);
  };
  auto updateRows = [&](Value from, const Positions &to, Value count) {
    auto byElement = [&] {
      emit.loop(emit.floorDiv(count, parts), [&](Value element) {
        Value lane = emit.mul(element, parts);
        updateElements(emit.add(from, lane), move(to, lane, rows), parts);
      });
    };
    if (strideInC(rows) != 1 || rows.chunk == 1)
      return byElement();
    emit.ifThenElse(
        emit.equal(count, emit.constant(rows.chunk)),
        [&] { updateElements(from, to, rows.chunk); }, byElement);
  };
  forChunks(columns, columnTables, columnPanel,
            [&](Value firstColumn, const Positions &offsets, Value count) {
              emit.loop(count, [&](Value lane) {
                Value from = emit.mul(emit.add(firstColumn, lane), rows.width);
                Positions to = move(bases(), move(offsets, lane, columns));
                forChunks(rows, rowTables, rowPanel,
                          [&](Value firstRow, const Positions &rowOffsets,
                              Value rowCount) {
                            updateRows(emit.add(from, firstRow),
                                       move(to, rowOffsets), rowCount);
                          });
              });
            });
}

void MicroKernel::prefetchOutput(Value rowPanel, Value columnPanel) {
  for (int64_t j = 0; j < columns.width; ++j) {
    Value column = columnPositions(columnPanel, j).front();
    for (int64_t row = 0; row < rows.width; row += rows.chunk) {
      Value position = emit.mul(
          emit.add(column, emit.load(rowTables.outputOffsets.front(),
                                     chunkNumber(rows, rowPanel, row))),
          numbers);
      // A chunk of numbers is a line at most.
      for (int64_t number = 0; number < numbers; ++number)
        emit.prefetch(output.tensors.front().elements,
                      emit.add(position, emit.constant(number * rows.chunk)),
                      /*isWrite=*/true);
    }
  }
}

/// The place of a vector of a tile's sums among those that wait.
Value MicroKernel::placeOfSums(Value rowPanel, Value columnPanel,
                               size_t number) {
  Value tile = emit.add(emit.mul(columnPanel, rowTables.panels), rowPanel);
  return emit.add(emit.mul(tile, rows.width * columns.width),
                  emit.constant(static_cast<int64_t>(number) * lanes));
}

/// Combines a tile's sums with those of earlier blocks of K, if there are any.
SmallVector<Value> MicroKernel::addWaitingSums(ArrayRef<Value> sums,
                                               Value rowPanel,
                                               Value columnPanel) {
  auto branch = scf::IfOp::create(builder, ValueRange(sums).getTypes(),
                                  output.beginsSums, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, sums);
  builder.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> combined;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value earlier = emit.loadVector(
        output.waitingSums, placeOfSums(rowPanel, columnPanel, i), lanes);
    combined.push_back(
        combine(builder, builder.getLoc(), output.semiring, earlier, sum));
  }
  scf::YieldOp::create(builder, combined);
  return llvm::to_vector<4>(
      llvm::map_range(branch.getResults(), [](Value sum) { return sum; }));
}

void MicroKernel::run(Value rowPanel, Value columnPanel, Value nextColumns) {
  // Stores through the caches need C's lines to be there.
  if (updatesVectors() && !output.streams)
    emit.ifThenElse(
        output.endsSums ? output.endsSums : emit.boolean(true),
        [&] { prefetchOutput(rowPanel, columnPanel); }, [] {});
  SmallVector<Value> sums = multiply(rowPanel, columnPanel, nextColumns);
  if (!output.waitingSums)
    return updateTile(sums, rowPanel, columnPanel);
  sums = addWaitingSums(sums, rowPanel, columnPanel);
  emit.ifThenElse(
      output.endsSums, [&] { updateTile(sums, rowPanel, columnPanel); },
      [&] {
        for (auto [i, sum] : llvm::enumerate(sums))
          emit.storeVector(sum, output.waitingSums,
                           placeOfSums(rowPanel, columnPanel, i));
      });
}

void MicroKernel::updateTile(ArrayRef<Value> sums, Value rowPanel,
                             Value columnPanel) {
  if (!updatesVectors())
    return storeThroughScratch(sums, rowPanel, columnPanel);
  Value full = builder.createOrFold<arith::AndIOp>(
      isFull(rows, rowTables, rowPanel),
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
