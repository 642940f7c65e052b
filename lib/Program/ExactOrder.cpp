//===- ExactOrder.cpp - All trees of a few inputs ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

using namespace tc;
using namespace tc::model;

static constexpr double never = std::numeric_limits<double>::infinity();

namespace {

/// A set of inputs.
using Subset = uint32_t;

/// One way to compute the product of a subset.
struct Way {
  double seconds = never, peakBytes = 0;
  /// The operands of the last step, and which of their ways; none of an input.
  Subset first = 0;
  size_t firstWay = 0, secondWay = 0;
};

struct State {
  IndexList indices;
  double elements = 1, bytes = 0;
  /// The elements, those on diagonals once.
  double products = 1;
  /// By the lower bounds of steps: of making it, and of all that is left to do
  /// when it is made.
  double bound = never, rest = never;
  /// None of which is slower and takes more memory than another one. Without a
  /// limit of memory there is one at most.
  std::vector<Way> ways;
};

/// Products of the extents of sets of indices, each of which counts once. There
/// are millions of pairs of sets, so that sets are bits, eight of which are
/// looked up in a table at once.
class SetExtents {
public:
  explicit SetExtents(const Network &network)
      : bytesOfSet((network.indices.size() + 7) / 8),
        tables(bytesOfSet * 256, 1.0) {
    for (size_t index = 0; index < network.indices.size(); ++index)
      for (size_t bits = 0; bits < 256; ++bits)
        if (bits >> index % 8 & 1)
          tables[index / 8 * 256 + bits] *=
              static_cast<double>(network.indices[index].extent);
    // There is no subset of no inputs.
    add({});
  }

  /// Adds a set, whose number is one more than that of the last.
  void add(const IndexList &indices) {
    sets.resize(sets.size() + bytesOfSet);
    uint8_t *set = sets.data() + sets.size() - bytesOfSet;
    for (unsigned index : indices)
      set[index / 8] |= static_cast<uint8_t>(1U << index % 8);
  }

  double ofUnion(Subset first, Subset second) const {
    const uint8_t *x = sets.data() + first * bytesOfSet,
                  *y = sets.data() + second * bytesOfSet;
    double product = 1;
    for (size_t byte = 0; byte < bytesOfSet; ++byte)
      product *= tables[byte * 256 + (x[byte] | y[byte])];
    return product;
  }

private:
  size_t bytesOfSet;
  std::vector<double> tables;
  /// Set after set.
  std::vector<uint8_t> sets;
};

class ExactSearch {
public:
  ExactSearch(const Network &network, StepTimes &times,
              const OrderOptions &options)
      : network(network), times(times), options(options),
        all((Subset(1) << network.inputs.size()) - 1), states(all + 1),
        holders(network.indices.size()), isOutput(network.indices.size()),
        extents(network) {
    for (size_t input = 0; input < network.inputs.size(); ++input)
      for (unsigned index : network.inputs[input])
        holders[index] |= Subset(1) << input;
    for (unsigned index : network.output)
      isOutput[index] = true;
    for (Subset set = 1; set <= all; ++set) {
      setIndices(set);
      states[set].elements = network.elements(states[set].indices);
      states[set].products = network.elements(productIndices(
          states[set].indices, {}, [](unsigned) { return true; }));
      extents.add(multipliedIndices(set));
    }
  }

  std::vector<ContractionTree> run() {
    findBounds();
    if (states[all].bound == never)
      return {};
    // Without a limit, the tree of the least bound is one that may be chosen.
    if (!options.memoryLimit)
      incumbent = secondsOf(boundTree(all));
    findWays();
    return bestTrees();
  }

  bool isExact() const { return exact; }

private:
  bool isSingle(Subset set) const { return (set & (set - 1)) == 0; }

  void setIndices(Subset set) {
    State &state = states[set];
    if (isSingle(set)) {
      for (size_t input = 0; input < network.inputs.size(); ++input)
        if (set == Subset(1) << input)
          state.indices = network.inputs[input];
      state.bound = 0;
      state.ways = {{0, 0, 0, 0, 0}};
      return;
    }
    if (set == all) {
      state.indices = network.output;
      return;
    }
    for (unsigned index = 0; index < network.indices.size(); ++index)
      if ((holders[index] & set) &&
          (isOutput[index] || (holders[index] & ~set)))
        state.indices.push_back(index);
    state.bytes = network.elements(state.indices) * network.temporaryWidth();
  }

  /// The indices of a subset that multiply those of another one in any case: of
  /// an input that may be summed first, those that something else holds.
  IndexList multipliedIndices(Subset set) const {
    if (!isSingle(set) || !times.mayChooseSums(network))
      return states[set].indices;
    return productIndices(states[set].indices, {}, [&](unsigned index) {
      return isOutput[index] || holders[index] != set;
    });
  }

  /// Calls `visit` with the first operand of every pair that makes the subset,
  /// that which holds its first input.
  template <typename Visit> void forAllSplits(Subset set, Visit visit) const {
    Subset lowest = set & (~set + 1), others = set ^ lowest;
    for (Subset second = others; second != 0; second = (second - 1) & others)
      visit(set ^ second);
  }

  double boundOf(Subset first, Subset second) const {
    double products =
        std::max({extents.ofUnion(first, second), states[first].products,
                  states[second].products});
    auto bytesOf = [&](Subset operand) {
      return states[operand].elements * (isSingle(operand)
                                             ? network.inputWidth()
                                             : network.temporaryWidth());
    };
    Subset set = first | second;
    double bytes =
        bytesOf(first) + bytesOf(second) +
        states[set].elements *
            static_cast<double>(byteWidth(network.resultType(set == all)));
    return times.lowerBound(products, bytes);
  }

  bool fits(double bytes) const {
    return !options.memoryLimit || bytes <= *options.memoryLimit;
  }

  /// Of the last step itself: what is used and, unless it is the output, made.
  double bytesAtStep(Subset first, Subset second) const {
    return states[first].bytes + states[second].bytes +
           states[first | second].bytes;
  }

  void findBounds() {
    for (Subset set = 1; set <= all; ++set)
      if (!isSingle(set))
        forAllSplits(set, [&](Subset first) {
          Subset second = set ^ first;
          double before = states[first].bound + states[second].bound;
          if (before >= states[set].bound || !fits(bytesAtStep(first, second)))
            return;
          states[set].bound =
              std::min(states[set].bound, before + boundOf(first, second));
        });
    states[all].rest = 0;
    for (Subset set = all; set >= 1; --set)
      if (!isSingle(set) && states[set].rest != never)
        forAllSplits(set, [&](Subset first) {
          Subset second = set ^ first;
          if (!fits(bytesAtStep(first, second)))
            return;
          double with = states[set].rest + boundOf(first, second);
          states[first].rest =
              std::min(states[first].rest, with + states[second].bound);
          states[second].rest =
              std::min(states[second].rest, with + states[first].bound);
        });
  }

  /// The steps of the tree of the least bound, as pairs of operands.
  std::vector<std::pair<Subset, Subset>> boundTree(Subset set) const {
    if (isSingle(set))
      return {};
    Subset best = 0;
    double least = never;
    forAllSplits(set, [&](Subset first) {
      Subset second = set ^ first;
      double bound = states[first].bound + states[second].bound;
      if (bound < least)
        bound += boundOf(first, second);
      if (bound < least) {
        least = bound;
        best = first;
      }
    });
    auto steps = boundTree(best), others = boundTree(set ^ best);
    steps.insert(steps.end(), others.begin(), others.end());
    steps.push_back({best, set ^ best});
    return steps;
  }

  double predict(Subset first, Subset second) {
    double bound = boundOf(first, second);
    // The steps of the incumbent are never taken to be slower than they were.
    if (auto known = knownSteps.find({first, second});
        known != knownSteps.end())
      return known->second;
    if (times.predictions() >= predictionsOf(options, times)) {
      exact = false;
      // As far above the bound as those that were predicted, so that these are
      // not put off.
      return bounds > 0 ? bound * predicted / bounds : bound;
    }
    double seconds =
        times.predict(network, {{states[first].indices, states[second].indices},
                                states[first | second].indices,
                                (first | second) == all});
    predicted += seconds;
    bounds += bound;
    return knownSteps[{first, second}] = std::max(seconds, bound);
  }

  double secondsOf(const std::vector<std::pair<Subset, Subset>> &steps) {
    double seconds = 0;
    for (auto [first, second] : steps)
      seconds += predict(first, second);
    return seconds;
  }

  /// The temporaries of the operand that takes more to make come first, unless
  /// the results that they leave weigh more.
  static double peakOf(double peakX, double bytesX, double peakY,
                       double bytesY) {
    return std::min(std::max(peakX, bytesX + peakY),
                    std::max(peakY, bytesY + peakX));
  }

  void keep(State &state, const Way &way) const {
    auto covers = [&](const Way &x, const Way &y) {
      return x.seconds <= y.seconds &&
             (!options.memoryLimit || x.peakBytes <= y.peakBytes);
    };
    for (const Way &other : state.ways)
      if (covers(other, way))
        return;
    state.ways.erase(
        std::remove_if(state.ways.begin(), state.ways.end(),
                       [&](const Way &other) { return covers(way, other); }),
        state.ways.end());
    state.ways.push_back(way);
  }

  void findWays() {
    for (Subset set = 1; set <= all; ++set) {
      State &state = states[set];
      if (isSingle(set) || state.rest == never)
        continue;
      std::vector<std::pair<double, Subset>> splits;
      forAllSplits(set, [&](Subset first) {
        const State &x = states[first], &y = states[set ^ first];
        if (x.ways.empty() || y.ways.empty() ||
            !fits(bytesAtStep(first, set ^ first)))
          return;
        double bound =
            leastSeconds(x) + leastSeconds(y) + boundOf(first, set ^ first);
        if (mayBePart(state, bound))
          splits.push_back({bound, first});
      });
      std::sort(splits.begin(), splits.end());
      for (auto [bound, first] : splits)
        tryWays(set, first, bound);
    }
  }

  /// Returns true if a subset that takes so long may be a part of a tree that
  /// is looked for. Sums in another order are rounded otherwise.
  bool mayBePart(const State &state, double seconds) const {
    return seconds + state.rest <= incumbent * (1 + 1e-12);
  }

  static double leastSeconds(const State &state) {
    double least = never;
    for (const Way &way : state.ways)
      least = std::min(least, way.seconds);
    return least;
  }

  void tryWays(Subset set, Subset first, double bound) {
    Subset second = set ^ first;
    State &state = states[set];
    if (!mayBePart(state, bound))
      return;
    if (!options.memoryLimit && bound >= leastSeconds(state) &&
        // A tree that differs in the last step is reported, too.
        (set != all || bound > leastSeconds(state) * mostReported))
      return;
    double step = predict(first, second);
    const std::vector<Way> firstWays = states[first].ways,
                           secondWays = states[second].ways;
    for (size_t x = 0; x < firstWays.size(); ++x)
      for (size_t y = 0; y < secondWays.size(); ++y) {
        Way way;
        way.seconds = firstWays[x].seconds + secondWays[y].seconds + step;
        way.peakBytes =
            std::max(peakOf(firstWays[x].peakBytes, states[first].bytes,
                            secondWays[y].peakBytes, states[second].bytes),
                     bytesAtStep(first, second));
        way.first = first;
        way.firstWay = x;
        way.secondWay = y;
        if (!fits(way.peakBytes))
          continue;
        if (set == all)
          lastWays.push_back(way);
        keep(state, way);
      }
    if (set == all)
      incumbent = std::min(incumbent, mostReported * leastSeconds(state));
  }

  std::vector<ContractionTree> bestTrees() {
    std::sort(lastWays.begin(), lastWays.end(), [](const Way &x, const Way &y) {
      return std::tie(x.seconds, x.first, x.peakBytes) <
             std::tie(y.seconds, y.first, y.peakBytes);
    });
    std::vector<ContractionTree> trees;
    std::vector<Subset> lastSteps;
    for (const Way &way : lastWays) {
      if (std::find(lastSteps.begin(), lastSteps.end(), way.first) !=
          lastSteps.end())
        continue;
      lastSteps.push_back(way.first);
      ContractionTree &tree = trees.emplace_back();
      for (const IndexList &input : network.inputs)
        tree.nodes.push_back({{}, input});
      append(tree, all, way);
      if (trees.size() > options.runnersUp)
        break;
    }
    return trees;
  }

  unsigned append(ContractionTree &tree, Subset set, const Way &way) const {
    if (isSingle(set)) {
      unsigned input = 0;
      while (set != Subset(1) << input)
        ++input;
      return input;
    }
    Subset second = set ^ way.first;
    unsigned x = append(tree, way.first, states[way.first].ways[way.firstWay]);
    unsigned y = append(tree, second, states[second].ways[way.secondWay]);
    tree.nodes.push_back({{x, y}, states[set].indices});
    return static_cast<unsigned>(tree.nodes.size() - 1);
  }

  /// The factor by which a tree with another last step may be slower than the
  /// best to be reported.
  static constexpr double mostReported = 2;

  const Network &network;
  StepTimes &times;
  const OrderOptions &options;
  Subset all;
  std::vector<State> states;
  /// Of each index.
  std::vector<Subset> holders;
  std::vector<bool> isOutput;
  SetExtents extents;
  std::vector<Way> lastWays;
  /// The time of a tree that was found, or what it may be to be reported.
  double incumbent = never;
  /// Of the steps that were predicted, by their operands.
  std::map<std::pair<Subset, Subset>, double> knownSteps;
  /// Of all steps that were predicted: the sums of times and of lower bounds.
  double predicted = 0, bounds = 0;
  bool exact = true;
};

} // namespace

std::vector<ContractionTree>
tc::model::findExactOrders(const Network &network, StepTimes &times,
                           const OrderOptions &options, bool &isExact) {
  ExactSearch search(network, times, options);
  std::vector<ContractionTree> trees = search.run();
  isExact = search.isExact();
  return trees;
}
