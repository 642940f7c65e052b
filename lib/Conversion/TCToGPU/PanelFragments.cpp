//===- PanelFragments.cpp - What a thread loads from a panel --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelFragments.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace vector = mlir::vector;
using mlir::VectorType;

namespace tc {

PanelFragments::PanelFragments(OpBuilder &builder, Location loc,
                               const KernelInfo &kernel, Value panel, bool ofN)
    : builder(builder), loc(loc),
      staging(ofN ? kernel.layout.b : kernel.layout.a),
      flat(flattenPanel(builder, loc, panel)),
      elementType(cast<MemRefType>(panel.getType()).getElementType()) {
  const model::KernelLayout &layout = kernel.layout;
  IndexBuilder index(builder, loc, builder.getI32Type());
  ThreadPosition thread = threadPosition(builder, loc, layout);
  int64_t group = ofN ? layout.groupN : layout.groupM;
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  int64_t registers = ofN ? layout.registerN : layout.registerM;
  Value position = index.multiply(ofN ? thread.n : thread.m, group);
  Value depth;
  bool isMatrix = model::isMatrixInstruction(layout.instruction);
  bool ofColumns = isMatrix && layout.rowsAlongM() == ofN;
  if (isMatrix) {
    WarpPosition warp = warpPosition(builder, loc, layout);
    depth = index.multiply(warp.laneColumn, layout.laneDepth);
    if (ofColumns)
      position = index.add(
          index.multiply(warp.warpColumn, model::matrixLaneColumns * group),
          warp.laneRow);
  }
  base = index.add(index.multiply(position, staging.positionStride()),
                   index.multiply(depth, staging.depthStride()));
  for (int64_t first = 0; first < registers; first += group)
    for (int64_t v = 0; v < (ofColumns ? 1 : group); ++v)
      positions.push_back(first * threads + v);
}

SmallVector<Value> PanelFragments::loadAt(SplitIndex offset) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  auto type = VectorType::get({staging.fragmentWidth}, elementType);
  auto access = vector::LoadOp::create(builder, loc, type, flat,
                                       mlir::ValueRange{index.toIndex(offset)});
  access.setAlignment(vectorBytes(type));
  SmallVector<Value> scalars;
  for (int64_t i = 0; i < staging.fragmentWidth; ++i)
    scalars.push_back(vector::ExtractOp::create(builder, loc, access, i));
  return scalars;
}

void PanelFragments::load(SplitIndex k, int64_t first, Fragments &fragments) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SplitIndex row{
      index.add(base, index.multiply(k.value, staging.depthStride())),
      (k.constant + first) * staging.depthStride()};
  if (staging.alongK) {
    fragments.resize(first + staging.fragmentWidth);
    for (int64_t position : positions)
      for (auto [j, scalar] : llvm::enumerate(loadAt(
               {row.value, row.constant + position * staging.rowLength})))
        fragments[first + j].push_back(scalar);
    return;
  }
  fragments.resize(first + 1);
  for (int64_t i = 0; i < count(); i += staging.fragmentWidth)
    llvm::append_range(fragments[first],
                       loadAt({row.value, row.constant + positions[i]}));
}

} // namespace tc
