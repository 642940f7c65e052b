//===- TrafficTable.cpp - Traffic of tilings ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrafficTable.h"

#include <algorithm>

namespace tc::model {

TrafficTable::TrafficTable(const Contraction &contraction, Tensor tensor,
                           const std::vector<TileDim> &batch,
                           const std::vector<TileCandidate> &rows,
                           const std::vector<TileCandidate> &columns,
                           const Target &target)
    : contraction(contraction), tensor(tensor), batch(batch), rows(rows),
      columns(columns), target(target) {
  tileTraffic.reserve(rows.size() * columns.size());
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < columns.size(); ++column)
      count(row, column);
  ratios.resize(tileTraffic.size());
}

void TrafficTable::addSectors(Traffic &traffic, size_t row, size_t column,
                              double visits) const {
  traffic.visits[tensor] = visits;
  size_t number = row * columns.size() + column;
  traffic.sectors[tensor] = visits * tileTraffic[number].sectors;
  traffic.lineBytes[tensor] = visits * tileTraffic[number].lineBytes;
}

RequestRatio TrafficTable::ratioOf(size_t row, size_t column,
                                   const ThreadMapping &mapping,
                                   const KernelLayout &layout) {
  auto &known = ratios[row * columns.size() + column];
  auto entry = std::find_if(known.begin(), known.end(), [&](const auto &other) {
    return other.first == mapping;
  });
  if (entry == known.end())
    entry = known.emplace(entry, mapping,
                          requestRatio(contraction, layout, tensor, target));
  return entry->second;
}

void TrafficTable::count(size_t row, size_t column) {
  dims.assign(batch.begin(), batch.end());
  const std::vector<TileDim> &first = rows[row].dims;
  const std::vector<TileDim> &second = columns[column].dims;
  dims.insert(dims.end(), first.begin(), first.end());
  dims.insert(dims.end(), second.begin(), second.end());
  tileTraffic.push_back(countTileTraffic(contraction, tensor, dims, target));
}

} // namespace tc::model
