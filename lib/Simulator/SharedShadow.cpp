//===- SharedShadow.cpp - Who touched shared memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedShadow.h"
#include "Limits.h"

#include <algorithm>

using namespace tc::sim;

SharedShadow::SharedShadow(std::uint64_t bytes, const Kernel &kernel,
                           const Detectors &detectors)
    : detectors(detectors), granule(kernel.sharedGranule),
      cells((bytes + granule - 1) / granule) {
  static_assert(maxInstructions < maxPcs && maxThreadsPerBlock <= maxThreads,
                "an instruction and a thread must fit SharedShadow::Access");
  reset();
}

void SharedShadow::reset() {
  std::fill(cells.begin(), cells.end(), Cell());
  for (auto &row : known)
    std::fill(std::begin(row), std::end(row), start);
}

void SharedShadow::synchronize(std::uint32_t warps) {
  std::uint32_t joined[maxWarps] = {};
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1) {
    const auto &row = known[__builtin_ctz(rest)];
    for (unsigned w = 0; w < maxWarps; ++w)
      joined[w] = std::max(joined[w], row[w]);
  }
  for (unsigned w = 0; w < maxWarps; ++w)
    joined[w] += (warps >> w) & 1;
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1)
    std::copy_n(joined, maxWarps, known[__builtin_ctz(rest)]);
}

void SharedShadow::reportRace(Execution &execution, const WarpAccess &access,
                              const Access &other, bool otherStores,
                              const Access &now) {
  std::uint32_t lane = now.thread % warpSize;
  const Kernel &kernel = *execution.kernel;
  bool isCopy = kernel.source[other.pc].kind == InstructionKind::CopyAsync;
  execution.fault = Fault{
      describe(access, access.addresses[lane]) +
          " of shared memory races with the " +
          (isCopy        ? "copy"
           : otherStores ? "store"
                         : "load") +
          " by thread " + describeElement(execution.blockShape, other.thread) +
          " at line " + std::to_string(kernel.source[other.pc].line) +
          (other.count == inFlight ? ", which has not been waited for"
                                   : ": no barrier is between them"),
      lane};
}

bool SharedShadow::load(Execution &execution, const WarpAccess &access,
                        Cell &cell, const Access &now, bool isStrong) {
  const std::uint32_t lane = now.thread % warpSize;
  if (cell.write.count == never && detectors.uninitialized) {
    execution.fault =
        Fault{describe(access, access.addresses[lane]) +
                  " of shared memory, which nothing in the block has written",
              lane};
    return false;
  }
  if (!detectors.sharedRaces || (isStrong && cell.write.count != inFlight))
    return true;
  if (isRace(cell.write, now)) {
    reportRace(execution, access, cell.write, /*otherStores=*/true, now);
    return false;
  }
  // What comes before this read need not be remembered: who races with that
  // races with this as well.
  const std::uint32_t warp = now.thread / warpSize;
  for (Access &read : cell.reads)
    if (read.count != never && read.thread == now.thread) {
      if (isBefore(read, warp))
        read = now;
      return true;
    }
  for (Access &read : cell.reads)
    if (isBefore(read, warp)) {
      read = now;
      return true;
    }
  return true;
}

bool SharedShadow::store(Execution &execution, const WarpAccess &access,
                         Cell &cell, const Access &now, bool isStrong) {
  if (isStrong && cell.write.count != inFlight) {
    cell.write = now;
    cell.write.count = harmless;
    return true;
  }
  if (detectors.sharedRaces) {
    if (isRace(cell.write, now)) {
      reportRace(execution, access, cell.write, /*otherStores=*/true, now);
      return false;
    }
    for (const Access &read : cell.reads)
      if (isRace(read, now)) {
        reportRace(execution, access, read, /*otherStores=*/false, now);
        return false;
      }
  }
  cell.write = now;
  cell.reads[0] = cell.reads[1] = Access();
  return true;
}

bool SharedShadow::watch(Execution &execution, const MicroOp &op,
                         const WarpAccess &access, std::uint64_t origin) {
  const std::uint32_t warp = execution.warp, count = access.bytes / granule;
  Access now(known[warp][warp], 0,
             static_cast<std::uint32_t>(&op - execution.kernel->code.data()));
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    now.thread = (warp * warpSize + lane) & (maxThreads - 1);
    Cell *cell = &cells[(access.addresses[lane] - origin) / granule];
    for (std::uint32_t i = 0; i < count; ++i)
      if (!(access.isStore
                ? store(execution, access, cell[i], now, op.isStrong)
                : load(execution, access, cell[i], now, op.isStrong)))
        return false;
  }
  return true;
}

bool SharedShadow::beginCopy(Execution &execution, const MicroOp &op,
                             const WarpAccess &access) {
  if (!detectors.sharedRaces)
    return true;
  if (!watch(execution, op, access, /*origin=*/0))
    return false;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    std::uint64_t address = access.addresses[__builtin_ctz(rest)];
    for (std::uint32_t i = 0; i < access.bytes / granule; ++i)
      cells[address / granule + i].write.count = inFlight;
  }
  return true;
}

void SharedShadow::endCopy(std::uint32_t thread, std::uint32_t pc,
                           std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t warp = thread / warpSize;
  for (std::uint32_t i = 0; i < bytes / granule; ++i) {
    Cell &cell = cells[address / granule + i];
    cell.write = Access(known[warp][warp], thread, pc);
    cell.reads[0] = cell.reads[1] = Access();
  }
}

bool tc::sim::watchShared(Execution &execution, const MicroOp &op,
                          const WarpAccess &access, std::uint64_t origin) {
  return execution.sharedShadow->watch(execution, op, access, origin);
}

void tc::sim::synchronizeWarp(Execution &execution) {
  execution.sharedShadow->synchronize(1u << execution.warp);
}
