//===- Mbarriers.cpp - Barriers in shared memory --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mbarriers.h"
#include "AsyncCopies.h"

#include <cstdio>

using namespace tc::sim;

/// The most arrivals that an mbarrier can expect.
static constexpr std::uint32_t maxArrivals = (1u << 20) - 1;

static std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", value);
  return text;
}

static void report(Execution &execution, std::uint32_t lane,
                   std::uint32_t address, const std::string &what) {
  execution.fault =
      Fault{"the mbarrier at address " + hex(address) + " " + what, lane};
}

/// The address of a lane's mbarrier in shared memory.
static std::uint32_t addressOf(const MicroOp &op, const WarpAccess &access,
                               std::uint32_t lane) {
  return static_cast<std::uint32_t>(access.addresses[lane] -
                                    (op.isGeneric ? sharedWindow : 0));
}

/// Checks that each lane's 8 bytes are in shared memory. False if it reports a
/// fault.
static bool admit(Execution &execution, const MicroOp &op,
                  const WarpAccess &access) {
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
    if (access.addresses[firstLane(rest)] % access.bytes != 0) {
      reportMisaligned(execution, access);
      return false;
    }
  const std::uint64_t origin = op.isGeneric ? sharedWindow : 0;
  const std::uint64_t size = execution.shared.size();
  if (access.low < origin || access.bytes > size ||
      access.high - origin > size - access.bytes) {
    reportSharedFault(execution, access);
    return false;
  }
  return true;
}

static bool watch(Execution &execution, const MicroOp &op,
                  const WarpAccess &access) {
  return execution.sharedShadow == nullptr ||
         watchShared(execution, op, access, op.isGeneric ? sharedWindow : 0);
}

Mbarriers::Barrier *Mbarriers::find(Execution &execution, std::uint32_t address,
                                    std::uint32_t lane) {
  auto found = barriers.find(address);
  if (found != barriers.end())
    return &found->second;
  report(execution, lane, address, "has not been initialized");
  return nullptr;
}

bool Mbarriers::exist(Execution &execution, const MicroOp &op,
                      const WarpAccess &access) {
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = firstLane(rest);
    if (find(execution, addressOf(op, access, lane), lane) == nullptr)
      return false;
  }
  return true;
}

bool Mbarriers::initialize(Execution &execution, std::uint32_t address,
                           std::uint32_t lane, std::uint32_t expected) {
  if (expected == 0 || expected > maxArrivals)
    report(execution, lane, address,
           "cannot expect " + std::to_string(expected) +
               " arrivals, but 1 to " + std::to_string(maxArrivals));
  else if (auto [it, isNew] = barriers.try_emplace(address); !isNew)
    report(execution, lane, address,
           "has been initialized and not been invalidated since");
  else
    it->second.expected = it->second.pending = expected;
  return !execution.fault;
}

void Mbarriers::count(Execution &execution, Barrier &barrier,
                      std::uint32_t warp, std::uint32_t arrivals) {
  ++changeCount;
  if (execution.order != nullptr)
    execution.order->release(warp, barrier.arriving);
  barrier.pending -= arrivals;
  if (barrier.pending != 0)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.completed = barrier.arriving;
}

std::optional<std::uint64_t> Mbarriers::arrive(Execution &execution,
                                               const MicroOp &op,
                                               std::uint32_t address,
                                               std::uint32_t lane,
                                               std::uint32_t arrivals) {
  Barrier *barrier = find(execution, address, lane);
  if (barrier == nullptr)
    return std::nullopt;
  const bool isLast = arrivals == barrier->pending;
  if (arrivals == 0 || arrivals > barrier->pending)
    report(execution, lane, address,
           "takes " + std::to_string(barrier->pending) +
               " more arrivals, not " + std::to_string(arrivals));
  else if (isLast && op.mustNotComplete)
    report(execution, lane, address,
           "completes its phase with this '.noComplete' arrival");
  if (execution.fault)
    return std::nullopt;
  const std::uint64_t state = barrier->phase << 20 | barrier->pending;
  if (op.opcode == Opcode::MbarrierDrop)
    barrier->expected -= arrivals;
  count(execution, *barrier, execution.warp, arrivals);
  return state;
}

bool Mbarriers::arrive(Execution &execution, std::uint32_t address,
                       std::uint32_t warp, std::uint32_t lane) {
  Barrier *barrier = find(execution, address, lane);
  if (barrier == nullptr)
    return false;
  count(execution, *barrier, warp, 1);
  return true;
}

bool Mbarriers::expect(Execution &execution, std::uint32_t address,
                       std::uint32_t lane, std::uint32_t more) {
  Barrier *barrier = find(execution, address, lane);
  if (barrier == nullptr)
    return false;
  barrier->pending += more;
  if (barrier->pending <= maxArrivals)
    return true;
  report(execution, lane, address,
         "expects more than " + std::to_string(maxArrivals) + " arrivals");
  return false;
}

void Mbarriers::operate(Execution &execution, const MicroOp &op,
                        const WarpAccess &access) {
  const bool isInit = op.opcode == Opcode::MbarrierInit;
  if (!admit(execution, op, access) ||
      (!isInit && !exist(execution, op, access)) ||
      !watch(execution, op, access))
    return;
  const std::uint32_t *counts =
      op.b == none ? nullptr : execution.lanes<std::uint32_t>(op.b);
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = firstLane(rest);
    const std::uint32_t address = addressOf(op, access, lane);
    const std::uint32_t number = counts == nullptr ? 1 : counts[lane];
    switch (op.opcode) {
    case Opcode::MbarrierInit:
      initialize(execution, address, lane, number);
      break;
    case Opcode::MbarrierInvalidate:
      if (find(execution, address, lane) != nullptr)
        barriers.erase(address);
      break;
    case Opcode::CopyArrive:
      execution.copies->arriveLater(execution, lane, address,
                                    op.mustNotComplete);
      break;
    default:
      if (std::optional<std::uint64_t> state =
              arrive(execution, op, address, lane, number))
        if (op.dst != none)
          execution.lanes<std::uint64_t>(op.dst)[lane] = *state;
      break;
    }
    if (execution.fault)
      return;
    ++changeCount;
  }
}

std::uint32_t Mbarriers::test(Execution &execution, const MicroOp &op,
                              const WarpAccess &access) {
  if (!admit(execution, op, access) || !exist(execution, op, access) ||
      !watch(execution, op, access))
    return 0;
  std::uint32_t completed = 0;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = firstLane(rest);
    const std::uint32_t address = addressOf(op, access, lane);
    Barrier *barrier = find(execution, address, lane);
    if (barrier == nullptr)
      return 0;
    const bool isParity = op.opcode == Opcode::MbarrierTestParity;
    const std::uint64_t named =
        isParity ? execution.lanes<std::uint32_t>(op.b)[lane]
                 : execution.lanes<std::uint64_t>(op.b)[lane] >> 20;
    if (isParity && named > 1) {
      report(execution, lane, address,
             "has phases of parity 0 and 1, not " + std::to_string(named));
      return 0;
    }
    auto isCompleted = [&] {
      return isParity ? (barrier->phase & 1) != named : barrier->phase > named;
    };
    // Copies land when somebody needs them, the latest that they may.
    if (!isCompleted() && !execution.copies->land(execution, address))
      return 0;
    if (!isParity && (named > barrier->phase || named + 1 < barrier->phase)) {
      report(execution, lane, address,
             "is in phase " + std::to_string(barrier->phase) +
                 ", too far from phase " + std::to_string(named) +
                 " of this state");
      return 0;
    }
    if (!isCompleted())
      continue;
    completed |= 1u << lane;
    if (execution.order != nullptr)
      execution.order->acquire(execution.warp, barrier->completed);
  }
  return completed;
}

std::string Mbarriers::describe(std::uint32_t address) const {
  const Barrier &barrier = barriers.at(address);
  return "phase " + std::to_string(barrier.phase) +
         " of the mbarrier at address " + hex(address) + " takes " +
         std::to_string(barrier.pending) + " more arrivals";
}

void tc::sim::operateMbarrier(Execution &execution, const MicroOp &op,
                              const WarpAccess &access) {
  execution.mbarriers->operate(execution, op, access);
}

void tc::sim::testMbarrier(Execution &execution, const MicroOp &op,
                           const WarpAccess &access) {
  const std::uint32_t completed =
      execution.mbarriers->test(execution, op, access);
  std::uint32_t &predicate = execution.predicate(op.dst);
  predicate = (predicate & ~access.mask) | completed;
  if (completed == access.mask || execution.fault)
    return;
  // Others run before the warp tries again.
  const std::uint32_t lane = firstLane(access.mask & ~completed);
  execution.waiting = {lane, addressOf(op, access, lane)};
}
