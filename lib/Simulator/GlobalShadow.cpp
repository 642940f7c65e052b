//===- GlobalShadow.cpp - Who touched global memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
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
      // The region may begin and end inside a granule.
      pages((region.size / granule + 2) / pageCells + 1) {}

GlobalShadow::~GlobalShadow() {
  for (std::atomic<Page *> &page : pages)
    delete page.load(std::memory_order_relaxed);
}

GlobalShadow::Cell &GlobalShadow::cell(std::uint64_t index) {
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

/// Keeps the finding at the lowest address, of the first access there.
static void keep(std::optional<GlobalFinding> &kept,
                 const GlobalFinding &finding) {
  if (!kept || finding < *kept)
    kept = finding;
}

void GlobalShadow::load(Execution &execution, Cell &cell, std::uint64_t address,
                        const GlobalAccess &now) {
  if (watched.uninitialized) {
    std::uint64_t first = cell.firstWriter.load(std::memory_order_relaxed);
    std::uint64_t last = cell.lastWriter.load(std::memory_order_relaxed);
    bool isWritten =
        first != none64 && (GlobalAccess(first).block() == now.block() ||
                            GlobalAccess(last).block() == now.block());
    if (!isWritten && !cell.isWrittenStrongly.load(std::memory_order_relaxed))
      keep(execution.uninitializedRead, {&region, address, now, now});
  }
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
        keep(execution.rewrite, {&region, address, now, GlobalAccess(earlier)});
  }
  lower(cell.firstWriter, now.bits);
  raise(cell.lastWriter, now.bits);
}

void GlobalShadow::watch(Execution &execution, const MicroOp &op,
                         const WarpAccess &access) {
  // A copy may end inside a granule; any store covers that as a whole.
  const std::uint64_t count = (access.bytes + granule - 1) / granule,
                      base = region.address / granule;
  auto pc = static_cast<std::uint64_t>(&op - kernel.code.data());
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    GlobalAccess now(execution.block, execution.warp * warpSize + lane, pc);
    std::uint64_t number = access.addresses[lane] / granule;
    for (std::uint64_t i = number; i < number + count; ++i) {
      Cell &touched = cell(i - base);
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
  for (std::uint64_t i = 0; i < pages.size() * pageCells; ++i) {
    const Page *page = pages[i / pageCells].load(std::memory_order_relaxed);
    if (page == nullptr) {
      i += pageCells - 1;
      continue;
    }
    const Cell &cell = (*page)[i % pageCells];
    if (cell.firstWriter == none64)
      continue;
    GlobalAccess writer(cell.firstWriter), other(cell.lastWriter);
    if (other.block() == writer.block() && cell.firstReader != none64) {
      other = GlobalAccess(cell.firstReader);
      if (other.block() == writer.block())
        other = GlobalAccess(cell.lastReader);
    }
    if (other.block() == writer.block())
      continue;
    auto [early, late] = std::minmax(writer, other);
    return GlobalError{late,
                       place(late, (region.address / granule + i) * granule) +
                           " races with the " + author(early) +
                           ": nothing orders the blocks of a grid"};
  }
  return std::nullopt;
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
  return std::string(kernel.code[access.pc()].poolIsWritten ? "load"
                                                            : "store") +
         " by block " + describeElement(gridShape, access.block()) +
         ", thread " + describeElement(blockShape, access.thread()) +
         " at line " + std::to_string(kernel.source[access.pc()].line);
}

GlobalError
GlobalShadow::describeUninitialized(const GlobalFinding &finding) const {
  return {finding.access, place(finding.access, finding.address) +
                              " which nothing has initialized or written"};
}

GlobalError GlobalShadow::describeRewrite(const GlobalFinding &finding) const {
  return {finding.access,
          place(finding.access, finding.address) +
              " is the second to an element that is to be written once: the "
              "first is the " +
              author(finding.earlier)};
}

void tc::sim::watchGlobal(Execution &execution, const MicroOp &op,
                          const WarpAccess &access, const Region &region) {
  region.shadow->watch(execution, op, access);
}
