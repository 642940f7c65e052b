//===- SearchMemo.cpp - Searches for one program --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Search/SearchMemo.h"

#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/Record.h"

namespace tc::model {

const Result<SearchResult> &SearchMemo::search(const Contraction &contraction) {
  std::string key = keyOf(contraction);
  auto found = kernels.find(key);
  if (found == kernels.end())
    found = kernels.emplace(key, model::search(contraction, target)).first;
  return found->second;
}

const Result<GroupSearchResult> &
SearchMemo::searchGroup(const ContractionGroup &group) {
  std::string key = keyOf(group);
  auto found = groups.find(key);
  if (found == groups.end())
    found = groups.emplace(key, model::searchGroup(group, target, this)).first;
  return found->second;
}

const Result<SumSearchResult> &
SearchMemo::searchSum(const std::vector<Contraction> &terms, bool reducesC) {
  std::string key = keyOf(terms);
  appendKey(key, reducesC);
  auto found = sums.find(key);
  if (found == sums.end())
    found = sums.emplace(key, model::searchSum(terms, target, reducesC, this))
                .first;
  return found->second;
}

} // namespace tc::model
