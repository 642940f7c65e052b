//===- DirectLoops.cpp - Loops without panels -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over tiles of C, each of which is kept in registers while all of its
// products are summed; factors are loaded from where they lie. Vectors lie
// along an index of C, or along a summed one, whose lanes are summed at the
// end. All extents are known, so that a tile that is cut off is code of its
// own, with vectors of as many lanes as it needs.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tc;
using namespace tc::cpu;
using mlir::VectorType;
using model::CpuIndex;
using model::CpuLayout;
using model::CpuSchedule;
using model::DirectLoops;
using model::Tensor;
namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

/// Positions in A and B, and in the tensors of OutputUpdate.
struct Positions {
  Value a, b;
  OutputUpdater::Positions outputs;
};

/// Elements of a tile of C, or of summed products, along vectors; and those of
/// C along columns.
struct Tile {
  int64_t rows = 1, columns = 1;
};

/// A vector of a tile: its first element, and its lanes.
struct Chunk {
  int64_t first, lanes;
};

class DirectNest {
public:
  DirectNest(ContractOp op, const model::Contraction &contraction,
             const CpuSchedule &schedule, const CpuLayout &layout)
      : op(op), contraction(contraction), schedule(schedule), layout(layout),
        loops(*layout.direct), builder(op.getLoc(), op), emit(builder),
        updater(emit, output, loops.vector()) {}

  void build();

private:
  void buildLoops();
  void loopOverSummedBlocks(const Positions &at,
                            function_ref<void(const Positions &)> body);
  void loopOverShare(Value way, const Positions &at);
  /// The loop over the blocks of an index of C, and those inside of it; of the
  /// first ones, only the block with that number.
  void loopOver(size_t place, const Positions &at, Tile tile,
                ArrayRef<Value> blocks);
  Positions move(const Positions &at, const CpuIndex &index, Value by);
  Value moveIn(Tensor input, Value at, const CpuIndex &index, Value by) {
    return emit.add(at, emit.mul(by, index.stride[input]));
  }
  void computeTile(const Positions &at, Tile tile);
  SmallVector<Chunk> chunksOf(int64_t rows) const;
  VectorType vectorOf(int64_t lanes) const {
    return VectorType::get({lanes}, output.sumType);
  }
  SmallVector<Value> emptySums(ArrayRef<Chunk> chunks, int64_t columns);
  SmallVector<Value> sumProducts(size_t place, Value a, Value b, Tile tile,
                                 SmallVector<Value> sums);
  SmallVector<Value> sumAlongVectors(Value a, Value b, Tile tile,
                                     SmallVector<Value> sums);
  /// A loop that hands sums on.
  SmallVector<Value> loopWithSums(
      int64_t begin, int64_t end, int64_t step, SmallVector<Value> sums,
      function_ref<SmallVector<Value>(Value, SmallVector<Value>)> body);
  SmallVector<Value> loadFactors(Tensor input, Value at, ArrayRef<Chunk> chunks,
                                 int64_t columns);
  /// Adds one product for each element of a tile: by columns, and by chunks.
  void addProducts(Value a, Value b, ArrayRef<Chunk> chunks, int64_t columns,
                   llvm::MutableArrayRef<Value> sums);
  Value sumLanes(Value sums);
  void updateTile(ArrayRef<Value> sums, const Positions &at, Tile tile);
  void updateThroughScratch(ArrayRef<Value> sums, const Positions &at,
                            Tile tile);
  const CpuIndex *columnIndex() const {
    return loops.columnPlace ? &loops.outputs[*loops.columnPlace] : nullptr;
  }

  ContractOp op;
  const model::Contraction &contraction;
  const CpuSchedule &schedule;
  const CpuLayout &layout;
  const DirectLoops &loops;
  ImplicitLocOpBuilder builder;
  Emitter emit;
  OutputUpdate output;
  OutputUpdater updater;
  /// Values of the index that is summed by blocks in the current one.
  int64_t blockValues = 1;
  /// A and B as one dimension.
  Value sourceA, sourceB;
};

} // namespace

void DirectNest::build() {
  if (layout.threads > 1)
    emit.parallel(layout.threads, [&] { buildLoops(); });
  else
    buildLoops();
  op.erase();
}

void DirectNest::buildLoops() {
  output.semiring = SemiringCode(op);
  output.sumType = getElementType(op.getContext(), contraction.accumulatorType);
  output.epilogue = op.getEpilogue();
  output.completes = emit.boolean(true);
  output.tensors =
      flattenOutputs(emit, op, contraction, output.numbersOfElement());
  output.setFactors(emit, op);
  constexpr int64_t scratchAlignment = 64;
  output.scratch = emit.allocateOnStack(
      MemRefType::get({schedule.registerRows * schedule.registerColumns},
                      output.sumType),
      scratchAlignment);
  sourceA = flattenInput(emit, op, contraction, Tensor::A, 1);
  sourceB = flattenInput(emit, op, contraction, Tensor::B, 1);
  Positions at{emit.constant(contraction.offset[Tensor::A]),
               emit.constant(contraction.offset[Tensor::B]),
               llvm::map_to_vector(output.tensors, [](const auto &tensor) {
                 return tensor.base;
               })};
  if (layout.threads > 1)
    return emit.shareOut(
        layout.threads,
        [&](Value way) {
          loopOverSummedBlocks(
              at, [&](const Positions &first) { loopOverShare(way, first); });
        },
        /*endsRegion=*/true);
  Tile tile{loops.sumsVectors ? schedule.registerRows : 1, 1};
  loopOverSummedBlocks(
      at, [&](const Positions &first) { loopOver(0, first, tile, {}); });
}

/// The loop over blocks of products. The first scales the old contents of C,
/// the others add to it; the last complete the sums.
void DirectNest::loopOverSummedBlocks(
    const Positions &at, function_ref<void(const Positions &)> body) {
  if (!loops.blockPlace)
    return body(at);
  const CpuIndex &index = loops.summed[*loops.blockPlace];
  OutputUpdate whole = output;
  auto atBlock = [&](Value number, int64_t values) {
    blockValues = values;
    output.completes = emit.equal(number, emit.constant(index.blocks() - 1));
    if (index.blocks() > 1)
      output.addUpBlocks(emit, op.getSemiring(),
                         emit.equal(number, emit.constant(0)));
    body(move(at, index, emit.mul(number, index.tile)));
    output = whole;
  };
  int64_t wholeBlocks = index.extent / index.tile;
  emit.loop(emit.constant(wholeBlocks),
            [&](Value number) { atBlock(number, index.tile); });
  if (int64_t rest = index.extent % index.tile)
    atBlock(emit.constant(wholeBlocks), rest);
}

/// One thread's run of the tiles that are shared out.
void DirectNest::loopOverShare(Value way, const Positions &at) {
  ArrayRef<CpuIndex> shared =
      ArrayRef(loops.outputs).take_front(loops.sharedOut);
  int64_t tiles = 1;
  for (const CpuIndex &index : shared)
    tiles *= index.blocks();
  auto firstOf = [&](Value way) {
    return emit.floorDiv(emit.mul(way, tiles), layout.threads);
  };
  emit.loop(firstOf(way), firstOf(emit.add(way, emit.constant(1))),
            [&](Value number) {
              SmallVector<Value> blocks(shared.size());
              for (size_t place = shared.size(); place-- > 0;) {
                blocks[place] = emit.remainder(number, shared[place].blocks());
                number = emit.floorDiv(number, shared[place].blocks());
              }
              Tile tile{loops.sumsVectors ? schedule.registerRows : 1, 1};
              loopOver(0, at, tile, blocks);
            });
}

Positions DirectNest::move(const Positions &at, const CpuIndex &index,
                           Value by) {
  Positions moved{moveIn(Tensor::A, at.a, index, by),
                  moveIn(Tensor::B, at.b, index, by),
                  {}};
  for (auto [from, tensor] : llvm::zip_equal(at.outputs, output.tensors))
    moved.outputs.push_back(
        emit.add(from, emit.mul(by, tensor.strideOf(index))));
  return moved;
}

void DirectNest::loopOver(size_t place, const Positions &at, Tile tile,
                          ArrayRef<Value> blocks) {
  if (place == loops.outputs.size())
    return computeTile(at, tile);
  const CpuIndex &index = loops.outputs[place];
  int64_t whole = index.extent / index.tile, rest = index.extent % index.tile;
  auto atBlock = [&](Value block, int64_t elements) {
    Tile inner = tile;
    if (!loops.sumsVectors && place == loops.vectorPlace)
      inner.rows = elements;
    else if (place == loops.columnPlace)
      inner.columns = elements;
    loopOver(place + 1, move(at, index, emit.mul(block, index.tile)), inner,
             blocks.empty() ? blocks : blocks.drop_front());
  };
  if (!blocks.empty()) {
    if (whole == 0 || rest == 0)
      return atBlock(blocks.front(), whole ? index.tile : rest);
    return emit.ifThenElse(
        emit.lessThan(blocks.front(), emit.constant(whole)),
        [&] { atBlock(blocks.front(), index.tile); },
        [&] { atBlock(emit.constant(whole), rest); });
  }
  if (whole > 0)
    emit.loop(emit.constant(whole),
              [&](Value block) { atBlock(block, index.tile); });
  if (rest > 0)
    atBlock(emit.constant(whole), rest);
}

SmallVector<Chunk> DirectNest::chunksOf(int64_t rows) const {
  SmallVector<Chunk> chunks;
  for (int64_t first = 0; first < rows; first += schedule.lanes)
    chunks.push_back({first, std::min(schedule.lanes, rows - first)});
  return chunks;
}

SmallVector<Value> DirectNest::emptySums(ArrayRef<Chunk> chunks,
                                         int64_t columns) {
  SmallVector<Value> sums;
  for (int64_t column = 0; column < columns; ++column)
    for (const Chunk &chunk : chunks)
      sums.push_back(arith::ConstantOp::create(
          builder, getEmptySum(output.semiring, vectorOf(chunk.lanes))));
  return sums;
}

SmallVector<Value> DirectNest::loopWithSums(
    int64_t begin, int64_t end, int64_t step, SmallVector<Value> sums,
    function_ref<SmallVector<Value>(Value, SmallVector<Value>)> body) {
  if (begin >= end)
    return sums;
  if (begin + step >= end)
    return body(emit.constant(begin), std::move(sums));
  auto loop = scf::ForOp::create(builder, emit.constant(begin),
                                 emit.constant(end), emit.constant(step), sums);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  sums = body(loop.getInductionVar(), std::move(sums));
  scf::YieldOp::create(builder, sums);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> DirectNest::loadFactors(Tensor input, Value at,
                                           ArrayRef<Chunk> chunks,
                                           int64_t columns) {
  Value source = input == Tensor::A ? sourceA : sourceB;
  Location loc = builder.getLoc();
  int64_t alongVector = loops.vector().stride[input];
  int64_t alongColumns = columnIndex() ? columnIndex()->stride[input] : 0;
  auto convert = [&](Value loaded) {
    return convertElements(builder, loc, loaded, output.sumType);
  };
  SmallVector<Value> factors;
  for (int64_t column = 0; column < columns; ++column) {
    if (column > 0 && alongColumns == 0) {
      for (size_t i = 0; i < chunks.size(); ++i)
        factors.push_back(Value(factors[i]));
      continue;
    }
    Value first = emit.add(at, emit.constant(column * alongColumns));
    Value same;
    if (alongVector == 0)
      same = convert(emit.load(source, first));
    for (const Chunk &chunk : chunks) {
      if (same) {
        factors.push_back(
            vector::BroadcastOp::create(builder, vectorOf(chunk.lanes), same));
        continue;
      }
      auto positionOf = [&](int64_t lane) {
        return emit.add(first,
                        emit.constant((chunk.first + lane) * alongVector));
      };
      if (alongVector == 1) {
        factors.push_back(
            convert(emit.loadVector(source, positionOf(0), chunk.lanes)));
        continue;
      }
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < chunk.lanes; ++lane)
        elements.push_back(convert(emit.load(source, positionOf(lane))));
      factors.push_back(vector::FromElementsOp::create(
          builder, vectorOf(chunk.lanes), elements));
    }
  }
  return factors;
}

void DirectNest::addProducts(Value a, Value b, ArrayRef<Chunk> chunks,
                             int64_t columns,
                             llvm::MutableArrayRef<Value> sums) {
  SmallVector<Value> left = loadFactors(Tensor::A, a, chunks, columns);
  SmallVector<Value> right = loadFactors(Tensor::B, b, chunks, columns);
  for (auto [x, y, sum] : llvm::zip_equal(left, right, sums))
    sum = accumulate(builder, builder.getLoc(), output.semiring, x, y, sum);
}

SmallVector<Value> DirectNest::sumProducts(size_t place, Value a, Value b,
                                           Tile tile, SmallVector<Value> sums) {
  if (place == loops.summed.size()) {
    addProducts(a, b, chunksOf(tile.rows), tile.columns, sums);
    return sums;
  }
  if (loops.sumsVectors && place == loops.vectorPlace)
    return sumAlongVectors(a, b, tile, std::move(sums));
  const CpuIndex &index = loops.summed[place];
  auto at = [&](Value coordinate, SmallVector<Value> sums) {
    return sumProducts(place + 1, moveIn(Tensor::A, a, index, coordinate),
                       moveIn(Tensor::B, b, index, coordinate), tile,
                       std::move(sums));
  };
  int64_t extent = place == loops.blockPlace ? blockValues : index.extent;
  // As many steps at once as make the loop's own instructions few.
  constexpr int64_t instructions = 32, mostSteps = 8;
  int64_t steps = 1;
  if (place + 1 == loops.summed.size())
    steps = std::clamp<int64_t>(
        instructions / static_cast<int64_t>(std::max<size_t>(sums.size(), 1)),
        1, mostSteps);
  int64_t whole = extent / steps * steps;
  sums = loopWithSums(0, whole, steps, std::move(sums),
                      [&](Value first, SmallVector<Value> sums) {
                        for (int64_t i = 0; i < steps; ++i)
                          sums = at(emit.add(first, emit.constant(i)),
                                    std::move(sums));
                        return sums;
                      });
  for (int64_t i = whole; i < extent; ++i)
    sums = at(emit.constant(i), std::move(sums));
  return sums;
}

/// The innermost loop where vectors are summed: whole tiles, and then the rest.
/// Sums of a last vector with fewer lanes are behind all others.
SmallVector<Value> DirectNest::sumAlongVectors(Value a, Value b, Tile tile,
                                               SmallVector<Value> sums) {
  const CpuIndex &index = loops.vector();
  SmallVector<Chunk> chunks = chunksOf(tile.rows);
  int64_t whole = index.extent / tile.rows * tile.rows;
  size_t count = chunks.size() * tile.columns;
  sums = loopWithSums(
      0, whole, tile.rows, std::move(sums),
      [&](Value first, SmallVector<Value> sums) {
        addProducts(moveIn(Tensor::A, a, index, first),
                    moveIn(Tensor::B, b, index, first), chunks, tile.columns,
                    llvm::MutableArrayRef(sums).take_front(count));
        return sums;
      });
  for (const Chunk &chunk : chunksOf(index.extent - whole)) {
    Value first = emit.constant(whole + chunk.first);
    Value leftAt = moveIn(Tensor::A, a, index, first);
    Value rightAt = moveIn(Tensor::B, b, index, first);
    Chunk alone{0, chunk.lanes};
    SmallVector<Value> added;
    bool isPartial = chunk.lanes < schedule.lanes;
    size_t place = isPartial ? count : chunk.first / schedule.lanes;
    size_t step = isPartial ? 1 : chunks.size();
    for (int64_t column = 0; column < tile.columns; ++column)
      added.push_back(sums[place + column * step]);
    addProducts(leftAt, rightAt, alone, tile.columns, added);
    for (int64_t column = 0; column < tile.columns; ++column)
      sums[place + column * step] = added[column];
  }
  return sums;
}

/// The sum of a vector's lanes, by halves.
Value DirectNest::sumLanes(Value sums) {
  Location loc = builder.getLoc();
  int64_t lanes = cast<VectorType>(sums.getType()).getNumElements();
  auto slice = [&](int64_t first, int64_t count) -> Value {
    return vector::ExtractStridedSliceOp::create(
        builder, sums, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  };
  for (; lanes > 1 && lanes % 2 == 0; lanes /= 2)
    sums = combine(builder, loc, output.semiring, slice(0, lanes / 2),
                   slice(lanes / 2, lanes / 2));
  Value sum = vector::ExtractOp::create(builder, sums, int64_t{0});
  for (int64_t lane = 1; lane < lanes; ++lane)
    sum = combine(builder, loc, output.semiring, sum,
                  vector::ExtractOp::create(builder, sums, lane));
  return sum;
}

void DirectNest::computeTile(const Positions &at, Tile tile) {
  SmallVector<Chunk> chunks = chunksOf(tile.rows);
  SmallVector<Value> sums = emptySums(chunks, tile.columns);
  if (loops.sumsVectors)
    if (int64_t lanes = loops.vector().extent % schedule.lanes)
      sums.append(emptySums(Chunk{0, lanes}, tile.columns));
  sums = sumProducts(0, at.a, at.b, tile, std::move(sums));
  if (!loops.sumsVectors)
    return updateTile(sums, at, tile);
  size_t count = chunks.size() * tile.columns;
  for (int64_t column = 0; column < tile.columns; ++column) {
    ArrayRef<Value> ofColumn =
        ArrayRef(sums).slice(column * chunks.size(), chunks.size());
    Value sum = ofColumn.front();
    for (Value other : ofColumn.drop_front())
      sum = combine(builder, builder.getLoc(), output.semiring, sum, other);
    sum = sumLanes(sum);
    if (sums.size() > count)
      sum = combine(builder, builder.getLoc(), output.semiring, sum,
                    sumLanes(sums[count + column]));
    Positions to = at;
    if (columnIndex())
      to = move(at, *columnIndex(), emit.constant(column));
    updater.update(updater.timesAlpha(sum), to.outputs, /*streams=*/false);
  }
}

void DirectNest::updateTile(ArrayRef<Value> sums, const Positions &at,
                            Tile tile) {
  if (output.tensors.front().strideOf(loops.vector()) != 1 ||
      (output.epilogue && callsFunctions(*output.epilogue)))
    return updateThroughScratch(sums, at, tile);
  for (int64_t column = 0; column < tile.columns; ++column) {
    Positions ofColumn = at;
    if (columnIndex())
      ofColumn = move(at, *columnIndex(), emit.constant(column));
    for (const Chunk &chunk : chunksOf(tile.rows)) {
      Positions to = move(ofColumn, loops.vector(), emit.constant(chunk.first));
      updater.update(updater.timesAlpha(sums.front()), to.outputs,
                     /*streams=*/false);
      sums = sums.drop_front();
    }
  }
}

void DirectNest::updateThroughScratch(ArrayRef<Value> sums, const Positions &at,
                                      Tile tile) {
  for (int64_t column = 0; column < tile.columns; ++column)
    for (const Chunk &chunk : chunksOf(tile.rows)) {
      emit.storeVector(
          updater.timesAlpha(sums.front()), output.scratch,
          emit.constant(column * schedule.registerRows + chunk.first));
      sums = sums.drop_front();
    }
  emit.loop(emit.constant(tile.columns), [&](Value column) {
    Positions ofColumn = at;
    if (columnIndex())
      ofColumn = move(at, *columnIndex(), column);
    emit.loop(emit.constant(tile.rows), [&](Value row) {
      Value from = emit.add(emit.mul(column, schedule.registerRows), row);
      updater.update(emit.load(output.scratch, from),
                     move(ofColumn, loops.vector(), row).outputs,
                     /*streams=*/false);
    });
  });
}

void cpu::buildDirectLoops(ContractOp op, const model::Contraction &contraction,
                           const CpuSchedule &schedule,
                           const CpuLayout &layout) {
  DirectNest(op, contraction, schedule, layout).build();
}
