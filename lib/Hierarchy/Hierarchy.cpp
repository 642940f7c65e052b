//===- Hierarchy.cpp - Memories and the tiles that live in them -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of hierarchies and schedules, and the levels of targets.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/Hierarchy.h"

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace tc::model {

namespace {

constexpr PerTensor<char> tensorNames = {{'A', 'B', 'C'}};

std::string quoted(const std::string &name) { return "'" + name + "'"; }

/// A whole number without a fraction.
std::string whole(double value) {
  return std::to_string(static_cast<int64_t>(value));
}

Status checkCapacity(const MemoryLevel &level, bool outermost,
                     const std::string &where) {
  if (level.capacityBytes < 0)
    return Error{where + "capacityBytes is " +
                 std::to_string(level.capacityBytes) +
                 ", but must not be negative"};
  if (level.lineBytes < 1)
    return Error{where + "lineBytes is " + std::to_string(level.lineBytes) +
                 ", but must be at least 1"};
  if (level.ways < 0)
    return Error{where + "ways is " + std::to_string(level.ways) +
                 ", but must not be negative"};
  if (level.capacityBytes == 0) {
    if (!outermost)
      return Error{where + "capacityBytes is missing; only the outermost level "
                           "can be without limit"};
    return {};
  }
  int64_t unit =
      saturatingMultiply(level.lineBytes, std::max<int64_t>(1, level.ways));
  if (level.capacityBytes % unit != 0)
    return Error{where + "capacityBytes (" +
                 std::to_string(level.capacityBytes) + ") is no multiple of " +
                 (level.ways > 0 ? "lineBytes times ways (" : "lineBytes (") +
                 std::to_string(unit) + ")"};
  return {};
}

} // namespace

Status checkHierarchy(const Hierarchy &hierarchy) {
  if (hierarchy.size() < 2)
    return Error{"a hierarchy needs at least two levels, but has " +
                 std::to_string(hierarchy.size())};
  for (size_t i = 0; i < hierarchy.size(); ++i) {
    const MemoryLevel &level = hierarchy[i];
    if (level.name.empty())
      return Error{"level " + std::to_string(i) + ": name is missing"};
    std::string where = "level " + quoted(level.name) + ": ";
    for (size_t j = 0; j < i; ++j)
      if (hierarchy[j].name == level.name)
        return Error{where + "name is given twice"};
    if (Status status = checkCapacity(level, i + 1 == hierarchy.size(), where);
        !status)
      return status;
    bool hasRate =
        std::isfinite(level.bytesPerSecond) && level.bytesPerSecond > 0;
    if (i > 0 && !hasRate)
      return Error{where + "bytesPerSecond is missing, but the level fills " +
                   quoted(hierarchy[i - 1].name)};
  }
  return {};
}

Hierarchy memoryHierarchy(const Target &target) {
  constexpr int64_t registerBytes = 4;
  double multiprocessors = target.multiprocessors;
  return {
      {"registers", target.multiprocessor.registers * registerBytes,
       registerBytes, 0, 0},
      {"shared memory", target.multiprocessor.sharedBytes, target.sectorBytes,
       0,
       static_cast<double>(target.sharedBytesPerCycle) * target.clockHertz *
           multiprocessors},
      // Its associativity is not published.
      {"L2", target.l2Bytes, target.sectorBytes, 0, target.l2BytesPerSecond},
      {"DRAM", 0, target.sectorBytes, 0, target.memoryBytesPerSecond}};
}

Hierarchy memoryHierarchy(const CpuTarget &target, int64_t cores) {
  Hierarchy hierarchy = {{"registers",
                          target.vectorBytes * target.vectorRegisters,
                          target.vectorBytes, 0, 0}};
  for (const CpuCache &cache : target.caches) {
    int64_t sharers =
        std::max<int64_t>(1, std::min(cores, cache.sharedByCores));
    int64_t unit = cache.lineBytes * std::max<int64_t>(1, cache.ways);
    int64_t share = cache.bytes / sharers;
    if (unit > 0)
      share -= share % unit;
    hierarchy.push_back(
        {cache.name, share, cache.lineBytes, cache.ways, cache.bytesPerSecond});
  }
  int64_t line = target.caches.empty() ? target.vectorBytes
                                       : target.caches.back().lineBytes;
  hierarchy.push_back({"memory", 0, line, 0, target.memoryBytesPerSecond});
  return hierarchy;
}

PerTensor<double> footprint(const Contraction &contraction,
                            const HierarchySchedule &schedule, unsigned level) {
  if (level == 0 && schedule.registerTile) {
    double m = schedule.registerTile->m, n = schedule.registerTile->n;
    return {{m, n, m * n}};
  }
  PerTensor<double> elements = {{1, 1, 1}};
  for (size_t i = 0; i < contraction.indices.size(); ++i) {
    const Index &index = contraction.indices[i];
    int64_t extent = level < schedule.levels.size()
                         ? schedule.levels[level].extents[i]
                         : index.extent;
    for (Tensor tensor : allTensors)
      if (index.stride[tensor] != 0)
        elements[tensor] *= static_cast<double>(extent);
  }
  return elements;
}

Status checkFits(const Contraction &contraction, const MemoryLevel &level,
                 const PerTensor<double> &elements) {
  if (level.capacityBytes == 0)
    return {};
  auto explain = [&](const PerTensor<double> &shares, const char *unit,
                     double sum, int64_t limit) {
    std::string text = "level " + quoted(level.name) + ": the tiles of ";
    for (Tensor tensor : allTensors)
      text += std::string(1, tensorNames[tensor]) + " (" +
              whole(shares[tensor]) + " " + unit + ")" +
              (tensor == Tensor::A   ? ", "
               : tensor == Tensor::B ? " and "
                                     : "");
    return Error{text + " take " + whole(sum) + " " + unit +
                 ", but the level has " + std::to_string(limit)};
  };
  PerTensor<double> bytes = {}, ways = {};
  double totalBytes = 0, totalWays = 0;
  double wayBytes = static_cast<double>(level.capacityBytes) /
                    static_cast<double>(std::max<int64_t>(1, level.ways));
  for (Tensor tensor : allTensors) {
    bytes[tensor] =
        elements[tensor] *
        static_cast<double>(byteWidth(contraction.elementType[tensor]));
    ways[tensor] = std::ceil(bytes[tensor] / wayBytes);
    totalBytes += bytes[tensor];
    totalWays += ways[tensor];
  }
  if (totalBytes > static_cast<double>(level.capacityBytes))
    return explain(bytes, "bytes", totalBytes, level.capacityBytes);
  if (level.ways > 0 && totalWays > static_cast<double>(level.ways))
    return explain(ways, "ways", totalWays, level.ways);
  return {};
}

namespace {

Status checkTile(const Contraction &contraction, const Hierarchy &hierarchy,
                 const HierarchySchedule &schedule, unsigned level) {
  const LevelTile &tile = schedule.levels[level];
  std::string where = "level " + quoted(hierarchy[level].name);
  if (!contraction.indices.empty() &&
      tile.innermost >= contraction.indices.size())
    return Error{where + ": the innermost loop is that of index " +
                 std::to_string(tile.innermost) +
                 ", but the contraction has only " +
                 std::to_string(contraction.indices.size())};
  if (level == 0 && schedule.registerTile) {
    const RegisterTile &registers = *schedule.registerTile;
    if (registers.m < 1 || registers.n < 1)
      return Error{where + ": the register tile is " +
                   std::to_string(registers.m) + " x " +
                   std::to_string(registers.n) +
                   ", but both must be at least 1"};
    if (!tile.extents.empty())
      return Error{where + ": has both a register tile and extents"};
    return {};
  }
  if (tile.extents.size() != contraction.indices.size())
    return Error{where + ": the tile has " +
                 std::to_string(tile.extents.size()) +
                 " extents, but the contraction has " +
                 std::to_string(contraction.indices.size()) + " indices"};
  for (size_t i = 0; i < tile.extents.size(); ++i) {
    const Index &index = contraction.indices[i];
    std::string at = where + ", index " + quoted(index.label) +
                     ": the tile's extent " + std::to_string(tile.extents[i]);
    if (tile.extents[i] < 1 || tile.extents[i] > index.extent)
      return Error{at + " is not between 1 and " +
                   std::to_string(index.extent)};
    // The next outer level's tile is looked at first, so it has its extents.
    if (level + 1 < schedule.levels.size() &&
        tile.extents[i] > schedule.levels[level + 1].extents[i])
      return Error{at + " exceeds the " +
                   std::to_string(schedule.levels[level + 1].extents[i]) +
                   " of level " + quoted(hierarchy[level + 1].name)};
  }
  return {};
}

} // namespace

Status checkSchedule(const Contraction &contraction, const Hierarchy &hierarchy,
                     const HierarchySchedule &schedule) {
  if (schedule.levels.size() + 1 != hierarchy.size())
    return Error{"the schedule has tiles for " +
                 std::to_string(schedule.levels.size()) +
                 " levels, but the hierarchy needs " +
                 std::to_string(hierarchy.size() - 1) +
                 ": one for each level but the outermost"};
  for (Tensor tensor : allTensors)
    if (schedule.packed[tensor] && *schedule.packed[tensor] >= hierarchy.size())
      return Error{
          std::string(1, tensorNames[tensor]) + " is packed at level " +
          std::to_string(*schedule.packed[tensor]) +
          ", but the hierarchy has only " + std::to_string(hierarchy.size())};
  for (unsigned level = schedule.levels.size(); level-- > 0;)
    if (Status status = checkTile(contraction, hierarchy, schedule, level);
        !status)
      return status;
  for (unsigned level = 0; level < schedule.levels.size(); ++level)
    if (Status status = checkFits(contraction, hierarchy[level],
                                  footprint(contraction, schedule, level));
        !status)
      return status;
  return {};
}

} // namespace tc::model
