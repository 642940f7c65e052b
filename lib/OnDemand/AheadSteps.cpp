//===- AheadSteps.cpp - Trees of contractions by ahead-of-time kernels ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadSteps.h"

#include "tc/Buffers/Problem.h"

#include <algorithm>

using namespace tc;
using model::Tensor;

/// Elements from one value of an index to the next, in a contiguous tensor of
/// the network.
static int64_t strideOf(const model::Network &network,
                        const model::IndexList &list, unsigned index) {
  int64_t stride = 1, total = 0;
  for (auto at = list.rbegin(); at != list.rend(); ++at) {
    if (*at == index)
      total += stride;
    stride *= network.indices[*at].extent;
  }
  return total;
}

void AheadSteps::addCut(const model::Network &network,
                        const model::Slice &slice,
                        const std::vector<size_t> &parameters) {
  Cut &cut = cuts.emplace_back();
  cut.parts = model::countParts(network, slice);
  cut.isSummed = !model::contains(network.output, slice.index);
  cut.isRagged = model::raggedLength(network, slice) > 0;
  cut.bytes.resize(mostParameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool isOutput = i == network.inputs.size();
    cut.bytes[parameters[i]] =
        strideOf(network, isOutput ? network.output : network.inputs[i],
                 slice.index) *
        slice.length *
        model::byteWidth(isOutput ? network.outputType : network.type);
  }
}

bool AheadSteps::addKind(const model::SliceKind &slices,
                         const model::Network &whole, const AheadOrder &order,
                         const std::vector<size_t> &parameters,
                         unsigned threads) {
  const model::ContractionTree &tree = order.order.tree;
  auto placeOf = [&](unsigned node) {
    Place place;
    if (node + 1 == tree.nodes.size())
      place.parameter = parameters.back();
    else if (tree.nodes[node].isInput())
      place.parameter = parameters[node];
    else
      place.offset = order.memory.offsets[node];
    return place;
  };
  Kind &kind = kinds.emplace_back();
  kind.count = slices.count;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    const std::vector<unsigned> &operands = tree.nodes[node].operands;
    if (operands.size() != 2)
      continue;
    Result<model::Contraction> contraction =
        model::contractionOf(slices.network, model::stepOf(tree, node), &whole);
    std::optional<cpu::Problem> problem;
    if (contraction)
      problem = cpu::problemOf(*contraction);
    if (!problem)
      return false;
    kind.steps.push_back(
        {cpu::Contraction(*problem, threads),
         {{placeOf(operands[0]), placeOf(operands[1]), placeOf(node)}}});
  }
  return true;
}

std::optional<AheadSteps>
AheadSteps::make(const model::Network &network, const AheadOrder &order,
                 const std::vector<size_t> &parameters, unsigned threads) {
  AheadSteps made;
  made.mostParameters =
      *std::max_element(parameters.begin(), parameters.end()) + 1;
  made.one =
      runtime::bytesOf(1, model::accumulatorTypeOf(network.temporaryType));
  for (const model::Slice &slice : order.order.slices)
    made.addCut(network, slice, parameters);
  for (const model::SliceKind &kind :
       model::kindsOfSlices(network, order.order.slices))
    if (!made.addKind(kind, network, order, parameters, threads))
      return std::nullopt;
  return made;
}

AheadSteps::AheadSteps(const cpu::Problem &problem,
                       const model::PerTensor<size_t> &parameters,
                       unsigned threads) {
  model::PerTensor<Place> places;
  for (Tensor tensor : model::allTensors)
    places[tensor].parameter = parameters[tensor];
  kinds.emplace_back().steps.push_back(
      {cpu::Contraction(problem, threads), places});
}

double AheadSteps::seconds() const {
  double seconds = 0;
  for (const Kind &kind : kinds)
    for (const Step &step : kind.steps)
      seconds += kind.count * step.contraction.seconds();
  return seconds;
}

cpu::Outcome AheadSteps::run(const std::vector<const void *> &tensors,
                             char *workspace, const void *alpha,
                             const void *beta) const {
  std::vector<int64_t> parts(cuts.size()),
      begin(cuts.empty() ? 0 : mostParameters);
  auto find = [&](const Place &place) -> char * {
    if (!place.parameter)
      return workspace + place.offset;
    // A parameter that is read only is not written through this.
    auto *tensor = const_cast<char *>(
        static_cast<const char *>(tensors[*place.parameter]));
    return begin.empty() ? tensor : tensor + begin[*place.parameter];
  };
  while (true) {
    size_t kind = 0, bit = 1;
    bool isFirst = true;
    for (size_t i = 0; i < cuts.size(); ++i) {
      isFirst &= !cuts[i].isSummed || parts[i] == 0;
      if (cuts[i].isRagged) {
        kind += parts[i] + 1 == cuts[i].parts ? bit : 0;
        bit *= 2;
      }
    }
    const std::vector<Step> &steps = kinds[kind].steps;
    for (const Step &step : steps) {
      const bool isLast = &step == &steps.back();
      cpu::Outcome outcome = step.contraction.run(
          find(step.places[Tensor::A]), find(step.places[Tensor::B]),
          find(step.places[Tensor::C]), isLast ? alpha : nullptr,
          isLast ? (isFirst ? beta : one.data()) : nullptr);
      if (outcome != cpu::Outcome::Done)
        return outcome;
    }
    // The last index runs fastest.
    size_t at = cuts.size();
    while (at > 0 && parts[at - 1] + 1 == cuts[at - 1].parts) {
      --at;
      for (size_t i = 0; i < begin.size(); ++i)
        begin[i] -= parts[at] * cuts[at].bytes[i];
      parts[at] = 0;
    }
    if (at == 0)
      return cpu::Outcome::Done;
    ++parts[at - 1];
    for (size_t i = 0; i < begin.size(); ++i)
      begin[i] += cuts[at - 1].bytes[i];
  }
}
