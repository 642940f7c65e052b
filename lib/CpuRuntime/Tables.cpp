//===- Tables.cpp - Places of a block's elements --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include <algorithm>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

void cpu::fill(const std::vector<Dimension> &dimensions, Interval range,
               const Table &table) {
  if (range.count == 0)
    return;
  // Dimensions are at most twice the indices of a tensor: each of two operands
  // may have summed ones of its own.
  int64_t coordinates[128];
  int64_t rest = range.first, first = 0, second = 0;
  size_t rank = dimensions.size();
  for (size_t d = 0; d < rank; ++d) {
    coordinates[d] = rest % dimensions[d].extent;
    rest /= dimensions[d].extent;
    first += coordinates[d] * dimensions[d].stride[0];
    second += coordinates[d] * dimensions[d].stride[1];
  }
  for (int64_t i = 0; i < range.count;) {
    if (rank == 0) {
      table.offsets[0][i] = table.offsets[1][i] = 0;
      break;
    }
    const Dimension &inner = dimensions[0];
    int64_t length = std::min(range.count - i, inner.extent - coordinates[0]);
    for (int64_t j = 0; j < length; ++j) {
      table.offsets[0][i + j] = first + j * inner.stride[0];
      table.offsets[1][i + j] = second + j * inner.stride[1];
    }
    i += length;
    first -= coordinates[0] * inner.stride[0];
    second -= coordinates[0] * inner.stride[1];
    coordinates[0] = 0;
    for (size_t d = 1; d < rank; ++d) {
      first += dimensions[d].stride[0];
      second += dimensions[d].stride[1];
      if (++coordinates[d] < dimensions[d].extent)
        break;
      first -= dimensions[d].extent * dimensions[d].stride[0];
      second -= dimensions[d].extent * dimensions[d].stride[1];
      coordinates[d] = 0;
    }
  }
  for (size_t side = 0; side < 2; ++side) {
    int32_t run = 1;
    const int64_t *offsets = table.offsets[side];
    table.runs[side][range.count - 1] = 1;
    for (int64_t i = range.count - 2; i >= 0; --i) {
      run = offsets[i + 1] == offsets[i] + 1 ? run + 1 : 1;
      table.runs[side][i] = run;
    }
  }
}

model::PerTensor<char *> cpu::basesOf(const Call &call, int64_t batch) {
  model::PerTensor<char *> base = call.base;
  for (const Index &index : call.plan.batches) {
    for (Tensor t : model::allTensors)
      base[t] += batch % index.extent * index.stride[t] * call.plan.bytes[t];
    batch /= index.extent;
  }
  return base;
}
