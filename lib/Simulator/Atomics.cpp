//===- Atomics.cpp - Atomic operations on memory --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "BlockSync.h"
#include "Limits.h"

#include <algorithm>
#include <cstring>

using namespace tc::sim;

//===----------------------------------------------------------------------===//
// The order of blocks
//===----------------------------------------------------------------------===//

bool BlockOrder::await(std::uint64_t position) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock,
               [&] { return next == position || firstFailed < position; });
  return next == position;
}

void BlockOrder::end(std::uint64_t position) {
  std::lock_guard<std::mutex> lock(mutex);
  early.insert(position);
  for (; !early.empty() && *early.begin() == next; ++next)
    early.erase(early.begin());
  changed.notify_all();
}

void BlockOrder::fail(std::uint64_t position) {
  std::lock_guard<std::mutex> lock(mutex);
  firstFailed = std::min(firstFailed, position);
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// Operations on one element
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To bitsAs(From from) {
  To to;
  static_assert(sizeof(To) <= sizeof(From), "not enough bits");
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

template <typename T>
static std::uint64_t addFloats(std::uint64_t a, std::uint64_t b) {
  T sum = bitsAs<T>(a) + bitsAs<T>(b);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof(sum));
  return bits;
}

static std::uint64_t flushSubnormal(std::uint64_t bits) {
  constexpr std::uint64_t exponent = 0x7f800000, sign = 0x80000000;
  return (bits & exponent) == 0 ? bits & sign : bits;
}

static std::int64_t signExtend(std::uint64_t value, unsigned bytes) {
  const unsigned spare = 64 - 8 * bytes;
  return static_cast<std::int64_t>(value << spare) >> spare;
}

/// The result of an operation on an element's bits. Bits beyond its size are
/// zero in operands, and mean nothing in the result.
static std::uint64_t compute(AtomicFunction function, unsigned bytes,
                             std::uint64_t old, std::uint64_t operand,
                             std::uint64_t swap) {
  switch (function) {
  case AtomicFunction::Add:
    return old + operand;
  case AtomicFunction::AddFloat:
    return bytes == 4 ? addFloats<float>(old, operand)
                      : addFloats<double>(old, operand);
  case AtomicFunction::AddFlushing:
    return flushSubnormal(
        addFloats<float>(flushSubnormal(old), flushSubnormal(operand)));
  case AtomicFunction::MinSigned:
    return signExtend(operand, bytes) < signExtend(old, bytes) ? operand : old;
  case AtomicFunction::MaxSigned:
    return signExtend(operand, bytes) > signExtend(old, bytes) ? operand : old;
  case AtomicFunction::MinUnsigned:
    return std::min(old, operand);
  case AtomicFunction::MaxUnsigned:
    return std::max(old, operand);
  case AtomicFunction::And:
    return old & operand;
  case AtomicFunction::Or:
    return old | operand;
  case AtomicFunction::Xor:
    return old ^ operand;
  case AtomicFunction::Exchange:
    return operand;
  case AtomicFunction::CompareAndSwap:
    return old == operand ? swap : old;
  case AtomicFunction::Increment:
    return old >= operand ? 0 : old + 1;
  case AtomicFunction::Decrement:
    return old == 0 || old > operand ? operand : old - 1;
  }
  return old;
}

/// Returns the old value.
static std::uint64_t update(std::byte *place, AtomicFunction function,
                            unsigned bytes, std::uint64_t operand,
                            std::uint64_t swap) {
  std::uint64_t old = 0;
  std::memcpy(&old, place, bytes);
  std::uint64_t result = compute(function, bytes, old, operand, swap);
  std::memcpy(place, &result, bytes);
  return old;
}

/// A lane's value of an element of `op.elementBytes` in a register.
static std::uint64_t operandOf(const Execution &execution, const MicroOp &op,
                               std::uint32_t place, std::uint32_t lane) {
  std::uint64_t value = 0;
  std::memcpy(&value,
              execution.lanes<std::byte>(place) +
                  std::size_t{lane} * op.registerBytes,
              op.elementBytes);
  return value;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Calls `apply(lane, element, operand, swap)`, which returns the old value,
/// for each element of each lane, in the order of lanes.
template <typename F>
static void forEachElement(Execution &execution, const MicroOp &op,
                           std::uint32_t lanes, F apply) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = firstLane(rest);
    for (unsigned e = 0; e < op.count; ++e) {
      std::uint64_t operand =
          operandOf(execution, op, execution.kernel->pool[op.pool + e], lane);
      std::uint64_t swap =
          op.b == none ? 0 : operandOf(execution, op, op.b, lane);
      std::uint64_t old = apply(lane, e, operand, swap);
      if (op.dst != none)
        std::memcpy(execution.lanes<std::byte>(op.dst) +
                        std::size_t{lane} * op.resultBytes,
                    &old, op.resultBytes);
    }
  }
}

void Atomics::reset(std::uint64_t newPosition) {
  position = newPosition;
  isFirst = false;
  pending.clear();
  regions.clear();
}

void Atomics::operateShared(Execution &execution, const MicroOp &op,
                            const WarpAccess &access, std::uint64_t origin) {
  const std::uint64_t size = execution.shared.size();
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
    if (access.addresses[firstLane(rest)] % access.bytes != 0)
      return reportMisaligned(execution, access);
  if (access.low < origin || access.bytes > size ||
      access.high - origin > size - access.bytes)
    return reportSharedFault(execution, access);
  countShared(execution, access);
  if (execution.sharedShadow != nullptr &&
      !watchShared(execution, op, access, origin))
    return;
  forEachElement(execution, op, access.mask,
                 [&](std::uint32_t lane, unsigned element,
                     std::uint64_t operand, std::uint64_t swap) {
                   return update(execution.shared.data() +
                                     (access.addresses[lane] - origin) +
                                     std::size_t{element} * op.elementBytes,
                                 static_cast<AtomicFunction>(op.combine),
                                 op.elementBytes, operand, swap);
                 });
}

void Atomics::operateGlobal(Execution &execution, const MicroOp &op,
                            const WarpAccess &access) {
  const Region *reached[warpSize];
  if (!findRegions(execution, access, nullptr, reached))
    return;
  for (std::uint32_t rest = access.mask; rest != 0;) {
    const Region &region = *reached[firstLane(rest)];
    const std::uint32_t members = lanesOfRegion(reached, rest);
    const WarpAccess part = restrictTo(access, members);
    if (region.shadow != nullptr && !watchGlobal(execution, op, part, region))
      return;
    BufferTraffic &traffic = execution.traffic[region.traffic];
    const std::uint64_t bytes =
        std::uint64_t(access.bytes) *
        static_cast<unsigned>(__builtin_popcount(members));
    const std::uint32_t sectors = countSectors(part);
    traffic.storeBytes += bytes;
    traffic.storeSectors += sectors;
    if (op.dst != none) {
      traffic.loadBytes += bytes;
      traffic.loadSectors += sectors;
    } else if (!isFirst && std::find(regions.begin(), regions.end(), &region) ==
                               regions.end()) {
      regions.push_back(&region);
    }
    rest &= ~members;
  }
  const bool isLate =
      op.dst != none ||
      pending.size() + std::size_t{warpSize} * op.count > maxPutOffAtomics;
  if (isLate && !settle(execution))
    return;
  if (execution.sync != nullptr)
    execution.sync->operate(execution.warp, op, access);
  auto function = static_cast<AtomicFunction>(op.combine);
  // The manual has this flush subnormals in global memory only.
  if (function == AtomicFunction::AddFloat && op.elementBytes == 4)
    function = AtomicFunction::AddFlushing;
  forEachElement(
      execution, op, access.mask,
      [&](std::uint32_t lane, unsigned element, std::uint64_t operand,
          std::uint64_t swap) -> std::uint64_t {
        std::byte *place = reached[lane]->data +
                           (access.addresses[lane] - reached[lane]->address) +
                           std::size_t{element} * op.elementBytes;
        if (isFirst)
          return update(place, function, op.elementBytes, operand, swap);
        pending.push_back({place, operand, function, op.elementBytes});
        return 0;
      });
}

bool Atomics::settle(Execution &execution) {
  if (isFirst)
    return true;
  if (!order.await(position)) {
    execution.fault = Fault{"a block before this one has failed", 0};
    return false;
  }
  isFirst = true;
  for (const Operation &operation : pending)
    update(operation.place, operation.function, operation.bytes,
           operation.operand, 0);
  pending.clear();
  regions.clear();
  return true;
}

bool Atomics::settle(Execution &execution, const Region &region) {
  return std::find(regions.begin(), regions.end(), &region) == regions.end() ||
         settle(execution);
}

void tc::sim::operateAtomically(Execution &execution, const MicroOp &op,
                                const WarpAccess &access) {
  Atomics &atomics = *execution.atomics;
  if (op.opcode == Opcode::AtomicShared)
    return atomics.operateShared(execution, op, access, 0);
  if (op.opcode == Opcode::AtomicGeneric && access.high < globalWindow)
    return atomics.operateShared(execution, op, access, sharedWindow);
  atomics.operateGlobal(execution, op, access);
}

bool tc::sim::settleAtomics(Execution &execution, const Region &region) {
  return execution.atomics->settle(execution, region);
}
