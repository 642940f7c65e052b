//===- BlockSync.cpp - Order between the blocks of a grid -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSync.h"

#include <algorithm>

using namespace tc::sim;

void Releases::add(std::uint64_t address, std::uint64_t block,
                   std::uint64_t position, const AccessOrder::Knowledge &what) {
  std::lock_guard<std::mutex> lock(mutex);
  releases[{address, block}].push_back({position, what});
}

bool Releases::contain(std::uint64_t address, std::uint64_t block,
                       std::uint64_t position,
                       const AccessOrder::Access &access) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = releases.find({address, block});
  return found != releases.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const Release &release) {
                       return release.position < position &&
                              release.what.covers(access);
                     });
}

void BlockSync::reset(std::uint64_t newBlock, std::uint64_t newPosition) {
  block = newBlock;
  position = newPosition;
  fences.clear();
  observed.clear();
  acquired.clear();
}

AccessOrder::Access BlockSync::now(std::uint32_t thread) const {
  AccessOrder::Access access = order.now(thread / warpSize, 0);
  access.thread = thread & (AccessOrder::maxThreads - 1);
  return access;
}

void BlockSync::fence(std::uint32_t warp, std::uint32_t lanes) {
  std::vector<Fence> &last = fences[warp];
  for (Fence &fence : last)
    fence.lanes &= ~lanes;
  last.erase(std::remove_if(last.begin(), last.end(),
                            [](const Fence &f) { return f.lanes == 0; }),
             last.end());
  last.push_back({lanes, order.learn(warp, lanes)});
  // The releases that the lanes have observed are ordered before their accesses
  // from here on.
  for (std::size_t i = 0; i < observed.size();) {
    const std::uint32_t thread = observed[i].by.thread;
    if (thread / warpSize != warp ||
        ((lanes >> (thread % warpSize)) & 1) == 0) {
      ++i;
      continue;
    }
    acquired.push_back({observed[i].address, now(thread)});
    observed.erase(observed.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void BlockSync::operate(std::uint32_t warp, const MicroOp &op,
                        const WarpAccess &access) {
  if ((op.ordering & OrdersBlocks) == 0)
    return;
  if ((op.ordering & OrdersEarlier) != 0) {
    AccessOrder::Knowledge before = order.learn(warp, access.mask);
    for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
      releases.add(access.addresses[__builtin_ctz(rest)], block, position,
                   before);
  } else {
    for (const Fence &fence : fences[warp])
      for (std::uint32_t rest = fence.lanes & access.mask; rest != 0;
           rest &= rest - 1)
        releases.add(access.addresses[__builtin_ctz(rest)], block, position,
                     fence.before);
  }
  if (op.dst == none)
    return;
  for (std::uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
    Observation seen{access.addresses[lane], now(warp * warpSize + lane)};
    ((op.ordering & OrdersLater) != 0 ? acquired : observed).push_back(seen);
  }
}

bool BlockSync::orders(std::uint32_t thread, std::uint64_t otherBlock,
                       const AccessOrder::Access &access) const {
  return std::any_of(
      acquired.begin(), acquired.end(), [&](const Observation &seen) {
        return (seen.by.thread == thread ||
                order.comesBefore(seen.by, thread / warpSize)) &&
               releases.contain(seen.address, otherBlock, position, access);
      });
}
