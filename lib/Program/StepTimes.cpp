//===- StepTimes.cpp - Times of pairwise contractions -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Program/StepTimes.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Hierarchy/Hierarchy.h"
#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::model;

Step tc::model::stepOf(const ContractionTree &tree, unsigned node) {
  Step step;
  for (unsigned operand : tree.nodes[node].operands) {
    step.operands.push_back(tree.nodes[operand].indices);
    step.areInputs.push_back(tree.nodes[operand].isInput());
  }
  step.result = tree.nodes[node].indices;
  step.isLast = node + 1 == tree.nodes.size();
  return step;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Returns true if `inner` follows `outer` in every tensor.
static bool runTogether(const Index &outer, const Index &inner) {
  if (outer.role != inner.role)
    return false;
  for (Tensor tensor : allTensors)
    if (outer.stride[tensor] !=
        saturatingMultiply(inner.stride[tensor], inner.extent))
      return false;
  return true;
}

Contraction tc::model::joinIndices(const Contraction &contraction) {
  Contraction joined = contraction;
  std::vector<Index> &indices = joined.indices;
  // An index along which nothing runs does not keep others apart.
  indices.erase(
      std::remove_if(indices.begin(), indices.end(),
                     [](const Index &index) { return index.extent == 1; }),
      indices.end());
  for (size_t i = 0; i < indices.size();) {
    auto inner =
        std::find_if(indices.begin(), indices.end(), [&](const Index &other) {
          return &other != &indices[i] && runTogether(indices[i], other);
        });
    if (inner == indices.end()) {
      ++i;
      continue;
    }
    inner->extent *= indices[i].extent;
    inner->label = indices[i].label + inner->label;
    indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  return joined;
}

/// Operands of which nothing is said count as inputs.
static ElementType operandType(const Network &network, const Step &step,
                               size_t operand) {
  return step.areInputs.empty() || step.areInputs[operand]
             ? network.type
             : network.temporaryType;
}

Result<ContractionRecord> tc::model::recordOf(const Network &network,
                                              const Step &step,
                                              const Network *whole) {
  ContractionRecord record;
  record.factorType = network.type;
  record.precision = network.precision;
  record.semiring = network.semiring;
  auto setTensor = [&](Tensor tensor, const IndexList &list, ElementType type,
                       bool isPart) -> Status {
    const Network &layout = isPart && whole ? *whole : network;
    TensorRecord &made = record.tensors[tensor];
    made.type = type;
    double bytes = layout.elements(list) * static_cast<double>(byteWidth(type));
    if (bytes >= 0x1p63)
      return Error{"a tensor of more than 2^63 - 1 bytes"};
    std::vector<int64_t> stored;
    for (unsigned index : list) {
      made.labels.push_back(network.indices[index].label);
      made.extents.push_back(network.indices[index].extent);
      stored.push_back(layout.indices[index].extent);
    }
    made.strides = contiguousStrides(stored);
    return {};
  };
  for (size_t i = 0; i < step.operands.size(); ++i)
    if (Status status = setTensor(allTensors[i], step.operands[i],
                                  operandType(network, step, i),
                                  !step.areInputs.empty() && step.areInputs[i]);
        !status)
      return Error{status.error()};
  if (step.operands.size() == 1)
    record.tensors[Tensor::B].type = network.type;
  if (Status status = setTensor(Tensor::C, step.result,
                                network.resultType(step.isLast), step.isLast);
      !status)
    return Error{status.error()};
  const ElementType sums = accumulatorTypeOf(record);
  record.alpha.value = oneOf(network.semiring, sums);
  record.beta.value = zeroOf(network.semiring, sums);
  return record;
}

Result<Contraction> tc::model::contractionOf(const Network &network,
                                             const Step &step,
                                             const Network *whole) {
  Result<ContractionRecord> record = recordOf(network, step, whole);
  if (!record)
    return Error{record.error()};
  return joinIndices(contractionOf(*record));
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// All that a prediction depends on, of steps of one network and their sums.
static std::vector<int64_t> signatureOf(const Contraction &contraction) {
  std::vector<int64_t> key = {static_cast<int64_t>(contraction.precision)};
  for (Tensor tensor : allTensors)
    key.push_back(static_cast<int64_t>(contraction.elementType[tensor]));
  for (const Index &index : contraction.indices) {
    key.push_back(index.extent);
    for (Tensor tensor : allTensors)
      key.push_back(index.stride[tensor]);
  }
  return key;
}

/// Elements along each index once: those on the diagonals.
static double distinctElements(const Network &network, const IndexList &list) {
  return network.elements(
      productIndices(list, {}, [](unsigned) { return true; }));
}

double StepTimes::secondsOf(const ContractionRecord &record) {
  const Contraction contraction = joinIndices(contractionOf(record));
  auto [place, isNew] = known.try_emplace(
      signatureOf(contraction), std::numeric_limits<double>::infinity());
  if (isNew)
    if (Result<double> seconds = predict(contraction))
      place->second = *seconds;
  return place->second;
}

SumsFirst StepTimes::chooseSums(const ContractionRecord &record) {
  SumsFirst best;
  best.seconds = best.secondsOfAll = secondsOf(record);
  if (!sumsOperands || predictsSums || std::isinf(best.seconds))
    return best;
  for (const PerTensor<bool> &operands : waysToSumFirst(record)) {
    const OperandSums parts = sumFirst(record, operands);
    double seconds = secondsOf(parts.product);
    for (const std::optional<ContractionRecord> &sums : parts.sums)
      if (sums)
        seconds += secondsOf(*sums);
    if (seconds < best.seconds) {
      best.operands = operands;
      best.seconds = seconds;
    }
  }
  return best;
}

SumsFirst StepTimes::chooseSums(const Network &network, const Step &step) {
  Result<ContractionRecord> record = recordOf(network, step);
  return record ? chooseSums(*record) : SumsFirst();
}

bool StepTimes::mayChooseSums(const Network &network) const {
  return sumsOperands &&
         productDistributes(network.semiring, accumulatorTypeOf(network.type));
}

double StepTimes::leastProducts(const Network &network,
                                const Step &step) const {
  const IndexList &first = step.operands.front(),
                  &second = step.operands.back();
  if (!mayChooseSums(network))
    return network.elements(
        productIndices(first, second, [](unsigned) { return true; }));
  const IndexList left = productIndices(first, second, [&](unsigned index) {
    return contains(step.result, index) ||
           (contains(first, index) && contains(second, index));
  });
  return std::max({network.elements(left), distinctElements(network, first),
                   distinctElements(network, second)});
}

double StepTimes::predict(const Network &network, const Step &step) {
  double bytes =
      network.elements(step.result) *
      static_cast<double>(byteWidth(network.resultType(step.isLast)));
  for (size_t i = 0; i < step.operands.size(); ++i)
    bytes += network.elements(step.operands[i]) *
             static_cast<double>(byteWidth(operandType(network, step, i)));
  double bound = lowerBound(leastProducts(network, step), bytes);
  Result<ContractionRecord> record = recordOf(network, step);
  if (!record)
    return bound;
  double seconds = chooseSums(*record).seconds;
  return std::isinf(seconds) ? bound : std::max(seconds, bound);
}

namespace {

class GpuStepTimes : public StepTimes {
public:
  GpuStepTimes(const Target &target, ElementType type, Precision precision)
      : target(target),
        // Three products of parts make a complex one at best.
        productsPerSecond(target.peakFmaPerCycle(type, precision) *
                          static_cast<double>(target.multiprocessors) *
                          target.clockHertz /
                          (isComplex(type) ? minProducts : 1.0)) {}

  double lowerBound(double products, double bytes) const override {
    return target.launchSeconds + std::max(products / productsPerSecond,
                                           bytes / target.memoryBytesPerSecond);
  }

  size_t affordablePredictions() const override { return 100; }

protected:
  Result<double> predict(const Contraction &contraction) const override {
    // More kernels would seldom change which tree is the best: a step of few
    // blocks takes about as long as its launch.
    SearchOptions options;
    options.mostEvaluated = 300;
    Result<SearchResult> found =
        search(toRealParts(contraction), target, options);
    if (!found)
      return Error{found.error()};
    return target.launchSeconds + found->candidates.front().cost.seconds();
  }

private:
  const Target &target;
  double productsPerSecond;
};

class CpuStepTimes : public StepTimes {
public:
  CpuStepTimes(const CpuTarget &target, ElementType type, int64_t threads)
      : target(target), threads(threads),
        levels(memoryHierarchy(target, target.cores)) {
    Contraction product;
    product.factorType = product.accumulatorType = realTypeOf(type);
    product.elementType = {
        {product.factorType, product.factorType, product.factorType}};
    // Three products of parts make a complex one at best.
    productsPerSecond = target.productsPerCycle(product) * target.clockHertz *
                        static_cast<double>(threads) /
                        (isComplex(type) ? minProducts : 1.0);
  }

  double lowerBound(double products, double bytes) const override {
    return products / productsPerSecond;
  }

  double estimate(double products, double bytes) const override {
    return products / productsPerSecond +
           bytes / levels[levelHolding(levels, bytes)].bytesPerSecond;
  }

  size_t affordablePredictions() const override { return 1000; }

protected:
  Result<double> predict(const Contraction &contraction) const override {
    Result<std::vector<StrategyChoice>> choices = considerStrategies(
        toRealParts(contraction), target, std::nullopt, threads);
    if (!choices)
      return Error{choices.error()};
    const StrategyChoice &choice = fastestStrategy(*choices);
    if (!choice.unavailable.empty())
      return Error{choice.unavailable};
    return choice.time.total();
  }

private:
  const CpuTarget &target;
  int64_t threads;
  Hierarchy levels;
  double productsPerSecond;
};

} // namespace

std::unique_ptr<StepTimes> tc::model::makeStepTimes(const Target &target,
                                                    ElementType type,
                                                    Precision precision) {
  return std::make_unique<GpuStepTimes>(target, type, precision);
}

std::unique_ptr<StepTimes> tc::model::makeStepTimes(const CpuTarget &target,
                                                    ElementType type,
                                                    int64_t threads) {
  return std::make_unique<CpuStepTimes>(target, type, threads);
}
