//===- PackBlock.cpp - From a tensor's block to panels --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a block of A or B into panels and transposes it on the way: packing
// (Springer and Bientinesi, "Design of a High-Performance GEMM-like
// Tensor-Tensor Multiplication", TOMS 2018, section 3.2). Loads have unit
// stride wherever the block has an index of stride one: along the panel's own
// first index, or along another one whose elements are then transposed in
// registers.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "tc/Dialect/TC/Utils/ComplexArithmetic.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cstdlib>
#include <functional>

using namespace tc;
using namespace tc::cpu;
using model::CpuIndex;
using model::CpuLayout;
using model::CpuSide;
using model::Packing;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The number of a chunk in its block.
static Value chunkNumber(Emitter &emit, const CpuSide &side, const Range &range,
                         Value chunk, ArrayRef<Value> coordinates) {
  Value number = emit.constant(0);
  for (size_t i = side.indices.size(); i-- > 1;)
    number = emit.add(emit.mul(number, range.sizes[i]), coordinates[i]);
  Value chunks = emit.ceilDiv(range.sizes[0], side.chunk);
  return emit.add(emit.mul(number, chunks), chunk);
}

Value cpu::elementsOfChunk(Emitter &emit, const CpuSide &side,
                           const SideTables &tables, Value number) {
  return tables.counts ? emit.load(tables.counts, number)
                       : emit.constant(side.chunk);
}

/// The place in the packed block where a chunk begins.
static Value placeOfChunk(Emitter &emit, const SideTables &tables,
                          const PackedBlock &packed, Value number) {
  return tables.places ? emit.load(tables.places, number)
                       : emit.mul(number, packed.panelStride);
}

void cpu::buildTables(Emitter &emit, const CpuSide &side,
                      ArrayRef<OutputTensor> outputs, const Range &range,
                      int64_t panelStride, SideTables &tables) {
  SmallVector<Value> coordinates(side.indices.size());
  Value chunks = emit.ceilDiv(range.sizes[0], side.chunk);
  auto addChunk = [&](Value chunk) {
    Value first = emit.mul(chunk, side.chunk);
    coordinates[0] = first;
    SmallVector<Value> offsets(outputs.size(), emit.constant(0));
    for (auto [index, origin, coordinate] :
         llvm::zip_equal(side.indices, range.origins, coordinates))
      for (auto [output, offset] : llvm::zip_equal(outputs, offsets))
        offset = emit.add(offset, emit.mul(emit.add(origin, coordinate),
                                           output.strideOf(index)));
    Value number = chunkNumber(emit, side, range, chunk, coordinates);
    for (auto [offset, table] : llvm::zip_equal(offsets, tables.outputOffsets))
      if (table)
        emit.store(offset, table, number);
    if (tables.counts)
      emit.store(
          emit.min(emit.sub(range.sizes[0], first), emit.constant(side.chunk)),
          tables.counts, number);
    if (tables.places) {
      Value panel = emit.floorDiv(number, side.chunksPerPanel());
      Value inPanel = emit.remainder(number, side.chunksPerPanel());
      emit.store(
          emit.add(emit.mul(panel, panelStride), emit.mul(inPanel, side.chunk)),
          tables.places, number);
    }
  };
  std::function<void(size_t)> nest = [&](size_t i) {
    if (i == 0)
      return emit.loop(chunks, addChunk);
    emit.loop(range.sizes[i], [&](Value coordinate) {
      coordinates[i] = coordinate;
      nest(i - 1);
    });
  };
  nest(side.indices.size() - 1);

  // The last panel is filled up with empty chunks.
  Value total = chunks;
  for (size_t i = 1; i < side.indices.size(); ++i)
    total = emit.mul(total, range.sizes[i]);
  tables.panels = emit.ceilDiv(total, side.chunksPerPanel());
  Value zero = emit.constant(0);
  tables.missing =
      emit.sub(emit.mul(tables.panels, side.chunksPerPanel()), total);
  if (side.hasFullPanels() || mlir::getConstantIntValue(tables.missing) == 0)
    return;
  emit.loop(tables.missing, [&](Value chunk) {
    Value number = emit.add(total, chunk);
    for (Value table : tables.outputOffsets)
      if (table)
        emit.store(zero, table, number);
    emit.store(zero, tables.counts, number);
  });
}

//===----------------------------------------------------------------------===//
// Transposition in registers
//===----------------------------------------------------------------------===//

void cpu::transposeSquare(ImplicitLocOpBuilder &builder,
                          SmallVectorImpl<Value> &square) {
  auto extent = static_cast<int64_t>(square.size());
  for (int64_t distance = extent / 2; distance > 0; distance /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < extent; ++lane) {
      bool upper = lane & distance;
      low.push_back(upper ? extent + lane - distance : lane);
      high.push_back(upper ? extent + lane : lane + distance);
    }
    for (int64_t row = 0; row < extent; ++row) {
      if (row & distance)
        continue;
      Value first = square[row], second = square[row + distance];
      square[row] = vector::ShuffleOp::create(builder, first, second, low);
      square[row + distance] =
          vector::ShuffleOp::create(builder, first, second, high);
    }
  }
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

namespace {

/// Emits the loops over one block, those over the largest strides outermost.
class Packer {
public:
  Packer(Emitter &emit, const CpuLayout &layout, const CpuSide &side,
         Value source, Value base, const Range &range, const Range &k,
         const SideTables &tables, const PackedBlock &packed)
      : emit(emit), layout(layout), side(side), source(source), base(base),
        range(range), k(k), tables(tables), packed(packed),
        numbers(packed.numbersOfElement()) {}

  void run(Packing packing);
  /// Zeros for the chunks that the last panel lacks: they are multiplied, too,
  /// and the contents of fresh memory might be slow to.
  void fillMissingChunks();

private:
  struct Loop {
    bool isK;
    unsigned place;
    int64_t step;   ///< elements along the index that an iteration takes
    int64_t stride; ///< in the source, of one iteration
  };

  SmallVector<Loop> orderLoops(Packing packing) const;
  int64_t distanceToNextRun(ArrayRef<Loop> loops) const;
  void nest(ArrayRef<Loop> loops, Packing packing, Value offset,
            unsigned sideLoops);
  void copyChunk(Value offset, Value destination, Value rows);
  void gatherChunk(Value offset, Value destination, Value rows);
  void transposeChunk(Value offset, Value destination, Value rows, Value first);
  /// The increment of a chunk's place along K.
  Value depthOffset() const;
  /// The known values of an element or of a vector of the source before it is
  /// deposited: what the panels hold for it, or, with three products, the real
  /// and the imaginary parts.
  using Planes = SmallVector<Value, model::partsOfNumber>;
  Planes load(Value position, int64_t elements) const;
  Planes prepareAll(Value elements) const;
  void deposit(const Planes &planes, Value target) const;
  /// The values that the panels hold for an element or a vector of the source.
  Value prepare(Value elements) const;
  /// The same of parts of complex numbers.
  Value prepareParts(Value elements) const;

  int64_t strideOf(const CpuIndex &index) const {
    return index.stride[side.input];
  }
  bool isTransposed(bool isK, unsigned position) const {
    return side.transposesK == isK && side.transposed == position;
  }

  Emitter &emit;
  const CpuLayout &layout;
  const CpuSide &side;
  Value source, base;
  const Range &range, &k;
  const SideTables &tables;
  const PackedBlock &packed;
  int64_t numbers;

  /// Coordinates in the block; of the side's first index, the chunk.
  SmallVector<Value> coordinates, kCoordinates;
  Value chunk, place, count;
  /// The distance at which squares fetch ahead; zero if they do not.
  int64_t fetchDistance = 0;
};

} // namespace

SmallVector<Packer::Loop> Packer::orderLoops(Packing packing) const {
  SmallVector<Loop> loops;
  auto addLoop = [&](bool isK, unsigned position, const CpuIndex &index) {
    int64_t step = !isK && position == 0 ? side.chunk : 1;
    if (packing == Packing::Transpose && isTransposed(isK, position))
      step = side.transposedExtent;
    loops.push_back({isK, position, step, std::abs(strideOf(index)) * step});
  };
  for (auto [position, index] : llvm::enumerate(side.indices))
    addLoop(/*isK=*/false, position, index);
  for (auto [position, index] : llvm::enumerate(layout.k))
    addLoop(/*isK=*/true, position, index);
  llvm::sort(loops, [](const Loop &a, const Loop &b) {
    return std::tuple(b.stride, a.isK, a.place) <
           std::tuple(a.stride, b.isK, b.place);
  });
  return loops;
}

/// Prefetchers take some lines of a run until they run ahead, and don't know
/// where the next one is. The distance to it, if runs are as short; else zero.
int64_t Packer::distanceToNextRun(ArrayRef<Loop> loops) const {
  constexpr int64_t longRunBytes = 2048;
  Type elementType = cast<MemRefType>(source.getType()).getElementType();
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8 * numbers, run = 1;
  for (const Loop &loop : llvm::reverse(loops)) {
    const CpuIndex &index =
        loop.isK ? layout.k[loop.place] : side.indices[loop.place];
    if (strideOf(index) == run)
      run *= index.tile;
    else if (index.tile > loop.step)
      return run * bytes < longRunBytes ? strideOf(index) * loop.step : 0;
  }
  return 0;
}

void Packer::run(Packing packing) {
  coordinates.assign(side.indices.size(), Value());
  kCoordinates.assign(layout.k.size(), Value());
  chunk = place = count = Value();
  Value offset = base;
  for (auto [index, origin] : llvm::zip_equal(side.indices, range.origins))
    offset = emit.add(offset, emit.mul(origin, strideOf(index)));
  for (auto [index, origin] : llvm::zip_equal(layout.k, k.origins))
    offset = emit.add(offset, emit.mul(origin, strideOf(index)));
  SmallVector<Loop> loops = orderLoops(packing);
  fetchDistance = distanceToNextRun(loops);
  nest(loops, packing, offset, side.indices.size());
}

/// Returns true if a number is known to be a multiple of another one.
static bool isMultiple(Value number, int64_t of) {
  std::optional<int64_t> constant = mlir::getConstantIntValue(number);
  return constant && *constant % of == 0;
}

Value Packer::depthOffset() const {
  Value number = emit.constant(0);
  for (size_t i = layout.k.size(); i-- > 0;)
    number = emit.add(emit.mul(number, k.sizes[i]), kCoordinates[i]);
  return emit.mul(number, side.width);
}

void Packer::nest(ArrayRef<Loop> loops, Packing packing, Value offset,
                  unsigned sideLoops) {
  if (loops.empty()) {
    if (packing == Packing::Copy)
      return copyChunk(offset, place, count);
    if (packing == Packing::Gather)
      return gatherChunk(offset, place, count);
    return transposeChunk(offset, place, count,
                          side.transposesK ? kCoordinates[side.transposed]
                                           : coordinates[side.transposed]);
  }
  const Loop &loop = loops.front();
  const CpuIndex &index =
      loop.isK ? layout.k[loop.place] : side.indices[loop.place];
  Value size = loop.isK ? k.sizes[loop.place] : range.sizes[loop.place];
  emit.loop(emit.ceilDiv(size, loop.step), [&](Value iteration) {
    Value coordinate = emit.mul(iteration, loop.step);
    // The last of the squares that are transposed begins earlier instead of
    // reaching over the block's end.
    if (packing == Packing::Transpose && isTransposed(loop.isK, loop.place) &&
        !isMultiple(size, loop.step))
      coordinate =
          emit.min(coordinate, emit.sub(size, emit.constant(loop.step)));
    Value inner = emit.add(offset, emit.mul(coordinate, strideOf(index)));
    if (loop.isK) {
      kCoordinates[loop.place] = coordinate;
      return nest(loops.drop_front(), packing, inner, sideLoops);
    }
    coordinates[loop.place] = coordinate;
    if (loop.place == 0)
      chunk = iteration;
    // Once the chunk is known, so is its place.
    if (sideLoops == 1) {
      Value number = chunkNumber(emit, side, range, chunk, coordinates);
      place = placeOfChunk(emit, tables, packed, number);
      count = elementsOfChunk(emit, side, tables, number);
    }
    nest(loops.drop_front(), packing, inner, sideLoops - 1);
  });
}

Value Packer::prepareParts(Value elements) const {
  ImplicitLocOpBuilder &builder = emit.builder;
  Location loc = builder.getLoc();
  if (packed.parts->conjugated)
    elements = conjugateNumbers(builder, loc, elements);
  if (!packed.parts->row)
    return elements;
  Value second = turnNumbers(builder, loc, elements);
  if (packed.parts->otherConjugated)
    second = arith::NegFOp::create(builder, second);
  Value row =
      emit.add(k.origins[*packed.parts->row], kCoordinates[*packed.parts->row]);
  return builder.createOrFold<arith::SelectOp>(
      emit.equal(row, emit.constant(0)), elements, second);
}

Value Packer::prepare(Value elements) const {
  if (packed.parts)
    return prepareParts(elements);
  if (packed.prologue)
    elements = applyRegion(emit.builder, emit.builder.getLoc(),
                           *packed.prologue, elements);
  return convertElements(
      emit.builder, emit.builder.getLoc(), elements,
      cast<MemRefType>(packed.buffer.getType()).getElementType());
}

Packer::Planes Packer::prepareAll(Value elements) const {
  if (!packed.factors)
    return {prepare(elements)};
  auto [real, imaginary] =
      splitNumbers(emit.builder, emit.builder.getLoc(), elements);
  return {real, imaginary};
}

/// Neighbours in the source.
Packer::Planes Packer::load(Value position, int64_t elements) const {
  return prepareAll(
      emit.loadVector(source, emit.mul(position, numbers), elements * numbers));
}

void Packer::deposit(const Planes &planes, Value target) const {
  if (!packed.factors)
    return emit.storeVector(planes.front(), packed.buffer, target);
  for (int64_t product = 0; product < layout.products; ++product) {
    Value factors = factorOfProduct(emit.builder, emit.builder.getLoc(),
                                    planes[0], planes[1], packed.factors->isA,
                                    packed.factors->conjugated, product);
    emit.storeVector(factors, packed.buffer,
                     emit.add(target, emit.mul(packed.factorStride, product)));
  }
}

void Packer::copyChunk(Value offset, Value destination, Value rows) {
  Value target = emit.add(destination, depthOffset());
  if (side.hasFullChunks())
    return deposit(load(offset, side.chunk), target);
  // A prologue may not be defined for anything but elements of the source.
  Value elements = emit.loadFirstLanes(
      source, emit.mul(offset, numbers), emit.mul(rows, numbers),
      side.chunk * numbers,
      packed.prologue ? emit.load(source, offset) : Value());
  deposit(prepareAll(elements), target);
}

void Packer::gatherChunk(Value offset, Value destination, Value rows) {
  Value target = emit.add(destination, depthOffset());
  int64_t stride = strideOf(side.indices.front());
  emit.loop(emit.constant(side.chunk), [&](Value lane) {
    // Lanes behind the chunk's end repeat its last element.
    Value row = lane;
    if (!side.hasFullChunks())
      row = emit.min(lane, emit.sub(rows, emit.constant(1)));
    Value position = emit.add(offset, emit.mul(row, stride));
    if (packed.factors)
      return deposit(load(position, 1), emit.add(target, lane));
    emit.store(prepare(emit.load(source, position)), packed.buffer,
               emit.add(target, lane));
  });
}

void Packer::fillMissingChunks() {
  if (side.hasFullPanels() || mlir::getConstantIntValue(tables.missing) == 0)
    return;
  Value depth = emit.constant(1);
  for (Value size : k.sizes)
    depth = emit.mul(depth, size);
  Type elementType = cast<MemRefType>(packed.buffer.getType()).getElementType();
  auto chunkType = mlir::VectorType::get({side.chunk}, elementType);
  Value zeros = arith::ConstantOp::create(emit.builder,
                                          emit.builder.getZeroAttr(chunkType));
  Value end = emit.mul(tables.panels, packed.panelStride);
  emit.loop(tables.missing, [&](Value number) {
    Value first =
        emit.sub(emit.sub(end, emit.constant(packed.panelStride - side.width)),
                 emit.mul(emit.add(number, emit.constant(1)), side.chunk));
    emit.loop(emit.constant(layout.products), [&](Value product) {
      Value begin = first;
      if (packed.factors)
        begin = emit.add(first, emit.mul(product, packed.factorStride));
      emit.loop(depth, [&](Value step) {
        emit.storeVector(zeros, packed.buffer,
                         emit.add(begin, emit.mul(step, side.width)));
      });
    });
  });
}

void Packer::transposeChunk(Value offset, Value destination, Value rows,
                            Value first) {
  int64_t extent = side.transposedExtent;
  int64_t stride = strideOf(side.indices.front());
  // The destinations of the vectors that come out of the transposition.
  SmallVector<Value> targets;
  if (side.transposesK) {
    Value step = emit.constant(side.width);
    for (unsigned i = 0; i < side.transposed; ++i)
      step = emit.mul(step, k.sizes[i]);
    Value target = emit.add(destination, depthOffset());
    for (int64_t i = 0; i < extent; ++i)
      targets.push_back(emit.add(target, emit.mul(step, i)));
  } else {
    Value depth = depthOffset();
    SmallVector<Value> neighbour = coordinates;
    for (int64_t i = 0; i < extent; ++i) {
      neighbour[side.transposed] = emit.add(first, emit.constant(i));
      Value number = chunkNumber(emit, side, range, chunk, neighbour);
      targets.push_back(
          emit.add(placeOfChunk(emit, tables, packed, number), depth));
    }
  }
  for (int64_t group = 0; group < side.chunk; group += extent) {
    // One of each plane.
    SmallVector<SmallVector<Value>, model::partsOfNumber> squares(numbers);
    for (int64_t i = 0; i < extent; ++i) {
      Value row = emit.constant(group + i);
      // Lanes behind the chunk's end repeat its last element.
      if (!side.hasFullChunks())
        row = emit.min(row, emit.sub(rows, emit.constant(1)));
      Value begin = emit.add(offset, emit.mul(row, stride));
      if (fetchDistance != 0)
        emit.prefetch(
            source,
            emit.mul(emit.add(begin, emit.constant(fetchDistance)), numbers),
            /*isWrite=*/false);
      for (auto [square, elements] :
           llvm::zip_equal(squares, load(begin, extent)))
        square.push_back(elements);
    }
    for (SmallVector<Value> &square : squares)
      transposeSquare(emit.builder, square);
    for (auto [i, target] : llvm::enumerate(targets)) {
      Planes planes;
      for (SmallVector<Value> &square : squares)
        planes.push_back(square[i]);
      deposit(planes, emit.add(target, emit.constant(group)));
    }
  }
}

void cpu::packBlock(Emitter &emit, const CpuLayout &layout, const CpuSide &side,
                    Value source, Value base, const Range &range,
                    const Range &k, const SideTables &tables,
                    const PackedBlock &packed) {
  Packer packer(emit, layout, side, source, base, range, k, tables, packed);
  packer.fillMissingChunks();
  if (side.packing != Packing::Transpose)
    return packer.run(side.packing);
  // A block may be too small for a single square.
  const CpuIndex &index = side.transposesK ? layout.k[side.transposed]
                                           : side.indices[side.transposed];
  Value size = side.transposesK ? k.sizes[side.transposed]
                                : range.sizes[side.transposed];
  Value enough =
      index.lastTile() >= side.transposedExtent
          ? emit.boolean(true)
          : emit.lessThan(emit.constant(side.transposedExtent - 1), size);
  emit.ifThenElse(
      enough, [&] { packer.run(Packing::Transpose); },
      [&] { packer.run(Packing::Gather); });
}
