//===- PastPlans.cpp - Plans of earlier calls -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PastPlans.h"

#include <algorithm>

using namespace tc;
using namespace tc::cpu;

const Contraction &
PastPlans::findOrMake(const std::array<int64_t, 2> &head, const int64_t *others,
                      size_t count, const std::function<Contraction()> &make) {
  thread_local PastPlans past;
  uint64_t hash = 0;
  auto add = [&](int64_t number) {
    // A multiplier of Knuth's, "The Art of Computer Programming", volume 2,
    // section 3.3.4, as MMIX has it.
    hash = (hash ^ static_cast<uint64_t>(number)) * 6364136223846793005U;
    hash ^= hash >> 32;
  };
  std::for_each(head.begin(), head.end(), add);
  std::for_each(others, others + count, add);
  Entry &entry = past.entries[hash % size];
  std::vector<int64_t> &key = entry.key;
  const bool isKnown =
      entry.plan && key.size() == head.size() + count &&
      std::equal(head.begin(), head.end(), key.begin()) &&
      std::equal(others, others + count, key.begin() + head.size());
  if (isKnown)
    return *entry.plan;
  entry.plan.reset();
  key.assign(head.begin(), head.end());
  key.insert(key.end(), others, others + count);
  return entry.plan.emplace(make());
}
