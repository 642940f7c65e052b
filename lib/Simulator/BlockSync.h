//===- BlockSync.h - Order between the blocks of a grid ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that fences and then operates atomically releases, at that address,
// the writes before the fence of itself and of those that it has met at
// barriers. A thread of a later block whose atomic operation there returns a
// value, and that then fences, acquires it, for itself and those that it meets
// afterwards (PTX ISA, "Release and Acquire Patterns"). Operations that say so
// themselves need no fence. All must be of the device's scope at least.
//
// Atomic operations take their turns in the order of blocks (Atomics.h), so
// that an operation observes all that earlier blocks have released.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_BLOCKSYNC_H
#define TC_LIB_SIMULATOR_BLOCKSYNC_H

#include "AccessOrder.h"
#include "Execution.h"

#include <map>
#include <mutex>

namespace tc::sim {

/// The accesses that the blocks of a launch have released, and the addresses of
/// the releases.
class Releases {
public:
  void add(std::uint64_t address, std::uint64_t block, std::uint64_t position,
           const AccessOrder::Knowledge &what);
  /// Returns true if a block before that position has released one of its
  /// accesses.
  bool contain(std::uint64_t address, std::uint64_t block,
               std::uint64_t position, const AccessOrder::Access &access) const;

private:
  struct Release {
    std::uint64_t position;
    AccessOrder::Knowledge what;
  };
  mutable std::mutex mutex;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Release>>
      releases; ///< by address and block
};

/// The fences and atomic operations of the block that runs.
class BlockSync {
public:
  BlockSync(Releases &releases, AccessOrder &order)
      : releases(releases), order(order) {}

  /// Begins the block that has that position among those of the launch.
  void reset(std::uint64_t block, std::uint64_t position);
  /// The lanes of a warp fence.
  void fence(std::uint32_t warp, std::uint32_t lanes);
  /// The lanes of an access operate atomically on global memory, in their turn.
  void operate(std::uint32_t warp, const MicroOp &op, const WarpAccess &access);

  bool hasAcquired() const { return !acquired.empty(); }
  /// Returns true if an access of another block comes before those that a
  /// thread makes now.
  bool orders(std::uint32_t thread, std::uint64_t otherBlock,
              const AccessOrder::Access &access) const;
  /// The time and the thread of an access that happens now.
  AccessOrder::Access now(std::uint32_t thread) const;

private:
  struct Fence {
    std::uint32_t lanes;
    AccessOrder::Knowledge before;
  };
  /// An address where a thread has seen what others have released, and when it
  /// was ordered after that.
  struct Observation {
    std::uint64_t address;
    AccessOrder::Access by;
  };

  Releases &releases;
  AccessOrder &order;
  std::uint64_t block = 0, position = 0;
  /// The last fence of each lane, by warp.
  std::map<std::uint32_t, std::vector<Fence>> fences;
  std::vector<Observation> observed, acquired;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_BLOCKSYNC_H
