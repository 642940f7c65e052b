//===- SharedShadow.h - Who touched shared memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers for each granule of a block's shared memory who wrote it last and
// who has read it since, to find reads of what nothing has written and races.
//
// Whether an access comes before another is decided as by vector clocks, after
// Flanagan and Freund, "FastTrack": each warp counts the barriers that it has
// passed, and knows which counts of other warps lie before its own. So barriers
// of a part of the block order just those threads.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_SHAREDSHADOW_H
#define TC_LIB_SIMULATOR_SHAREDSHADOW_H

#include "Execution.h"

namespace tc::sim {

class SharedShadow {
public:
  SharedShadow(std::uint64_t bytes, const Kernel &kernel,
               const Detectors &detectors);

  /// Begins a block.
  void reset();
  /// The warps of a mask have met at a barrier.
  void synchronize(std::uint32_t warps);
  /// False if it reports a fault.
  bool watch(Execution &execution, const MicroOp &op, const WarpAccess &access,
             std::uint64_t origin);
  /// An asynchronous copy to shared memory is issued: from now on until it has
  /// been waited for, no thread may touch what it writes. False if it reports
  /// a fault.
  bool beginCopy(Execution &execution, const MicroOp &op,
                 const WarpAccess &access);
  /// The thread that issued a copy has waited for it, which writes now.
  void endCopy(std::uint32_t thread, std::uint32_t pc, std::uint64_t address,
               std::uint32_t bytes);

private:
  static constexpr unsigned maxWarps = 32;
  static constexpr std::uint32_t maxThreads = 1u << 10, maxPcs = 1u << 22;
  /// Counts that stand for no access at all, for one that races with none, and
  /// for a copy that has not been waited for.
  static constexpr std::uint32_t never = 0, harmless = 1, start = 2;
  static constexpr std::uint32_t inFlight = 0xffffffffu;

  /// When a thread accessed a granule, and with which instruction.
  struct Access {
    std::uint32_t count = never; ///< of barriers, of the thread's warp
    std::uint32_t thread : 10;
    std::uint32_t pc : 22;
    Access() : thread(0), pc(0) {}
    Access(std::uint32_t count, std::uint32_t thread, std::uint32_t pc)
        : count(count), thread(thread & (maxThreads - 1)),
          pc(pc & (maxPcs - 1)) {}
  };
  /// Of the reads since the last write, two of different threads are enough: a
  /// writer races with one that is not its own.
  struct Cell {
    Access write, reads[2];
  };

  bool isBefore(const Access &access, std::uint32_t warp) const {
    return access.count < known[warp][access.thread / warpSize];
  }
  bool isRace(const Access &access, const Access &now) const {
    return access.thread != now.thread
               ? !isBefore(access, now.thread / warpSize)
               : access.count == inFlight;
  }
  bool load(Execution &execution, const WarpAccess &access, Cell &cell,
            const Access &now, bool isStrong);
  bool store(Execution &execution, const WarpAccess &access, Cell &cell,
             const Access &now, bool isStrong);
  void reportRace(Execution &execution, const WarpAccess &access,
                  const Access &other, bool otherStores, const Access &now);

  const Detectors detectors;
  const std::uint32_t granule;
  std::vector<Cell> cells;
  /// What each warp knows of each: accesses with smaller counts lie before its
  /// own from now on. A warp's own count is in `known[warp][warp]`.
  std::uint32_t known[maxWarps][maxWarps];
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_SHAREDSHADOW_H
