//===- Contraction.cpp - Plans of a whole contraction ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions that have a better form: parts, moves of elements, sums whose
// elements are read once.
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Contraction.h"

#include "Copy.h"
#include "Direct.h"
#include "Elementwise.h"
#include "Factors.h"
#include "HostCore.h"
#include "OperandSums.h"
#include "Plan.h"
#include "Skinny.h"

#include "tc/CpuRuntime/ThreadLimits.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

std::optional<Problem> cpu::problemOf(const model::Contraction &contraction) {
  const model::Contraction &c = contraction;
  if (c.semiring != model::Semiring::PlusTimes || c.hasEpilogue ||
      c.hasPrologue[Tensor::A] || c.hasPrologue[Tensor::B] || c.isTerm ||
      c.reducesC || c.runTime || c.parts || c.threeProducts)
    return std::nullopt;
  Problem problem;
  static_cast<model::Contraction &>(problem) = contraction;
  return problem;
}

void Problem::add(int64_t extent, const model::PerTensor<int64_t> &stride) {
  Index index;
  index.extent = extent;
  index.stride = stride;
  index.role = stride[Tensor::C] == 0   ? model::Role::K
               : stride[Tensor::B] == 0 ? model::Role::M
               : stride[Tensor::A] == 0 ? model::Role::N
                                        : model::Role::Batch;
  indices.push_back(std::move(index));
}

/// The index along which elements of C lie side by side, if groups of rows
/// along it would be packed across, but for some that are left over: these are
/// a part by themselves. None otherwise.
static std::optional<size_t> indexToPart(const Problem &problem) {
  int64_t lanes =
      instructionSet().vectorBytes / model::byteWidth(problem.accumulatorType);
  for (size_t i = 0; i < problem.indices.size(); ++i) {
    const Index &index = problem.indices[i];
    if (index.stride[Tensor::C] != 1 || index.extent < lanes)
      continue;
    if (index.extent % lanes == 0)
      return std::nullopt;
    bool isInA = index.stride[Tensor::A] != 0;
    if (isInA == (index.stride[Tensor::B] != 0))
      return std::nullopt;
    Tensor operand = isInA ? Tensor::A : Tensor::B;
    for (const Index &other : problem.indices)
      if (other.stride[operand] == 1 && other.stride[Tensor::C] > 1 &&
          other.extent >= lanes)
        return i;
  }
  return std::nullopt;
}

/// The problem element by element, if nothing is summed.
static std::optional<ElementwiseProblem> withoutSums(const Problem &problem) {
  ElementwiseProblem made;
  for (const Index &index : problem.indices) {
    auto [a, b, c] = static_cast<const std::array<int64_t, 3> &>(index.stride);
    if (c == 0 && index.extent != 1)
      return std::nullopt;
    made.axes.push_back({index.extent, {{a, b, c, c}}});
  }
  for (Tensor t : model::allTensors) {
    auto place = static_cast<size_t>(t);
    made.type[place] = problem.elementType[t];
    made.conjugates[place] = problem.conjugates[t];
    made.offset[place] = problem.offset[t];
  }
  made.type[ElementwiseProblem::D] = problem.elementType[Tensor::C];
  made.offset[ElementwiseProblem::D] = problem.offset[Tensor::C];
  made.sums = problem.accumulatorType;
  made.saturates = problem.saturates;
  return made;
}

/// The problem with sums of 8 bits, if all elements have as many: integers wrap
/// around, so that no bit of results depends on more. Factors have their least
/// byte first.
static std::optional<Problem> withNarrowSums(const Problem &problem) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  for (Tensor t : model::allTensors)
    if (problem.elementType[t] != model::ElementType::I8)
      return std::nullopt;
  Problem made = problem;
  made.accumulatorType = model::ElementType::I8;
  return made;
}

/// The number of products.
static double productsOf(const Problem &problem) {
  double products = 1;
  for (const Index &index : problem.indices)
    products *= static_cast<double>(index.extent);
  return products;
}

namespace {
/// The uses of elements in each product of a batch.
enum class Reuse {
  Low,  ///< panels would not pay
  Some, ///< the way that is predicted to be faster is taken
  High, ///< panels pay
};
} // namespace

/// The times `fewProductsOfBatch` that products of a batch may have along which
/// vectors go: 48 x 48 x 32 took a quarter of the time of panels in f32 on an
/// AMD EPYC with AVX-512, 64 x 64 x 64 more than panels.
static constexpr double timesWithVectors = 16;

/// The most sums, and the least terms of each, of dot products that predictions
/// decide about: 8 x 8 of 3200 terms in f64 took a third of the time of panels
/// on an Intel Xeon with AVX-512, 32 x 32 more than panels.
static constexpr double mostLongSums = 256, termsOfLongSums = 512;

/// The times `fewOfSmallMatrix` with AVX2 where sums of real numbers have so
/// many times the terms that there are sums of a vector: a matrix of 16 x 64
/// times 4096 vectors took 0.8 of the time of panels in f32 on an AMD EPYC.
static constexpr double timesSmallMatrix = 16, termsOfFewSums = 4;

/// The same, and whether each element is used no more than twice.
static Reuse reuseOf(const Problem &problem, bool &isReadOnce) {
  const model::CpuCosts &costs = coreOfHost().costs;
  model::PerTensor<double> own = {{1, 1, 1}};
  double sums = 1, batches = 1;
  double inside = 1;
  for (const Index &index : problem.indices) {
    const auto extent = static_cast<double>(index.extent);
    const bool inA = index.stride[Tensor::A] != 0,
               inB = index.stride[Tensor::B] != 0;
    if (index.stride[Tensor::C] == 0)
      sums *= extent;
    else if (inA != inB)
      own[inA ? Tensor::A : Tensor::B] *= extent;
    else {
      batches *= extent;
      if (isInside(index))
        inside = extent;
    }
  }
  const double few = std::min(own[Tensor::A], own[Tensor::B]),
               most = std::max(own[Tensor::A], own[Tensor::B]),
               products = few * most * sums;
  const auto many = static_cast<double>(costs.manyRows),
             fewOfBoth = static_cast<double>(costs.fewRowsAndColumns);
  isReadOnce = few <= 2;
  if (few == 1 ||
      products * batches <= static_cast<double>(costs.fewProducts) ||
      (few <= static_cast<double>(costs.fewColumnsOfManyRows) &&
       most >= many) ||
      (most <= fewOfBoth && sums >= many))
    return Reuse::Low;
  // Panels of a batch along which elements lie side by side are filled and
  // stored element by element; vectors along it are not.
  const double lanes =
      static_cast<double>(instructionSet().vectorBytes) /
      static_cast<double>(
          realBytes[static_cast<unsigned>(realOf(problem.accumulatorType))]);
  const bool hasVectors =
      inside >= lanes && !model::isComplex(problem.accumulatorType);
  const bool isSmallOfBatch =
      batches > 1 && products <= static_cast<double>(costs.fewProductsOfBatch) *
                                     (hasVectors ? timesWithVectors : 1);
  // A small matrix times the vectors along many rows. Complex numbers take four
  // products.
  const double work = model::isComplex(problem.accumulatorType) ? 4 : 1;
  const bool hasFewSums = instructionSet().isa == model::CpuIsa::AVX2 &&
                          work == 1 && sums >= termsOfFewSums * few;
  const bool isSmallMatrix =
      most >= many &&
      few * sums * work <= static_cast<double>(costs.fewOfSmallMatrix) *
                               (hasFewSums ? timesSmallMatrix : 1);
  // Dot products of blocks of rows and columns load no more than panels do.
  const bool isLongSum =
      few * most <= mostLongSums && sums >= termsOfLongSums && batches == 1;
  return few <= fewOfBoth || isSmallOfBatch || isSmallMatrix || isLongSum
             ? Reuse::Some
             : Reuse::High;
}

/// Returns true if elements of a tensor are looked up one by one by tables:
/// register tiles were measured to take a third of the time of complex numbers
/// with AVX2.
static bool isLookedUp(const SkinnyPlan *plan) {
  return plan && plan->usesTables() && !plan->isInPlace[0] &&
         plan->parts == 2 && instructionSet().isa == model::CpuIsa::AVX2;
}

Contraction::Contraction(const Problem &problem, unsigned threads)
    : sums(problem.accumulatorType) {
  const unsigned most = threads == 0 ? threadsToPlanFor() : threads;
  plan(problem, threads, most);
  const int64_t paying = wantedThreads();
  wanted = threads == 0 ? paying : std::min<int64_t>(paying, most);
  if (threads != 0 || wanted == 1)
    return;
  planned = std::min<int64_t>(paying, most);
  again = std::make_shared<const Problem>(problem);
}

/// The threads that pay, if there are as many. Sums of operands ahead of their
/// product, and that, have their own.
int64_t Contraction::wantedThreads() const {
  int64_t most = 1;
  if (copy)
    most = copy->moves->wanted;
  if (elementwise)
    most = std::max(most, elementwise->wanted);
  if (skinny)
    most = skinny->wanted;
  if (direct)
    most = direct->wanted;
  for (const Plan &plan : plans)
    most = std::max(most, plan.wanted);
  return most;
}

/// Makes the plan for up to `most` threads; `threads` are those that the run is
/// told.
void Contraction::plan(const Problem &problem, unsigned threads,
                       unsigned most) {
  copy = planCopy(problem, most);
  const std::optional<Problem> ofBytes = withNarrowSums(problem);
  const Problem &narrow = ofBytes ? *ofBytes : problem;
  if (std::optional<ElementwiseProblem> without = withoutSums(narrow))
    elementwise = planElementwise(std::move(*without), most);
  if (elementwise)
    return;
  auto first = planOperandSums(problem, threads);
  if (!first)
    first = planTransposedSums(narrow, threads);
  // So many products are not counted, nor computed.
  if (first && productsOf(problem) >= mostProducts) {
    operandSums = std::move(first);
    return;
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  const Reuse reuse = reuseOf(problem, readsOnce);
  if (reuse == Reuse::Low)
    skinny = planSkinny(narrow, most, never);
  if (!skinny)
    planPanels(problem, most);
  if (!skinny && reuse == Reuse::Some) {
    skinny = planSkinny(narrow, most, prediction().secondsAlone);
    if (skinny)
      plans.clear();
  }
  if (!readsOnce || isLookedUp(skinny.get()))
    direct = planDirect(problem, most, prediction().secondsAlone);
  if (direct) {
    skinny = nullptr;
    plans.clear();
  }
  if (!first || first->prediction().secondsAlone >= prediction().secondsAlone)
    return;
  operandSums = std::move(first);
  skinny = nullptr;
  direct = nullptr;
  plans.clear();
}

void Contraction::planPanels(const Problem &problem, unsigned threads) {
  auto add = [&](const Problem &part) {
    plans.push_back(planOf(part, threads));
  };
  std::optional<size_t> parted = indexToPart(problem);
  if (!parted)
    return add(problem);
  Problem part = problem;
  Index &index = part.indices[*parted];
  int64_t rest = index.extent % (instructionSet().vectorBytes /
                                 model::byteWidth(problem.accumulatorType));
  index.extent -= rest;
  add(part);
  for (Tensor t : model::allTensors)
    part.offset[t] += index.extent * index.stride[t];
  index.extent = rest;
  add(part);
}

Contraction::Contraction(Contraction &&) noexcept = default;
Contraction &Contraction::operator=(Contraction &&) noexcept = default;
Contraction::~Contraction() = default;

Contraction::Prediction Contraction::prediction() const {
  if (operandSums)
    return operandSums->prediction();
  if (elementwise)
    return {elementwise->seconds, elementwise->seconds,
            static_cast<unsigned>(elementwise->parts)};
  if (skinny)
    return {skinny->seconds, skinny->secondsAlone,
            static_cast<unsigned>(skinny->threads)};
  if (direct)
    return {direct->seconds, direct->secondsAlone,
            static_cast<unsigned>(direct->threads)};
  Prediction all;
  for (const Plan &plan : plans) {
    all.seconds += plan.seconds;
    all.secondsAlone += plan.secondsAlone;
    all.threads =
        std::max(all.threads, static_cast<unsigned>(plan.grid.count()));
  }
  return all;
}

bool Contraction::isReadOnce() const {
  return (isSkinny() && operandSums) || (readsOnce && (isSkinny() || direct));
}

bool Contraction::isSkinny() const {
  return skinny || (operandSums && !operandSums->product->usesPanels());
}

bool Contraction::usesPanels() const {
  return !plans.empty() || (operandSums && operandSums->product->usesPanels());
}
