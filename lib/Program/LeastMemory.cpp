//===- LeastMemory.cpp - The tree of the smallest temporaries ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::model;

namespace {

/// A set of inputs.
using Subset = uint32_t;

/// Dynamic programming over subsets: the peak of a step grows with those of its
/// operands, so that each subset needs its least one only.
class LeastMemory {
public:
  explicit LeastMemory(const Network &network)
      : network(network), all((Subset(1) << network.inputs.size()) - 1),
        bytes(all + 1), peaks(all + 1), firsts(all + 1) {
    std::vector<Subset> holders(network.indices.size());
    for (size_t input = 0; input < network.inputs.size(); ++input)
      for (unsigned index : network.inputs[input])
        holders[index] |= Subset(1) << input;
    std::vector<bool> isOutput(network.indices.size());
    for (unsigned index : network.output)
      isOutput[index] = true;
    const double width = network.temporaryWidth();
    for (Subset set = 1; set < all; ++set) {
      if (isSingle(set))
        continue;
      bytes[set] = width;
      for (unsigned index = 0; index < holders.size(); ++index)
        if ((holders[index] & set) &&
            (isOutput[index] || (holders[index] & ~set)))
          bytes[set] *= static_cast<double>(network.indices[index].extent);
    }
    for (Subset set = 1; set <= all; ++set)
      findFirst(set);
  }

  ContractionTree tree() const {
    ContractionPath path;
    std::vector<Subset> left;
    left.reserve(network.inputs.size());
    for (size_t input = 0; input < network.inputs.size(); ++input)
      left.push_back(Subset(1) << input);
    append(all, left, path);
    return *treeOf(network, path);
  }

private:
  static bool isSingle(Subset set) { return (set & (set - 1)) == 0; }

  void findFirst(Subset set) {
    if (isSingle(set))
      return;
    double least = std::numeric_limits<double>::infinity();
    Subset lowest = set & (~set + 1), others = set ^ lowest;
    for (Subset y = others; y != 0; y = (y - 1) & others) {
      Subset x = set ^ y;
      double peak = std::max(std::min(std::max(peaks[x], bytes[x] + peaks[y]),
                                      std::max(peaks[y], bytes[y] + peaks[x])),
                             bytes[x] + bytes[y] + bytes[set]);
      if (peak < least) {
        least = peak;
        firsts[set] = x;
      }
    }
    peaks[set] = least;
  }

  void append(Subset set, std::vector<Subset> &left,
              ContractionPath &path) const {
    if (isSingle(set))
      return;
    Subset x = firsts[set], y = set ^ x;
    append(x, left, path);
    append(y, left, path);
    auto place = [&](Subset part) {
      return static_cast<unsigned>(std::find(left.begin(), left.end(), part) -
                                   left.begin());
    };
    path.push_back({place(x), place(y)});
    left.erase(
        std::remove_if(left.begin(), left.end(),
                       [&](Subset part) { return part == x || part == y; }),
        left.end());
    left.push_back(set);
  }

  const Network &network;
  Subset all;
  /// Of each subset: the memory that its product takes, the most that is taken
  /// while it is made, and the first operand of the last step.
  std::vector<double> bytes, peaks;
  std::vector<Subset> firsts;
};

} // namespace

ContractionTree tc::model::findSmallestTree(const Network &network) {
  return LeastMemory(network).tree();
}
