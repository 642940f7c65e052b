//===- AheadOrder.cpp - Orders for ahead-of-time kernels ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadOrder.h"

#include "CacheSlices.h"

#include "tc/CpuRuntime/Contraction.h"

using namespace tc;

namespace {

/// Steps by these kernels, whose times take microseconds to tell. They are
/// those of one thread, so that no order, and no bit, depends on the number of
/// them.
class AheadTimes : public model::StepTimes {
public:
  explicit AheadTimes(model::ElementType type) : type(type) {
    predictsSums = true;
  }

  double lowerBound(double products, double /*bytes*/) const override {
    return cpu::leastSecondsOf(products, type);
  }

  double estimate(double products, double bytes) const override {
    return cpu::roughSecondsOf(products, bytes);
  }

  double secondsOfCall() const override { return 2e-7; }

  size_t affordablePredictions() const override { return 100000; }

protected:
  Result<double> predict(const model::Contraction &contraction) const override {
    std::optional<cpu::Problem> problem = cpu::problemOf(contraction);
    if (!problem)
      return Error{"not computed by ahead-of-time kernels"};
    return cpu::Contraction(*problem, /*threads=*/1).seconds();
  }

private:
  model::ElementType type;
};

} // namespace

/// All trees of eight take three milliseconds, of fourteen a second.
static constexpr size_t mostExactInputs = 8;
/// Of a search of more inputs.
static constexpr double leastSearchSeconds = 0.002;

double tc::secondsOfSearch(size_t inputs) {
  // To compare the layouts of a temporary, and to weigh a pair of subsets.
  constexpr double ofTemporary = 5e-5, ofPair = 5e-7;
  double seconds = leastSearchSeconds;
  if (inputs <= mostExactInputs) {
    seconds = ofPair;
    for (size_t i = 0; i < inputs; ++i)
      seconds *= 3;
  }
  return seconds + ofTemporary * static_cast<double>(inputs);
}

static model::OrderOptions searchOptions(const CompileOptions &options) {
  model::OrderOptions search;
  search.runnersUp = 0;
  constexpr int64_t ofAllTrees = 1000;
  if (options.searchMilliseconds.value_or(0) < ofAllTrees)
    search.mostExactInputs = mostExactInputs;
  if (options.searchMilliseconds) {
    search.searchSeconds =
        1e-3 * static_cast<double>(*options.searchMilliseconds);
  } else {
    search.mostPredictions = 100;
    search.leastSearchSeconds = leastSearchSeconds;
  }
  return search;
}

/// The order of a path, or the best one where that is empty.
static Result<model::OrderResult> orderOf(const model::Network &network,
                                          const model::ContractionPath &path,
                                          model::StepTimes &times,
                                          const model::OrderOptions &search) {
  if (path.empty())
    return model::searchOrder(network, times, search);
  Result<model::ContractionTree> given = model::treeOf(network, path);
  if (!given)
    return Error{given.error()};
  return model::completeOrder(network, *given, times, search);
}

/// Cuts an order so that temporaries stay in caches, where that is faster. They
/// take less memory then.
static Status cutForCaches(const model::Network &network, AheadOrder &order,
                           int64_t alignment, double secondsToFind) {
  if (!order.order.slices.empty())
    return {};
  std::optional<model::Slice> slice =
      findCacheSlice(network, order.order.tree, secondsToFind);
  if (!slice)
    return {};
  Result<model::MemoryPlan> memory = model::planMemory(
      model::firstSlice(network, {*slice}), order.order.tree, alignment);
  if (!memory)
    return Error{memory.error()};
  order.order.slices = {*slice};
  order.memory = std::move(*memory);
  order.sharesSlices = true;
  return {};
}

Result<AheadOrder> tc::findRoughOrder(const model::Network &network,
                                      const model::ContractionPath &path,
                                      int64_t alignment) {
  AheadTimes times(network.type);
  times.isRough = true;
  model::OrderOptions search;
  search.runnersUp = 0;
  // All trees of five take as long as a few greedy orders.
  search.mostExactInputs = 5;
  search.leastSearchSeconds = 1e-4;
  Result<model::OrderResult> found = orderOf(network, path, times, search);
  if (!found)
    return Error{found.error()};
  Result<model::MemoryPlan> memory =
      model::planMemory(network, found->order.tree, alignment);
  if (!memory)
    return Error{memory.error()};
  AheadOrder order{std::move(found->order), std::move(*memory)};
  if (Status status =
          cutForCaches(network, order, alignment, /*secondsToFind=*/0);
      !status)
    return Error{status.error()};
  return order;
}

Result<AheadOrder> tc::findAheadOrder(const model::Network &network,
                                      const model::ContractionPath &path,
                                      const CompileOptions &options,
                                      int64_t alignment) {
  AheadTimes times(network.type);
  model::OrderOptions search = searchOptions(options);
  // Without a limit first; then, that is lowered until the workspace keeps it:
  // places in it are aligned, and there may be gaps between them.
  while (true) {
    Result<model::OrderResult> found = orderOf(network, path, times, search);
    if (!found)
      return Error{found.error()};
    Result<model::MemoryPlan> memory =
        model::planMemory(model::firstSlice(network, found->order.slices),
                          found->order.tree, alignment);
    if (!memory)
      return Error{memory.error()};
    const int64_t bytes = memory->bytes;
    const double peak = found->order.peakBytes;
    AheadOrder order{std::move(found->order), std::move(*memory)};
    order.memoryLimit = options.memoryLimit;
    if (Status status =
            cutForCaches(network, order, alignment, leastSearchSeconds);
        !status)
      return Error{status.error()};
    if (!options.memoryLimit || order.memory.bytes <= *options.memoryLimit)
      return order;
    const auto limit = static_cast<double>(*options.memoryLimit);
    if (!search.memoryLimit) {
      // A product in slices takes many times as long.
      search.memoryLimit = limit;
      search.cutting = model::Cutting::All;
      search.leastSearchSeconds = model::OrderOptions().leastSearchSeconds;
      continue;
    }
    const double excess = static_cast<double>(bytes) - limit;
    search.memoryLimit = std::min(*search.memoryLimit - excess, peak - 1);
    if (*search.memoryLimit < 0)
      return Error{"the workspace exceeds the limit"};
  }
}
