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

/// All that a prediction depends on, of steps of one network and their sums.
static std::vector<int64_t> signatureOf(const Contraction &contraction) {
  std::vector<int64_t> key;
  key.reserve(4 + 4 * contraction.indices.size());
  key.push_back(static_cast<int64_t>(contraction.precision));
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

size_t StepTimes::HashOfSignature::operator()(
    const std::vector<int64_t> &signature) const {
  uint64_t hash = 0;
  for (int64_t number : signature) {
    // The golden ratio, as a fraction of 64 bits.
    hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

double StepTimes::secondsOf(const ContractionRecord &record) {
  return secondsOf(joinIndices(contractionOf(record)));
}

double StepTimes::secondsOf(const Contraction &contraction) {
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

std::optional<SumsFirst> StepTimes::findSums(const Network &network,
                                             const Step &step) {
  if (sumsOperands && !predictsSums) {
    Result<ContractionRecord> record = recordOf(network, step);
    return record ? std::optional(chooseSums(*record)) : std::nullopt;
  }
  Result<Contraction> contraction = contractionOf(network, step);
  if (!contraction)
    return std::nullopt;
  SumsFirst found;
  found.seconds = found.secondsOfAll = secondsOf(*contraction);
  return found;
}

SumsFirst StepTimes::chooseSums(const Network &network, const Step &step) {
  if (isRough)
    return {};
  return findSums(network, step).value_or(SumsFirst());
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
  const double products = leastProducts(network, step);
  if (isRough)
    return estimate(products, bytes);
  double bound = lowerBound(products, bytes);
  const std::optional<SumsFirst> found = findSums(network, step);
  return !found || std::isinf(found->seconds) ? bound
                                              : std::max(found->seconds, bound);
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
