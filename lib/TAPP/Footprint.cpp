//===- Footprint.cpp - Overlap of two tensors of a product ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

#include <algorithm>

using namespace tc::tapp;

/// Larger distances are in no address space, and their sums might overflow.
static constexpr int64_t farthest = int64_t(1) << 48;

static int64_t divideDown(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}

Footprint::Footprint(const Operand &tensor, const Operand &d, int64_t bytes)
    : isUnknown(!tensor.hasElements() || !d.hasElements()) {
  add(1, 1 - bytes, bytes - 1);
  for (auto [operand, isAdded] : {std::pair(&tensor, true), {&d, false}})
    for (size_t i = 0; i < operand->indices.size(); ++i) {
      int64_t last = operand->info.extents[i] - 1;
      int64_t stride = operand->info.strides[i];
      // So that no product below overflows.
      if (last > 0 && (stride > farthest / bytes / last ||
                       stride < -(farthest / bytes / last)))
        isUnknown = true;
      else if (last > 0 && stride != 0)
        add(stride < 0 ? -stride * bytes : stride * bytes,
            (stride > 0) == isAdded ? 0 : -last,
            (stride > 0) == isAdded ? last : 0);
    }
  if (isUnknown)
    return;
  std::sort(steps.begin(), steps.end(),
            [](const Step &a, const Step &b) { return a.bytes > b.bytes; });
  int64_t low = 0, high = 0;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    low += step->least * step->bytes;
    high += step->most * step->bytes;
    step->low = low;
    step->high = high;
  }
}

void Footprint::add(int64_t bytes, int64_t least, int64_t most) {
  // A step that both tensors have, as the rows of one matrix, is one step.
  auto found = std::find_if(steps.begin(), steps.end(), [&](const Step &step) {
    return step.bytes == bytes;
  });
  if (found == steps.end()) {
    steps.push_back({bytes, least, most});
    return;
  }
  found->least += least;
  found->most += most;
}

bool Footprint::reaches(int64_t distance, size_t place, int &tries) const {
  if (place == steps.size())
    return distance == 0;
  const Step &step = steps[place];
  if (distance < step.low || distance > step.high)
    return false;
  bool isLast = place + 1 == steps.size();
  int64_t low = isLast ? 0 : steps[place + 1].low;
  int64_t high = isLast ? 0 : steps[place + 1].high;
  int64_t first =
      std::max(step.least, -divideDown(high - distance, step.bytes));
  int64_t last = std::min(step.most, divideDown(distance - low, step.bytes));
  for (int64_t i = first; i <= last && tries > 0; ++i, --tries)
    if (reaches(distance - i * step.bytes, place + 1, tries))
      return true;
  return false;
}

bool Footprint::overlaps(const void *tensor, const void *d) const {
  if (isUnknown)
    return false;
  auto distance = static_cast<int64_t>(reinterpret_cast<uintptr_t>(d) -
                                       reinterpret_cast<uintptr_t>(tensor));
  if (distance < steps.front().low || distance > steps.front().high)
    return false;
  int tries = 10000;
  return reaches(distance, 0, tries);
}
