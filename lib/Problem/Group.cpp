//===- Group.cpp - Contractions that make one kernel ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Group.h"

#include <algorithm>
#include <charconv>

using namespace tc;
using namespace tc::model;

EdgeKind tc::model::kindOf(const GroupEdge &edge) {
  if (edge.source != Tensor::C)
    return EdgeKind::Share;
  return edge.sink == Tensor::C ? EdgeKind::Accumulate : EdgeKind::Feed;
}

EdgeTraits tc::model::traitsOf(EdgeKind kind) {
  switch (kind) {
  case EdgeKind::Accumulate:
    return {EdgeMemory::Sink, /*combinesSums=*/true, " += "};
  case EdgeKind::Feed:
    return {EdgeMemory::Chip, /*combinesSums=*/false, " = "};
  case EdgeKind::Share:
    return {EdgeMemory::Source, /*combinesSums=*/false, " = "};
  }
  return {};
}

std::string_view tc::model::stringify(EdgeFunction function) {
  switch (function) {
  case EdgeFunction::Identity:
    return "identity";
  case EdgeFunction::Softmax:
    return "softmax";
  }
  return "";
}

std::optional<EdgeFunction>
tc::model::symbolizeEdgeFunction(std::string_view name) {
  for (EdgeFunction function : edgeFunctions)
    if (name == stringify(function))
      return function;
  return std::nullopt;
}

GroupEdge tc::model::accumulateEdge(unsigned from) {
  return {from, Tensor::C, 0, Tensor::C, EdgeFunction::Identity};
}

GroupEdge tc::model::feedEdge(unsigned from, unsigned to, Tensor sink,
                              EdgeFunction through) {
  return {from, Tensor::C, to, sink, through};
}

GroupEdge tc::model::shareEdge(Tensor source, unsigned to, Tensor sink) {
  return {0, source, to, sink, EdgeFunction::Identity};
}

unsigned tc::model::tiedNode(const GroupEdge &edge) {
  return traitsOf(edge).memory == EdgeMemory::Source ? edge.to : edge.from;
}

std::string tc::model::nameOf(const GroupTensor &tensor) {
  std::string name(1, "ABC"[static_cast<unsigned>(tensor.tensor)]);
  return tensor.node == 0 ? name : name + std::to_string(tensor.node);
}

std::optional<GroupTensor>
tc::model::symbolizeGroupTensor(std::string_view name) {
  size_t letter = name.empty() ? std::string_view::npos
                               : std::string_view("ABC").find(name.front());
  if (letter == std::string_view::npos)
    return std::nullopt;
  GroupTensor tensor{0, allTensors[letter]};
  std::string_view number = name.substr(1);
  auto [end, error] = std::from_chars(
      number.data(), number.data() + number.size(), tensor.node);
  // No other spelling of the number, such as one with zeros before it.
  bool isRead = number.empty() ||
                (error == std::errc() && nameOf(tensor) == name &&
                 end == number.data() + number.size() && tensor.node != 0);
  return isRead ? std::optional(tensor) : std::nullopt;
}

const GroupEdge *Group::edgeInto(unsigned node, Tensor input) const {
  auto found =
      std::find_if(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
        return edge.to == node && edge.sink == input && input != Tensor::C;
      });
  return found == edges.end() ? nullptr : &*found;
}

const GroupEdge *Group::edgeFromOutput(unsigned node) const {
  auto found =
      std::find_if(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
        return edge.from == node && edge.source == Tensor::C;
      });
  return found == edges.end() ? nullptr : &*found;
}

bool Group::has(EdgeKind kind) const {
  return std::any_of(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
    return kindOf(edge) == kind;
  });
}

bool Group::hasOnly(EdgeKind kind) const {
  return std::all_of(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
    return kindOf(edge) == kind;
  });
}

bool Group::combinesSums() const {
  return std::any_of(edges.begin(), edges.end(), [](const GroupEdge &edge) {
    return traitsOf(edge).combinesSums;
  });
}

bool Group::isOperand(const GroupTensor &tensor) const {
  return tensor.tensor == Tensor::C ? !edgeFromOutput(tensor.node)
                                    : !edgeInto(tensor.node, tensor.tensor);
}

std::vector<GroupTensor> Group::operands() const {
  // In one walk over the edges, as isOperand() asks for each tensor.
  std::vector<PerTensor<bool>> isOther(size);
  for (const GroupEdge &edge : edges) {
    if (edge.source == Tensor::C && edge.from < size)
      isOther[edge.from][Tensor::C] = true;
    if (edge.sink != Tensor::C && edge.to < size)
      isOther[edge.to][edge.sink] = true;
  }
  std::vector<GroupTensor> others;
  for (unsigned node = 1; node < size; ++node)
    for (Tensor tensor : allTensors)
      if (!isOther[node][tensor])
        others.push_back({node, tensor});
  std::vector<GroupTensor> all;
  auto next = others.begin();
  for (Tensor tensor : allTensors) {
    GroupTensor own{0, tensor};
    bool isReplaced = isOther[0][tensor] && next != others.end();
    all.push_back(isReplaced ? *next++ : own);
  }
  all.insert(all.end(), next, others.end());
  return all;
}

std::optional<GroupTensor> Group::operandOf(GroupTensor tensor) const {
  // Each step leads to another node.
  for (unsigned steps = 0; steps < size; ++steps) {
    if (isOperand(tensor))
      return tensor;
    const GroupEdge *edge = tensor.tensor == Tensor::C
                                ? edgeFromOutput(tensor.node)
                                : edgeInto(tensor.node, tensor.tensor);
    switch (traitsOf(*edge).memory) {
    case EdgeMemory::Chip:
      return std::nullopt;
    case EdgeMemory::Sink:
      tensor = {edge->to, edge->sink};
      break;
    case EdgeMemory::Source:
      tensor = {edge->from, edge->source};
      break;
    }
  }
  return std::nullopt;
}

std::vector<unsigned> Group::storedNodes() const {
  std::vector<unsigned> nodes;
  for (unsigned node = 0; node < size; ++node)
    if (!edgeFromOutput(node))
      nodes.push_back(node);
  return nodes;
}

std::vector<unsigned> Group::order() const {
  std::vector<unsigned> nodes;
  for (unsigned node = 1; node < size; ++node)
    nodes.push_back(node);
  nodes.push_back(0);
  return nodes;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static GroupFault faultOf(unsigned node, std::string message) {
  return {std::nullopt, node, std::move(message)};
}

static GroupFault faultAt(GroupTensor tensor, std::string message) {
  return {tensor, tensor.node, std::move(message)};
}

static std::optional<GroupFault> findFault(const Group &group,
                                           const GroupEdge &edge) {
  unsigned node = tiedNode(edge);
  bool sharesInput = edge.sink != Tensor::C;
  switch (kindOf(edge)) {
  case EdgeKind::Accumulate:
    if (edge.to != 0)
      return faultOf(node, "adds to the output of another contraction than the "
                           "kernel's own");
    break;
  case EdgeKind::Feed:
    if (edge.to != (edge.from + 1) % group.size)
      return faultOf(node, "must compute an input of the contraction after it");
    break;
  case EdgeKind::Share:
    if (edge.from != 0 || !sharesInput)
      return faultOf(node, "must share an input with the kernel's own "
                           "contraction");
    if (edge.source != group.edges.front().source)
      return faultOf(node, "must share the input that the others share");
    break;
  }
  if (takesSoftmax(edge) && (kindOf(edge) != EdgeKind::Feed || edge.to != 0))
    return faultOf(node, "must not pass its output through a softmax: only "
                         "the kernel's own contraction takes one");
  return std::nullopt;
}

std::optional<GroupFault> tc::model::findFault(const Group &group) {
  std::vector<bool> isTied(group.size);
  isTied[0] = true;
  for (const GroupEdge &edge : group.edges) {
    unsigned node = tiedNode(edge);
    if (std::max(edge.from, edge.to) >= group.size)
      return faultOf(0, "has an edge of contraction " +
                            std::to_string(std::max(edge.from, edge.to)) +
                            ", but there are " + std::to_string(group.size));
    if (kindOf(edge) != kindOf(group.edges.front()))
      return faultOf(node, "is connected to the others in another way than "
                           "they are to each other");
    if (isTied[node])
      return faultOf(node, node == 0 ? "is the kernel's own, so no edge may "
                                       "lead from its output"
                                     : "is connected to the others twice");
    isTied[node] = true;
    if (std::optional<GroupFault> fault = ::findFault(group, edge))
      return fault;
  }
  auto loose = std::find(isTied.begin(), isTied.end(), false);
  if (loose != isTied.end())
    return faultOf(static_cast<unsigned>(loose - isTied.begin()),
                   "is not connected to the others");
  return std::nullopt;
}

namespace {

/// The rules that need the contractions.
class RecordRules {
public:
  RecordRules(
      const Group &group,
      const std::function<const ContractionRecord &(unsigned)> &recordOf)
      : group(group), recordOf(recordOf) {}

  std::optional<GroupFault> check() const {
    for (unsigned node : group.order())
      if (std::optional<GroupFault> fault = checkNode(node))
        return fault;
    for (const GroupEdge &edge : group.edges)
      if (std::optional<GroupFault> fault = checkEdge(edge))
        return fault;
    return std::nullopt;
  }

private:
  std::optional<GroupFault> checkNode(unsigned node) const;
  std::optional<GroupFault> checkFloating(unsigned node) const;
  std::optional<GroupFault> checkOutput(unsigned node) const;
  std::optional<GroupFault> checkEdge(const GroupEdge &edge) const;

  const TensorRecord &tensor(const GroupTensor &of) const {
    return recordOf(of.node).tensors[of.tensor];
  }

  const Group &group;
  const std::function<const ContractionRecord &(unsigned)> &recordOf;
};

} // namespace

std::optional<GroupFault> RecordRules::checkNode(unsigned node) const {
  const ContractionRecord &record = recordOf(node);
  if (record.semiring != Semiring::PlusTimes)
    return faultOf(node, "must have the semiring plus_times, as it is in a "
                         "kernel with others");
  bool isSum = group.combinesSums();
  bool isFeeding = group.has(EdgeKind::Feed);
  if ((node != 0 || !isFeeding) && record.alpha.isArgument)
    return faultOf(node, "must have an alpha that is constant");
  if (node != 0 && (record.beta.isArgument || record.beta.value != 0.0))
    return faultOf(node, "must have a beta of zero");
  if (isSum) {
    if (isComplex(accumulatorTypeOf(record)))
      return faultOf(node, "must not be of complex numbers, as it is in a sum "
                           "of contractions");
    if (node != 0 && record.hasEpilogue)
      return faultOf(node, "must have no epilogue, which is that of the sum");
  } else {
    if (record.reducesC)
      return faultOf(node, "must not add up the elements of its output");
    if (record.runTime)
      return faultOf(node, "must be of known shape");
    if (std::optional<GroupFault> fault = checkFloating(node))
      return fault;
    if ((node != 0 || !isFeeding) && record.epilogueReadsC)
      return faultOf(node, "must have no epilogue that reads C");
    if (!isFeeding && record.readsC)
      return faultOf(node, "must not read C");
  }
  return group.isOperand({node, Tensor::C}) ? std::nullopt : checkOutput(node);
}

std::optional<GroupFault> RecordRules::checkFloating(unsigned node) const {
  for (Tensor each : allTensors)
    if (ElementType type = tensor({node, each}).type; isInteger(type))
      return faultAt({node, each},
                     "must have floating-point numbers, but has " +
                         std::string(stringify(type)));
  return std::nullopt;
}

/// Indices of an output that is no operand are those of inputs, once each.
std::optional<GroupFault> RecordRules::checkOutput(unsigned node) const {
  const std::vector<std::string> &labels = tensor({node, Tensor::C}).labels;
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    auto isIn = [&](Tensor input) {
      const std::vector<std::string> &of = tensor({node, input}).labels;
      return std::find(of.begin(), of.end(), *label) != of.end();
    };
    if (!isIn(Tensor::A) && !isIn(Tensor::B))
      return faultAt({node, Tensor::C},
                     "has index \"" + *label + "\", which neither input has");
    if (std::find(labels.begin(), label, *label) != label)
      return faultAt({node, Tensor::C}, "has index \"" + *label + "\" twice");
  }
  return std::nullopt;
}

std::optional<GroupFault> RecordRules::checkEdge(const GroupEdge &edge) const {
  GroupTensor from{edge.from, edge.source}, to{edge.to, edge.sink};
  const TensorRecord &source = tensor(from), &sink = tensor(to);
  bool isSink = traitsOf(edge).memory == EdgeMemory::Source;
  GroupTensor tied = isSink ? to : from;
  const std::string other = nameOf(isSink ? from : to);
  if (source.type != sink.type)
    return faultAt(tied, "must have the type of " + other + ", which it is");
  if (source.extents != sink.extents)
    return faultAt(tied, "must have the extents of " + other + ", which it is");
  if (takesSoftmax(edge)) {
    if (isComplex(sink.type))
      return faultAt(tied, "passes through a softmax, but its numbers are "
                           "complex");
    const std::vector<std::string> &kept = tensor({edge.to, Tensor::C}).labels;
    bool isSummed = std::any_of(
        sink.labels.begin(), sink.labels.end(), [&](const std::string &label) {
          return std::find(kept.begin(), kept.end(), label) == kept.end();
        });
    if (!isSummed)
      return faultAt(tied, "passes through a softmax, but none of its indices "
                           "is summed over");
  }
  if (traitsOf(edge).combinesSums && accumulatorTypeOf(recordOf(edge.from)) !=
                                         accumulatorTypeOf(recordOf(edge.to)))
    return faultOf(edge.from, "must be summed in the type of the whole sum");
  return std::nullopt;
}

std::optional<GroupFault> tc::model::findFault(
    const Group &group,
    const std::function<const ContractionRecord &(unsigned)> &recordOf) {
  if (group.size == 1)
    return std::nullopt;
  return RecordRules(group, recordOf).check();
}
