//===- CacheSlices.cpp - Slices whose temporaries stay in caches ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheSlices.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/Hierarchy/Blocks.h"
#include "tc/Program/StepTimes.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace tc;
using model::IndexList;
using model::Network;

namespace {

/// A tree of a network, to cut it.
class Cutter {
public:
  Cutter(const Network &network, const model::ContractionTree &tree)
      : network(network), tree(tree) {}

  std::optional<model::Slice> find(double secondsToFind) const;

private:
  bool isTemporary(unsigned node) const {
    return !tree.nodes[node].isInput() && node + 1 < tree.nodes.size();
  }
  double bytesOf(unsigned node) const {
    return network.elements(tree.nodes[node].indices) *
           network.temporaryWidth();
  }
  unsigned largestTemporary() const;
  bool isInAllSteps(unsigned index) const;
  bool mayCut(unsigned index, double temporary) const;
  /// Bytes of inputs and output, of those that have an index.
  double outerBytes(unsigned index) const;
  /// Of all steps, on one thread; infinite where kernels do not compute one.
  double secondsOf(const Network &part) const;
  double secondsOf(const model::Slice &slice) const;

  const Network &network;
  const model::ContractionTree &tree;
};

} // namespace

unsigned Cutter::largestTemporary() const {
  unsigned largest = 0;
  double most = 0;
  for (unsigned node = 0; node < tree.nodes.size(); ++node)
    if (isTemporary(node) && bytesOf(node) > most) {
      largest = node;
      most = bytesOf(node);
    }
  return largest;
}

bool Cutter::isInAllSteps(unsigned index) const {
  for (const model::TreeNode &node : tree.nodes) {
    if (node.isInput())
      continue;
    bool isFound = model::contains(node.indices, index);
    for (unsigned operand : node.operands)
      isFound |= model::contains(tree.nodes[operand].indices, index);
    if (!isFound)
      return false;
  }
  return true;
}

bool Cutter::mayCut(unsigned index, double temporary) const {
  if (!isInAllSteps(index))
    return false;
  if (model::contains(network.output, index))
    return true;
  // Threads have sums of their own, which are added up at the end; and a result
  // that is rounded to a narrower type is not added to.
  constexpr double leastShare = 16;
  return model::accumulatorTypeOf(network.outputType) == network.outputType &&
         bytesOf(static_cast<unsigned>(tree.nodes.size()) - 1) * leastShare <=
             temporary;
}

double Cutter::outerBytes(unsigned index) const {
  double bytes = 0;
  for (const IndexList &input : network.inputs)
    if (model::contains(input, index))
      bytes += network.elements(input) * network.inputWidth();
  if (model::contains(network.output, index))
    bytes += network.elements(network.output) *
             static_cast<double>(model::byteWidth(network.outputType));
  return bytes;
}

double Cutter::secondsOf(const Network &part) const {
  double seconds = 0;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].isInput())
      continue;
    Result<model::Contraction> contraction =
        model::contractionOf(part, model::stepOf(tree, node), &network);
    std::optional<cpu::Problem> problem;
    if (contraction)
      problem = cpu::problemOf(*contraction);
    if (!problem)
      return std::numeric_limits<double>::infinity();
    seconds += cpu::Contraction(*problem, /*threads=*/1).seconds();
  }
  return seconds;
}

double Cutter::secondsOf(const model::Slice &slice) const {
  // Predictions leave calls out.
  constexpr double ofCall = 2e-7;
  const auto steps =
      static_cast<double>(tree.nodes.size() - network.inputs.size());
  double seconds = 0;
  for (const model::SliceKind &kind : model::kindsOfSlices(network, {slice}))
    seconds += kind.count * (secondsOf(kind.network) + ofCall * steps);
  // Of a slice alone, they are those of tensors that lie in caches, from where
  // inputs do not come.
  const double all = outerBytes(slice.index),
               ofSlice =
                   all * static_cast<double>(slice.length) /
                   static_cast<double>(network.indices[slice.index].extent);
  return seconds + all * std::max(0.0, 1 / cpu::readRateOf(all) -
                                           1 / cpu::readRateOf(ofSlice));
}

std::optional<model::Slice> Cutter::find(double secondsToFind) const {
  // Smaller temporaries lie in the second cache, from where they take little
  // longer.
  constexpr int64_t timesFirstCache = 4;
  const unsigned largest = largestTemporary();
  const double bytes = bytesOf(largest);
  if (!isTemporary(largest) ||
      bytes <= static_cast<double>(timesFirstCache * cpu::bytesOfCache(1)))
    return std::nullopt;
  IndexList cuttable;
  for (unsigned index : tree.nodes[largest].indices)
    if (mayCut(index, bytes))
      cuttable.push_back(index);
  if (cuttable.empty())
    return std::nullopt;
  const double whole = secondsOf(network);
  // Of a temporary, in a slice.
  const std::array<int64_t, 3> parts = {cpu::bytesOfCache(2) / 4,
                                        cpu::bytesOfCache(1) * 2,
                                        cpu::bytesOfCache(1) / 2};
  constexpr double secondsOfPlan = 5e-6, share = 0.1;
  if (secondsOfPlan *
          static_cast<double>(cuttable.size() * parts.size() *
                              (tree.nodes.size() - network.inputs.size())) >
      secondsToFind + share * whole)
    return std::nullopt;
  // Predictions that are less apart are not surer than that; short parts were
  // seen to take more than is predicted.
  constexpr double gain = 0.9, gainOfShorter = 0.95;
  double least = gain * whole;
  std::optional<model::Slice> best;
  for (unsigned index : cuttable) {
    const int64_t extent = network.indices[index].extent;
    const double ofValue = bytes / static_cast<double>(extent);
    int64_t last = 0;
    for (int64_t part : parts) {
      // Vectors go along an index that lies side by side.
      constexpr int64_t unit = 16;
      const auto limit =
          static_cast<int64_t>(static_cast<double>(part) / ofValue);
      const int64_t length = model::equalBlock(
          extent, std::max<int64_t>(limit, 1), limit < unit ? 1 : unit);
      if (length * 2 > extent || length == last)
        continue;
      last = length;
      const model::Slice slice{index, length};
      if (double seconds = secondsOf(slice); seconds < least) {
        least = gainOfShorter * seconds;
        best = slice;
      }
    }
  }
  return best;
}

std::optional<model::Slice>
tc::findCacheSlice(const Network &network, const model::ContractionTree &tree,
                   double seconds) {
  return Cutter(network, tree).find(seconds);
}
