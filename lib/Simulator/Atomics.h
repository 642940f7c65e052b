//===- Atomics.h - Atomic operations on memory ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks run at the same time on threads of the host, and yet the results of
// atomic operations in global memory do not depend on the number of threads: it
// is as if the blocks performed them one after another, in their order. An
// operation that returns nothing is put off to the end of the block; an
// operation whose result is wanted waits until all blocks before its own have
// ended.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_ATOMICS_H
#define TC_LIB_SIMULATOR_ATOMICS_H

#include "Execution.h"

#include <condition_variable>
#include <mutex>
#include <set>

namespace tc::sim {

/// Lets blocks, by their positions in a launch, wait for those before them.
class BlockOrder {
public:
  /// False if one of them has failed.
  bool await(std::uint64_t position);
  void end(std::uint64_t position);
  void fail(std::uint64_t position);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t next = 0; ///< the first that has not ended
  std::set<std::uint64_t> early;
  std::uint64_t firstFailed = ~std::uint64_t(0);
};

/// The atomic operations of the block that runs.
class Atomics {
public:
  explicit Atomics(BlockOrder &order) : order(order) {}

  /// Begins a block.
  void reset(std::uint64_t position);
  /// Performs the operation of the lanes of an access to shared memory, which
  /// begins at `origin`, or to global memory. Reports a fault if there is one.
  void operateShared(Execution &execution, const MicroOp &op,
                     const WarpAccess &access, std::uint64_t origin);
  void operateGlobal(Execution &execution, const MicroOp &op,
                     const WarpAccess &access);
  /// Performs the operations that have been put off. False if a block before
  /// this one has failed, so that this one does not count; then it reports a
  /// fault.
  bool settle(Execution &execution);
  /// The same if any of it concerns the region.
  bool settle(Execution &execution, const Region &region);
  /// Has the block put anything off?
  bool isPending() const { return !pending.empty(); }

private:
  struct Operation {
    std::byte *place;
    std::uint64_t operand;
    AtomicFunction function;
    std::uint8_t bytes;
  };
  BlockOrder &order;
  std::uint64_t position = 0;
  /// All blocks before this one have ended.
  bool isFirst = false;
  std::vector<Operation> pending;
  std::vector<const Region *> regions; ///< of those
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_ATOMICS_H
