//===- Tables.h - Places of a block's elements ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_TABLES_H
#define TC_LIB_CPURUNTIME_TABLES_H

#include "Plan.h"

#include <algorithm>

namespace tc::cpu {

/// A number of things, from one of them on.
struct Interval {
  int64_t first = 0, count = 0;
};

/// Hands out parts of a piece of memory, or only counts their bytes.
class Pieces {
public:
  static constexpr int64_t line = 64;

  explicit Pieces(char *memory) : memory(memory) {}
  template <typename T> T *take(int64_t count) {
    char *piece = memory ? memory + bytes : nullptr;
    bytes += (count * int64_t(sizeof(T)) + line - 1) / line * line;
    return reinterpret_cast<T *>(piece);
  }
  int64_t size() const { return bytes; }

private:
  char *memory;
  int64_t bytes = 0;
};

/// The places of a block's elements.
struct Table {
  int64_t *offsets[2];
  /// For each offset, the number of elements from it on that lie side by side.
  int32_t *runs[2];

  void take(Pieces &pieces, int64_t count) {
    for (size_t side = 0; side < 2; ++side) {
      offsets[side] = pieces.take<int64_t>(count);
      runs[side] = pieces.take<int32_t>(count);
    }
  }
};

/// The arguments of a run.
struct Call {
  const Plan &plan;
  model::PerTensor<char *> base;
  const void *alpha, *beta;
  /// True if C is read, and if alpha and beta are real.
  bool reads, isReal;
};

/// Writes down where `range` of the elements lie along these dimensions.
void fill(const std::vector<Dimension> &dimensions, Interval range,
          const Table &table);

/// Calls `body` with the parts of a range that are as long as a block; with one
/// at least, which may be empty.
template <typename Body>
void forBlocks(Interval range, int64_t block, Body body) {
  int64_t end = range.first + range.count;
  for (int64_t first = range.first; first == range.first || first < end;
       first += block)
    body(Interval{first, std::min(block, end - first)});
}

/// The base pointers for one of the batches.
model::PerTensor<char *> basesOf(const Call &call, int64_t batch);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_TABLES_H
