//===- OperandSums.cpp - Sums of one operand ahead of products ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of an operand have the type of sums, and lie one behind the other in
// the order in which the operand has its elements.
//
//===----------------------------------------------------------------------===//

#include "OperandSums.h"

#include "Factors.h"
#include "Tables.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;

/// The most elements of sums of an operand that are kept.
static constexpr double mostElementsLeft = 1 << 28;

static Tensor otherOf(Tensor operand) {
  return operand == Tensor::A ? Tensor::B : Tensor::A;
}

/// Returns true if an index is summed in that operand alone.
static bool isOwnSum(const Index &index, Tensor operand) {
  return index.extent > 1 && index.stride[operand] != 0 &&
         index.stride[otherOf(operand)] == 0 && index.stride[Tensor::C] == 0;
}

/// Returns true if elements of an operand are multiplied several times, and
/// it has sums of its own.
static bool hasOwnSums(const Problem &problem, Tensor operand) {
  bool isMultiplied = false, isSummed = false;
  for (const Index &index : problem.indices) {
    isMultiplied |= index.extent > 1 && index.stride[operand] == 0 &&
                    index.stride[otherOf(operand)] != 0;
    isSummed |= isOwnSum(index, operand);
  }
  return isMultiplied && isSummed;
}

/// Returns true if an operand alone has indices and is summed, and its elements
/// that are left lie in another order than those of C.
static bool hasTransposedSums(const Problem &problem, Tensor operand) {
  bool isSummed = false;
  const Index *first = nullptr, *ofResult = nullptr;
  auto takeCloser = [](const Index *&closest, const Index &index, Tensor t) {
    if (!closest || std::abs(index.stride[t]) < std::abs(closest->stride[t]))
      closest = &index;
  };
  for (const Index &index : problem.indices) {
    if (index.extent == 1)
      continue;
    if (index.stride[operand] == 0 || index.stride[otherOf(operand)] != 0)
      return false;
    if (isOwnSum(index, operand)) {
      isSummed = true;
    } else {
      takeCloser(first, index, operand);
      takeCloser(ofResult, index, Tensor::C);
    }
  }
  return isSummed && first != ofResult;
}

/// Elements of an operand that are left once it has been summed, if they are
/// repeated as often as it repeats them.
static double elementsLeft(const Problem &problem, Tensor operand) {
  double elements = 1;
  for (const Index &index : problem.indices)
    if (index.stride[operand] != 0 && !isOwnSum(index, operand))
      elements *= static_cast<double>(index.extent);
  return elements;
}

/// The sums of an operand, whose place in `problem` what is left takes.
static Problem takeSums(Problem &problem, Tensor operand, int64_t &bytes) {
  Problem sums;
  const ElementType type = problem.elementType[operand];
  // Sums of a real operand are real.
  ElementType left = problem.accumulatorType;
  if (!model::isComplex(type))
    left = model::realTypeOf(left);
  sums.elementType = {{type, model::realTypeOf(left), left}};
  sums.accumulatorType = left;
  sums.offset[Tensor::A] = problem.offset[operand];
  std::vector<Index *> kept;
  std::vector<Index> others;
  for (Index &index : problem.indices)
    if (isOwnSum(index, operand))
      sums.add(index.extent, {{index.stride[operand], 0, 0}});
    else
      others.push_back(index);
  problem.indices = std::move(others);
  for (Index &index : problem.indices)
    if (index.extent > 1 && index.stride[operand] != 0)
      kept.push_back(&index);
  std::sort(kept.begin(), kept.end(), [&](const Index *a, const Index *b) {
    return std::abs(a->stride[operand]) < std::abs(b->stride[operand]);
  });
  int64_t stride = 1;
  for (Index *index : kept) {
    sums.add(index->extent, {{index->stride[operand], 0, stride}});
    index->stride[operand] = stride;
    stride *= index->extent;
  }
  problem.elementType[operand] = left;
  problem.offset[operand] = 0;
  bytes = stride * model::byteWidth(left);
  return sums;
}

/// The plan that sums the operands of which `isSummedFirst` holds.
static std::shared_ptr<const OperandSumsPlan>
planSums(const Problem &problem, unsigned threads,
         bool (*isSummedFirst)(const Problem &problem, Tensor operand)) {
  for (const Index &index : problem.indices)
    if (index.extent == 0)
      return nullptr;
  std::shared_ptr<OperandSumsPlan> plan;
  Problem rest = problem;
  for (Tensor operand : {Tensor::A, Tensor::B}) {
    // Windows of an operand may repeat its elements very often.
    if (!isSummedFirst(problem, operand) ||
        elementsLeft(problem, operand) > mostElementsLeft)
      continue;
    if (!plan)
      plan = std::make_shared<OperandSumsPlan>();
    const auto place = static_cast<size_t>(operand);
    plan->sums[place] = std::make_shared<const Contraction>(
        takeSums(rest, operand, plan->bytes[place]), threads);
  }
  if (!plan)
    return nullptr;
  plan->product = std::make_shared<const Contraction>(rest, threads);
  plan->accumulator = problem.accumulatorType;
  return plan;
}

std::shared_ptr<const OperandSumsPlan>
cpu::planOperandSums(const Problem &problem, unsigned threads) {
  return planSums(problem, threads, hasOwnSums);
}

std::shared_ptr<const OperandSumsPlan>
cpu::planTransposedSums(const Problem &problem, unsigned threads) {
  return planSums(problem, threads, hasTransposedSums);
}

Contraction::Prediction OperandSumsPlan::prediction() const {
  Contraction::Prediction all = product->prediction();
  for (const auto &ofOperand : sums) {
    if (!ofOperand)
      continue;
    const Contraction::Prediction more = ofOperand->prediction();
    all.seconds += more.seconds;
    all.secondsAlone += more.secondsAlone;
    all.threads = std::max(all.threads, more.threads);
  }
  return all;
}

Outcome OperandSumsPlan::run(const void *a, const void *b, void *c,
                             const void *alpha, const void *beta) const {
  std::array<const void *, 2> operands = {a, b};
  constexpr int64_t small = 1 << 12;
  alignas(Pieces::line) char onStack[small];
  auto inLines = [](int64_t count) {
    return ceilDivide(count, Pieces::line) * Pieces::line;
  };
  const int64_t size = inLines(bytes[0]) + inLines(bytes[1]);
  std::unique_ptr<char, void (*)(void *)> taken(nullptr, std::free);
  char *memory = onStack;
  if (size > small) {
    taken.reset(static_cast<char *>(std::aligned_alloc(
        static_cast<size_t>(Pieces::line), static_cast<size_t>(size))));
    memory = taken.get();
    if (!memory)
      return Outcome::OutOfMemory;
  }
  for (size_t i : {0, 1}) {
    if (!sums[i])
      continue;
    if (sums[i]->run(operands[i], oneOf(realOf(accumulator)), memory) !=
        Outcome::Done)
      return Outcome::OutOfMemory;
    operands[i] = memory;
    memory += inLines(bytes[i]);
  }
  return product->run(operands[0], operands[1], c, alpha, beta);
}
