//===- AccessOrder.cpp - Which access comes before which ------------------===//
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
}

void AccessOrder::synchronize(std::uint32_t warps) {
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
