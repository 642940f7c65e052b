//===- SliceSearch.cpp - Choice of the indices to cut -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves the parts of one index after the other, that which costs the least
// time for the memory that it saves where temporaries take the most, until all
// fits (as Gray and Kourtis, "Hyper-optimized tensor network contraction",
// Quantum 5, 410, 2021, slice whole indices); then makes parts as long as the
// limit allows.
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <list>
#include <set>

using namespace tc;
using namespace tc::model;

static constexpr double never = std::numeric_limits<double>::infinity();

/// Ascending. Of extents for which that took long, not all.
static std::vector<int64_t> divisorsOf(int64_t extent) {
  constexpr int64_t mostTried = 1 << 20;
  std::set<int64_t> divisors;
  for (int64_t i = 1; i <= std::min(extent / i, mostTried); ++i)
    if (extent % i == 0)
      divisors.insert({i, extent / i});
  return {divisors.begin(), divisors.end()};
}

namespace {

/// A tree, and the lengths of the parts of each index.
class SlicedTree {
public:
  SlicedTree(const Network &network, ContractionTree tree, StepTimes &times,
             const OrderOptions &options);

  /// Fails if parts of one element are too long.
  bool cutToFit();
  /// The tree and the parts that need the least memory.
  void cutAll(const ContractionTree &smallest);
  void lengthen();

  bool fits() const { return peak().bytes <= *options.memoryLimit; }
  double peakBytes() const { return peak().bytes; }
  /// By the lower bounds of all steps of all slices.
  double bound() const { return boundOf(sliced); }
  const Network &slice() const { return sliced; }
  Slices slices() const;
  double count() const { return countSlices(network, slices()); }

  ContractionTree tree;

private:
  /// The most bytes of temporaries at the same time, and which those are.
  struct Peak {
    double bytes = 0;
    std::vector<unsigned> nodes;
  };

  Peak peak() const;
  double bytesOfNodes(const std::vector<unsigned> &nodes) const;
  double boundOf(const Network &slice) const;
  int64_t extent(unsigned index) const { return network.indices[index].extent; }
  int64_t &length(unsigned index) { return sliced.indices[index].extent; }
  bool isRagged(unsigned index) const {
    return extent(index) % sliced.indices[index].extent != 0;
  }
  bool mayBeRagged(unsigned index) const;
  int64_t shorter(unsigned index);
  int64_t longest(unsigned index);
  const std::vector<int64_t> &divisors(unsigned index);

  const Network &network;
  StepTimes &times;
  const OrderOptions &options;
  /// With the lengths of parts as extents.
  Network sliced;
  /// Indices that may be cut.
  std::vector<bool> isCuttable;
  /// Of indices that were asked for.
  std::vector<std::vector<int64_t>> knownDivisors;
};

} // namespace

SlicedTree::SlicedTree(const Network &network, ContractionTree tree,
                       StepTimes &times, const OrderOptions &options)
    : tree(std::move(tree)), network(network), times(times), options(options),
      sliced(network), isCuttable(network.indices.size()),
      knownDivisors(network.indices.size()) {
  // An output that is rounded to a narrower type is not added to.
  bool adds = options.cutting == Cutting::All &&
              accumulatorTypeOf(network.outputType) == network.outputType;
  for (unsigned index = 0; index < isCuttable.size(); ++index)
    isCuttable[index] =
        adds || std::find(network.output.begin(), network.output.end(),
                          index) != network.output.end();
}

double SlicedTree::bytesOfNodes(const std::vector<unsigned> &nodes) const {
  double bytes = 0;
  for (unsigned node : nodes)
    bytes +=
        sliced.elements(tree.nodes[node].indices) * network.temporaryWidth();
  return bytes;
}

SlicedTree::Peak SlicedTree::peak() const {
  Peak peak;
  std::vector<unsigned> live;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].isInput())
      continue;
    if (node + 1 < tree.nodes.size())
      live.push_back(node);
    if (double bytes = bytesOfNodes(live); bytes > peak.bytes)
      peak = {bytes, live};
    for (unsigned operand : tree.nodes[node].operands)
      live.erase(std::remove(live.begin(), live.end(), operand), live.end());
  }
  return peak;
}

double SlicedTree::boundOf(const Network &slice) const {
  double count = 1, bound = 0;
  for (unsigned index = 0; index < network.indices.size(); ++index)
    count *= std::ceil(static_cast<double>(extent(index)) /
                       static_cast<double>(slice.indices[index].extent));
  for (unsigned node = 0; node < tree.nodes.size(); ++node)
    if (!tree.nodes[node].isInput())
      bound += times.lowerBound(productsOf(slice, tree, node),
                                bytesOf(slice, tree, node));
  return count * bound;
}

const std::vector<int64_t> &SlicedTree::divisors(unsigned index) {
  std::vector<int64_t> &known = knownDivisors[index];
  if (known.empty())
    known = divisorsOf(extent(index));
  return known;
}

bool SlicedTree::mayBeRagged(unsigned index) const {
  unsigned ragged = 0;
  for (unsigned other = 0; other < network.indices.size(); ++other)
    ragged += other != index && isRagged(other);
  return ragged < mostRaggedIndices;
}

/// About half of the length: what divides the extent, if there is such a length
/// not far below, or if there are enough ragged indices.
int64_t SlicedTree::shorter(unsigned index) {
  int64_t half = length(index) - length(index) / 2;
  if (half == length(index))
    return half;
  int64_t even = *std::prev(
      std::upper_bound(divisors(index).begin(), divisors(index).end(), half));
  return even >= half - half / 4 || !mayBeRagged(index) ? even : half;
}

bool SlicedTree::cutToFit() {
  while (true) {
    double bytes = 0;
    tree = orderForMemory(sliced, tree, bytes);
    if (bytes <= *options.memoryLimit)
      return true;
    Peak highest = peak();
    std::set<unsigned> indices;
    for (unsigned node : highest.nodes)
      indices.insert(tree.nodes[node].indices.begin(),
                     tree.nodes[node].indices.end());
    double before = bound(), least = never;
    int64_t leastLength = 0;
    unsigned best = 0;
    for (unsigned index : indices) {
      int64_t old = length(index),
              cut = isCuttable[index] ? shorter(index) : old;
      if (cut == old)
        continue;
      length(index) = cut;
      double price = std::log(bound() / before) /
                     std::log(highest.bytes / bytesOfNodes(highest.nodes));
      length(index) = old;
      if (leastLength == 0 || price < least) {
        least = price;
        leastLength = cut;
        best = index;
      }
    }
    if (leastLength == 0)
      return false;
    length(best) = leastLength;
  }
}

void SlicedTree::cutAll(const ContractionTree &smallest) {
  for (unsigned index = 0; index < network.indices.size(); ++index)
    if (isCuttable[index])
      length(index) = 1;
  double bytes = 0;
  tree = orderForMemory(sliced, smallest, bytes);
}

/// The greatest length that fits with those of the others, in as even parts as
/// there may be.
int64_t SlicedTree::longest(unsigned index) {
  int64_t old = length(index), low = old, high = extent(index);
  while (low < high) {
    length(index) = high - (high - low) / 2;
    if (fits())
      low = length(index);
    else
      high = length(index) - 1;
  }
  length(index) = old;
  int64_t parts = extent(index) / low + (extent(index) % low != 0);
  int64_t even = extent(index) / parts + (extent(index) % parts != 0);
  if (extent(index) % even == 0 || mayBeRagged(index))
    return std::max(even, old);
  return std::max(old,
                  *std::prev(std::upper_bound(divisors(index).begin(),
                                              divisors(index).end(), low)));
}

/// Of one index after the other, that first which saves the most time; of many,
/// as they come.
void SlicedTree::lengthen() {
  constexpr size_t mostCompared = 16;
  while (true) {
    Slices cut = slices();
    double least = never;
    Slice best = {0, 0};
    for (const Slice &slice : cut) {
      int64_t longer = longest(slice.index);
      if (longer == slice.length)
        continue;
      length(slice.index) = longer;
      if (cut.size() > mostCompared)
        continue;
      if (double time = bound(); time < least) {
        least = time;
        best = {slice.index, longer};
      }
      length(slice.index) = slice.length;
    }
    if (best.length == 0)
      return;
    length(best.index) = best.length;
  }
}

Slices SlicedTree::slices() const {
  Slices slices;
  auto add = [&](unsigned index) {
    Slice slice = {index, sliced.indices[index].extent};
    if (slice.length < network.indices[index].extent &&
        std::find(slices.begin(), slices.end(), slice) == slices.end())
      slices.push_back(slice);
  };
  for (unsigned index : network.output)
    add(index);
  for (unsigned index = 0; index < network.indices.size(); ++index)
    add(index);
  return slices;
}

/// Another tree for slices that were found, where there is a faster one.
static void searchAgain(StepTimes &times, OrderOptions options,
                        SlicedTree &sliced, Order &best,
                        const Network &network) {
  options.mostPredictions = times.predictions() + predictionsOf(options, times);
  options.runnersUp = 0;
  bool isExact = false;
  for (const ContractionTree &tree :
       findTrees(sliced.slice(), times, options, isExact)) {
    SlicedTree other = sliced;
    double bytes = 0;
    other.tree = orderForMemory(sliced.slice(), tree, bytes);
    if (bytes > *options.memoryLimit)
      continue;
    other.lengthen();
    Order order = judge(network, orderIndices(other.slice(), other.tree, times),
                        times, other.slices());
    if (order.seconds < best.seconds)
      best = std::move(order);
  }
}

std::string TooManySlices::text(double limitBytes) const {
  char count[64];
  std::snprintf(count, sizeof(count), "%.15g", slices);
  return "temporaries of " + exactBytes(limitBytes) + " ask for " + count +
         " slices, and at most " + std::to_string(mostSlices) +
         " are computed; " + exactBytes(enoughBytes) + " would do";
}

/// About the least limit for which a tree is cut into few enough slices: the
/// least one that was tried.
static double enoughBytesOf(const Network &network, const ContractionTree &tree,
                            StepTimes &times, OrderOptions options) {
  double low = *options.memoryLimit, high = 0;
  (void)orderForMemory(network, tree, high);
  constexpr int mostTries = 24;
  for (int i = 0; i < mostTries && high > low + 1; ++i) {
    double middle = high > 2 * low ? std::sqrt(std::max(low, 1.0) * high)
                                   : low + (high - low) / 2;
    options.memoryLimit = std::floor(middle);
    SlicedTree cut(network, tree, times, options);
    bool isEnough = cut.cutToFit();
    if (isEnough) {
      cut.lengthen();
      isEnough = cut.count() <= static_cast<double>(mostSlices);
    }
    (isEnough ? high : low) = *options.memoryLimit;
  }
  return high;
}

Result<Order> tc::model::findSlices(const Network &network,
                                    const std::vector<ContractionTree> &trees,
                                    bool mayChange, StepTimes &times,
                                    const OrderOptions &options) {
  bool isSmall = network.inputs.size() <= mostInputsOfExactSearch;
  std::vector<ContractionTree> starts = trees;
  if (mayChange && network.inputs.size() > 1)
    starts.push_back(isSmall ? findSmallestTree(network)
                             : findChain(network, times));
  std::list<SlicedTree> found;
  for (const ContractionTree &tree : starts) {
    SlicedTree &cut = found.emplace_back(network, tree, times, options);
    if (cut.cutToFit())
      cut.lengthen();
    else
      found.pop_back();
  }
  if (found.empty()) {
    SlicedTree &cut =
        found.emplace_back(network, starts.back(), times, options);
    cut.cutAll(starts.back());
    if (mayChange && isSmall)
      cut.cutAll(findSmallestTree(cut.slice()));
    if (!cut.fits())
      return Error{"the temporaries take " + exactBytes(cut.peakBytes()) +
                   " at least, whatever they are cut into, more than " +
                   exactBytes(*options.memoryLimit)};
    cut.lengthen();
  }
  TooManySlices tooMany = {never, never};
  for (const SlicedTree &cut : found)
    tooMany.slices = std::min(tooMany.slices, cut.count());
  if (tooMany.slices > static_cast<double>(mostSlices)) {
    for (const ContractionTree &tree : starts)
      tooMany.enoughBytes = std::min(
          tooMany.enoughBytes, enoughBytesOf(network, tree, times, options));
    if (options.tooManySlices)
      *options.tooManySlices = tooMany;
    return Error{tooMany.text(*options.memoryLimit)};
  }
  found.remove_if([](const SlicedTree &cut) {
    return cut.count() > static_cast<double>(mostSlices);
  });
  constexpr size_t mostJudged = 2;
  while (found.size() > mostJudged)
    found.erase(std::max_element(
        found.begin(), found.end(),
        [](const auto &x, const auto &y) { return x.bound() < y.bound(); }));
  Order best;
  best.seconds = never;
  for (SlicedTree &cut : found) {
    Order order = judge(network, orderIndices(cut.slice(), cut.tree, times),
                        times, cut.slices());
    if (order.seconds < best.seconds)
      best = std::move(order);
    if (mayChange)
      searchAgain(times, options, cut, best, network);
  }
  return best;
}
