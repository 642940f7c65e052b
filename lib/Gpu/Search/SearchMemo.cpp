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

static constexpr auto fieldsOf(const Handover *) {
  return std::make_tuple(
      field("fed", &Handover::fed), field("linked", &Handover::linked),
      field("softmax", &Handover::softmax), field("last", &Handover::isLast));
}

static constexpr auto fieldsOf(const model::Branch *) {
  return std::make_tuple(field("input", &model::Branch::input),
                         field("shared", &model::Branch::shared));
}

static constexpr auto fieldsOf(const ChainLink *) {
  return std::make_tuple(field("contraction", &ChainLink::contraction),
                         field("handover", &ChainLink::handover),
                         field("branch", &ChainLink::branch));
}

const Result<SearchResult> &SearchMemo::search(const Contraction &contraction) {
  std::string key = keyOf(contraction);
  auto found = kernels.find(key);
  if (found == kernels.end())
    found = kernels.emplace(key, model::search(contraction, target)).first;
  return found->second;
}

const Result<ChainSearchResult> &
SearchMemo::searchChain(const std::vector<ChainLink> &links) {
  std::string key = keyOf(links);
  auto found = chains.find(key);
  if (found == chains.end())
    found = chains.emplace(key, model::searchChain(links, target, this)).first;
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
