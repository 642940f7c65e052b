//===- RelatedSchedules.cpp - Schedules with smaller blocks ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides blocks in two and four, and permutes the loops over them.
//
//===----------------------------------------------------------------------===//

#include "RelatedSchedules.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

/// Returns true if the loop over a role's blocks makes more than one trip.
static bool hasManyBlocks(const Contraction &contraction,
                          const CpuSchedule &schedule, Role role) {
  const std::vector<TileExtent> &tiles = schedule.tiles(role);
  return std::any_of(tiles.begin(), tiles.end(), [&](const TileExtent &tile) {
    return tile.extent <
           contraction.indices[*contraction.find(tile.label)].extent;
  });
}

/// Divides a block, along the index that varies slowest of those that it has
/// more than one element of. Returns true if there is one.
static bool divide(std::vector<TileExtent> &tiles, int64_t parts) {
  for (TileExtent &tile : tiles) {
    if (tile.extent == 1)
      continue;
    tile.extent = (tile.extent + parts - 1) / parts;
    return true;
  }
  return false;
}

/// Adds a schedule with its loops over blocks in all orders.
static void addInAllOrders(const Contraction &contraction, CpuSchedule schedule,
                           std::vector<CpuSchedule> &found) {
  std::vector<std::vector<Role>> tried;
  auto addOrdered = [&](const std::array<Role, 3> &order) {
    std::vector<Role> trips;
    for (Role role : order)
      if (hasManyBlocks(contraction, schedule, role))
        trips.push_back(role);
    if (std::find(tried.begin(), tried.end(), trips) != tried.end())
      return;
    tried.push_back(std::move(trips));
    schedule.order = order;
    found.push_back(schedule);
  };
  addOrdered(schedule.order);
  std::array<Role, 3> order = {Role::M, Role::N, Role::K};
  do {
    addOrdered(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

std::vector<CpuSchedule>
tc::model::relatedSchedules(const Contraction &contraction,
                            const CpuSchedule &schedule) {
  // The parts that blocks of M, N and K are divided into.
  static constexpr std::array<int64_t, 3> divisions[] = {
      {1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {1, 2, 1}, {1, 4, 1},
      {1, 1, 2}, {1, 1, 4}, {2, 1, 2}, {1, 2, 2}, {2, 2, 1}};
  std::vector<CpuSchedule> found;
  for (auto [m, n, k] : divisions) {
    CpuSchedule divided = schedule;
    if ((m == 1 || divide(divided.m, m)) && (n == 1 || divide(divided.n, n)) &&
        (k == 1 || divide(divided.k, k)))
      addInAllOrders(contraction, std::move(divided), found);
  }
  return found;
}
