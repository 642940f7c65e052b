//===- OrderSearch.cpp - The order of contractions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/OrderSearch.h"
#include "TreeSearch.h"

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace tc;
using namespace tc::model;

ContractionTree tc::model::orderForMemory(const Network &network,
                                          const ContractionTree &tree,
                                          double &peakBytes) {
  const double width = network.temporaryWidth();
  size_t count = tree.nodes.size();
  std::vector<double> bytes(count), peak(count);
  // True if the second operand is made first.
  std::vector<bool> reversed(count);
  for (size_t i = 0; i < count; ++i) {
    const TreeNode &node = tree.nodes[i];
    if (node.isInput())
      continue;
    bytes[i] = i + 1 == count ? 0 : network.elements(node.indices) * width;
    unsigned x = node.operands.front(), y = node.operands.back();
    if (node.operands.size() == 1) {
      peak[i] = std::max(peak[x], bytes[x] + bytes[i]);
      continue;
    }
    double inOrder = std::max(peak[x], bytes[x] + peak[y]);
    double otherwise = std::max(peak[y], bytes[y] + peak[x]);
    reversed[i] = otherwise < inOrder;
    peak[i] =
        std::max(std::min(inOrder, otherwise), bytes[x] + bytes[y] + bytes[i]);
  }
  peakBytes = peak.back();

  // From the last step back, each before those that it uses.
  std::vector<unsigned> order, stack = {static_cast<unsigned>(count - 1)};
  while (!stack.empty()) {
    unsigned node = stack.back();
    stack.pop_back();
    if (tree.nodes[node].isInput())
      continue;
    order.push_back(node);
    std::vector<unsigned> operands = tree.nodes[node].operands;
    if (reversed[node])
      std::swap(operands.front(), operands.back());
    stack.insert(stack.end(), operands.begin(), operands.end());
  }
  ContractionTree ordered;
  std::vector<unsigned> places(count);
  for (unsigned i = 0; i < network.inputs.size(); ++i) {
    ordered.nodes.push_back(tree.nodes[i]);
    places[i] = i;
  }
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    places[*node] = static_cast<unsigned>(ordered.nodes.size());
    TreeNode &made = ordered.nodes.emplace_back(tree.nodes[*node]);
    for (unsigned &operand : made.operands)
      operand = places[operand];
  }
  return ordered;
}

size_t tc::model::predictionsOf(const OrderOptions &options,
                                const StepTimes &times) {
  if (options.mostPredictions)
    return *options.mostPredictions;
  const auto ofSecond = static_cast<double>(times.affordablePredictions());
  return static_cast<size_t>(ofSecond * options.searchSeconds.value_or(1));
}

std::vector<bool> tc::model::stepsThatMatter(const Network &network,
                                             const ContractionTree &tree,
                                             const StepTimes &times) {
  constexpr double leastShare = 1e-4;
  const size_t count = tree.nodes.size();
  std::vector<double> estimates(count);
  double total = 0;
  for (unsigned node = 0; node < count; ++node)
    if (!tree.nodes[node].isInput())
      total += estimates[node] =
          times.estimate(times.leastProducts(network, stepOf(tree, node)),
                         bytesOf(network, tree, node));
  const bool isSmall = network.inputs.size() <= mostInputsOfExactSearch;
  std::vector<bool> matters(count);
  for (unsigned node = 0; node < count; ++node)
    matters[node] = !tree.nodes[node].isInput() &&
                    (isSmall || estimates[node] >= leastShare * total);
  return matters;
}

/// Of a tree whose steps stay as they are.
static void addTimes(const Network &network, StepTimes &times, double count,
                     Order &order) {
  order.stepSeconds.assign(order.tree.nodes.size(), 0);
  order.sumsFirst.assign(order.tree.nodes.size(), {});
  const std::vector<bool> matters = stepsThatMatter(network, order.tree, times);
  for (unsigned node = 0; node < order.tree.nodes.size(); ++node) {
    if (order.tree.nodes[node].isInput())
      continue;
    const Step step = stepOf(order.tree, node);
    const double products = times.leastProducts(network, step),
                 bytes = bytesOf(network, order.tree, node);
    order.stepSeconds[node] = matters[node] ? times.predict(network, step)
                                            : times.estimate(products, bytes);
    if (matters[node])
      order.sumsFirst[node] = times.chooseSums(network, step).operands;
    order.seconds += count * order.stepSeconds[node];
    order.lowerBound += count * times.lowerBound(products, bytes);
  }
}

Order tc::model::judge(const Network &network, const ContractionTree &tree,
                       StepTimes &times, const Slices &slices) {
  Order order;
  order.slices = slices;
  std::vector<SliceKind> kinds = kindsOfSlices(network, slices);
  order.tree = orderForMemory(kinds.front().network, tree, order.peakBytes);
  // The first kind is the last, whose steps are kept.
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
    addTimes(kind->network, times, kind->count, order);
  return order;
}

std::string tc::model::exactBytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.0f B", bytes);
  return text;
}

std::vector<ContractionTree> tc::model::findTrees(const Network &network,
                                                  StepTimes &times,
                                                  const OrderOptions &options,
                                                  bool &isExact) {
  size_t inputs = network.inputs.size();
  isExact = inputs == 1;
  if (inputs == 1)
    return {*treeOf(network, {{0}})};
  if (inputs <= options.mostExactInputs)
    return findExactOrders(network, times, options, isExact);
  return findGreedyOrders(network, times, options);
}

static bool isFaster(const Order &x, const Order &y) {
  return x.seconds < y.seconds;
}

std::vector<Order>
tc::model::judgeAll(const Network &network,
                    const std::vector<ContractionTree> &trees,
                    StepTimes &times) {
  std::vector<Order> orders;
  orders.reserve(trees.size());
  for (const ContractionTree &tree : trees)
    orders.push_back(judge(network, tree, times));
  std::sort(orders.begin(), orders.end(), isFaster);
  // Rough times are those of all layouts.
  if (times.isRough)
    return orders;
  // The layout of temporaries may decide between trees that are near. The exact
  // search may find many more than others.
  constexpr size_t mostReordered = 2;
  const size_t reordered = network.inputs.size() > mostInputsOfExactSearch
                               ? orders.size()
                               : std::min(mostReordered, orders.size());
  for (size_t i = 0; i < reordered; ++i)
    orders[i] =
        judge(network, orderIndices(network, orders[i].tree, times), times);
  std::sort(orders.begin(), orders.end(), isFaster);
  return orders;
}

static bool fits(const Order &order, const OrderOptions &options) {
  return !options.memoryLimit || order.peakBytes <= *options.memoryLimit;
}

/// Of a limit that the fastest orders do not fit: those that fit, by ascending
/// time, the first perhaps in slices, if these are faster.
static Result<std::vector<Order>>
searchWithin(const Network &network, StepTimes &times, OrderOptions options,
             std::vector<Order> unlimited, OrderResult &result) {
  options.mostPredictions = times.predictions() + predictionsOf(options, times);
  // The search without a limit took the whole time already, and further ones
  // follow, of trees and of their slices.
  constexpr double share = 0.25;
  options.leastSearchSeconds =
      std::max(share * options.leastSearchSeconds,
               std::min(leastSearch, options.leastSearchSeconds));
  options.mostSearchSeconds *= share;
  if (options.searchSeconds)
    *options.searchSeconds *= share;
  std::vector<Order> orders = judgeAll(
      network, findTrees(network, times, options, result.isExact), times);
  const double peakBytes = orders.empty() ? 0 : orders.front().peakBytes;
  orders.erase(
      std::remove_if(orders.begin(), orders.end(),
                     [&](const Order &order) { return !fits(order, options); }),
      orders.end());
  const bool mayGain =
      orders.empty() || unlimited.front().seconds < orders.front().seconds;
  if (options.cutting != Cutting::Nothing && mayGain) {
    std::vector<ContractionTree> trees;
    trees.reserve(unlimited.size());
    for (const Order &order : unlimited)
      trees.push_back(order.tree);
    Result<Order> sliced =
        findSlices(network, trees, /*mayChange=*/true, times, options);
    if (!sliced && orders.empty())
      return Error{sliced.error()};
    if (sliced &&
        (orders.empty() || sliced->seconds < orders.front().seconds)) {
      orders.insert(orders.begin(), std::move(*sliced));
      if (!orders.front().slices.empty()) {
        result.unlimited = std::move(unlimited.front());
        result.isExact = false;
      }
    }
  }
  if (orders.empty())
    return Error{(peakBytes == 0
                      ? "the temporaries of every order take more than "
                      : "the temporaries of the order that was found take " +
                            exactBytes(peakBytes) + ", more than ") +
                 exactBytes(*options.memoryLimit)};
  return orders;
}

Result<OrderResult> tc::model::searchOrder(const Network &network,
                                           StepTimes &times,
                                           const OrderOptions &options) {
  OrderResult result;
  OrderOptions unlimited = options;
  unlimited.memoryLimit.reset();
  std::vector<Order> orders = judgeAll(
      network, findTrees(network, times, unlimited, result.isExact), times);
  if (!fits(orders.front(), options)) {
    Result<std::vector<Order>> fitting =
        searchWithin(network, times, options, std::move(orders), result);
    if (!fitting)
      return Error{fitting.error()};
    orders = std::move(*fitting);
  }
  result.order = std::move(orders.front());
  for (auto order = orders.begin() + 1; order != orders.end(); ++order)
    if (fits(*order, options))
      result.runnersUp.push_back(std::move(*order));
  result.predictions = times.predictions();
  return result;
}

Result<OrderResult> tc::model::completeOrder(const Network &network,
                                             const ContractionTree &tree,
                                             StepTimes &times,
                                             const OrderOptions &options) {
  OrderResult result;
  result.isGiven = true;
  result.order =
      judge(network, times.isRough ? tree : orderIndices(network, tree, times),
            times);
  if (options.cutting != Cutting::Nothing && !fits(result.order, options)) {
    Result<Order> sliced = findSlices(network, {result.order.tree},
                                      /*mayChange=*/false, times, options);
    if (!sliced)
      return Error{sliced.error()};
    result.unlimited = std::exchange(result.order, std::move(*sliced));
  }
  result.predictions = times.predictions();
  return result;
}
