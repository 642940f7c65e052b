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

using namespace tc;
using namespace tc::model;

/// Puts the operand first whose making leaves the most room, everywhere, and
/// sets the bytes that all takes at most.
static ContractionTree orderForMemory(const Network &network,
                                      const ContractionTree &tree,
                                      double &peakBytes) {
  auto width = static_cast<double>(byteWidth(network.type));
  size_t count = tree.nodes.size();
  std::vector<double> bytes(count), peak(count);
  // Whether the second operand is made first.
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

  // From the last step back, each before what it uses.
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

Order tc::model::judge(const Network &network, const ContractionTree &tree,
                       StepTimes &times) {
  Order order;
  order.tree = orderForMemory(network, tree, order.peakBytes);
  order.stepSeconds.resize(order.tree.nodes.size());
  for (unsigned node = 0; node < order.tree.nodes.size(); ++node) {
    if (order.tree.nodes[node].isInput())
      continue;
    order.stepSeconds[node] = times.predict(network, stepOf(order.tree, node));
    order.seconds += order.stepSeconds[node];
    order.lowerBound += times.lowerBound(productsOf(network, order.tree, node),
                                         bytesOf(network, order.tree, node));
  }
  return order;
}

static std::string bytesText(double bytes) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.0f B", bytes);
  return text;
}

Result<OrderResult> tc::model::searchOrder(const Network &network,
                                           StepTimes &times,
                                           const OrderOptions &options) {
  OrderResult result;
  size_t inputs = network.inputs.size();
  std::vector<ContractionTree> trees;
  if (inputs == 1) {
    trees.push_back(*treeOf(network, {{0}}));
    result.isExact = true;
  } else if (inputs <= mostInputsOfExactSearch) {
    trees = findExactOrders(network, times, options, result.isExact);
  } else {
    trees.push_back(findGreedyOrder(network, times, options));
  }
  if (trees.empty())
    return Error{"the temporaries of every order take more than " +
                 bytesText(*options.memoryLimit)};
  std::vector<Order> &orders = result.runnersUp;
  for (const ContractionTree &tree : trees)
    orders.push_back(judge(network, tree, times));
  auto isFaster = [](const Order &x, const Order &y) {
    return x.seconds < y.seconds;
  };
  std::sort(orders.begin(), orders.end(), isFaster);
  // What temporaries look like may decide between trees that are near.
  constexpr size_t mostReordered = 2;
  for (size_t i = 0; i < std::min(mostReordered, orders.size()); ++i)
    orders[i] =
        judge(network, orderIndices(network, orders[i].tree, times), times);
  std::sort(orders.begin(), orders.end(), isFaster);
  result.order = std::move(orders.front());
  orders.erase(orders.begin());
  if (options.memoryLimit && result.order.peakBytes > *options.memoryLimit)
    return Error{"the temporaries of the order that was found take " +
                 bytesText(result.order.peakBytes) + ", more than " +
                 bytesText(*options.memoryLimit)};
  result.predictions = times.predictions();
  return result;
}
