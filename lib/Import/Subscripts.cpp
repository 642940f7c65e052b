//===- Subscripts.cpp - einsum specifications before shapes ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of numpy.einsum.
//
//===----------------------------------------------------------------------===//

#include "Subscripts.h"

#include "Symbols.h"

#include <algorithm>
#include <map>

using namespace tc;
using namespace tc::notation;

static bool hasLabel(const DraftTensor &tensor, std::string_view name) {
  return std::any_of(tensor.labels.begin(), tensor.labels.end(),
                     [&](const Label &label) { return label.name == name; });
}

std::string Subscripts::freshName(std::string name) const {
  auto isTaken = [&](const DraftTensor &tensor) {
    return hasLabel(tensor, name);
  };
  while (std::any_of(operands.begin(), operands.end(), isTaken) ||
         (output && isTaken(*output)))
    name += "_";
  return name;
}

/// The indices that a list names beside its ellipsis.
static size_t countNamed(const DraftTensor &tensor) {
  return tensor.labels.size() - (hasLabel(tensor, ellipsis) ? 1 : 0);
}

/// Puts the last `count` of those names in the place of the ellipsis.
static void expandIn(DraftTensor &tensor, const std::vector<std::string> &names,
                     size_t count) {
  auto dots =
      std::find_if(tensor.labels.begin(), tensor.labels.end(),
                   [](const Label &label) { return label.name == ellipsis; });
  if (dots == tensor.labels.end())
    return;
  std::vector<Label> expanded(tensor.labels.begin(), dots);
  for (size_t i = names.size() - count; i < names.size(); ++i)
    expanded.push_back({names[i], dots->position});
  expanded.insert(expanded.end(), dots + 1, tensor.labels.end());
  tensor.labels = std::move(expanded);
}

/// The labels that occur once in the operands, in the order of symbols: that of
/// their numbers in Unicode.
static std::vector<Label> inferOutput(const Subscripts &subscripts) {
  std::map<std::string, unsigned> count;
  for (const DraftTensor &operand : subscripts.operands)
    for (const Label &label : operand.labels)
      ++count[label.name];
  std::vector<Label> labels;
  for (const auto &[name, occurrences] : count)
    if (occurrences == 1 && name != ellipsis)
      labels.push_back({name, subscripts.position});
  std::sort(labels.begin(), labels.end(), [](const Label &a, const Label &b) {
    return symbolOfName(a.name) < symbolOfName(b.name);
  });
  return labels;
}

/// Checks the ranks, if they are known; `widest` becomes the number of
/// dimensions of the longest ellipsis.
static bool checkRanks(const Subscripts &subscripts,
                       const std::optional<std::vector<size_t>> &ranks,
                       size_t &widest, std::string_view source,
                       Diagnostic &diagnostic) {
  auto error = [&](SourcePosition position, std::string message) {
    diagnostic = {std::string(source), position, std::move(message)};
    return false;
  };
  const std::vector<DraftTensor> &operands = subscripts.operands;
  if (ranks && ranks->size() != operands.size())
    return error(subscripts.position,
                 "the specification names " + std::to_string(operands.size()) +
                     " operands, but " + std::to_string(ranks->size()) +
                     " are given");
  for (size_t i = 0; i < operands.size(); ++i) {
    const DraftTensor &operand = operands[i];
    bool hasEllipsis = hasLabel(operand, ellipsis);
    size_t named = countNamed(operand);
    if (!ranks) {
      if (!hasEllipsis)
        continue;
      return error(operand.position,
                   operand.name +
                       " has '...', which takes its shape: give the shapes of "
                       "all operands, as in shapes=8x3x4,8x4x5");
    }
    size_t rank = (*ranks)[i];
    if (rank > maxRank)
      return error(operand.position,
                   operand.name + " has " + std::to_string(rank) +
                       " dimensions, and at most " + std::to_string(maxRank) +
                       " are possible");
    if (rank < named || (rank > named && !hasEllipsis))
      return error(operand.position,
                   operand.name + " has " + std::to_string(rank) +
                       " dimensions, but " + std::to_string(named) +
                       " are named for it");
    widest = std::max(widest, rank - named);
  }
  return true;
}

bool notation::expand(Subscripts &subscripts,
                      const std::optional<std::vector<size_t>> &ranks,
                      std::string_view source, Diagnostic &diagnostic) {
  size_t widest = 0;
  if (!checkRanks(subscripts, ranks, widest, source, diagnostic))
    return false;
  std::optional<DraftTensor> &output = subscripts.output;
  if (!output) {
    output = DraftTensor{"C", {}, subscripts.position};
    output->labels = inferOutput(subscripts);
    output->labels.insert(output->labels.begin(),
                          {std::string(ellipsis), subscripts.position});
  } else if (widest > 0 && !hasLabel(*output, ellipsis)) {
    diagnostic = {
        std::string(source), output->position,
        "the output has no '...', but that of an operand stands for " +
            std::to_string(widest) + " dimensions"};
    return false;
  }
  if (countNamed(*output) + widest > maxRank) {
    diagnostic = {std::string(source), output->position,
                  "more than " + std::to_string(maxRank) + " indices"};
    return false;
  }
  std::vector<std::string> names(widest);
  for (size_t i = 0; i < widest; ++i)
    names[i] =
        subscripts.freshName("ellipsis" + std::to_string(widest - 1 - i));
  for (size_t i = 0; i < subscripts.operands.size(); ++i)
    if (ranks)
      expandIn(subscripts.operands[i], names,
               (*ranks)[i] - countNamed(subscripts.operands[i]));
  expandIn(*output, names, widest);
  return true;
}

namespace {

/// The source of an extent.
struct Place {
  int64_t extent;
  size_t dimension;
  const DraftTensor *operand;

  std::string text() const {
    return std::to_string(extent) + " in dimension " +
           std::to_string(dimension) + " of " + operand->name;
  }
};

} // namespace

bool notation::broadcast(Subscripts &subscripts, const GivenShapes &given,
                         std::vector<Extent> &extents, Diagnostic &diagnostic) {
  std::map<std::string, Place> places;
  for (size_t i = 0; i < subscripts.operands.size(); ++i) {
    const DraftTensor &operand = subscripts.operands[i];
    const Shape &shape = given.shapes[i];
    auto differs = [&](const std::string &label, const Place &first,
                       const Place &second) {
      diagnostic = {given.source, shape.position,
                    "index '" + label + "' has extent " + first.text() +
                        " and " + second.text()};
      return false;
    };
    std::map<std::string, Place> own;
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      const std::string &label = operand.labels[d].name;
      Place here{shape.extents[d], d, &operand};
      const Place &before = own.try_emplace(label, here).first->second;
      if (before.extent != here.extent)
        return differs(label, before, here);
    }
    for (const auto &[label, here] : own) {
      Place &there = places.try_emplace(label, here).first->second;
      if (there.extent != here.extent && there.extent != 1 && here.extent != 1)
        return differs(label, there, here);
      if (there.extent == 1)
        there = here;
    }
  }
  for (const auto &[label, place] : places)
    extents.push_back({label, place.extent, subscripts.position});
  for (size_t i = 0; i < subscripts.operands.size(); ++i) {
    DraftTensor &operand = subscripts.operands[i];
    std::map<std::string, std::string> renamed;
    for (size_t d = 0; d < operand.labels.size(); ++d) {
      Label &label = operand.labels[d];
      if (given.shapes[i].extents[d] == places.at(label.name).extent)
        continue;
      auto [entry, isNew] = renamed.try_emplace(label.name);
      if (isNew) {
        entry->second = subscripts.freshName(label.name + "_" + operand.name);
        extents.push_back({entry->second, 1, label.position});
      }
      label.name = entry->second;
    }
  }
  return true;
}
