//===- AccessOrder.h - Order of a block's memory accesses -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether accesses of two threads of a block race. As with vector
// clocks, after Flanagan and Freund, "FastTrack": each warp counts the barriers
// that it has passed, and knows which counts of other warps lie before its own.
// So barriers of a part of the block order just those threads. The history of a
// granule of memory keeps the accesses that are needed to find out whether a
// later access races with any.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_ACCESSORDER_H
#define TC_LIB_SIMULATOR_ACCESSORDER_H

#include "Limits.h"
#include "Program.h"

namespace tc::sim {

class AccessOrder {
public:
  static constexpr std::uint32_t maxThreads = 1u << 10, maxPcs = 1u << 22;
  /// Counts that stand for no access at all, for one that races with none, and
  /// for a copy that has not been waited for.
  static constexpr std::uint32_t never = 0, harmless = 1, start = 2;
  static constexpr std::uint32_t inFlight = 0xffffffffu;

  /// The time at which a thread accessed a granule, and the instruction that
  /// did.
  struct Access {
    std::uint32_t count = never; ///< of barriers, of the thread's warp
    std::uint32_t thread : 10;
    std::uint32_t pc : 22;
    Access() : thread(0), pc(0) {}
    Access(std::uint32_t count, std::uint32_t thread, std::uint32_t pc)
        : count(count), thread(thread & (maxThreads - 1)),
          pc(pc & (maxPcs - 1)) {
      static_assert(maxInstructions < maxPcs &&
                        maxThreadsPerBlock <= maxThreads,
                    "an instruction and a thread must fit");
    }
  };
  /// Of the reads since the last write, two of different threads are enough: a
  /// writer races with one that is not its own.
  struct History {
    Access write, reads[2];
  };
  /// The same of atomic operations, which race with all but one another.
  struct AtomicHistory {
    Access operations[2];
  };

  AccessOrder() { reset(); }

  /// Begins a block.
  void reset();
  /// The warps of a mask have met at a barrier.
  void synchronize(std::uint32_t warps);
  /// The accesses that come before something: of each warp, those with smaller
  /// counts.
  using Clock = std::array<std::uint32_t, 32>;
  /// The accesses that come before a moment of some lanes of a warp.
  struct Knowledge {
    Clock clock; ///< of what barriers have ordered before it
    /// Their own accesses up to that count.
    std::uint32_t warp, lanes, count;

    bool covers(const Access &access) const {
      const std::uint32_t author = access.thread / warpSize;
      return access.count < clock[author] ||
             (author == warp && access.count <= count &&
              ((lanes >> (access.thread % warpSize)) & 1) != 0);
    }
  };
  /// The accesses before this moment, without those of the warp afterwards.
  Knowledge learn(std::uint32_t warp, std::uint32_t lanes);
  /// Returns true if an access comes before those that a warp makes now.
  bool comesBefore(const Access &access, std::uint32_t warp) const {
    return isBefore(access, warp);
  }
  /// Orders the accesses of a warp so far before the event that a clock stands
  /// for.
  void release(std::uint32_t warp, Clock &clock);
  /// Orders the event that a clock stands for before the next accesses of a
  /// warp.
  void acquire(std::uint32_t warp, const Clock &clock);
  /// An access by lane 0 of a warp that happens now.
  Access now(std::uint32_t warp, std::uint32_t pc) const {
    return Access(current[warp], warp * warpSize, pc);
  }

  // Notes an access, unless it races with an earlier one: returns that, or
  // null. `atomics` may be null. A strong access races with nothing but copies.
  const Access *load(History &history, AtomicHistory *atomics,
                     const Access &now, bool isStrong) const;
  const Access *store(History &history, AtomicHistory *atomics,
                      const Access &now, bool isStrong) const;
  const Access *operate(History &history, AtomicHistory &atomics,
                        const Access &now) const;

private:
  static constexpr unsigned maxWarps = 32;

  bool isBefore(const Access &access, std::uint32_t warp) const {
    return access.count < known[warp][access.thread / warpSize];
  }
  bool isRace(const Access &access, const Access &now) const {
    return access.thread != now.thread
               ? !isBefore(access, now.thread / warpSize)
               : access.count == inFlight;
  }
  const Access *findRace(const Access (&accesses)[2], const Access &now) const {
    return isRace(accesses[0], now)   ? &accesses[0]
           : isRace(accesses[1], now) ? &accesses[1]
                                      : nullptr;
  }
  void remember(Access (&accesses)[2], const Access &now) const;

  /// The counts of each warp that each warp knows: accesses with smaller counts
  /// lie before its own from now on. Of itself, the count at which its lanes
  /// have met last.
  std::uint32_t known[maxWarps][maxWarps];
  /// The count of each warp's accesses.
  std::uint32_t current[maxWarps];
};

// Accesses that come before an access need not be remembered: whatever races
// with them races with this one as well.
inline void AccessOrder::remember(Access (&accesses)[2],
                                  const Access &now) const {
  const std::uint32_t warp = now.thread / warpSize;
  for (Access &access : accesses)
    if (access.count != never && access.thread == now.thread) {
      if (isBefore(access, warp))
        access = now;
      return;
    }
  for (Access &access : accesses)
    if (isBefore(access, warp)) {
      access = now;
      return;
    }
}

inline const AccessOrder::Access *AccessOrder::load(History &history,
                                                    AtomicHistory *atomics,
                                                    const Access &now,
                                                    bool isStrong) const {
  if (isStrong && history.write.count != inFlight)
    return nullptr;
  if (isRace(history.write, now))
    return &history.write;
  if (atomics != nullptr)
    if (const Access *other = findRace(atomics->operations, now))
      return other;
  remember(history.reads, now);
  return nullptr;
}

inline const AccessOrder::Access *AccessOrder::store(History &history,
                                                     AtomicHistory *atomics,
                                                     const Access &now,
                                                     bool isStrong) const {
  if (isStrong && history.write.count != inFlight) {
    history.write = now;
    history.write.count = harmless;
    return nullptr;
  }
  if (isRace(history.write, now))
    return &history.write;
  if (const Access *other = findRace(history.reads, now))
    return other;
  if (atomics != nullptr) {
    if (const Access *other = findRace(atomics->operations, now))
      return other;
    *atomics = AtomicHistory();
  }
  history.write = now;
  history.reads[0] = history.reads[1] = Access();
  return nullptr;
}

inline const AccessOrder::Access *
AccessOrder::operate(History &history, AtomicHistory &atomics,
                     const Access &now) const {
  if (isRace(history.write, now))
    return &history.write;
  if (const Access *other = findRace(history.reads, now))
    return other;
  remember(atomics.operations, now);
  return nullptr;
}

/// "the store by thread (1,0,0) at line 58: no barrier is between them"
std::string describeRace(const Kernel &kernel,
                         const std::array<std::uint32_t, 3> &blockShape,
                         const AccessOrder::Access &other);

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_ACCESSORDER_H
