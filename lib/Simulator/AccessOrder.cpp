//===- AccessOrder.cpp - Order of a block's memory accesses ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"
#include "Execution.h"

#include <algorithm>

using namespace tc::sim;

void AccessOrder::reset() {
  for (auto &row : known)
    std::fill(std::begin(row), std::end(row), start);
  std::fill(std::begin(current), std::end(current), start);
}

void AccessOrder::synchronize(std::uint32_t warps) {
  std::uint32_t joined[maxWarps] = {};
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1) {
    const auto &row = known[__builtin_ctz(rest)];
    for (unsigned w = 0; w < maxWarps; ++w)
      joined[w] = std::max(joined[w], row[w]);
  }
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1) {
    const auto w = static_cast<unsigned>(__builtin_ctz(rest));
    joined[w] = ++current[w];
  }
  for (std::uint32_t rest = warps; rest != 0; rest &= rest - 1)
    std::copy_n(joined, maxWarps, known[__builtin_ctz(rest)]);
}

AccessOrder::Knowledge AccessOrder::learn(std::uint32_t warp,
                                          std::uint32_t lanes) {
  Knowledge knowledge;
  std::copy_n(known[warp], maxWarps, knowledge.clock.begin());
  knowledge.warp = warp;
  knowledge.lanes = lanes;
  knowledge.count = current[warp]++;
  return knowledge;
}

void AccessOrder::release(std::uint32_t warp, Clock &clock) {
  for (unsigned w = 0; w < maxWarps; ++w)
    clock[w] = std::max(clock[w], known[warp][w]);
  // The warp's own lanes have not met by this.
  clock[warp] = ++current[warp];
}

void AccessOrder::acquire(std::uint32_t warp, const Clock &clock) {
  for (unsigned w = 0; w < maxWarps; ++w)
    if (w != warp)
      known[warp][w] = std::max(known[warp][w], clock[w]);
}

std::string
tc::sim::describeRace(const Kernel &kernel,
                      const std::array<std::uint32_t, 3> &blockShape,
                      const AccessOrder::Access &other) {
  return "the " + std::string(nameAccess(kernel, other.pc)) + " by thread " +
         describeElement(blockShape, other.thread) + " at line " +
         std::to_string(kernel.source[other.pc].line) +
         (other.count == AccessOrder::inFlight
              ? ", which has not been waited for"
              : ": no barrier is between them");
}

void tc::sim::synchronizeWarp(Execution &execution) {
  execution.order->synchronize(1u << execution.warp);
}
