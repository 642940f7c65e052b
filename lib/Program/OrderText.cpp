//===- OrderText.cpp - An order in words ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/OrderText.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::model;

static std::string printed(const char *format, double number) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

/// With a unit that leaves one to three digits before the point.
static std::string withUnit(double number, double base,
                            const std::vector<std::string> &units) {
  size_t unit = 0;
  while (unit + 1 < units.size() && number >= base) {
    number /= base;
    ++unit;
  }
  return printed("%.4g ", number) + units[unit];
}

static std::string secondsText(double seconds) {
  return withUnit(seconds * 1e9, 1000, {"ns", "us", "ms", "s"});
}

static std::string bytesText(double bytes) {
  return withUnit(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

static std::string listText(const Network &network, const IndexList &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + network.indices[list[i]].label;
  return text + "]";
}

std::string tc::model::bracketsOf(const ContractionTree &tree) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    std::string &text = texts.emplace_back();
    if (tree.nodes[i].isInput()) {
      text = std::to_string(i);
      continue;
    }
    for (unsigned operand : tree.nodes[i].operands)
      text += (text.empty() ? "(" : " ") + std::move(texts[operand]);
    text += ")";
  }
  return texts.back();
}

namespace {

/// Draws a tree, the result on top and operands below, without recursion.
class Drawing {
public:
  Drawing(const Network &network, const Order &order)
      : network(network), order(order) {}

  std::string draw() {
    struct Line {
      unsigned node;
      std::string before, below;
    };
    std::vector<Line> stack = {
        {static_cast<unsigned>(order.tree.nodes.size() - 1), "", ""}};
    while (!stack.empty()) {
      Line line = std::move(stack.back());
      stack.pop_back();
      const TreeNode &node = order.tree.nodes[line.node];
      add(line.node, line.before);
      for (size_t i = node.operands.size(); i-- > 0;) {
        bool isLast = i + 1 == node.operands.size();
        stack.push_back({node.operands[i],
                         line.below + (isLast ? "`- " : "|- "),
                         line.below + (isLast ? "   " : "|  ")});
      }
    }
    return join();
  }

private:
  void add(unsigned node, const std::string &before) {
    const TreeNode &drawn = order.tree.nodes[node];
    std::string text = before;
    if (drawn.isInput())
      text += "input " + std::to_string(node) + " ";
    text += listText(network, drawn.indices);
    if (drawn.isInput()) {
      rows.push_back({text});
      return;
    }
    rows.push_back(
        {text, secondsText(order.stepSeconds[node]),
         printed("%.3g", productsOf(network, order.tree, node)) + " products",
         bytesText(bytesOf(network, order.tree, node))});
    if (std::string sums = sumsText(node); !sums.empty())
      rows.back().push_back(std::move(sums));
  }

  /// "sums input 1 over [k, l] first", if a step does.
  std::string sumsText(unsigned node) const {
    if (order.sumsFirst.empty())
      return "";
    const std::vector<unsigned> &operands = order.tree.nodes[node].operands;
    std::string text;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!order.sumsFirst[node][allTensors[i]])
        continue;
      const IndexList &other =
          order.tree.nodes[operands[operands.size() - 1 - i]].indices;
      const IndexList own = productIndices(
          order.tree.nodes[operands[i]].indices, {}, [&](unsigned index) {
            return !contains(other, index) &&
                   !contains(order.tree.nodes[node].indices, index);
          });
      text += (text.empty() ? "sums input " : ", input ") +
              std::to_string(operands[i]) + " over " + listText(network, own);
    }
    return text.empty() ? text : text + " first";
  }

  std::string join() const {
    std::vector<size_t> widths;
    for (const std::vector<std::string> &row : rows)
      for (size_t i = 0; i < row.size(); ++i) {
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], row[i].size());
      }
    std::string text;
    for (const std::vector<std::string> &row : rows) {
      text += "  " + row.front();
      for (size_t i = 1; i < row.size(); ++i)
        text +=
            std::string(widths[i - 1] - row[i - 1].size() + 2, ' ') + row[i];
      text += "\n";
    }
    return text;
  }

  const Network &network;
  const Order &order;
  std::vector<std::vector<std::string>> rows;
};

} // namespace

/// Products of all steps of all slices.
static double productsOfAll(const Network &network, const Order &order) {
  double products = 0;
  for (const SliceKind &kind : kindsOfSlices(network, order.slices))
    for (unsigned node = 0; node < order.tree.nodes.size(); ++node)
      if (!order.tree.nodes[node].isInput())
        products += kind.count * productsOf(kind.network, order.tree, node);
  return products;
}

/// The ratio of the products to those of an order without slices.
static double productsRatio(const Network &network, const OrderResult &result) {
  return productsOfAll(network, result.order) /
         productsOfAll(network, *result.unlimited);
}

static double secondsRatio(const OrderResult &result) {
  return result.order.seconds / result.unlimited->seconds;
}

/// "  12 slices: [i] in 4 parts of 3, the last of 2; ...", and their cost.
static std::string slicesText(const Network &network,
                              const OrderResult &result) {
  const Slices &slices = result.order.slices;
  std::string text =
      "  " + printed("%.15g", countSlices(network, slices)) + " slices";
  for (const Slice &slice : slices) {
    text += (&slice == &slices.front() ? ": [" : "; [") +
            network.indices[slice.index].label + "] in " +
            std::to_string(countParts(network, slice)) + " parts of " +
            std::to_string(slice.length);
    if (int64_t last = raggedLength(network, slice))
      text += ", the last of " + std::to_string(last);
  }
  return text + "\n  " + printed("%.3g", productsRatio(network, result)) +
         " times the products and " + printed("%.3g", secondsRatio(result)) +
         " times the time of " + bracketsOf(result.unlimited->tree) +
         " without a limit, with " + bytesText(result.unlimited->peakBytes) +
         " of temporaries; the first slice:\n";
}

std::string tc::model::orderText(const Network &network,
                                 const OrderResult &result,
                                 const std::string &machine) {
  const Order &order = result.order;
  size_t inputs = network.inputs.size();
  double trees = countTrees(inputs);
  std::string text = "order of " + std::to_string(inputs) +
                     (inputs == 1 ? " tensor" : " tensors") + " for " +
                     machine + ": " + secondsText(order.seconds) +
                     " predicted, " + bytesText(order.peakBytes) +
                     " of temporaries\n";
  if (!order.slices.empty())
    text += slicesText(network, result);
  Network slice = firstSlice(network, order.slices);
  text += Drawing(slice, order).draw();
  text += "  " + bracketsOf(order.tree) + " is ";
  if (result.isGiven)
    text += "given; ";
  else
    text += (result.isExact ? "the best of all " : "the best found of ") +
            (std::isinf(trees) ? "countless" : printed("%.15g", trees)) +
            (trees == 1 ? " tree; " : " trees; ");
  text += std::to_string(result.predictions) +
          (result.predictions == 1 ? " step was predicted\n"
                                   : " steps were predicted\n");
  for (const Order &other : result.runnersUp)
    text += "  " + bracketsOf(other.tree) + " takes " +
            printed("%.2f", other.seconds / order.seconds) +
            " times as long, " + bytesText(other.peakBytes) +
            " of temporaries\n";
  return text;
}

std::string tc::model::sharedText(const Network &network, const Order &order,
                                  const std::vector<size_t> &sharers,
                                  const Order *alone) {
  const std::vector<TreeNode> &nodes = order.tree.nodes;
  std::vector<bool> isBelow(nodes.size());
  std::string text;
  for (size_t node = nodes.size(); node-- > 0;) {
    if (nodes[node].isInput())
      continue;
    bool isShared = sharers[node] > 1;
    for (unsigned operand : nodes[node].operands)
      isBelow[operand] = isShared || isBelow[node];
    if (!isShared || isBelow[node])
      continue;
    ContractionTree part;
    part.nodes.assign(nodes.begin(),
                      nodes.begin() + static_cast<std::ptrdiff_t>(node) + 1);
    text += "  " + bracketsOf(part) + ", " +
            listText(network, nodes[node].indices) + ", is made once for " +
            std::to_string(sharers[node]) + " products\n";
  }
  constexpr double sameTime = 0.995;
  if (alone && alone->seconds < sameTime * order.seconds)
    text += "  alone, " + bracketsOf(alone->tree) + " would take " +
            printed("%.2f", alone->seconds / order.seconds) +
            " times as long\n";
  return text;
}

std::string tc::model::togetherText(size_t products,
                                    const SharedOrders &shared) {
  return std::to_string(products) +
         " products together: " + secondsText(shared.seconds) + " predicted, " +
         secondsText(shared.secondsAlone) +
         " in the orders that are the best alone\n";
}

nlohmann::ordered_json tc::model::orderToJson(const Network &network,
                                              const OrderResult &result) {
  const Order &order = result.order;
  // Members of an object in order move when another is added.
  auto indices = nlohmann::ordered_json::array(), seconds = indices,
       others = indices;
  for (size_t i = 0; i < order.tree.nodes.size(); ++i) {
    if (order.tree.nodes[i].isInput())
      continue;
    auto &list = indices.emplace_back(nlohmann::ordered_json::array());
    for (unsigned index : order.tree.nodes[i].indices)
      list.push_back(network.indices[index].label);
    seconds.push_back(order.stepSeconds[i]);
  }
  for (const Order &other : result.runnersUp)
    others.push_back({{"path", pathOf(other.tree)},
                      {"seconds", other.seconds},
                      {"peak_bytes", other.peakBytes}});
  nlohmann::ordered_json json;
  json["path"] = pathOf(order.tree);
  json["indices"] = std::move(indices);
  json["step_seconds"] = std::move(seconds);
  json["seconds"] = order.seconds;
  json["lower_bound_seconds"] = order.lowerBound;
  json["peak_bytes"] = order.peakBytes;
  auto slices = nlohmann::ordered_json::array();
  for (const Slice &slice : order.slices)
    slices.push_back({{"index", network.indices[slice.index].label},
                      {"parts", countParts(network, slice)},
                      {"length", slice.length}});
  json["slices"] = std::move(slices);
  if (result.unlimited) {
    json["products_ratio"] = productsRatio(network, result);
    json["seconds_ratio"] = secondsRatio(result);
  }
  json["is_exact"] = result.isExact;
  json["predictions"] = result.predictions;
  json["runners_up"] = std::move(others);
  return json;
}
