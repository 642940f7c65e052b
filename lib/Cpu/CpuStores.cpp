//===- CpuStores.cpp - Stores of sums to C on a CPU -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores that bypass the caches are fast where they fill whole cache lines, one
// after the other. Rows whose extent is no multiple of a vector's do so
// together with their neighbours.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStores.h"

#include <numeric>

using namespace tc;
using namespace tc::model;

/// Returns true if each panel holds some of the side's first index, all of it
/// each time.
static bool panelsConsistOfRuns(const CpuSide &side) {
  const CpuIndex &first = side.indices.front();
  return first.tile == first.extent && first.extent % side.chunk == 0 &&
         side.width % first.extent == 0;
}

int64_t tc::model::runInPanel(const CpuSide &side) {
  return panelsConsistOfRuns(side) ? side.indices.front().extent : side.width;
}

/// Returns true if runs of so many elements begin at multiples of their size in
/// C if its base does: all strides are such multiples but those of rows and of
/// an index that goes on where these end, if any.
static bool isAligned(const Contraction &contraction, int64_t elements,
                      std::optional<unsigned> continued = std::nullopt) {
  /// Bytes of the least store that can bypass the caches.
  constexpr int64_t minStreamed = 16;
  if (contraction.offset[Tensor::C] % elements != 0 ||
      contraction.baseAlignment[Tensor::C] % elements != 0 ||
      elements * byteWidth(contraction.elementType[Tensor::C]) < minStreamed)
    return false;
  for (unsigned i = 0; i < contraction.indices.size(); ++i) {
    int64_t stride = contraction.indices[i].stride[Tensor::C];
    if (stride != 1 && stride % elements != 0 && continued != i)
      return false;
  }
  return true;
}

int64_t tc::model::streamedElements(const Contraction &contraction,
                                    const CpuSchedule &schedule,
                                    const CpuLayout &layout) {
  const CpuSide &rows = layout.rows, &columns = layout.columns;
  const CpuIndex &row = rows.indices.front();
  const CpuIndex &column = columns.indices.front();
  if (!schedule.stream || row.stride[Tensor::C] != 1)
    return 0;
  // An epilogue reads the elements of one column at a time.
  bool runsOn = rows.chunk < schedule.lanes && panelsConsistOfRuns(rows) &&
                column.stride[Tensor::C] == row.extent &&
                row.extent * columns.chunk % schedule.lanes == 0 &&
                !contraction.hasEpilogue;
  if (runsOn && isAligned(contraction, schedule.lanes, column.position))
    return schedule.lanes;
  return isAligned(contraction, rows.chunk) ? rows.chunk : 0;
}

int64_t tc::model::alignmentToStream(const Contraction &contraction,
                                     int64_t streamedElements) {
  // Bytes of a line on the CPUs that streaming pays on.
  constexpr int64_t lineBytes = 64;
  int64_t width = byteWidth(contraction.elementType[Tensor::C]);
  int64_t bytes = streamedElements * width;
  return bytes < lineBytes && isAligned(contraction, lineBytes / width)
             ? lineBytes
             : bytes;
}

int64_t tc::model::storedRun(const CpuSchedule &schedule,
                             const CpuLayout &layout) {
  const CpuSide &rows = layout.rows;
  const CpuIndex &row = rows.indices.front();
  const CpuIndex &column = layout.columns.indices.front();
  if (row.stride[Tensor::C] != 1)
    return 1;
  auto continues = [&](const CpuIndex &next) {
    return row.tile == row.extent && next.stride[Tensor::C] == row.extent;
  };
  // The columns of a register tile are stored together.
  if (panelsConsistOfRuns(rows))
    return continues(column)
               ? row.extent * std::gcd(column.tile, layout.columns.width)
               : row.extent;
  // Panels of rows that follow one another are, too.
  if (!schedule.columnsInnermost)
    return rows.indices.size() > 1 && continues(rows.indices[1])
               ? row.tile * rows.indices[1].tile
               : row.tile;
  return std::gcd(row.tile, rows.width);
}
