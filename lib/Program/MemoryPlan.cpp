//===- MemoryPlan.cpp - Where temporaries lie -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/MemoryPlan.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace tc;
using namespace tc::model;

namespace {

struct Temporary {
  unsigned node;
  /// The steps that make it and that use it.
  unsigned made, used;
  int64_t bytes;
};

} // namespace

Result<MemoryPlan> tc::model::planMemory(const Network &network,
                                         const ContractionTree &tree,
                                         int64_t alignment) {
  std::vector<Temporary> temporaries;
  for (unsigned node = 0; node < tree.nodes.size(); ++node)
    for (unsigned operand : tree.nodes[node].operands) {
      if (tree.nodes[operand].isInput())
        continue;
      int64_t bytes = byteWidth(network.type);
      for (unsigned index : tree.nodes[operand].indices)
        bytes = saturatingMultiply(bytes, network.indices[index].extent);
      temporaries.push_back({operand, operand, node, bytes});
    }
  std::sort(temporaries.begin(), temporaries.end(),
            [](const Temporary &x, const Temporary &y) {
              return std::tie(y.bytes, x.node) < std::tie(x.bytes, y.node);
            });
  MemoryPlan plan;
  plan.offsets.resize(tree.nodes.size());
  for (auto placed = temporaries.begin(); placed != temporaries.end();
       ++placed) {
    // Those that live at the same time, by their places.
    std::vector<Temporary> others;
    for (auto other = temporaries.begin(); other != placed; ++other)
      if (other->made <= placed->used && placed->made <= other->used)
        others.push_back(*other);
    std::sort(others.begin(), others.end(),
              [&](const Temporary &x, const Temporary &y) {
                return plan.offsets[x.node] < plan.offsets[y.node];
              });
    int64_t offset = 0;
    for (const Temporary &other : others) {
      if (saturatingAdd(offset, placed->bytes) <= plan.offsets[other.node])
        break;
      int64_t end = saturatingAdd(plan.offsets[other.node], other.bytes);
      end = saturatingAdd(end, alignment - 1) / alignment * alignment;
      offset = std::max(offset, end);
    }
    plan.offsets[placed->node] = offset;
    plan.bytes = std::max(plan.bytes, saturatingAdd(offset, placed->bytes));
  }
  if (plan.bytes == std::numeric_limits<int64_t>::max())
    return Error{"temporaries of more than 2^63 - 1 bytes"};
  return plan;
}
