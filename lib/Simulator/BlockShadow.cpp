//===- BlockShadow.cpp - A block's accesses to global memory --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockShadow.h"

#include <algorithm>

using namespace tc::sim;

BlockShadow::BlockShadow(const Memory &memory, const Kernel &kernel,
                         const AccessOrder &order)
    : memory(memory), order(order), hasAtomics(kernel.hasAtomics),
      granule(kernel.globalGranule), shift(granuleShift(kernel.globalGranule)),
      tables(memory.regions.size()) {}

void BlockShadow::reset() {
  for (const auto &[region, page] : touched)
    tables[region][page] = nullptr;
  touched.clear();
}

BlockShadow::Page &BlockShadow::touch(std::size_t region, std::uint64_t page) {
  std::vector<Page *> &table = tables[region];
  if (table.empty())
    // The region may begin and end inside a granule.
    table.resize((memory.regions[region].size / granule + 2) / pageCells + 1);
  if (table[page] != nullptr)
    return *table[page];
  if (pages.size() == touched.size())
    pages.push_back(std::make_unique<Page>());
  Page &fresh = *pages[touched.size()];
  fresh.cells.fill(AccessOrder::History());
  fresh.atomics.assign(hasAtomics ? pageCells : 0,
                       AccessOrder::AtomicHistory());
  touched.emplace_back(region, page);
  return *(table[page] = &fresh);
}

bool BlockShadow::watch(Execution &execution, const MicroOp &op,
                        const WarpAccess &access, const Region &region) {
  const auto number = static_cast<std::size_t>(&region - memory.regions.data());
  const std::uint64_t base = region.address >> shift;
  AccessOrder::Access now = order.now(
      execution.warp,
      static_cast<std::uint32_t>(&op - execution.kernel->code.data()));
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    now.thread =
        (execution.warp * warpSize + lane) & (AccessOrder::maxThreads - 1);
    const std::uint64_t address = access.addresses[lane];
    const std::uint64_t first = (address >> shift) - base,
                        last = ((address + access.bytes - 1) >> shift) - base;
    for (std::uint64_t i = first; i <= last; ++i) {
      Page &page = touch(number, i / pageCells);
      AccessOrder::History &history = page.cells[i % pageCells];
      AccessOrder::AtomicHistory *atomics =
          page.atomics.empty() ? nullptr : &page.atomics[i % pageCells];
      const AccessOrder::Access *other =
          op.isAtomic      ? order.operate(history, *atomics, now)
          : access.isStore ? order.store(history, atomics, now, op.isStrong)
                           : order.load(history, atomics, now, op.isStrong);
      if (other == nullptr)
        continue;
      execution.fault = Fault{
          describe(access, address) + ", byte " +
              std::to_string(address - region.address) + " of buffer '" +
              std::string(region.name) + "', races with " +
              describeRace(*execution.kernel, execution.blockShape, *other),
          lane};
      return false;
    }
  }
  return true;
}
