//===- GlobalShadow.cpp - Accesses of all blocks to global memory ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
#include "BlockShadow.h"
#include "BlockSync.h"
#include "Limits.h"

#include <algorithm>

using namespace tc::sim;

static_assert(maxInstructions < GlobalAccess::pcs &&
                  maxThreadsPerBlock <= GlobalAccess::threads,
              "an instruction and a thread must fit GlobalAccess");

static void lower(std::atomic<std::uint64_t> &least, std::uint64_t value) {
  std::uint64_t old = least.load(std::memory_order_relaxed);
  while (value < old &&
         !least.compare_exchange_weak(old, value, std::memory_order_relaxed))
    ;
}

static void raise(std::atomic<std::uint64_t> &greatest, std::uint64_t value) {
  std::uint64_t old = greatest.load(std::memory_order_relaxed);
  while (value > old &&
         !greatest.compare_exchange_weak(old, value, std::memory_order_relaxed))
    ;
}

GlobalShadow::GlobalShadow(const Region &region, const Kernel &kernel,
                           GlobalWatch watch,
                           const std::array<std::uint32_t, 3> &gridShape,
                           const std::array<std::uint32_t, 3> &blockShape)
    : region(region), kernel(kernel), watched(watch), gridShape(gridShape),
      blockShape(blockShape), granule(kernel.globalGranule),
      shift(granuleShift(kernel.globalGranule)),
      // The region may begin and end inside a granule.
      count((region.address + region.size - 1) / granule -
            region.address / granule + 1),
      cells(count), atomics(kernel.hasAtomics ? count : 0) {}

template <typename T>
T &GlobalShadow::Pages<T>::operator[](std::uint64_t index) {
  std::atomic<Page *> &slot = pages[index / pageCells];
  Page *page = slot.load(std::memory_order_acquire);
  if (page == nullptr) {
    auto made = std::make_unique<Page>();
    if (slot.compare_exchange_strong(page, made.get(),
                                     std::memory_order_acq_rel))
      page = made.release();
  }
  return (*page)[index % pageCells];
}

void tc::sim::keepFinding(std::optional<GlobalFinding> &kept,
                          const GlobalFinding &finding) {
  if (!kept || finding < *kept)
    kept = finding;
}

void GlobalShadow::checkInitialized(Execution &execution, const Cell &cell,
                                    std::uint64_t address,
                                    const GlobalAccess &now) const {
  if (!watched.uninitialized ||
      address + granule <= region.address + watched.initializedBytes)
    return;
  std::uint64_t first = cell.firstWriter.load(std::memory_order_relaxed);
  std::uint64_t last = cell.lastWriter.load(std::memory_order_relaxed);
  bool isWritten =
      first != none64 && (GlobalAccess(first).block() == now.block() ||
                          GlobalAccess(last).block() == now.block());
  if (!isWritten && !cell.isWrittenStrongly.load(std::memory_order_relaxed))
    keepFinding(execution.uninitializedRead, {&region, address, now, now});
}

/// Returns true if the block knows that the contents were written before.
/// Blocks before it have ended by the time that it does, so that their writes
/// are known: if this load meets a store of one of the others, then so does the
/// first store.
bool GlobalShadow::isOrdered(const Execution &execution, const Cell &cell,
                             std::uint64_t address,
                             const GlobalAccess &now) const {
  if (execution.sync == nullptr || !execution.sync->hasAcquired())
    return false;
  const std::uint64_t first = cell.firstWriter.load(std::memory_order_relaxed);
  if (first == none64 || GlobalAccess(first).block() == now.block())
    return false;
  const AtomicCell *atomic =
      atomics.find(address / granule - region.address / granule);
  if (atomic == nullptr || atomic->first != none64)
    return false;
  const std::uint64_t store = atomic->lastStore.load(std::memory_order_relaxed);
  return execution.sync->orders(
      now.thread(), GlobalAccess(first).block(),
      AccessOrder::Access(
          static_cast<std::uint32_t>(store / GlobalAccess::threads),
          static_cast<std::uint32_t>(store % GlobalAccess::threads), 0));
}

void GlobalShadow::load(Execution &execution, Cell &cell, std::uint64_t address,
                        const GlobalAccess &now) {
  if (isOrdered(execution, cell, address, now))
    return;
  checkInitialized(execution, cell, address, now);
  lower(cell.firstReader, now.bits);
  raise(cell.lastReader, now.bits);
}

void GlobalShadow::store(Execution &execution, Cell &cell,
                         std::uint64_t address, const GlobalAccess &now) {
  std::uint64_t first = cell.firstWriter.load(std::memory_order_relaxed);
  if (watched.rewrites && first != none64) {
    std::uint64_t last = cell.lastWriter.load(std::memory_order_relaxed);
    for (std::uint64_t earlier : {first, last})
      if (GlobalAccess(earlier).block() == now.block())
        keepFinding(execution.rewrite,
                    {&region, address, now, GlobalAccess(earlier)});
  }
  lower(cell.firstWriter, now.bits);
  raise(cell.lastWriter, now.bits);
  if (execution.sync != nullptr)
    atomics[address / granule - region.address / granule].lastStore.store(
        execution.sync->now(now.thread()).count * GlobalAccess::threads +
            now.thread(),
        std::memory_order_relaxed);
}

void GlobalShadow::operate(Execution &execution, const MicroOp &op,
                           std::uint64_t index, const GlobalAccess &now) {
  Cell &cell = cells[index];
  // An exchange writes; the others change what has been written.
  if (static_cast<AtomicFunction>(op.combine) == AtomicFunction::Exchange)
    cell.isWrittenStrongly.store(true, std::memory_order_relaxed);
  else
    checkInitialized(execution, cell,
                     (region.address / granule + index) * granule, now);
  AtomicCell &atomic = atomics[index];
  lower(atomic.first, now.bits);
  raise(atomic.last, now.bits);
}

void GlobalShadow::watch(Execution &execution, const MicroOp &op,
                         const WarpAccess &access) {
  if (!watched.any())
    return;
  const std::uint64_t base = region.address >> shift;
  auto pc = static_cast<std::uint64_t>(&op - kernel.code.data());
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    GlobalAccess now(execution.block, execution.warp * warpSize + lane, pc);
    // A copy may end inside a granule; any store covers that as a whole.
    const std::uint64_t first = access.addresses[lane] >> shift,
                        last = (access.addresses[lane] + access.bytes - 1) >>
                               shift;
    for (std::uint64_t i = first; i <= last; ++i) {
      if (op.isAtomic) {
        operate(execution, op, i - base, now);
        continue;
      }
      Cell &touched = cells[i - base];
      if (op.isStrong) {
        if (access.isStore)
          touched.isWrittenStrongly.store(true, std::memory_order_relaxed);
      } else if (access.isStore) {
        store(execution, touched, i * granule, now);
      } else {
        load(execution, touched, i * granule, now);
      }
    }
  }
}

std::optional<GlobalError> GlobalShadow::findRace() const {
  if (!watched.races)
    return std::nullopt;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Cell *cell = cells.find(i);
    if (cell == nullptr)
      continue;
    const std::uint64_t plain[] = {cell->firstWriter, cell->lastWriter,
                                   cell->firstReader, cell->lastReader};
    const bool isWritten = plain[0] != none64, isRead = plain[2] != none64;
    auto isRace = [](std::uint64_t one, std::uint64_t other) {
      return GlobalAccess(one).block() != GlobalAccess(other).block();
    };
    if (isWritten)
      for (unsigned other : {1u, 2u, 3u})
        if ((other == 1 || isRead) && isRace(plain[0], plain[other]))
          return describeRace(i, GlobalAccess(plain[0]),
                              GlobalAccess(plain[other]));
    if (!kernel.hasAtomics)
      continue;
    const AtomicCell *atomic = atomics.find(i);
    if (atomic == nullptr || atomic->first == none64)
      continue;
    for (unsigned other : {0u, 1u, 2u, 3u})
      for (std::uint64_t operation :
           {atomic->first.load(), atomic->last.load()})
        if ((other < 2 ? isWritten : isRead) && isRace(plain[other], operation))
          return describeRace(i, GlobalAccess(plain[other]),
                              GlobalAccess(operation));
  }
  return std::nullopt;
}

GlobalError GlobalShadow::describeRace(std::uint64_t index,
                                       const GlobalAccess &one,
                                       const GlobalAccess &other) const {
  auto [early, late] = std::minmax(one, other);
  return {late, place(late, (region.address / granule + index) * granule) +
                    " races with the " + author(early) +
                    ": nothing orders the blocks of a grid"};
}

std::optional<std::string> GlobalShadow::findUnwritten() const {
  if (!watched.unwritten)
    return std::nullopt;
  const std::uint64_t end = region.address + region.size;
  std::uint64_t first = none64, bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Cell *cell = cells.find(i);
    const AtomicCell *atomic = kernel.hasAtomics ? atomics.find(i) : nullptr;
    if ((cell != nullptr &&
         (cell->firstWriter != none64 || cell->isWrittenStrongly)) ||
        (atomic != nullptr && atomic->first != none64))
      continue;
    const std::uint64_t address = (region.address / granule + i) * granule;
    const std::uint64_t low = std::max(address, region.address);
    if (bytes == 0)
      first = low - region.address;
    bytes += std::min(address + granule, end) - low;
  }
  if (bytes == 0)
    return std::nullopt;
  return "byte " + std::to_string(first) + " of buffer '" +
         std::string(region.name) + "' has not been written, the first of " +
         std::to_string(bytes);
}

std::string GlobalShadow::place(const GlobalAccess &access,
                                std::uint64_t address) const {
  const MicroOp &op = kernel.code[access.pc()];
  std::uint32_t bytes = op.elementBytes * op.count;
  std::uint64_t begin = address / bytes * bytes;
  return describe(!op.poolIsWritten, bytes, begin) + ", byte " +
         std::to_string(begin - region.address) + " of buffer '" +
         std::string(region.name) + "',";
}

std::string GlobalShadow::author(const GlobalAccess &access) const {
  return std::string(nameAccess(kernel, access.pc())) + " by block " +
         describeElement(gridShape, access.block()) + ", thread " +
         describeElement(blockShape, access.thread()) + " at line " +
         std::to_string(kernel.source[access.pc()].line);
}

GlobalError
GlobalShadow::describeUninitialized(const GlobalFinding &finding) const {
  return {finding.access, place(finding.access, finding.address) +
                              " which nothing has initialized or written"};
}

GlobalError
GlobalShadow::describeChangedSource(const GlobalFinding &finding) const {
  return {finding.access,
          place(finding.access, finding.address) +
              " is the source of a copy and has changed before that was waited "
              "for"};
}

GlobalError GlobalShadow::describeRewrite(const GlobalFinding &finding) const {
  return {finding.access,
          place(finding.access, finding.address) +
              " is the second to an element that is to be written once: the "
              "first is the " +
              author(finding.earlier)};
}

bool tc::sim::watchGlobal(Execution &execution, const MicroOp &op,
                          const WarpAccess &access, const Region &region) {
  if (execution.blockShadow != nullptr &&
      !execution.blockShadow->watch(execution, op, access, region))
    return false;
  region.shadow->watch(execution, op, access);
  return true;
}
