//===- SearchMemo.h - Searches for one program ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements of a long program are often alike. What has been searched for of
// one is the same for all others.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_SEARCHMEMO_H
#define TC_GPU_SEARCH_SEARCHMEMO_H

#include "tc/Gpu/Search/GroupSearch.h"
#include "tc/Gpu/Search/SumSearch.h"

#include <string>
#include <unordered_map>

namespace tc::model {

/// Searches for one target, each of which is made once. Contractions are alike
/// that differ in nothing, their labels included. No two threads may use one at
/// a time.
class SearchMemo {
public:
  /// The target must outlive it.
  explicit SearchMemo(const Target &target) : target(target) {}

  /// The results that `search`, `searchGroup` and `searchSum` find with default
  /// options.
  const Result<SearchResult> &search(const Contraction &contraction);
  const Result<GroupSearchResult> &searchGroup(const ContractionGroup &group);
  const Result<SumSearchResult> &
  searchSum(const std::vector<Contraction> &terms, bool reducesC);

  /// The number of searches that were made, of all kinds.
  size_t searches() const {
    return kernels.size() + groups.size() + sums.size();
  }

private:
  const Target &target;
  std::unordered_map<std::string, Result<SearchResult>> kernels;
  std::unordered_map<std::string, Result<GroupSearchResult>> groups;
  std::unordered_map<std::string, Result<SumSearchResult>> sums;
};

} // namespace tc::model

#endif // TC_GPU_SEARCH_SEARCHMEMO_H
