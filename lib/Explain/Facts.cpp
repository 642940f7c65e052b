//===- Facts.cpp - Conclusions from an explanation ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts.h"
#include "Format.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

bool explain::countsBytes(Level level) { return unitOf(level) == "bytes"; }

std::string_view explain::nameOf(Tensor tensor) {
  constexpr std::string_view names[] = {"A", "B", "C"};
  return names[static_cast<unsigned>(tensor)];
}

std::vector<unsigned> explain::indicesOf(const Contraction &contraction,
                                         Tensor tensor) {
  std::vector<unsigned> positions;
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (contraction.indices[i].stride[tensor] != 0)
      positions.push_back(i);
  std::sort(positions.begin(), positions.end(), [&](unsigned i, unsigned j) {
    int64_t a = magnitude(contraction.indices[i].stride[tensor]);
    int64_t b = magnitude(contraction.indices[j].stride[tensor]);
    return a != b ? a > b : i < j;
  });
  return positions;
}

std::string explain::accessText(const Contraction &contraction, Tensor tensor) {
  std::string list;
  for (unsigned position : indicesOf(contraction, tensor))
    list += (list.empty() ? "" : ",") + contraction.indices[position].label;
  return std::string(nameOf(tensor)) + "[" + list + "]";
}

std::string explain::formulaText(const Contraction &contraction) {
  std::string c = accessText(contraction, Tensor::C);
  return c + " = " + accessText(contraction, Tensor::A) + " * " +
         accessText(contraction, Tensor::B) +
         (contraction.readsC ? " + " + c : "");
}

std::string explain::typesText(const Contraction &contraction) {
  std::string text;
  bool same = true;
  for (Tensor tensor : allTensors) {
    ElementType type = contraction.elementType[tensor];
    same &= type == contraction.accumulatorType;
    text +=
        std::string(nameOf(tensor)) + " " + std::string(stringify(type)) + ", ";
  }
  std::string sums(stringify(contraction.accumulatorType));
  text = same ? sums : text + "sums " + sums;
  if (contraction.precision != Precision::IEEE)
    text.append(", precision ").append(stringify(contraction.precision));
  return text;
}

double explain::flops(const Contraction &contraction) {
  return 2 * contraction.fusedMultiplyAdds();
}

double explain::total(const PerTensor<double> &bytes) {
  return bytes[Tensor::A] + bytes[Tensor::B] + bytes[Tensor::C];
}

std::optional<double> explain::rateOf(const Explanation &explanation,
                                      Level level) {
  for (const ExplainedCandidate &candidate : explanation.candidates) {
    const LevelCost &cost = candidate.cost[level];
    if (cost.work > 0 && cost.seconds > 0)
      return cost.work / cost.seconds;
  }
  return std::nullopt;
}

double explain::intensityOf(const Explanation &explanation, const Cost &cost) {
  return flops(explanation.contraction) / cost[Level::DRAM].work;
}

double explain::compulsoryRatio(const Explanation &explanation,
                                const Cost &cost) {
  return cost[Level::DRAM].work / total(explanation.compulsoryBytes);
}

double explain::rooflineFraction(const Explanation &explanation,
                                 const Cost &cost) {
  return explanation.rooflineSeconds / cost.seconds();
}

bool explain::memoryBounds(const Explanation &explanation) {
  // The roofline's time is one of the two, so only rounding stands between.
  return total(explanation.compulsoryBytes) /
             explanation.target.memoryBytesPerSecond >=
         explanation.rooflineSeconds * (1 - 1e-9);
}

std::optional<Level> explain::limitOf(const Cost &cost) {
  for (Level level : allLevels)
    if (stringify(level) == cost.limit())
      return level;
  return std::nullopt;
}

double explain::usefulFraction(const Contraction &contraction,
                               const KernelLayout &layout) {
  // A persistent block has several tiles.
  double tiles = static_cast<double>(tileCount(layout.m)) *
                 static_cast<double>(tileCount(layout.n)) /
                 static_cast<double>(layout.gridM * layout.gridN);
  auto full =
      tiles * static_cast<double>(layout.blocks) *
      static_cast<double>(layout.blockM) * static_cast<double>(layout.blockN) *
      static_cast<double>(layout.blockK) * static_cast<double>(layout.steps);
  return contraction.fusedMultiplyAdds() / full;
}

std::string explain::kernelPartText(const KernelPart &part) {
  return "contraction " + std::to_string(part.number) + " of " +
         std::to_string(part.count) + ", which one kernel computes";
}

std::optional<size_t> explain::chosenCandidate(const Section &section) {
  size_t position = section.explanation.isGiven ? 1 : 0;
  if (position >= section.explanation.candidates.size())
    return std::nullopt;
  return position;
}

std::string explain::candidateName(const Section &section, size_t candidate) {
  size_t chosen = section.explanation.isGiven ? 1 : 0;
  if (candidate < chosen)
    return section.explanation.givenName;
  if (candidate == chosen)
    // Of contractions that are fused, the search's choice is for a kernel of
    // their own.
    return section.kernel ? "apart" : "chosen";
  return "#" + std::to_string(candidate - chosen + 1);
}

std::string explain::searchText(const Explanation &explanation) {
  const SearchStatistics &statistics = explanation.statistics;
  return std::to_string(statistics.branches) + " block tiles considered, " +
         std::to_string(statistics.expanded) + " not excluded by the bound, " +
         std::to_string(statistics.evaluated) + " kernels costed" +
         (statistics.isCut ? ", which is the most, in " : ", in ") +
         secondsText(explanation.searchSeconds) + "; judged by " +
         (explanation.judge.empty() ? "the model" : explanation.judge);
}
