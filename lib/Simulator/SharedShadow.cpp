//===- SharedShadow.cpp - Accesses to shared memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedShadow.h"

#include <algorithm>

using namespace tc::sim;

SharedShadow::SharedShadow(std::uint64_t bytes, const Kernel &kernel,
                           const Detectors &detectors, const AccessOrder &order)
    : detectors(detectors), order(order),
      shift(granuleShift(kernel.sharedGranule)),
      cells((bytes + kernel.sharedGranule - 1) >> shift),
      atomics(kernel.hasAtomics ? cells.size() : 0) {}

void SharedShadow::reset() {
  std::fill(cells.begin(), cells.end(), AccessOrder::History());
  std::fill(atomics.begin(), atomics.end(), AccessOrder::AtomicHistory());
}

template <bool hasAtomics>
inline bool SharedShadow::touch(Execution &execution, const MicroOp &op,
                                const WarpAccess &access, std::uint64_t cell,
                                const AccessOrder::Access &now) {
  const bool isAtomic = hasAtomics && op.isAtomic;
  AccessOrder::History &history = cells[cell];
  AccessOrder::Access &write = history.write;
  if (write.count == AccessOrder::never) {
    const bool isExchange =
        isAtomic &&
        static_cast<AtomicFunction>(op.combine) == AtomicFunction::Exchange;
    const bool reads = isAtomic ? !isExchange : !access.isStore;
    if (detectors.uninitialized && reads) {
      const std::uint32_t lane = now.thread % warpSize;
      execution.fault =
          Fault{describe(access, access.addresses[lane]) +
                    " of shared memory, which nothing in the block has written",
                lane};
      return false;
    }
    // An exchange writes without being a store.
    if (isAtomic)
      write = AccessOrder::Access(AccessOrder::harmless, now.thread, now.pc);
  }
  if (!detectors.sharedRaces) {
    if (access.isStore)
      write = now;
    return true;
  }
  AccessOrder::AtomicHistory *operations =
      hasAtomics ? &atomics[cell] : nullptr;
  const AccessOrder::Access *other =
      isAtomic         ? order.operate(history, *operations, now)
      : access.isStore ? order.store(history, operations, now, op.isStrong)
                       : order.load(history, operations, now, op.isStrong);
  if (other == nullptr)
    return true;
  reportRace(execution, access, *other, now);
  return false;
}

void SharedShadow::reportRace(Execution &execution, const WarpAccess &access,
                              const AccessOrder::Access &other,
                              const AccessOrder::Access &now) {
  const std::uint32_t lane = now.thread % warpSize;
  execution.fault =
      Fault{describe(access, access.addresses[lane]) +
                " of shared memory races with " +
                describeRace(*execution.kernel, execution.blockShape, other),
            lane};
}

template <bool hasAtomics>
bool SharedShadow::touchAll(Execution &execution, const MicroOp &op,
                            const WarpAccess &access, std::uint64_t origin) {
  const std::uint32_t count = access.bytes >> shift;
  AccessOrder::Access now = order.now(
      execution.warp,
      static_cast<std::uint32_t>(&op - execution.kernel->code.data()));
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    now.thread =
        (execution.warp * warpSize + lane) & (AccessOrder::maxThreads - 1);
    const std::uint64_t cell = (access.addresses[lane] - origin) >> shift;
    for (std::uint32_t i = 0; i < count; ++i)
      if (!touch<hasAtomics>(execution, op, access, cell + i, now))
        return false;
  }
  return true;
}

bool SharedShadow::watch(Execution &execution, const MicroOp &op,
                         const WarpAccess &access, std::uint64_t origin) {
  return atomics.empty() ? touchAll<false>(execution, op, access, origin)
                         : touchAll<true>(execution, op, access, origin);
}

bool SharedShadow::beginCopy(Execution &execution, const MicroOp &op,
                             const WarpAccess &access) {
  if (!detectors.sharedRaces)
    return true;
  if (!watch(execution, op, access, /*origin=*/0))
    return false;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    std::uint64_t address = access.addresses[__builtin_ctz(rest)];
    for (std::uint32_t i = 0; i < (access.bytes >> shift); ++i)
      cells[(address >> shift) + i].write.count = AccessOrder::inFlight;
  }
  return true;
}

void SharedShadow::endCopy(std::uint32_t thread, std::uint32_t pc,
                           std::uint64_t address, std::uint32_t bytes) {
  AccessOrder::Access write = order.now(thread / warpSize, pc);
  write.thread = thread & (AccessOrder::maxThreads - 1);
  for (std::uint32_t i = 0; i < (bytes >> shift); ++i) {
    AccessOrder::History &history = cells[(address >> shift) + i];
    history = AccessOrder::History();
    history.write = write;
  }
}

bool tc::sim::watchShared(Execution &execution, const MicroOp &op,
                          const WarpAccess &access, std::uint64_t origin) {
  return execution.sharedShadow->watch(execution, op, access, origin);
}
