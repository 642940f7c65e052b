//===- Mbarriers.h - Barriers in shared memory ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier objects (PTX ISA 9.7.13.15). Their state is kept beside shared
// memory, whose bytes there mean nothing. Counts of bytes, which only bulk
// copies need, are not in the subset.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_MBARRIERS_H
#define TC_LIB_SIMULATOR_MBARRIERS_H

#include "AccessOrder.h"
#include "Execution.h"

#include <map>

namespace tc::sim {

/// The mbarriers of a block.
class Mbarriers {
public:
  /// Begins a block.
  void reset() { barriers.clear(); }

  /// Executes an operation other than a wait in the lanes of an access.
  void operate(Execution &execution, const MicroOp &op,
               const WarpAccess &access);
  /// Tells the lanes for which the phase that they name has completed.
  std::uint32_t test(Execution &execution, const MicroOp &op,
                     const WarpAccess &access);
  /// The copies of a lane of a warp have landed. False if it reports a fault.
  bool arrive(Execution &execution, std::uint32_t address, std::uint32_t warp,
              std::uint32_t lane);
  /// Copies will arrive, which are `more` arrivals than were expected. False if
  /// it reports a fault.
  bool expect(Execution &execution, std::uint32_t address, std::uint32_t lane,
              std::uint32_t more);

  /// The number of changes of mbarriers: if it does not grow any more, nobody's
  /// wait will end.
  std::uint64_t changes() const { return changeCount; }
  /// "phase 3 of the mbarrier at address 0x10 takes 2 more arrivals"
  std::string describe(std::uint32_t address) const;

private:
  struct Barrier {
    std::uint32_t expected = 0, pending = 0;
    std::uint64_t phase = 0; ///< that is under way
    /// Clocks before the arrivals of this phase, and of the last one.
    AccessOrder::Clock arriving, completed;
  };

  /// Null if it reports a fault.
  Barrier *find(Execution &execution, std::uint32_t address,
                std::uint32_t lane);
  /// Returns true if all lanes name mbarriers; reports a fault if not.
  bool exist(Execution &execution, const MicroOp &op, const WarpAccess &access);
  bool initialize(Execution &execution, std::uint32_t address,
                  std::uint32_t lane, std::uint32_t count);
  /// The state before, or nothing if it reports a fault.
  std::optional<std::uint64_t> arrive(Execution &execution, const MicroOp &op,
                                      std::uint32_t address, std::uint32_t lane,
                                      std::uint32_t count);
  void count(Execution &execution, Barrier &barrier, std::uint32_t warp,
             std::uint32_t arrivals);

  std::map<std::uint32_t, Barrier> barriers; ///< by address
  std::uint64_t changeCount = 0;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_MBARRIERS_H
