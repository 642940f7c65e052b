//===- Suggestion.cpp - Suggestions for misspelt names --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Suggestion.h"

#include <algorithm>
#include <numeric>

using namespace tc;

static constexpr size_t longestName = 64;

/// The optimal string alignment distance (Damerau, Communications of the ACM 7,
/// 1964): so many letters are exchanged, left out, added or swapped with their
/// neighbours.
static size_t editDistance(std::string_view x, std::string_view y) {
  std::vector<size_t> beforeLast, last(y.size() + 1), current(y.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= x.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= y.size(); ++j) {
      size_t exchanged = last[j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1);
      current[j] = std::min({exchanged, last[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
        current[j] = std::min(current[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    std::swap(last, current);
  }
  return last[y.size()];
}

std::string tc::suggestionFor(std::string_view name,
                              const std::vector<std::string> &known) {
  if (name.size() > longestName)
    return "";
  const std::string *nearest = nullptr;
  size_t least = name.size() / 3 + 1;
  for (const std::string &candidate : known) {
    if (candidate.size() > longestName)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}
