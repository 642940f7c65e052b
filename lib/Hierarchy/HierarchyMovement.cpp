//===- HierarchyMovement.cpp - What a tiled contraction moves -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tiles of a level cut a tensor into disjoint parts, whether or not extents
// are multiples of them. So one visit of each tile moves the tensor once, and
// the movement is that times the visits that find the tile gone. The loops that
// a tensor's index list lacks visit its tiles again; all but those that reuse
// it count.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/HierarchyMovement.h"

#include "tc/Hierarchy/TileGranules.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tc::model {

namespace {

/// How often a length occurs.
using Lengths = std::map<int64_t, double>;

/// The parts into which tiles cut parts of those lengths.
Lengths cut(const Lengths &parts, int64_t tile) {
  Lengths result;
  for (const auto &[length, count] : parts) {
    if (length >= tile)
      result[tile] += count * static_cast<double>(length / tile);
    if (length % tile != 0)
      result[length % tile] += count;
  }
  return result;
}

double total(const Lengths &parts) {
  double sum = 0;
  for (const auto &[length, count] : parts)
    sum += count;
  return sum;
}

/// A loop over the tiles of a level.
struct Loop {
  unsigned level;
  /// One index, or all of a role where register tiles are walked.
  std::vector<unsigned> indices;
};

/// The loops of a schedule, with how many tiles they visit.
class LoopNest {
public:
  LoopNest(const Contraction &contraction, const HierarchySchedule &schedule)
      : contraction(contraction), schedule(schedule),
        outermost(schedule.levels.size()),
        tileCounts(outermost, std::vector<double>(contraction.indices.size())) {
    for (unsigned i = 0; i < contraction.indices.size(); ++i) {
      Lengths parts = {{contraction.indices[i].extent, 1}};
      for (unsigned level = outermost; level-- > 0;) {
        if (level == 0 && schedule.registerTile)
          registerPanels(i, parts);
        parts = cut(parts, extent(level, i));
        tileCounts[level][i] = total(parts);
      }
    }
  }

  /// Tiles of a level along an index, those that are cut off counted as one.
  double tiles(unsigned level, unsigned index) const {
    return level == outermost ? 1 : tileCounts[level][index];
  }

  /// How often a tile of the tensor enters a level. `memory` is the level if
  /// loops inside may leave all that they touch in it.
  double visits(unsigned level, Tensor tensor,
                const MemoryLevel *memory) const {
    // The innermost level at which each index counts.
    std::vector<unsigned> from(contraction.indices.size(), outermost);
    std::vector<int64_t> inside(contraction.indices.size());
    for (unsigned i = 0; i < inside.size(); ++i)
      inside[i] = extent(level, i);
    bool moved = false;
    for (const Loop &loop : loopsAround(level)) {
      if (holds(loop, tensor))
        moved = true;
      else if (moved && !(memory && fits(*memory, inside)))
        for (unsigned index : loop.indices)
          from[index] = std::min(from[index], loop.level);
      for (unsigned index : loop.indices)
        inside[index] = extent(loop.level + 1, index);
    }
    double product = 1;
    for (unsigned i = 0; i < from.size(); ++i)
      if (!holds(i, tensor) && !(from[i] == 0 && isPanelled(i)))
        product *= tiles(from[i], i);
    for (Role role : {Role::M, Role::N})
      for (unsigned i = 0; i < from.size(); ++i)
        if (!holds(i, tensor) && from[i] == 0 && isPanelled(i) &&
            contraction.indices[i].role == role) {
          product *= panels(role);
          break;
        }
    return product;
  }

  /// The tiles of a level along the indices that the tensor holds.
  std::vector<TileDim> tileDims(unsigned level, Tensor tensor) const {
    std::vector<TileDim> dims;
    for (unsigned i = 0; i < contraction.indices.size(); ++i)
      if (holds(i, tensor))
        dims.push_back({i, contraction.indices[i].extent, extent(level, i), 1});
    return dims;
  }

  bool holds(unsigned index, Tensor tensor) const {
    return contraction.indices[index].stride[tensor] != 0;
  }

private:
  int64_t extent(unsigned level, unsigned index) const {
    if (level == outermost)
      return contraction.indices[index].extent;
    if (level == 0 && schedule.registerTile)
      return 1;
    return schedule.levels[level].extents[index];
  }

  bool holds(const Loop &loop, Tensor tensor) const {
    return std::any_of(loop.indices.begin(), loop.indices.end(),
                       [&](unsigned index) { return holds(index, tensor); });
  }

  unsigned holders(unsigned index) const {
    unsigned mask = 0;
    for (Tensor tensor : allTensors)
      mask |= holds(index, tensor) << static_cast<unsigned>(tensor);
    return mask;
  }

  bool fits(const MemoryLevel &memory,
            const std::vector<int64_t> &extents) const {
    PerTensor<double> elements = {{1, 1, 1}};
    for (unsigned i = 0; i < extents.size(); ++i)
      for (Tensor tensor : allTensors)
        if (holds(i, tensor))
          elements[tensor] *= static_cast<double>(extents[i]);
    return static_cast<bool>(checkFits(contraction, memory, elements));
  }

  /// Whether a register tile counts the index together with others.
  bool isPanelled(unsigned index) const {
    Role role = contraction.indices[index].role;
    return schedule.registerTile && (role == Role::M || role == Role::N);
  }

  Lengths &panelLengths(Role role) { return role == Role::M ? rows : columns; }

  /// Extends the lengths of a role's flattened tiles by another index.
  void registerPanels(unsigned index, const Lengths &parts) {
    if (!isPanelled(index))
      return;
    Lengths &lengths = panelLengths(contraction.indices[index].role);
    Lengths product;
    for (const auto &[length, count] : lengths)
      for (const auto &[part, partCount] : parts)
        product[length * part] += count * partCount;
    lengths.swap(product);
  }

  /// Register tiles along a role, in all.
  double panels(Role role) const {
    int64_t tile =
        role == Role::M ? schedule.registerTile->m : schedule.registerTile->n;
    double sum = 0;
    for (const auto &[length, count] : role == Role::M ? rows : columns)
      sum += count * static_cast<double>(ceilDivide(length, tile));
    return sum;
  }

  /// Whether a loop makes more than one trip.
  bool repeats(const Loop &loop) const {
    if (loop.level > 0 || !isPanelled(loop.indices.front())) {
      unsigned index = loop.indices.front();
      return extent(loop.level, index) < extent(loop.level + 1, index);
    }
    int64_t length = 1;
    for (unsigned index : loop.indices)
      length = saturatingMultiply(length, extent(1, index));
    const RegisterTile &tile = *schedule.registerTile;
    return length > (contraction.indices[loop.indices.front()].role == Role::M
                         ? tile.m
                         : tile.n);
  }

  /// The loops outside a level's tile that make more than one trip, innermost
  /// first.
  std::vector<Loop> loopsAround(unsigned level) const {
    std::vector<Loop> loops;
    for (; level < outermost; ++level) {
      unsigned innermost = schedule.levels[level].innermost;
      auto rank = [&](unsigned index) {
        return index == innermost                     ? 0
               : holders(index) == holders(innermost) ? 1
                                                      : 2;
      };
      std::vector<unsigned> order(contraction.indices.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return rank(a) != rank(b) ? rank(a) < rank(b) : a > b;
      });
      std::vector<Role> seen;
      for (unsigned index : order) {
        Loop loop{level, {index}};
        Role role = contraction.indices[index].role;
        if (level == 0 && isPanelled(index)) {
          if (std::find(seen.begin(), seen.end(), role) != seen.end())
            continue;
          seen.push_back(role);
          loop.indices = contraction.withRole(role);
        }
        if (repeats(loop))
          loops.push_back(std::move(loop));
      }
    }
    return loops;
  }

  const Contraction &contraction;
  const HierarchySchedule &schedule;
  /// The level that has no tile.
  unsigned outermost;
  std::vector<std::vector<double>> tileCounts;
  /// Elements along M and along N of the tiles that register tiles cover.
  Lengths rows = {{1, 1}}, columns = {{1, 1}};
};

double elementsPerLine(const Contraction &contraction, Tensor tensor,
                       int64_t lineBytes) {
  return static_cast<double>(lineBytes) /
         static_cast<double>(byteWidth(contraction.elementType[tensor]));
}

/// Lines that hold the tensor's tiles, each of them counted once.
double tileLines(const Contraction &contraction, const LoopNest &nest,
                 const HierarchySchedule &schedule, unsigned level,
                 Tensor tensor, int64_t lineBytes) {
  bool packed = schedule.packed[tensor] && level <= *schedule.packed[tensor];
  if (packed || (level == 0 && schedule.registerTile))
    return contraction.elements(tensor) /
           elementsPerLine(contraction, tensor, lineBytes);
  std::vector<TileDim> dims = nest.tileDims(level, tensor);
  double lines = countTileGranules(contraction, tensor, dims, lineBytes);
  // Outer tiles that are no multiples cut more often than the count knows.
  for (const TileDim &dim : dims)
    lines *= nest.tiles(level, dim.index) / static_cast<double>(dim.tiles());
  return lines;
}

double copiedElements(const Contraction &contraction, const LoopNest &nest,
                      const HierarchySchedule &schedule, Tensor tensor) {
  if (!schedule.packed[tensor])
    return 0;
  double elements = contraction.elements(tensor);
  if (*schedule.packed[tensor] < schedule.levels.size())
    elements *= nest.visits(*schedule.packed[tensor], tensor, nullptr);
  return tensor == Tensor::C ? 2 * elements : elements;
}

} // namespace

double LevelMovement::bytes(const Contraction &contraction, Tensor tensor,
                            OutputTraffic output) const {
  double count = elements[tensor] + packingReads[tensor];
  if (output != OutputTraffic::Once)
    count += packingWrites[tensor];
  if (tensor == Tensor::C && output != OutputTraffic::Once) {
    count += elements[tensor];
    if (output == OutputTraffic::ReadAndWrite && !contraction.readsC)
      count -= contraction.elements(tensor);
  }
  return count *
         static_cast<double>(byteWidth(contraction.elementType[tensor]));
}

double LevelMovement::bytes(const Contraction &contraction,
                            OutputTraffic output) const {
  double sum = 0;
  for (Tensor tensor : allTensors)
    sum += bytes(contraction, tensor, output);
  return sum;
}

unsigned HierarchyCost::limit() const {
  return std::max_element(levelSeconds.begin(), levelSeconds.end()) -
         levelSeconds.begin();
}

double packedElements(const Contraction &contraction,
                      const HierarchySchedule &schedule, Tensor tensor) {
  return copiedElements(contraction, LoopNest(contraction, schedule), schedule,
                        tensor);
}

std::vector<LevelMovement> countMovement(const Contraction &contraction,
                                         const Hierarchy &hierarchy,
                                         const HierarchySchedule &schedule) {
  LoopNest nest(contraction, schedule);
  std::vector<LevelMovement> movements(schedule.levels.size());
  for (unsigned level = 0; level < movements.size(); ++level) {
    LevelMovement &movement = movements[level];
    // The padding of a register tile leaves no room for more.
    const MemoryLevel *memory =
        level == 0 && schedule.registerTile ? nullptr : &hierarchy[level];
    for (Tensor tensor : allTensors) {
      double visits = nest.visits(level, tensor, memory);
      movement.elements[tensor] = visits * contraction.elements(tensor);
      movement.lines[tensor] =
          visits * tileLines(contraction, nest, schedule, level, tensor,
                             hierarchy[level].lineBytes);
      double copied = copiedElements(contraction, nest, schedule, tensor);
      movement.packingReads[tensor] = copied;
      if (schedule.packed[tensor] && level < *schedule.packed[tensor])
        movement.packingWrites[tensor] = copied;
    }
  }
  return movements;
}

Result<HierarchyCost> estimateCost(const Contraction &contraction,
                                   const Hierarchy &hierarchy,
                                   const HierarchySchedule &schedule,
                                   OutputTraffic output) {
  if (Status status = checkHierarchy(hierarchy); !status)
    return Error{status.error()};
  if (Status status = checkSchedule(contraction, hierarchy, schedule); !status)
    return Error{status.error()};
  HierarchyCost cost;
  cost.levels = countMovement(contraction, hierarchy, schedule);
  for (unsigned level = 0; level < cost.levels.size(); ++level)
    cost.levelSeconds.push_back(cost.levels[level].bytes(contraction, output) /
                                hierarchy[level + 1].bytesPerSecond);
  return cost;
}

unsigned selectByLevels(const std::vector<std::vector<double>> &levelSeconds,
                        double tolerance) {
  std::vector<std::vector<double>> ranked = levelSeconds;
  std::vector<unsigned> left(ranked.size());
  for (unsigned i = 0; i < ranked.size(); ++i) {
    std::sort(ranked[i].begin(), ranked[i].end(), std::greater<>());
    left[i] = i;
  }
  for (unsigned rank = 0; rank < ranked.front().size(); ++rank) {
    double least = ranked[left.front()][rank];
    for (unsigned i : left)
      least = std::min(least, ranked[i][rank]);
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](unsigned i) {
                                return ranked[i][rank] >
                                       least * (1 + tolerance);
                              }),
               left.end());
  }
  return left.front();
}

} // namespace tc::model
