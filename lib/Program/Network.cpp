//===- Network.cpp - A product of many tensors ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/Network.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

using namespace tc;
using namespace tc::model;

double Network::elements(const IndexList &list) const {
  double result = 1;
  for (unsigned index : list)
    result *= static_cast<double>(indices[index].extent);
  return result;
}

bool ContractionTree::operator==(const ContractionTree &other) const {
  return std::equal(nodes.begin(), nodes.end(), other.nodes.begin(),
                    other.nodes.end(),
                    [](const TreeNode &x, const TreeNode &y) {
                      return x.operands == y.operands && x.indices == y.indices;
                    });
}

Result<Network> tc::model::makeNetwork(
    const std::vector<std::vector<std::string>> &inputs,
    const std::vector<std::string> &output,
    const std::vector<std::pair<std::string, int64_t>> &extents,
    ElementType type) {
  Network network;
  network.type = network.temporaryType = network.outputType = type;
  if (inputs.empty())
    return Error{"there is no input"};
  std::unordered_map<std::string, unsigned> numbers;
  for (const auto &[label, extent] : extents) {
    auto number = static_cast<unsigned>(network.indices.size());
    if (!numbers.try_emplace(label, number).second)
      return Error{"index '" + label + "' has two extents"};
    if (extent < 1)
      return Error{"index '" + label + "' has the extent " +
                   std::to_string(extent)};
    network.indices.push_back({label, extent});
  }
  auto find = [&](const std::string &label) -> Result<unsigned> {
    if (auto known = numbers.find(label); known != numbers.end())
      return known->second;
    return Error{"index '" + label + "' has no extent"};
  };
  auto positions =
      [&](const std::vector<std::string> &labels) -> Result<IndexList> {
    IndexList list;
    for (const std::string &label : labels) {
      Result<unsigned> index = find(label);
      if (!index)
        return Error{index.error()};
      list.push_back(*index);
    }
    return list;
  };
  for (const std::vector<std::string> &labels : inputs) {
    Result<IndexList> list = positions(labels);
    if (!list)
      return Error{list.error()};
    network.inputs.push_back(std::move(*list));
  }
  Result<IndexList> list = positions(output);
  if (!list)
    return Error{list.error()};
  network.output = std::move(*list);
  for (size_t i = 0; i < output.size(); ++i) {
    unsigned index = network.output[i];
    if (std::none_of(
            network.inputs.begin(), network.inputs.end(),
            [&](const IndexList &input) { return contains(input, index); }))
      return Error{"index '" + output[i] + "' of the output is in no input"};
    if (std::count(network.output.begin(), network.output.end(), index) > 1)
      return Error{"index '" + output[i] + "' is twice in the output"};
  }
  return network;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

namespace {

/// Appends steps to a tree, and knows the uses for which each index is still
/// needed.
class TreeBuilder {
public:
  explicit TreeBuilder(const Network &network)
      : network(network), holders(network.indices.size()) {
    for (const IndexList &input : network.inputs) {
      tree.nodes.push_back({{}, input});
      count(input, 1);
    }
    for (unsigned index : network.output)
      ++holders[index];
  }

  unsigned contract(unsigned first, unsigned second) {
    const IndexList x = tree.nodes[first].indices,
                    y = tree.nodes[second].indices;
    count(x, -1);
    count(y, -1);
    return append({first, second}, productIndices(x, y, [&](unsigned index) {
                    return holders[index] > 0;
                  }));
  }

  /// The tree, whose last step makes the output.
  ContractionTree finish() {
    if (tree.nodes.size() == 1)
      append({0}, network.output);
    tree.nodes.back().indices = network.output;
    return std::move(tree);
  }

private:
  /// An index of a diagonal counts once.
  void count(const IndexList &list, int change) {
    for (auto place = list.begin(); place != list.end(); ++place)
      if (std::find(list.begin(), place, *place) == place)
        holders[*place] += change;
  }

  unsigned append(std::vector<unsigned> operands, IndexList indices) {
    count(indices, 1);
    tree.nodes.push_back({std::move(operands), std::move(indices)});
    return static_cast<unsigned>(tree.nodes.size() - 1);
  }

  const Network &network;
  ContractionTree tree;
  /// Of the operands that are not contracted yet, and of the output.
  std::vector<int> holders;
};

} // namespace

Result<ContractionTree> tc::model::treeOf(const Network &network,
                                          const ContractionPath &path) {
  TreeBuilder builder(network);
  std::vector<unsigned> left(network.inputs.size());
  std::iota(left.begin(), left.end(), 0);
  for (size_t step = 0; step < path.size(); ++step) {
    auto where = [&] {
      return "step " + std::to_string(step) + " of the path";
    };
    if (path[step].empty())
      return Error{where() + " names no operand"};
    std::vector<unsigned> taken;
    for (size_t i = 0; i < path[step].size(); ++i) {
      unsigned position = path[step][i];
      if (position >= left.size())
        return Error{where() + " names operand " + std::to_string(position) +
                     ", but there are " + std::to_string(left.size())};
      if (std::count(path[step].begin(), path[step].end(), position) > 1)
        return Error{where() + " names operand " + std::to_string(position) +
                     " twice"};
      taken.push_back(left[position]);
    }
    std::vector<unsigned> rest;
    for (unsigned node : left)
      if (std::find(taken.begin(), taken.end(), node) == taken.end())
        rest.push_back(node);
    left = std::move(rest);
    unsigned result = taken.front();
    for (size_t i = 1; i < taken.size(); ++i)
      result = builder.contract(result, taken[i]);
    left.push_back(result);
  }
  if (left.size() != 1)
    return Error{"the path leaves " + std::to_string(left.size()) +
                 " operands that are not contracted"};
  return builder.finish();
}

ContractionPath tc::model::pathOf(const ContractionTree &tree) {
  ContractionPath path;
  std::vector<unsigned> left;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].isInput()) {
      left.push_back(node);
      continue;
    }
    std::vector<unsigned> &step = path.emplace_back();
    for (unsigned operand : tree.nodes[node].operands)
      step.push_back(static_cast<unsigned>(
          std::find(left.begin(), left.end(), operand) - left.begin()));
    for (unsigned operand : tree.nodes[node].operands)
      left.erase(std::find(left.begin(), left.end(), operand));
    left.push_back(node);
  }
  return path;
}

//===----------------------------------------------------------------------===//
// All trees
//===----------------------------------------------------------------------===//

double tc::model::countTrees(size_t inputs) {
  double count = 1;
  for (size_t n = 2; n <= inputs; ++n)
    count *= 2.0 * static_cast<double>(n) - 3;
  return count;
}

namespace {

/// Lists trees step by step.
class TreeLister {
public:
  explicit TreeLister(const Network &network) : network(network) {}

  std::vector<ContractionTree> list() {
    std::vector<Operand> left;
    left.reserve(network.inputs.size());
    for (unsigned i = 0; i < network.inputs.size(); ++i)
      left.push_back({i, 0});
    listRest(left);
    return std::move(trees);
  }

private:
  /// An operand: the first of the inputs that are in it, and the number of
  /// steps after which it was made.
  struct Operand {
    unsigned firstInput;
    size_t madeAfter;
  };
  /// Steps of one tree differ in it.
  using Key = std::pair<unsigned, unsigned>;

  static Key keyOf(const Operand &x, const Operand &y) {
    return std::minmax(x.firstInput, y.firstInput);
  }

  /// Returns true if a step could have come before one that is later in order:
  /// then the tree is listed with it there.
  bool isLate(const Operand &x, const Operand &y) const {
    Key key = keyOf(x, y);
    size_t first = std::max(x.madeAfter, y.madeAfter);
    return std::any_of(keys.begin() + static_cast<std::ptrdiff_t>(first),
                       keys.end(), [&](const Key &done) { return key < done; });
  }

  void listRest(const std::vector<Operand> &left) {
    if (left.size() == 1) {
      trees.push_back(*treeOf(network, path));
      return;
    }
    for (unsigned i = 0; i < left.size(); ++i)
      for (unsigned j = i + 1; j < left.size(); ++j) {
        if (isLate(left[i], left[j]))
          continue;
        std::vector<Operand> rest;
        for (unsigned k = 0; k < left.size(); ++k)
          if (k != i && k != j)
            rest.push_back(left[k]);
        path.push_back({i, j});
        keys.push_back(keyOf(left[i], left[j]));
        rest.push_back({keys.back().first, keys.size()});
        listRest(rest);
        path.pop_back();
        keys.pop_back();
      }
  }

  const Network &network;
  ContractionPath path;
  std::vector<Key> keys;
  std::vector<ContractionTree> trees;
};

} // namespace

std::vector<ContractionTree> tc::model::listTrees(const Network &network) {
  return TreeLister(network).list();
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

double tc::model::productsOf(const Network &network,
                             const ContractionTree &tree, unsigned step) {
  const TreeNode &node = tree.nodes[step];
  const IndexList &first = tree.nodes[node.operands.front()].indices;
  const IndexList &second = tree.nodes[node.operands.back()].indices;
  return network.elements(
      productIndices(first, second, [](unsigned) { return true; }));
}

double tc::model::bytesOf(const Network &network, const ContractionTree &tree,
                          unsigned step) {
  const TreeNode &node = tree.nodes[step];
  bool isLast = step + 1 == tree.nodes.size();
  double bytes = network.elements(node.indices) *
                 static_cast<double>(byteWidth(network.resultType(isLast)));
  for (unsigned operand : node.operands)
    bytes += network.elements(tree.nodes[operand].indices) *
             (tree.nodes[operand].isInput() ? network.inputWidth()
                                            : network.temporaryWidth());
  return bytes;
}
