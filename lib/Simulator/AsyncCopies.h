//===- AsyncCopies.h - Copies that have not been waited for -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: a copy reads global memory when it is issued, the earliest that
// hardware may, and writes shared memory when its thread waits for it, the
// latest. Accesses of a kernel between the two that are not ordered with the
// copy show.
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
  /// Makes a group of the copies that the lanes have issued since their last.
  void commit(std::uint32_t warp, std::uint32_t lanes);
  /// Writes the copies that the lanes have committed, but for their `newest`
  /// groups.
  void wait(Execution &execution, std::uint32_t lanes, std::uint64_t newest);
  /// An mbarrier is to be told when the copies that a lane has issued so far
  /// have landed.
  void arriveLater(Execution &execution, std::uint32_t lane,
                   std::uint32_t address, bool isExpected);
  /// Writes the copies of which an mbarrier is to be told. False if it reports
  /// a fault.
  bool land(Execution &execution, std::uint32_t address);
  /// Forgets the copies of lanes that end, unless an mbarrier is to be told of
  /// them; the first of those, if any.
  struct Lost {
    std::uint32_t lane, pc, destination, bytes;
  };
  std::optional<Lost> forget(std::uint32_t warp, std::uint32_t lanes);

  /// The copies that the block has kept under way, when it has ended.
  AsyncTraffic traffic() const;

private:
  /// A copy by one lane.
  struct Copy {
    std::byte data[16];
    std::uint64_t group;  ///< of its lane
    std::uint64_t source; ///< 0 if it is not to be compared in the end
    std::uint64_t number; ///< among those of the warp
    std::uint32_t pc;
    std::uint32_t destination;
    std::uint8_t bytes, sourceBytes, lane;
  };
  /// The copies of a lane with smaller numbers are to arrive at an mbarrier.
  struct Arrival {
    std::uint64_t number;
    std::uint32_t lane, address;
  };
  struct Warp {
    std::vector<Copy> copies; ///< in the order of their issue
    std::vector<Arrival> arrivals;
    std::uint64_t issued = 0;
    std::uint64_t committed[warpSize] = {}; ///< groups of each lane
    /// Those that hold copies, and lanes that have issued copies since.
    std::uint64_t groups[warpSize] = {};
    std::uint32_t issuing = 0;
    std::uint64_t bytes = 0, inFlight = 0, maxInFlight = 0;
    std::uint64_t maxGroups = 0;
  };

  static void compareSource(Execution &execution, const Copy &copy,
                            std::uint32_t warp);
  /// Writes the copies of a warp that `isDue`, and tells mbarriers of those
  /// that have landed. False if it reports a fault.
  template <typename F>
  bool complete(Execution &execution, std::uint32_t number, F isDue);

  std::vector<Warp> warps;
  std::size_t pending = 0;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_ASYNCCOPIES_H
