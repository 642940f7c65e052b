//===- Hierarchy.cpp - The levels of memory of a machine ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels of targets.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/Hierarchy.h"

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"

#include <algorithm>

namespace tc::model {

MemoryLevel l2Level(const Target &target) {
  // Its associativity is not published.
  return {"L2", target.l2Bytes, target.sectorBytes, 0, target.l2BytesPerSecond};
}

Hierarchy memoryHierarchy(const Target &target) {
  constexpr int64_t registerBytes = 4;
  double multiprocessors = target.multiprocessors;
  return {{"registers", target.multiprocessor.registers * registerBytes,
           registerBytes, 0, 0},
          {"shared memory", target.multiprocessor.sharedBytes,
           target.sectorBytes, 0,
           static_cast<double>(target.sharedBytesPerCycle) * target.clockHertz *
               multiprocessors},
          l2Level(target),
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

unsigned levelHolding(const Hierarchy &hierarchy, double bytes) {
  unsigned level = 1;
  while (level + 1 < hierarchy.size() &&
         bytes > static_cast<double>(hierarchy[level].capacityBytes))
    ++level;
  return level;
}

} // namespace tc::model
