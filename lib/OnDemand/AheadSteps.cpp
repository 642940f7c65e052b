//===- AheadSteps.cpp - Trees of contractions by ahead-of-time kernels ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadSteps.h"

#include "tc/Buffers/Problem.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/CpuRuntime/ThreadLimits.h"
#include "tc/OnDemand/CallStatus.h"

#include <algorithm>
#include <atomic>
#include <limits>

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
  made.output = parameters.back();
  made.bytesOfWorkspace = order.memory.bytes;
  made.one =
      runtime::bytesOf(1, model::accumulatorTypeOf(network.temporaryType));
  for (const model::Slice &slice : order.order.slices)
    made.addCut(network, slice, parameters);
  for (const model::SliceKind &kind :
       model::kindsOfSlices(network, order.order.slices))
    if (!made.addKind(kind, network, order, parameters,
                      order.sharesSlices ? 1 : threads))
      return std::nullopt;
  if (order.sharesSlices)
    made.share(network, order, threads);
  return made;
}

/// The sums of groups, one behind the other, added up.
static cpu::Problem sumOfGroupsOf(const model::Network &network,
                                  int64_t groups) {
  const auto elements = static_cast<int64_t>(network.elements(network.output));
  const model::ElementType type = network.outputType;
  cpu::Problem problem;
  problem.elementType = {{type, type, type}};
  problem.factorType = problem.accumulatorType = type;
  problem.add(groups, {{elements, 0, 0}});
  problem.add(elements, {{1, 0, 1}});
  return problem;
}

void AheadSteps::share(const model::Network &network, const AheadOrder &order,
                       unsigned threads) {
  // A thread that has less to do is not worth the others' waiting, and more
  // sums than these take longer to add up than they are worth. All take less
  // memory than temporaries that are not cut.
  constexpr double leastSeconds = 3e-5;
  constexpr int64_t mostSums = 16, shareOfSums = 4;
  constexpr int64_t line = hostWorkspaceAlignment;
  const Cut &cut = cuts.front();
  SharedSlices made;
  made.temporaryBytes = (order.memory.bytes + line - 1) / line * line;
  // Beside the temporaries of one thread.
  const int64_t room = std::max<int64_t>(
      0, order.memoryLimit.value_or(std::numeric_limits<int64_t>::max()) -
             made.temporaryBytes);
  made.groups = std::clamp(static_cast<int64_t>(seconds() / leastSeconds),
                           int64_t(1), std::max<int64_t>(1, cut.parts / 2));
  if (cut.isSummed) {
    made.sumBytes = static_cast<int64_t>(network.elements(network.output)) *
                    model::byteWidth(network.outputType);
    const int64_t bytes =
        std::min(order.memory.bytes * cut.parts / shareOfSums, room);
    made.groups = std::clamp(bytes / made.sumBytes, int64_t(1),
                             std::min(made.groups, mostSums));
  }
  const int64_t sumBytes = made.groups > 1 ? made.groups * made.sumBytes : 0;
  made.isFree = threads == 0;
  made.threads = static_cast<unsigned>(
      std::min({int64_t(made.isFree ? cpu::threadsToPlanFor() : threads),
                made.groups, 1 + (room - sumBytes) / made.temporaryBytes}));
  bytesOfWorkspace = order.memory.bytes;
  if (made.threads > 1 || sumBytes > 0)
    bytesOfWorkspace = made.threads * made.temporaryBytes + sumBytes;
  if (sumBytes > 0)
    made.sumOfGroups.emplace(sumOfGroupsOf(network, made.groups),
                             /*threads=*/1);
  shared = std::move(made);
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
  return shared ? seconds / shared->threads : seconds;
}

cpu::Outcome AheadSteps::runStepsOf(const Kind &kind,
                                    const std::vector<const void *> &tensors,
                                    char *temporaries, const void *alpha,
                                    const void *beta) const {
  auto find = [&](const Place &place) -> char * {
    // A parameter that is read only is not written through this.
    return place.parameter ? static_cast<char *>(
                                 const_cast<void *>(tensors[*place.parameter]))
                           : temporaries + place.offset;
  };
  for (const Step &step : kind.steps) {
    const bool isLast = &step == &kind.steps.back();
    cpu::Outcome outcome = step.contraction.run(
        find(step.places[Tensor::A]), find(step.places[Tensor::B]),
        find(step.places[Tensor::C]), isLast ? alpha : nullptr,
        isLast ? beta : nullptr);
    if (outcome != cpu::Outcome::Done)
      return outcome;
  }
  return cpu::Outcome::Done;
}

/// Moves pointers by so many times as many bytes.
static void movePointers(std::vector<const void *> &tensors, int64_t times,
                         const std::vector<int64_t> &bytes) {
  for (size_t i = 0; i < bytes.size(); ++i)
    tensors[i] = static_cast<const char *>(tensors[i]) + times * bytes[i];
}

cpu::Outcome AheadSteps::runShared(const std::vector<const void *> &tensors,
                                   char *workspace, const void *alpha,
                                   const void *beta) const {
  const Cut &cut = cuts.front();
  const bool hasSums = shared->sumOfGroups.has_value();
  char *sums = workspace + shared->threads * shared->temporaryBytes;
  std::atomic<bool> isShort = false;
  const cpu::Team team(shared->threads,
                       shared->isFree ? cpu::Ask::Free : cpu::Ask::All);
  team.run(shared->groups, shared->threads, [&](int64_t group, int64_t thread) {
    const int64_t begin = group * cut.parts / shared->groups,
                  end = (group + 1) * cut.parts / shared->groups;
    std::vector<const void *> ofSlice = tensors;
    if (hasSums)
      ofSlice[output] = sums + group * shared->sumBytes;
    movePointers(ofSlice, begin, cut.bytes);
    for (int64_t part = begin; part < end && !isShort; ++part) {
      const bool isRagged = cut.isRagged && part + 1 == cut.parts,
                 isAdded = cut.isSummed && part > begin;
      const void *ofOutput = isAdded ? one.data() : hasSums ? nullptr : beta;
      if (runStepsOf(kinds[isRagged ? 1 : 0], ofSlice,
                     workspace + thread * shared->temporaryBytes,
                     hasSums ? nullptr : alpha, ofOutput) != cpu::Outcome::Done)
        isShort = true;
      movePointers(ofSlice, 1, cut.bytes);
    }
  });
  if (isShort)
    return cpu::Outcome::OutOfMemory;
  return hasSums ? shared->sumOfGroups->run(sums, one.data(),
                                            const_cast<void *>(tensors[output]),
                                            alpha, beta)
                 : cpu::Outcome::Done;
}

cpu::Outcome AheadSteps::run(const std::vector<const void *> &tensors,
                             char *workspace, const void *alpha,
                             const void *beta) const {
  if (shared)
    return runShared(tensors, workspace, alpha, beta);
  if (cuts.empty())
    return runStepsOf(kinds.front(), tensors, workspace, alpha, beta);
  std::vector<int64_t> parts(cuts.size());
  std::vector<const void *> ofSlice = tensors;
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
    cpu::Outcome outcome = runStepsOf(kinds[kind], ofSlice, workspace, alpha,
                                      isFirst ? beta : one.data());
    if (outcome != cpu::Outcome::Done)
      return outcome;
    // The last index runs fastest.
    size_t at = cuts.size();
    while (at > 0 && parts[at - 1] + 1 == cuts[at - 1].parts) {
      --at;
      movePointers(ofSlice, -parts[at], cuts[at].bytes);
      parts[at] = 0;
    }
    if (at == 0)
      return cpu::Outcome::Done;
    ++parts[at - 1];
    movePointers(ofSlice, 1, cuts[at - 1].bytes);
  }
}
