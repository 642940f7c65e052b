//===- TileFragments.cpp - A thread's loads from a shared tile ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileFragments.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nvgpu = mlir::nvgpu;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace tc {

TileFragments::TileFragments(OpBuilder &builder, Location loc,
                             const KernelInfo &kernel, Value sharedTile,
                             bool ofN)
    : builder(builder), loc(loc), layout(kernel.layout),
      tiledCopy(ofN ? kernel.layout.b : kernel.layout.a),
      holdsColumns(kernel.layout.hasColumns(ofN)),
      flat(flattenSharedTile(builder, loc, sharedTile)),
      elementType(cast<MemRefType>(sharedTile.getType()).getElementType()) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  ThreadPosition thread = threadPosition(builder, loc, layout);
  int64_t group = ofN ? layout.groupN : layout.groupM;
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  int64_t registers = ofN ? layout.registerN : layout.registerM;
  Value position = index.multiply(ofN ? thread.n : thread.m, group);
  Value depth;
  // Of columns, what a lane loads at once is of several groups of accumulators.
  int64_t step = group, together = group;
  if (layout.isCollective()) {
    WarpPosition warp = warpPosition(builder, loc, layout);
    depth = index.multiply(warp.laneColumn, layout.laneDepth);
    if (holdsColumns) {
      together = layout.laneColumns;
      step = layout.atom().sumColumns() * together;
      position = columnOfLane(warp, threads);
    }
  }
  for (int64_t first = 0; first < registers; first += step)
    for (int64_t v = 0; v < together; ++v)
      positions.push_back(first * threads + v);
  positionStep = positions.size() > 1 ? positions[1] : 0;
  if (layout.loadsMatrices())
    base = matrixBase();
  else
    base = index.add(index.multiply(position, tiledCopy.positionStride()),
                     index.multiply(depth, tiledCopy.depthStride()));
}

/// The first position of a lane along the columns; see KernelLayout.
Value TileFragments::columnOfLane(const WarpPosition &warp, int64_t threads) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  int64_t together = layout.laneColumns;
  if (together == 1)
    return index.add(
        index.multiply(warp.warpColumn, layout.atom().shape.columns),
        warp.laneRow);
  Value round = index.remainder(warp.laneRow, 2);
  Value place = index.exclusiveOr(index.divide(warp.laneRow, 2), round);
  place =
      index.add(index.multiply(warp.warpColumn, layout.atom().lanes.columns),
                index.add(place, index.multiply(round, threads)));
  return index.multiply(place, together);
}

/// Lanes 8 * q to 8 * q + 7 have the rows of matrix q of a load. The registers
/// of a load are neighbours, as are those of an instruction's factor: matrices
/// go in the order of `mma.sync`, for columns along K first, and for rows from
/// one position of the thread to the next first.
Value TileFragments::matrixBase() {
  IndexBuilder index(builder, loc, builder.getI32Type());
  WarpPosition warp = warpPosition(builder, loc, layout);
  Value lane =
      index.add(index.multiply(warp.laneRow, layout.atom().lanes.columns),
                warp.laneColumn);
  Value row = index.remainder(lane, model::matrixRowElements);
  Value matrix = index.divide(lane, model::matrixRowElements);
  Value first = index.multiply(holdsColumns ? warp.warpColumn : warp.warpRow,
                               model::matrixRowElements);
  int64_t inner = holdsColumns ? matricesAlongK() : positionsOfLoad();
  Value fast = index.remainder(matrix, inner);
  Value slow = index.divide(matrix, inner);
  Value position = index.add(
      first, index.multiply(holdsColumns ? slow : fast, positionStep));
  Value k =
      index.multiply(holdsColumns ? fast : slow, model::matrixRowElements);
  return index.add(
      index.multiply(row, tiledCopy.rowLength),
      index.add(index.multiply(position, tiledCopy.positionStride()),
                index.multiply(k, tiledCopy.depthStride())));
}

Fragments TileFragments::loadMatrices(SplitIndex k) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  int64_t alongK = matricesAlongK(), left = count() * alongK;
  assert((holdsColumns || alongK == 1 || count() % positionsOfLoad() == 0) &&
         "instructions have rows in pairs");
  Fragments fragments(alongK);
  for (int64_t position = 0; left > 0;) {
    int64_t matrices = left >= model::matricesOfLoad ? model::matricesOfLoad
                       : left >= 2                   ? 2
                                                     : 1;
    SplitIndex offset{
        index.add(base, index.multiply(k.value, tiledCopy.depthStride())),
        k.constant * tiledCopy.depthStride() +
            positions[position] * tiledCopy.positionStride()};
    auto type = VectorType::get({matrices, 2}, elementType);
    Value loaded = nvgpu::LdMatrixOp::create(
        builder, loc, type, flat, mlir::ValueRange{index.toIndex(offset)},
        /*transpose=*/!tiledCopy.alongK, static_cast<uint32_t>(matrices));
    for (int64_t i = 0; i < matrices; ++i)
      fragments[holdsColumns ? i % alongK : i * alongK / matrices].push_back(
          vector::ExtractOp::create(builder, loc, loaded, i));
    position += matrices / alongK;
    left -= matrices;
  }
  return fragments;
}

Fragments TileFragments::loadStep(SplitIndex k) {
  if (layout.loadsMatrices())
    return loadMatrices(k);
  // Lanes along the columns take turns along K.
  Fragments fragments;
  for (int64_t j = 0; j < layout.stepDepthOfThread(); j += depth()) {
    int64_t turn = j / layout.laneDepth;
    int64_t others =
        (layout.atom().lanes.columns - 1) * layout.laneDepth * turn;
    load({k.value, k.constant + others}, j, fragments);
  }
  return fragments;
}

SmallVector<Value> TileFragments::loadAt(SplitIndex offset) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  auto type = VectorType::get({tiledCopy.fragmentWidth}, elementType);
  auto access = vector::LoadOp::create(builder, loc, type, flat,
                                       mlir::ValueRange{index.toIndex(offset)});
  access.setAlignment(vectorBytes(type));
  SmallVector<Value> scalars;
  for (int64_t i = 0; i < tiledCopy.fragmentWidth; ++i)
    scalars.push_back(vector::ExtractOp::create(builder, loc, access, i));
  return scalars;
}

void TileFragments::load(SplitIndex k, int64_t first, Fragments &fragments) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SplitIndex row{
      index.add(base, index.multiply(k.value, tiledCopy.depthStride())),
      (k.constant + first) * tiledCopy.depthStride()};
  if (tiledCopy.alongK) {
    fragments.resize(first + tiledCopy.fragmentWidth);
    for (int64_t position : positions)
      for (auto [j, scalar] : llvm::enumerate(loadAt(
               {row.value, row.constant + position * tiledCopy.rowLength})))
        fragments[first + j].push_back(scalar);
    return;
  }
  fragments.resize(first + 1);
  for (int64_t i = 0; i < count(); i += tiledCopy.fragmentWidth)
    llvm::append_range(fragments[first],
                       loadAt({row.value, row.constant + positions[i]}));
}

} // namespace tc
