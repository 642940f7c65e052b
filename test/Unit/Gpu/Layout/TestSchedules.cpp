//===- TestSchedules.cpp - Random schedules for tests ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

#include <algorithm>

namespace tc::model::test {

Schedule randomSchedule(const Contraction &contraction, std::mt19937 &random) {
  Schedule schedule;
  for (const Index &index : contraction.indices) {
    std::vector<TileExtent> *list = index.role == Role::M   ? &schedule.m
                                    : index.role == Role::N ? &schedule.n
                                    : index.role == Role::K ? &schedule.k
                                                            : nullptr;
    if (!list)
      continue;
    list->insert(list->begin() +
                     uniform(random, 0, static_cast<int64_t>(list->size())),
                 {index.label, uniform(random, 1, index.extent)});
  }
  auto divisor = [&](int64_t block) {
    int64_t candidate = uniform(random, 1, std::min<int64_t>(block, 8));
    while (block % candidate != 0)
      --candidate;
    return candidate;
  };
  schedule.registerM = divisor(schedule.blockM());
  schedule.registerN = divisor(schedule.blockN());
  return schedule;
}

void mapRandomly(Schedule &schedule, const Contraction &contraction,
                 std::mt19937 &random) {
  GridMapping &mapping = schedule.mapping;
  mapping.rasterM = uniform(random, 0, 3);
  switch (uniform(random, 0, 2)) {
  case 0:
    return;
  case 1:
    mapping.stationary =
        uniform(random, 0, 1) == 0 ? Stationary::A : Stationary::B;
    mapping.tilesPerBlock = uniform(random, 1, 5);
    for (TileExtent &tile : schedule.k)
      tile.extent = contraction.indices[*contraction.find(tile.label)].extent;
    return;
  default:
    mapping.splitK = uniform(random, 2, 5);
  }
}

} // namespace tc::model::test
