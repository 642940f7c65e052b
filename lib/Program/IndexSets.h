//===- IndexSets.h - Sets of the indices of a network ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PROGRAM_INDEXSETS_H
#define TC_LIB_PROGRAM_INDEXSETS_H

#include "tc/Program/Network.h"

#include <algorithm>
#include <map>

namespace tc::model {

/// Numbers some indices of a network, each given once, as bits of words, in
/// which those of one extent lie together: how many there are tells the
/// elements of a tensor.
class IndexSets {
public:
  IndexSets(const Network &network, const IndexList &numbered)
      : bitOf(network.indices.size()) {
    std::map<int64_t, IndexList> ofExtent;
    for (unsigned index : numbered)
      ofExtent[network.indices[index].extent].push_back(index);
    unsigned bit = 0;
    auto number = [&](unsigned index) {
      bitOf[index] = bit++;
      extents.resize(bit, 1);
      extents.back() = static_cast<double>(network.indices[index].extent);
    };
    // Extents of a few indices share words, which takes fewer of them.
    for (const auto &[extent, indices] : ofExtent) {
      if (indices.size() < fewOfOneExtent)
        continue;
      Run run{bit / 64, 0, {1}};
      for (unsigned index : indices) {
        number(index);
        run.powers.push_back(run.powers.back() * static_cast<double>(extent));
      }
      bit = (bit + 63) / 64 * 64;
      run.end = bit / 64;
      runs.push_back(std::move(run));
    }
    firstShared = bit / 64;
    for (const auto &[extent, indices] : ofExtent)
      if (indices.size() < fewOfOneExtent)
        std::for_each(indices.begin(), indices.end(), number);
    count = (bit + 63) / 64;
  }

  /// Words of a set.
  size_t words() const { return count; }
  void insert(uint64_t *set, const IndexList &indices) const {
    for (unsigned index : indices)
      set[bitOf[index] / 64] |= uint64_t(1) << (bitOf[index] % 64);
  }

  /// Elements of a tensor along the indices of the set whose words `wordAt`
  /// returns.
  template <typename WordAt> double elements(WordAt wordAt) const {
    double product = 1;
    for (const Run &run : runs) {
      unsigned bits = 0;
      for (size_t word = run.begin; word < run.end; ++word)
        bits += static_cast<unsigned>(__builtin_popcountll(wordAt(word)));
      product *= run.powers[bits];
    }
    for (size_t word = firstShared; word < count; ++word)
      for (uint64_t rest = wordAt(word); rest != 0; rest &= rest - 1)
        product *=
            extents[word * 64 + static_cast<size_t>(__builtin_ctzll(rest))];
    return product;
  }

private:
  static constexpr size_t fewOfOneExtent = 16;

  /// Words whose indices have one extent, and the powers of that.
  struct Run {
    size_t begin = 0, end = 0;
    std::vector<double> powers;
  };

  std::vector<unsigned> bitOf;
  std::vector<double> extents;
  std::vector<Run> runs;
  size_t firstShared = 0, count = 0;
};

} // namespace tc::model

#endif // TC_LIB_PROGRAM_INDEXSETS_H
