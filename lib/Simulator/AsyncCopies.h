//===- AsyncCopies.h - Copies that have not been waited for -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: a copy reads global memory when it is issued, the earliest that
// hardware may, and writes shared memory when its thread waits for it, the
// latest. Whatever a kernel does between the two that is not ordered with the
// copy shows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_ASYNCCOPIES_H
#define TC_LIB_SIMULATOR_ASYNCCOPIES_H

#include "Execution.h"

namespace tc::sim {

/// The copies of a block.
class AsyncCopies {
public:
  explicit AsyncCopies(std::size_t warps) : warps(warps) {}

  /// Begins a block.
  void reset();
  /// Reads the sources of a copy by lanes of the running warp. Reports a fault
  /// if that is not possible.
  void issue(Execution &execution, const MicroOp &op, const WarpAccess &from,
             const WarpAccess &to);
  /// Makes a group of what the lanes have issued since their last.
  void commit(std::uint32_t warp, std::uint32_t lanes);
  /// Writes what the lanes have committed, but for their `newest` groups.
  void wait(Execution &execution, std::uint32_t lanes, std::uint64_t newest);
  /// Forgets the copies of lanes that end; the first of them, if any.
  struct Lost {
    std::uint32_t lane, pc, destination, bytes;
  };
  std::optional<Lost> forget(std::uint32_t warp, std::uint32_t lanes);

  /// What the block has kept under way, when it has ended.
  AsyncTraffic traffic() const;

private:
  /// A copy by one lane.
  struct Copy {
    std::byte data[16];
    std::uint64_t group;  ///< of its lane
    std::uint64_t source; ///< 0 if it is not to be compared in the end
    std::uint32_t pc;
    std::uint32_t destination;
    std::uint8_t bytes, sourceBytes, lane;
  };
  struct Warp {
    std::vector<Copy> copies;               ///< in the order of their issue
    std::uint64_t committed[warpSize] = {}; ///< groups of each lane
    /// Those that hold copies, and lanes that have issued copies since.
    std::uint64_t groups[warpSize] = {};
    std::uint32_t issuing = 0;
    std::uint64_t bytes = 0, inFlight = 0, mostInFlight = 0;
    std::uint64_t mostGroups = 0;
  };

  static void compareSource(Execution &execution, const Copy &copy);

  std::vector<Warp> warps;
  std::size_t pending = 0;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_ASYNCCOPIES_H
