//===- SharedShadow.h - Accesses to shared memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers for each granule of a block's shared memory who wrote it last and
// who has read it since, to find reads of what nothing has written and races.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_SHAREDSHADOW_H
#define TC_LIB_SIMULATOR_SHAREDSHADOW_H

#include "AccessOrder.h"
#include "Execution.h"

namespace tc::sim {

class SharedShadow {
public:
  SharedShadow(std::uint64_t bytes, const Kernel &kernel,
               const Detectors &detectors, const AccessOrder &order);

  /// Begins a block.
  void reset();
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
  // False if they report a fault.
  template <bool hasAtomics>
  bool touch(Execution &execution, const MicroOp &op, const WarpAccess &access,
             std::uint64_t cell, const AccessOrder::Access &now);
  template <bool hasAtomics>
  bool touchAll(Execution &execution, const MicroOp &op,
                const WarpAccess &access, std::uint64_t origin);
  static void reportRace(Execution &execution, const WarpAccess &access,
                         const AccessOrder::Access &other,
                         const AccessOrder::Access &now);

  const Detectors detectors;
  const AccessOrder &order;
  /// Of addresses, to numbers of granules.
  const unsigned shift;
  std::vector<AccessOrder::History> cells;
  /// Empty if the kernel has no atomic operations.
  std::vector<AccessOrder::AtomicHistory> atomics;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_SHAREDSHADOW_H
