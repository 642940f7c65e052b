//===- TrafficTable.h - Traffic of tilings ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_TRAFFICTABLE_H
#define TC_LIB_GPU_SEARCH_TRAFFICTABLE_H

#include "TileCandidates.h"

#include "tc/Gpu/Cost/Traffic.h"

#include <array>
#include <utility>
#include <vector>

namespace tc::model {

/// The division of a tile among threads, as numbers.
using ThreadMapping = std::array<int64_t, 8>;

/// The traffic of one tensor over two lists of candidates, of which each tile
/// is visited once. Refers to all that it is made of.
class TrafficTable {
public:
  TrafficTable(const Contraction &contraction, Tensor tensor,
               const std::vector<TileDim> &batch,
               const std::vector<TileCandidate> &rows,
               const std::vector<TileCandidate> &columns, const Target &target);

  /// Fills in the sectors of a tensor whose tiles are visited so often.
  void addSectors(Traffic &traffic, size_t row, size_t column,
                  double visits) const;

  /// `requestRatio` of a kernel, where it depends on the two candidates and on
  /// `mapping` alone.
  RequestRatio ratioOf(size_t row, size_t column, const ThreadMapping &mapping,
                       const KernelLayout &layout);

private:
  void count(size_t row, size_t column);

  const Contraction &contraction;
  Tensor tensor;
  const std::vector<TileDim> &batch;
  const std::vector<TileCandidate> &rows, &columns;
  const Target &target;
  /// Of the tile that is counted, kept for the memory that it has.
  std::vector<TileDim> dims;
  // By the number of the row and of the column.
  std::vector<TileTraffic> tileTraffic;
  std::vector<std::vector<std::pair<ThreadMapping, RequestRatio>>> ratios;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_TRAFFICTABLE_H
