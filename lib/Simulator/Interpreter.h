//===- Interpreter.h - Running blocks ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the blocks of a launch one after another. A warp goes in lock step;
// where its lanes take different ways, a stack remembers who still has to go
// which way and where they meet again. Warps take turns at barriers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_INTERPRETER_H
#define TC_LIB_SIMULATOR_INTERPRETER_H

#include "AsyncCopies.h"
#include "Atomics.h"
#include "BlockShadow.h"
#include "BlockSync.h"
#include "Execution.h"
#include "Mbarriers.h"
#include "SharedShadow.h"

namespace tc::sim {

/// Aligned so that workers share no cache line.
class alignas(128) Interpreter {
public:
  Interpreter(const Kernel &kernel, const Memory &memory,
              const LaunchConfig &config, std::size_t trafficCount,
              BlockOrder &order, Releases &releases);

  /// Runs the block with that linear number, which has that position among
  /// those of the launch. False if it did something that is not allowed;
  /// `message()` says what.
  bool runBlock(std::uint64_t number, std::uint64_t position);
  const std::string &message() const { return failure; }

  /// The errors of the blocks so far in accesses to global memory.
  const std::optional<GlobalFinding> &uninitializedRead() const {
    return execution.uninitializedRead;
  }
  const std::optional<GlobalFinding> &changedSource() const {
    return execution.changedSource;
  }
  const std::optional<GlobalFinding> &rewrite() const {
    return execution.rewrite;
  }

  /// Adds the counts of the blocks so far.
  void addTo(Counters &counters) const;

private:
  /// Lanes that go the same way: where they are, and where they end up with
  /// those of the entry below.
  struct Path {
    std::uint32_t pc, reconvergence, mask;
  };
  struct Warp {
    std::vector<Path> paths;
    std::uint32_t initialMask = 0;
    std::uint32_t exited = 0;
    std::uint64_t issued = 0;
    bool isWaiting = false;
    std::uint32_t barrierPc = 0;
    /// Lets others run, because a lane waits for an mbarrier.
    bool hasYielded = false;
    std::uint32_t yieldPc = 0, yieldLane = 0, mbarrier = 0;
  };

  void prepareRegisters(unsigned warp);
  void prepareBlock(std::uint64_t number);
  /// Runs a warp up to a barrier, its end, or a fault.
  bool runWarp(Warp &warp);
  bool executeControl(Warp &warp, const MicroOp &op, std::uint32_t mask);
  void branch(Warp &warp, const MicroOp &op, std::uint32_t taken);
  bool exitLanes(Warp &warp, std::uint32_t mask);
  void runPartly(const MicroOp &op, Handler handler, std::uint32_t mask);
  bool checkRegisters(const Warp &warp, const MicroOp &op, std::uint32_t active,
                      std::uint32_t mask);
  void attributeAccesses(std::uint32_t pc);
  /// False if nobody can go on, unless some warps have `yielded`.
  bool releaseBarriers(bool yielded);
  void testMbarrier(Warp &warp, const MicroOp &op, std::uint32_t mask);
  std::uint64_t progress() const;
  bool reportDeadlock();
  /// Returns true if the block has taken more time than it may.
  bool isOutOfTime() const;
  bool fail(const Warp &warp, std::uint32_t pc, const Fault &fault);
  std::byte *registersOf(std::size_t warp);

  const LaunchConfig &config;
  const Handler *handlers;
  Execution execution;
  std::vector<std::byte> registerFile;
  std::vector<Warp> warps;
  std::unique_ptr<AccessOrder> order;
  std::unique_ptr<SharedShadow> shadow;
  std::unique_ptr<BlockShadow> blockShadow;
  std::unique_ptr<BlockSync> sync;
  std::unique_ptr<AsyncCopies> copies;
  std::unique_ptr<Mbarriers> mbarriers;
  std::unique_ptr<Atomics> atomics;
  std::uint32_t threads = 0;
  double blockBegin = 0; ///< in seconds of the thread that runs the block
  std::string failure;
  /// With a profile: the traffic of each instruction, and its sum.
  std::vector<AccessCounts> accesses;
  AccessCounts attributed;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_INTERPRETER_H
