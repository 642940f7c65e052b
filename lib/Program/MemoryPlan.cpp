//===- MemoryPlan.cpp - Placement of temporaries ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/MemoryPlan.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

using namespace tc;
using namespace tc::model;

Result<BufferPlan>
tc::model::placeBuffers(const std::vector<BufferLifetime> &buffers,
                        int64_t alignment) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return std::tie(buffers[y].bytes, x) < std::tie(buffers[x].bytes, y);
  });
  BufferPlan plan;
  plan.offsets.resize(buffers.size());
  for (auto placed = order.begin(); placed != order.end(); ++placed) {
    const BufferLifetime &buffer = buffers[*placed];
    // Those that live at the same time, by their places.
    std::vector<size_t> others;
    for (auto other = order.begin(); other != placed; ++other)
      if (buffers[*other].first <= buffer.last &&
          buffer.first <= buffers[*other].last)
        others.push_back(*other);
    std::sort(others.begin(), others.end(), [&](size_t x, size_t y) {
      return plan.offsets[x] < plan.offsets[y];
    });
    int64_t offset = 0;
    for (size_t other : others) {
      if (saturatingAdd(offset, buffer.bytes) <= plan.offsets[other])
        break;
      int64_t end = saturatingAdd(plan.offsets[other], buffers[other].bytes);
      end = saturatingAdd(end, alignment - 1) / alignment * alignment;
      offset = std::max(offset, end);
    }
    plan.offsets[*placed] = offset;
    plan.bytes = std::max(plan.bytes, saturatingAdd(offset, buffer.bytes));
  }
  if (plan.bytes == std::numeric_limits<int64_t>::max())
    return Error{"temporaries of more than 2^63 - 1 bytes"};
  return plan;
}

Result<MemoryPlan> tc::model::planMemory(const Network &network,
                                         const ContractionTree &tree,
                                         int64_t alignment) {
  std::vector<unsigned> users(tree.nodes.size());
  for (unsigned node = 0; node < tree.nodes.size(); ++node)
    for (unsigned operand : tree.nodes[node].operands)
      users[operand] = node;
  std::vector<unsigned> temporaries;
  std::vector<BufferLifetime> buffers;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].isInput() || node + 1 == tree.nodes.size())
      continue;
    int64_t bytes = byteWidth(network.temporaryType);
    for (unsigned index : tree.nodes[node].indices)
      bytes = saturatingMultiply(bytes, network.indices[index].extent);
    temporaries.push_back(node);
    buffers.push_back({node, users[node], bytes});
  }
  Result<BufferPlan> placed = placeBuffers(buffers, alignment);
  if (!placed)
    return Error{placed.error()};
  MemoryPlan plan;
  plan.offsets.resize(tree.nodes.size());
  for (size_t i = 0; i < temporaries.size(); ++i)
    plan.offsets[temporaries[i]] = placed->offsets[i];
  plan.bytes = placed->bytes;
  return plan;
}
