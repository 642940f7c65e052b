//===- SharedOrders.cpp - Orders of products that share steps -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedParts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace tc;
using namespace tc::model;

namespace {

/// A tree of a product.
struct Plan {
  ContractionTree tree;
  std::vector<double> seconds;
  /// Parts that others share, without common inputs.
  std::vector<const Part *> parts;

  double all() const {
    double sum = 0;
    for (double each : seconds)
      sum += each;
    return sum;
  }
};

class Sharer {
public:
  Sharer(const std::vector<SharingProduct> &products, StepTimes &times)
      : products(products), times(times),
        lastPrediction(times.predictions() +
                       2 * times.affordablePredictions()) {}

  SharedOrders run(std::vector<Order> alone);

private:
  const ContractionTree *findTree(const Key &key, const Part &part);
  std::optional<Plan> force(const Plan &plan, const Key &key, const Part &part);
  unsigned instantiate(const Part &part, ContractionTree &tree);
  void predict(size_t product, Plan &plan);
  bool improve(const Key &key, const std::vector<Part> &parts);
  std::vector<Inputs> inputsOf(const ContractionTree &tree) const;
  std::vector<int> identify(size_t product, const ContractionTree &tree);
  double total(const std::vector<Plan> &all);

  const std::vector<SharingProduct> &products;
  StepTimes &times;
  size_t lastPrediction;
  std::map<Key, std::vector<Part>> parts;
  /// The best tree of a part, in its own indices.
  std::map<Key, ContractionTree> trees;
  std::map<const Part *, const ContractionTree *> treeOfPart;
  std::vector<Plan> plans;
  double seconds = 0;
  /// A number for each step with a tree above equal tensors.
  std::map<std::pair<Key, std::pair<int, int>>, int> identities;
};

} // namespace

/// The best tree of a part; none where its order is not found.
const ContractionTree *Sharer::findTree(const Key &key, const Part &part) {
  auto known = trees.find(key);
  if (known != trees.end())
    return &known->second;
  Network network = products[part.product].network;
  std::vector<Network::Index> indices = std::move(network.indices);
  network.indices.clear();
  for (unsigned index : part.indices)
    network.indices.push_back(indices[index]);
  std::vector<IndexList> inputs = std::move(network.inputs);
  network.inputs.clear();
  for (unsigned input : part.sorted) {
    IndexList &list = network.inputs.emplace_back();
    for (unsigned index : inputs[input])
      list.push_back(static_cast<unsigned>(
          std::find(part.indices.begin(), part.indices.end(), index) -
          part.indices.begin()));
  }
  network.output = part.output;
  network.outputType = network.temporaryType = network.type;
  OrderOptions options;
  options.runnersUp = 0;
  options.mostPredictions = times.predictions() + times.affordablePredictions();
  Result<OrderResult> found = searchOrder(network, times, options);
  if (!found)
    return nullptr;
  return &(trees[key] = std::move(found->order.tree));
}

/// Adds the steps of a part to a tree of its product; the last of them.
unsigned Sharer::instantiate(const Part &part, ContractionTree &tree) {
  const ContractionTree &own = *treeOfPart.at(&part);
  std::vector<unsigned> places;
  for (const TreeNode &node : own.nodes) {
    if (node.isInput()) {
      places.push_back(part.sorted[places.size()]);
      continue;
    }
    TreeNode made;
    for (unsigned operand : node.operands)
      made.operands.push_back(places[operand]);
    for (unsigned index : node.indices)
      made.indices.push_back(part.indices[index]);
    places.push_back(static_cast<unsigned>(tree.nodes.size()));
    tree.nodes.push_back(std::move(made));
  }
  return places.back();
}

void Sharer::predict(size_t product, Plan &plan) {
  plan.seconds.assign(plan.tree.nodes.size(), 0);
  for (unsigned node = 0; node < plan.tree.nodes.size(); ++node)
    if (!plan.tree.nodes[node].isInput())
      plan.seconds[node] =
          times.predict(products[product].network, stepOf(plan.tree, node));
}

/// The best plan that makes a part of its inputs, besides the parts that it has
/// and that have no input of that. Nothing if some are partly in it.
std::optional<Plan> Sharer::force(const Plan &plan, const Key &key,
                                  const Part &part) {
  const ContractionTree *own = findTree(key, part);
  if (!own)
    return std::nullopt;
  treeOfPart[&part] = own;
  Plan made;
  made.parts = {&part};
  for (const Part *other : plan.parts) {
    if ((other->inputs & part.inputs) == 0)
      made.parts.push_back(other);
    else if ((other->inputs & ~part.inputs) != 0)
      return std::nullopt;
  }
  const Network &network = products[part.product].network;
  Network reduced = network;
  reduced.inputs.clear();
  std::vector<unsigned> nodes;
  for (unsigned i = 0; i < network.inputs.size(); ++i) {
    made.tree.nodes.push_back({{}, network.inputs[i]});
    bool isTaken =
        std::any_of(made.parts.begin(), made.parts.end(),
                    [&](const Part *taken) { return taken->inputs >> i & 1; });
    if (isTaken)
      continue;
    nodes.push_back(i);
    reduced.inputs.push_back(network.inputs[i]);
  }
  for (const Part *taken : made.parts) {
    nodes.push_back(instantiate(*taken, made.tree));
    reduced.inputs.push_back(made.tree.nodes[nodes.back()].indices);
  }
  if (reduced.inputs.size() > 1) {
    OrderOptions options;
    options.runnersUp = 0;
    options.mostPredictions =
        times.predictions() + times.affordablePredictions();
    Result<OrderResult> found = searchOrder(reduced, times, options);
    if (!found)
      return std::nullopt;
    for (const TreeNode &node : found->order.tree.nodes) {
      if (node.isInput())
        continue;
      TreeNode &step = made.tree.nodes.emplace_back(node);
      for (unsigned &operand : step.operands)
        operand = nodes[operand];
      nodes.push_back(static_cast<unsigned>(made.tree.nodes.size() - 1));
    }
  }
  made.tree.nodes.back().indices = network.output;
  predict(part.product, made);
  return made;
}

std::vector<Inputs> Sharer::inputsOf(const ContractionTree &tree) const {
  std::vector<Inputs> inputs;
  for (const TreeNode &node : tree.nodes) {
    Inputs own = node.isInput() ? Inputs(1) << (inputs.size() % 32) : 0;
    for (unsigned operand : node.operands)
      own |= inputs[operand];
    inputs.push_back(own);
  }
  return inputs;
}

/// A number for each node, which equal ones of other products have, too; below
/// zero where none may be equal.
std::vector<int> Sharer::identify(size_t product, const ContractionTree &tree) {
  const SharingProduct &of = products[product];
  std::vector<int> numbers;
  if (of.network.inputs.size() > mostInputsOfSharing)
    return std::vector<int>(tree.nodes.size(), -1);
  std::vector<Inputs> inputs = inputsOf(tree);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode &node = tree.nodes[i];
    if (node.isInput()) {
      numbers.push_back(static_cast<int>(of.tensors[i]));
      continue;
    }
    int x = numbers[node.operands.front()], y = numbers[node.operands.back()];
    bool isLast = i + 1 == tree.nodes.size();
    auto described = x < 0 || y < 0 || (isLast && !of.isPlain)
                         ? std::nullopt
                         : describePart(of, product, inputs[i]);
    if (!described) {
      numbers.push_back(-1);
      continue;
    }
    auto identity =
        std::pair(std::move(described->first), std::pair(std::minmax(x, y)));
    // Tensors have the numbers below.
    int next = static_cast<int>(identities.size()) + (1 << 20);
    numbers.push_back(
        identities.try_emplace(std::move(identity), next).first->second);
  }
  return numbers;
}

/// The time of all steps, of which equal ones count once.
double Sharer::total(const std::vector<Plan> &all) {
  double sum = 0;
  std::set<int> counted;
  for (size_t product = 0; product < all.size(); ++product) {
    const Plan &plan = all[product];
    std::vector<int> numbers = identify(product, plan.tree);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (!plan.tree.nodes[i].isInput() &&
          (numbers[i] < 0 || counted.insert(numbers[i]).second))
        sum += plan.seconds[i];
  }
  return sum;
}

/// Lets all products have a part that would take less time for themselves if
/// it were there; whether all together take less.
bool Sharer::improve(const Key &key, const std::vector<Part> &of) {
  std::vector<Plan> trial = plans;
  std::set<size_t> sharing;
  for (const Part &part : of) {
    if (sharing.count(part.product))
      continue;
    if (products[part.product].isFixed) {
      sharing.insert(part.product);
      continue;
    }
    const Plan &plan = plans[part.product];
    std::optional<Plan> made = force(plan, key, part);
    if (!made)
      continue;
    std::vector<Inputs> inputs = inputsOf(made->tree);
    double rest = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
      if ((inputs[i] & ~part.inputs) != 0)
        rest += made->seconds[i];
    if (rest >= plan.all())
      continue;
    trial[part.product] = std::move(*made);
    sharing.insert(part.product);
  }
  if (sharing.size() < 2)
    return false;
  double together = total(trial);
  // Rounding is no improvement.
  if (together >= seconds * (1 - 1e-9))
    return false;
  seconds = together;
  plans = std::move(trial);
  return true;
}

SharedOrders Sharer::run(std::vector<Order> alone) {
  SharedOrders result;
  for (size_t product = 0; product < alone.size(); ++product) {
    Plan &plan = plans.emplace_back();
    plan.tree = alone[product].tree;
    predict(product, plan);
  }
  seconds = result.secondsAlone = total(plans);
  std::vector<Plan> before = plans;
  parts = findCommonParts(products);
  // The parts that the most products have come first, and the larger of these.
  std::vector<const std::pair<const Key, std::vector<Part>> *> order;
  order.reserve(parts.size());
  for (const auto &each : parts)
    order.push_back(&each);
  std::sort(order.begin(), order.end(), [](const auto *x, const auto *y) {
    auto rank = [](const auto *each) {
      return std::pair(each->second.size(), each->second.front().sorted.size());
    };
    return rank(x) == rank(y) ? x->first < y->first : rank(x) > rank(y);
  });
  bool changes = true;
  size_t tries = 0;
  for (int pass = 0; pass < 2 && changes; ++pass) {
    changes = false;
    for (const auto *each : order) {
      if (times.predictions() > lastPrediction || ++tries > mostTriesOfSharing)
        break;
      changes |= improve(each->first, each->second);
    }
  }
  result.seconds = seconds;
  for (size_t product = 0; product < alone.size(); ++product) {
    bool isOther = !(plans[product].tree == before[product].tree);
    result.isOther.push_back(isOther);
    result.orders.push_back(
        isOther ? judge(products[product].network, plans[product].tree, times)
                : std::move(alone[product]));
  }
  std::map<int, std::set<size_t>> makers;
  std::vector<std::vector<int>> numbers;
  for (size_t product = 0; product < result.orders.size(); ++product) {
    numbers.push_back(identify(product, result.orders[product].tree));
    for (int number : numbers.back())
      makers[number].insert(product);
  }
  for (size_t product = 0; product < result.orders.size(); ++product) {
    std::vector<size_t> &counts = result.sharers.emplace_back();
    const ContractionTree &tree = result.orders[product].tree;
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      int number = numbers[product][i];
      bool isShared = !tree.nodes[i].isInput() && number >= 0;
      counts.push_back(isShared ? makers[number].size() : 1);
    }
  }
  return result;
}

SharedOrders
tc::model::orderTogether(const std::vector<SharingProduct> &products,
                         std::vector<Order> alone, StepTimes &times) {
  return Sharer(products, times).run(std::move(alone));
}
