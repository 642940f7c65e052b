//===- AsyncCopies.cpp - Copies that have not been waited for -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncCopies.h"
#include "GlobalShadow.h"
#include "Limits.h"
#include "Mbarriers.h"
#include "SharedShadow.h"

#include <algorithm>
#include <cstring>

using namespace tc::sim;

void AsyncCopies::reset() {
  for (Warp &warp : warps) {
    std::vector<Copy> storage = std::move(warp.copies);
    storage.clear();
    warp = Warp();
    warp.copies = std::move(storage);
  }
  pending = 0;
}

/// Reads the number of bytes that each lane copies; the rest of its destination
/// is zero. False if it reports a fault.
static bool readSizes(Execution &execution, const MicroOp &op,
                      std::uint32_t mask, std::uint32_t (&sizes)[warpSize]) {
  std::fill(std::begin(sizes), std::end(sizes), op.elementBytes);
  if (op.opcode == Opcode::CopyAsyncUnless) {
    std::uint32_t ignored = execution.predicate(op.c);
    if ((op.combine & CombineNegated) != 0)
      ignored = ~ignored;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (((ignored >> lane) & 1) != 0)
        sizes[lane] = 0;
  } else if (op.opcode == Opcode::CopyAsyncPart) {
    const std::uint32_t *asked = execution.lanes<std::uint32_t>(op.c);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      std::uint32_t lane = firstLane(rest);
      sizes[lane] = asked[lane];
      if (asked[lane] <= op.elementBytes)
        continue;
      execution.fault =
          Fault{"copy of " + std::to_string(op.elementBytes) +
                    " bytes is to read " + std::to_string(asked[lane]),
                lane};
      return false;
    }
  }
  return true;
}

/// The part of an access that is made by some of its lanes, of which each
/// reaches so many bytes.
static WarpAccess part(const WarpAccess &access, std::uint32_t lanes,
                       std::uint32_t bytes) {
  WarpAccess result = restrictTo(access, lanes);
  result.bytes = bytes;
  return result;
}

/// Finds the region that each lane reads, watches and counts the access. False
/// if it reports a fault.
static bool readRegions(Execution &execution, const MicroOp &op,
                        const WarpAccess &from,
                        const std::uint32_t (&sizes)[warpSize],
                        const Region *(&regions)[warpSize]) {
  if (!findRegions(execution, from, sizes, regions))
    return false;
  std::uint32_t reading = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (regions[lane] != nullptr)
      reading |= 1u << lane;
  while (reading != 0) {
    const Region &region = *regions[firstLane(reading)];
    const std::uint32_t members = lanesOfRegion(regions, reading);
    if (execution.atomics != nullptr && !settleAtomics(execution, region))
      return false;
    std::uint32_t whole = 0;
    std::uint64_t bytes = 0;
    for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
      std::uint32_t lane = firstLane(rest);
      bytes += sizes[lane];
      if (sizes[lane] == from.bytes)
        whole |= 1u << lane;
      else if (region.shadow != nullptr &&
               !watchGlobal(execution, op, part(from, 1u << lane, sizes[lane]),
                            region))
        return false;
    }
    if (whole != 0 && region.shadow != nullptr &&
        !watchGlobal(execution, op, part(from, whole, from.bytes), region))
      return false;
    BufferTraffic &traffic = execution.traffic[region.traffic];
    traffic.loadBytes += bytes;
    traffic.loadSectors += countSectors(restrictTo(from, members));
    reading &= ~members;
  }
  return true;
}

void AsyncCopies::issue(Execution &execution, const MicroOp &op,
                        const WarpAccess &from, const WarpAccess &to) {
  std::uint32_t sizes[warpSize];
  const Region *regions[warpSize];
  if (!readSizes(execution, op, from.mask, sizes) ||
      !readRegions(execution, op, from, sizes, regions))
    return;
  for (std::uint32_t rest = to.mask; rest != 0; rest &= rest - 1)
    if (to.addresses[firstLane(rest)] % to.bytes != 0)
      return reportMisaligned(execution, to);
  std::uint64_t size = execution.shared.size();
  if (to.bytes > size || to.high > size - to.bytes)
    return reportSharedFault(execution, to);
  pending += static_cast<unsigned>(__builtin_popcount(to.mask));
  if (pending > maxPendingCopies) {
    execution.fault =
        Fault{"the block has more than " + std::to_string(maxPendingCopies) +
                  " copies that have not been waited for",
              firstLane(to.mask)};
    return;
  }
  countShared(execution, to);
  if (execution.sharedShadow != nullptr &&
      !execution.sharedShadow->beginCopy(execution, op, to))
    return;
  Warp &warp = warps[execution.warp];
  auto pc = static_cast<std::uint32_t>(&op - execution.kernel->code.data());
  const std::uint64_t bytes =
      std::uint64_t(to.bytes) *
      static_cast<unsigned>(__builtin_popcount(to.mask));
  warp.issuing |= to.mask;
  warp.bytes += bytes;
  warp.inFlight += bytes;
  warp.maxInFlight = std::max(warp.maxInFlight, warp.inFlight);
  for (std::uint32_t rest = to.mask; rest != 0; rest &= rest - 1) {
    std::uint32_t lane = firstLane(rest);
    Copy copy = {{},
                 warp.committed[lane],
                 0,
                 warp.issued++,
                 pc,
                 static_cast<std::uint32_t>(to.addresses[lane]),
                 op.elementBytes,
                 0,
                 static_cast<std::uint8_t>(lane)};
    if (const Region *region = regions[lane]) {
      std::memcpy(copy.data,
                  region->data + (from.addresses[lane] - region->address),
                  sizes[lane]);
      if (execution.blockShadow != nullptr && region->shadow != nullptr) {
        copy.source = from.addresses[lane];
        copy.sourceBytes = static_cast<std::uint8_t>(sizes[lane]);
      }
    }
    warp.copies.push_back(copy);
  }
}

void AsyncCopies::commit(std::uint32_t number, std::uint32_t lanes) {
  Warp &warp = warps[number];
  const std::uint32_t filled = lanes & warp.issuing;
  warp.issuing &= ~lanes;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    warp.committed[lane] += (lanes >> lane) & 1;
    warp.groups[lane] += (filled >> lane) & 1;
  }
  if (filled == 0)
    return;
  // A lane's copies are in the order of its groups.
  std::uint64_t last[warpSize], count[warpSize] = {};
  for (const Copy &copy : warp.copies)
    if (copy.group < warp.committed[copy.lane] &&
        (count[copy.lane] == 0 || last[copy.lane] != copy.group)) {
      last[copy.lane] = copy.group;
      warp.maxGroups = std::max(warp.maxGroups, ++count[copy.lane]);
    }
}

AsyncTraffic AsyncCopies::traffic() const {
  AsyncTraffic traffic;
  for (const Warp &warp : warps) {
    traffic.bytes += warp.bytes;
    traffic.groups =
        std::max(traffic.groups, *std::max_element(std::begin(warp.groups),
                                                   std::end(warp.groups)));
    traffic.maxGroups = std::max(traffic.maxGroups, warp.maxGroups);
    traffic.maxBytes += warp.maxInFlight;
  }
  return traffic;
}

/// Notes that the source of a copy has changed since that was issued.
void AsyncCopies::compareSource(Execution &execution, const Copy &copy,
                                std::uint32_t warp) {
  const Region *region = execution.memory->findBefore(copy.source);
  if (std::memcmp(region->data + (copy.source - region->address), copy.data,
                  copy.sourceBytes) == 0)
    return;
  GlobalAccess access(execution.block, warp * warpSize + copy.lane, copy.pc);
  keepFinding(execution.changedSource, {region, copy.source, access, access});
}

template <typename F>
bool AsyncCopies::complete(Execution &execution, std::uint32_t number,
                           F isDue) {
  Warp &warp = warps[number];
  std::size_t kept = 0;
  // Of each lane, the number of the first copy that is still under way.
  std::uint64_t first[warpSize];
  std::fill(std::begin(first), std::end(first), ~std::uint64_t(0));
  for (const Copy &copy : warp.copies) {
    if (!isDue(copy)) {
      first[copy.lane] = std::min(first[copy.lane], copy.number);
      warp.copies[kept++] = copy;
      continue;
    }
    warp.inFlight -= copy.bytes;
    if (copy.source != 0)
      compareSource(execution, copy, number);
    std::memcpy(execution.shared.data() + copy.destination, copy.data,
                copy.bytes);
    if (execution.sharedShadow != nullptr)
      execution.sharedShadow->endCopy(number * warpSize + copy.lane, copy.pc,
                                      copy.destination, copy.bytes);
  }
  pending -= warp.copies.size() - kept;
  warp.copies.resize(kept);
  kept = 0;
  for (const Arrival &arrival : warp.arrivals)
    if (first[arrival.lane] < arrival.number)
      warp.arrivals[kept++] = arrival;
    else if (!execution.mbarriers->arrive(execution, arrival.address, number,
                                          arrival.lane))
      return false;
  warp.arrivals.resize(kept);
  return true;
}

void AsyncCopies::wait(Execution &execution, std::uint32_t lanes,
                       std::uint64_t newest) {
  const Warp &warp = warps[execution.warp];
  complete(execution, execution.warp, [&](const Copy &copy) {
    return ((lanes >> copy.lane) & 1) != 0 &&
           copy.group + newest < warp.committed[copy.lane];
  });
}

void AsyncCopies::arriveLater(Execution &execution, std::uint32_t lane,
                              std::uint32_t address, bool isExpected) {
  if (!execution.mbarriers->expect(execution, address, lane,
                                   isExpected ? 0 : 1))
    return;
  Warp &warp = warps[execution.warp];
  warp.arrivals.push_back({warp.issued, lane, address});
  if (warp.arrivals.size() > maxPendingCopies) {
    execution.fault =
        Fault{"the warp has more than " + std::to_string(maxPendingCopies) +
                  " copies that have not arrived",
              lane};
    return;
  }
  complete(execution, execution.warp, [](const Copy &) { return false; });
}

bool AsyncCopies::land(Execution &execution, std::uint32_t address) {
  for (std::uint32_t number = 0; number < warps.size(); ++number) {
    std::uint64_t due[warpSize] = {};
    bool isDue = false;
    for (const Arrival &arrival : warps[number].arrivals)
      if (arrival.address == address) {
        isDue = true;
        due[arrival.lane] = std::max(due[arrival.lane], arrival.number);
      }
    if (isDue && !complete(execution, number, [&](const Copy &copy) {
          return copy.number < due[copy.lane];
        }))
      return false;
  }
  return true;
}

std::optional<AsyncCopies::Lost> AsyncCopies::forget(std::uint32_t warp,
                                                     std::uint32_t lanes) {
  std::vector<Copy> &copies = warps[warp].copies;
  auto isLost = [&](const Copy &copy) {
    bool isAwaited = false;
    for (const Arrival &arrival : warps[warp].arrivals)
      isAwaited |= arrival.lane == copy.lane && copy.number < arrival.number;
    return ((lanes >> copy.lane) & 1) != 0 && !isAwaited;
  };
  auto first = std::find_if(copies.begin(), copies.end(), isLost);
  if (first == copies.end())
    return std::nullopt;
  Lost lost = {first->lane, first->pc, first->destination, first->bytes};
  auto end = std::remove_if(first, copies.end(), isLost);
  pending -= static_cast<std::size_t>(copies.end() - end);
  copies.erase(end, copies.end());
  return lost;
}

void tc::sim::issueCopy(Execution &execution, const MicroOp &op,
                        const WarpAccess &from, const WarpAccess &to) {
  execution.copies->issue(execution, op, from, to);
}

void tc::sim::commitCopies(Execution &execution, std::uint32_t lanes) {
  execution.copies->commit(execution.warp, lanes);
}

void tc::sim::waitForCopies(Execution &execution, std::uint32_t lanes,
                            std::uint64_t newest) {
  execution.copies->wait(execution, lanes, newest);
}
