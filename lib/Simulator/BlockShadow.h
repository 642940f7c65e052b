//===- BlockShadow.h - A block's accesses to global memory ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds races between threads of one block on global memory. GlobalShadow finds
// those between blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_BLOCKSHADOW_H
#define TC_LIB_SIMULATOR_BLOCKSHADOW_H

#include "AccessOrder.h"
#include "Execution.h"

namespace tc::sim {

class BlockShadow {
public:
  BlockShadow(const Memory &memory, const Kernel &kernel,
              const AccessOrder &order);

  /// Begins a block.
  void reset();
  /// False if it reports a fault.
  bool watch(Execution &execution, const MicroOp &op, const WarpAccess &access,
             const Region &region);

private:
  /// Small, because a block's accesses are scattered over rows.
  static constexpr std::uint64_t pageCells = 128;
  struct Page {
    std::array<AccessOrder::History, pageCells> cells;
    /// Empty if the kernel has no atomic operations.
    std::vector<AccessOrder::AtomicHistory> atomics;
  };

  Page &touch(std::size_t region, std::uint64_t page);

  const Memory &memory;
  const AccessOrder &order;
  const bool hasAtomics;
  const std::uint64_t granule;
  /// Of addresses, to numbers of granules.
  const unsigned shift;
  /// For each region, its pages as far as the block has touched them.
  std::vector<std::vector<Page *>> tables;
  std::vector<std::pair<std::size_t, std::uint64_t>> touched;
  /// The first `touched.size()` are in use.
  std::vector<std::unique_ptr<Page>> pages;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_BLOCKSHADOW_H
