//===- TrafficTable.cpp - Traffic of tilings ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrafficTable.h"

#include "tc/Hierarchy/TileGranules.h"

#include <algorithm>

namespace tc::model {

/// Stands for what has not been counted yet.
static constexpr double unknown = -1;

TrafficTable::TrafficTable(const Contraction &contraction, Tensor tensor,
                           const std::vector<TileDim> &batch,
                           const std::vector<TileCandidate> &rows,
                           const std::vector<TileCandidate> &columns,
                           const Target &target)
    : contraction(contraction), tensor(tensor), batch(batch), rows(rows),
      columns(columns), target(target) {
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < columns.size(); ++column)
      sectors.push_back(count(row, column, target.sectorBytes));
  lines.assign(sectors.size(), unknown);
  ofTile.assign(sectors.size(), unknown);
  ratios.resize(sectors.size());
}

void TrafficTable::addSectors(Traffic &traffic, size_t row, size_t column,
                              double visits) const {
  traffic.visits[tensor] = visits;
  traffic.sectors[tensor] = visits * sectors[row * columns.size() + column];
}

void TrafficTable::addRequests(Traffic &traffic, size_t row, size_t column,
                               double ratio) {
  double &line = lines[row * columns.size() + column];
  if (line == unknown)
    line = count(row, column, target.lineBytes);
  traffic.lines[tensor] = traffic.visits[tensor] * line;
  traffic.requests[tensor] = traffic.sectors[tensor] * ratio;
}

double TrafficTable::ratioOf(size_t row, size_t column,
                             const KernelLayout &layout) {
  double &distinct = ofTile[row * columns.size() + column];
  if (distinct == unknown)
    distinct = tileSectors(contraction, layout, tensor, target);
  return requestedSectors(contraction, layout, tensor, target) / distinct;
}

double TrafficTable::ratioOf(size_t row, size_t column,
                             const ThreadMapping &mapping,
                             const KernelLayout &layout) {
  auto &known = ratios[row * columns.size() + column];
  auto entry = std::find_if(known.begin(), known.end(), [&](const auto &other) {
    return other.first == mapping;
  });
  if (entry == known.end())
    entry = known.emplace(entry, mapping, ratioOf(row, column, layout));
  return entry->second;
}

double TrafficTable::count(size_t row, size_t column,
                           int64_t granuleBytes) const {
  std::vector<TileDim> dims = batch;
  const std::vector<TileDim> &first = rows[row].dims;
  const std::vector<TileDim> &second = columns[column].dims;
  dims.insert(dims.end(), first.begin(), first.end());
  dims.insert(dims.end(), second.begin(), second.end());
  return countTileGranules(contraction, tensor, dims, granuleBytes);
}

} // namespace tc::model
