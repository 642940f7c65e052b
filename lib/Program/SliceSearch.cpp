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
#include <utility>

using namespace tc;
using namespace tc::model;

static constexpr double never = std::numeric_limits<double>::infinity();

/// Slices that longer parts do not make few enough again.
static constexpr double hopelesslyMany =
    static_cast<double>(mostSlices) * static_cast<double>(mostSlices);

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

  /// With parts as long as they may be, unless there are far too many before it
  /// fits. Fails if parts of one element are too long.
  bool cutToFit();
  /// The tree and the parts that need the least memory.
  void cutAll(const ContractionTree &smallest);
  void lengthen();

  bool fits() const { return peak().bytes <= *options.memoryLimit; }
  double peakBytes() const { return peak().bytes; }
  /// By the lower bounds of all steps of all slices.
  double bound() const;
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
  std::vector<double> boundsWith(const Slices &changes) const;
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
  std::vector<double> bytes(tree.nodes.size());
  for (unsigned node = 0; node + 1 < tree.nodes.size(); ++node)
    if (!tree.nodes[node].isInput())
      bytes[node] = bytesOfNodes({node});
  Peak peak;
  std::vector<unsigned> live;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].isInput())
      continue;
    if (node + 1 < tree.nodes.size())
      live.push_back(node);
    double sum = 0;
    for (unsigned each : live)
      sum += bytes[each];
    if (sum > peak.bytes)
      peak = {sum, live};
    for (unsigned operand : tree.nodes[node].operands)
      live.erase(std::remove(live.begin(), live.end(), operand), live.end());
  }
  return peak;
}

double SlicedTree::bound() const {
  double bound = 0;
  for (unsigned node = 0; node < tree.nodes.size(); ++node)
    if (!tree.nodes[node].isInput())
      bound += times.lowerBound(productsOf(sliced, tree, node),
                                bytesOf(sliced, tree, node));
  return count() * bound;
}

/// The bounds with one part each as long as it is there and the others as they
/// are, from one pass over the steps.
std::vector<double> SlicedTree::boundsWith(const Slices &changes) const {
  std::vector<double> factors(network.indices.size(), 1),
      gains(network.indices.size()), moreBytes(network.indices.size());
  for (const Slice &change : changes)
    factors[change.index] =
        static_cast<double>(change.length) /
        static_cast<double>(sliced.indices[change.index].extent);
  double bound = 0;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    const TreeNode &step = tree.nodes[node];
    if (step.isInput())
      continue;
    const IndexList indices =
        productIndices(tree.nodes[step.operands.front()].indices,
                       tree.nodes[step.operands.back()].indices,
                       [](unsigned) { return true; });
    for (unsigned index : indices)
      moreBytes[index] = 0;
    auto addBytes = [&](const IndexList &list, double width) {
      const double bytes = sliced.elements(list) * width;
      for (unsigned index : list)
        moreBytes[index] += bytes * (factors[index] - 1);
    };
    const bool isLast = node + 1 == tree.nodes.size();
    addBytes(step.indices,
             static_cast<double>(byteWidth(network.resultType(isLast))));
    for (unsigned operand : step.operands)
      addBytes(tree.nodes[operand].indices, tree.nodes[operand].isInput()
                                                ? network.inputWidth()
                                                : network.temporaryWidth());
    const double products = sliced.elements(indices),
                 bytes = bytesOf(sliced, tree, node),
                 before = times.lowerBound(products, bytes);
    bound += before;
    for (unsigned index : indices)
      if (factors[index] != 1)
        gains[index] += times.lowerBound(products * factors[index],
                                         bytes + moreBytes[index]) -
                        before;
  }
  std::vector<double> bounds;
  bounds.reserve(changes.size());
  for (const Slice &change : changes) {
    const Slice now = {change.index, sliced.indices[change.index].extent};
    bounds.push_back(count() *
                     static_cast<double>(countParts(network, change)) /
                     static_cast<double>(countParts(network, now)) *
                     (bound + gains[change.index]));
  }
  return bounds;
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
    if (bytes <= *options.memoryLimit) {
      lengthen();
      return true;
    }
    if (count() > hopelesslyMany)
      return true;
    const Peak highest = peak();
    std::set<unsigned> indices;
    for (unsigned node : highest.nodes)
      indices.insert(tree.nodes[node].indices.begin(),
                     tree.nodes[node].indices.end());
    Slices cuts;
    for (unsigned index : indices)
      if (const int64_t cut =
              isCuttable[index] ? shorter(index) : length(index);
          cut != length(index))
        cuts.push_back({index, cut});
    if (cuts.empty())
      return false;
    const double before = bound();
    const std::vector<double> bounds = boundsWith(cuts);
    double least = never;
    Slice best = cuts.front();
    for (size_t i = 0; i < cuts.size(); ++i) {
      const int64_t old = std::exchange(length(cuts[i].index), cuts[i].length);
      const double price =
          std::log(bounds[i] / before) /
          std::log(highest.bytes / bytesOfNodes(highest.nodes));
      length(cuts[i].index) = old;
      // Sums of the same bounds differ by their rounding.
      constexpr double rounding = 1e-9;
      if (price < least - rounding) {
        least = price;
        best = cuts[i];
      }
    }
    length(best.index) = best.length;
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
    const Slices cut = slices();
    Slices longer;
    for (const Slice &slice : cut) {
      const int64_t length = longest(slice.index);
      if (length == slice.length)
        continue;
      longer.push_back({slice.index, length});
      if (cut.size() > mostCompared)
        this->length(slice.index) = length;
    }
    if (longer.empty())
      return;
    if (cut.size() > mostCompared)
      return;
    const std::vector<double> bounds = boundsWith(longer);
    const Slice &best = longer[static_cast<size_t>(
        std::min_element(bounds.begin(), bounds.end()) - bounds.begin())];
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
    Order order = judge(network, other.tree, times, other.slices());
    if (order.seconds < best.seconds)
      best = std::move(order);
  }
}

std::string TooManySlices::text(double limitBytes) const {
  char count[64];
  std::snprintf(count, sizeof(count), "%.15g",
                std::min(slices, hopelesslyMany));
  return "temporaries of " + exactBytes(limitBytes) + " ask for " +
         (slices > hopelesslyMany ? "over " : "") + count +
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
    const bool isEnough =
        cut.cutToFit() && cut.count() <= static_cast<double>(mostSlices);
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
    if (!cut.cutToFit())
      found.pop_back();
  }
  const bool anyFits = std::any_of(found.begin(), found.end(),
                                   [](const auto &cut) { return cut.fits(); });
  if (!anyFits) {
    SlicedTree cut(network, starts.back(), times, options);
    cut.cutAll(starts.back());
    if (mayChange && isSmall)
      cut.cutAll(findSmallestTree(cut.slice()));
    if (!cut.fits())
      return Error{"the temporaries take " + exactBytes(cut.peakBytes()) +
                   " at least, whatever they are cut into, more than " +
                   exactBytes(*options.memoryLimit)};
    if (found.empty()) {
      cut.lengthen();
      found.push_back(std::move(cut));
    }
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
    Order order = judge(network, cut.tree, times, cut.slices());
    if (order.seconds < best.seconds)
      best = std::move(order);
    if (mayChange)
      searchAgain(times, options, cut, best, network);
  }
  const Network slice = firstSlice(network, best.slices);
  Order reordered =
      judge(network, orderIndices(slice, best.tree, times), times, best.slices);
  return reordered.seconds < best.seconds ? std::move(reordered)
                                          : std::move(best);
}
