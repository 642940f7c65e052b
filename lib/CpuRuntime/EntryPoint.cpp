//===- EntryPoint.cpp - Entry points for compiled code --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copy.h"
#include "Elementwise.h"
#include "Factors.h"
#include "PastPlans.h"

#include "tc-c/CpuRuntime.h"
#include "tc/CpuRuntime/Contraction.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/CpuRuntime/ThreadLimits.h"

#include <algorithm>
#include <new>

using namespace tc;
using model::ElementType;
using model::Tensor;

static std::optional<ElementType> typeOf(TcElementType number) {
  switch (number) {
#define TC_ELEMENT_TYPE(TYPE, ...)                                             \
  case TC_ELEMENT_##TYPE:                                                      \
    return ElementType::TYPE;
#include "tc/Problem/ElementTypes.def"
  default:
    return std::nullopt;
  }
}

/// Sets the types of a problem, if they go together.
static bool setTypes(cpu::Problem &problem,
                     const model::PerTensor<TcElementType> &numbers) {
  for (Tensor tensor : model::allTensors) {
    std::optional<ElementType> type = typeOf(numbers[tensor]);
    if (!type)
      return false;
    problem.elementType[tensor] = *type;
  }
  std::optional<ElementType> factors = model::commonTypeOf(
      problem.elementType[Tensor::A], problem.elementType[Tensor::B]);
  if (!factors)
    return false;
  problem.accumulatorType = model::accumulatorTypeOf(*factors);
  return model::accumulatorTypeOf(problem.elementType[Tensor::C]) ==
         problem.accumulatorType;
}

/// Runs a function that may throw: those who call this may have no way to
/// unwind.
template <typename Body>
static TcErrorCode withoutThrowing(const Body &body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return TC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return TC_ERROR_INTERNAL;
  }
}

TcErrorCode tcCpuContract(const TcCpuIndex *indices, int32_t rank,
                          TcElementType typeA, TcElementType typeB,
                          TcElementType typeC, int32_t conjugates,
                          const void *a, const void *b, void *c,
                          const void *alpha, const void *beta,
                          int32_t threads) {
  constexpr int32_t flags =
      TC_CPU_CONJUGATE_A | TC_CPU_CONJUGATE_B | TC_CPU_NONSATURATING;
  if (rank < 0 || (rank > 0 && !indices) || threads < 0 ||
      (conjugates & ~flags) != 0)
    return TC_ERROR_INVALID_ARGUMENT;
  return withoutThrowing([&]() -> TcErrorCode {
    cpu::Problem problem;
    if (!setTypes(problem, {{typeA, typeB, typeC}}))
      return TC_ERROR_INVALID_ARGUMENT;
    bool multiplies = true, hasElements = true;
    for (int32_t i = 0; i < rank; ++i) {
      if (indices[i].extent < 0)
        return TC_ERROR_INVALID_ARGUMENT;
      multiplies &= indices[i].extent > 0;
      hasElements &= indices[i].extent > 0 || indices[i].strides[2] == 0;
    }
    if ((multiplies && (!a || !b)) || (hasElements && !c))
      return TC_ERROR_INVALID_ARGUMENT;
    // Plans for as many threads as there are depend on these.
    const int64_t most =
        threads == 0 ? -int64_t(cpu::threadsToPlanFor()) : int64_t(threads);
    auto plan = [&] {
      problem.conjugates[Tensor::A] = (conjugates & TC_CPU_CONJUGATE_A) != 0;
      problem.conjugates[Tensor::B] = (conjugates & TC_CPU_CONJUGATE_B) != 0;
      problem.saturates = (conjugates & TC_CPU_NONSATURATING) == 0;
      for (int32_t i = 0; i < rank; ++i) {
        const auto &[extent, strides] = indices[i];
        problem.add(extent, {{strides[0], strides[1], strides[2]}});
      }
      return cpu::Contraction(problem, static_cast<unsigned>(threads));
    };
    // Numbers of types and flags have 8 bits.
    const std::array<int64_t, 2> head = {
        {typeA | typeB << 8 | typeC << 16 | conjugates << 24, most}};
    static_assert(sizeof(TcCpuIndex) == 4 * sizeof(int64_t));
    const cpu::Contraction &contraction =
        cpu::PastPlans::findOrMake(head, rank > 0 ? &indices->extent : nullptr,
                                   static_cast<size_t>(rank) * 4, plan);
    return contraction.run(a, b, c, alpha, beta) == cpu::Outcome::Done
               ? 0
               : TC_ERROR_OUT_OF_MEMORY;
  });
}

namespace {

/// A call of tcCpuCombine, checked.
struct Combination {
  using Elements = cpu::ElementwiseProblem;

  std::vector<TcCpuCombinedIndex> indices;
  ElementType type = ElementType::F64;
  bool conjugatesA = false, conjugatesB = false, conjugatesC = false;
  bool saturates = true;
  const void *a, *b, *c;
  void *d;
  const void *alpha, *beta;
  /// Zero if the call does not say how many.
  unsigned threads;
  cpu::Ask ask;

  ElementType sums() const { return model::accumulatorTypeOf(type); }
  cpu::Real real() const { return cpu::realOf(sums()); }
  bool isComplex() const { return model::isComplex(type); }
  bool isSummed(const TcCpuCombinedIndex &index) const {
    return index.strides[Elements::D] == 0 && index.extent != 1;
  }
  bool sumsUp() const {
    return std::any_of(indices.begin(), indices.end(),
                       [&](const auto &index) { return isSummed(index); });
  }

  void combine() const;
  void bringC() const;
  cpu::Outcome contract() const;

private:
  using Team = cpu::Team;
  unsigned threadsToPlanFor() const {
    return threads == 0 ? cpu::threadsToPlanFor() : threads;
  }
  std::shared_ptr<const cpu::CopyPlan> planCopyOf(size_t from) const;
  Elements elements(bool conjugates) const;
};

} // namespace

/// The problem of the indices that D has, of A alone.
Combination::Elements Combination::elements(bool conjugates) const {
  Elements problem;
  for (const TcCpuCombinedIndex &index : indices)
    if (!isSummed(index))
      problem.axes.push_back(
          {index.extent,
           {{index.strides[Elements::A], b ? index.strides[Elements::B] : 0,
             index.strides[c ? Elements::C : Elements::D],
             index.strides[Elements::D]}}});
  problem.type = {{type, type, type, type}};
  problem.sums = sums();
  problem.conjugates = {{conjugates, conjugatesB, conjugatesC, false}};
  problem.saturates = saturates;
  problem.hasB = false;
  return problem;
}

/// The plan that copies A, or C, to D.
std::shared_ptr<const cpu::CopyPlan>
Combination::planCopyOf(size_t from) const {
  cpu::Problem problem;
  for (const TcCpuCombinedIndex &index : indices)
    if (!isSummed(index))
      problem.add(index.extent,
                  {{index.strides[from], 0, index.strides[Elements::D]}});
  problem.elementType = {{type, type, type}};
  problem.conjugates[Tensor::A] =
      from == Elements::A ? conjugatesA : conjugatesC;
  return cpu::planCopy(problem, threadsToPlanFor());
}

/// Computes D, if nothing is summed.
void Combination::combine() const {
  bool isCopy =
      !b && !c && (!alpha || cpu::isNumber(real(), isComplex(), alpha, 1));
  if (isCopy)
    if (auto copy = planCopyOf(Elements::A))
      return copy->run(a, d, Team(copy->moves->parts, ask));
  Elements problem = elements(conjugatesA);
  problem.hasB = b != nullptr;
  auto plan = cpu::planElementwise(std::move(problem), threadsToPlanFor());
  plan->run(a, b, c, d, alpha, beta, Team(plan->parts, ask));
}

/// Makes D op(C).
void Combination::bringC() const {
  bool isThere = c == d && !conjugatesC;
  for (const TcCpuCombinedIndex &index : indices)
    isThere &= isSummed(index) || index.extent == 1 ||
               index.strides[Elements::C] == index.strides[Elements::D];
  if (isThere)
    return;
  if (auto copy = planCopyOf(Elements::C))
    return copy->run(c, d, Team(copy->moves->parts, ask));
  Elements problem = elements(conjugatesC);
  for (Elements::Axis &axis : problem.axes)
    axis.stride[Elements::A] = axis.stride[Elements::C];
  auto plan = cpu::planElementwise(std::move(problem), threadsToPlanFor());
  plan->run(c, nullptr, nullptr, d, nullptr, nullptr, Team(plan->parts, ask));
}

/// Adds products up in D.
cpu::Outcome Combination::contract() const {
  cpu::Problem problem;
  problem.elementType = {{type, b ? type : sums(), type}};
  problem.accumulatorType = sums();
  problem.conjugates = {{conjugatesA, conjugatesB, false}};
  problem.saturates = saturates;
  for (const TcCpuCombinedIndex &index : indices)
    problem.add(index.extent, {{index.strides[Elements::A],
                                b ? index.strides[Elements::B] : 0,
                                index.strides[Elements::D]}});
  const void *factor = b ? b : cpu::oneOf(real());
  return cpu::Contraction(problem, threads)
      .run(a, factor, d, alpha, c ? beta : nullptr);
}

TcErrorCode tcCpuCombine(const TcCpuCombinedIndex *indices, int32_t rank,
                         TcElementType type, int32_t conjugates, const void *a,
                         const void *b, const void *c, void *d,
                         const void *alpha, const void *beta, int32_t threads) {
  constexpr int32_t flags = TC_CPU_CONJUGATE_A | TC_CPU_CONJUGATE_B |
                            TC_CPU_CONJUGATE_C | TC_CPU_NONSATURATING;
  std::optional<ElementType> known = typeOf(type);
  if (rank < 0 || (rank > 0 && !indices) || threads < 0 ||
      (conjugates & ~flags) != 0 || !known)
    return TC_ERROR_INVALID_ARGUMENT;
  return withoutThrowing([&]() -> TcErrorCode {
    Combination call;
    call.indices.assign(indices, indices + rank);
    call.type = *known;
    call.conjugatesA =
        call.isComplex() && (conjugates & TC_CPU_CONJUGATE_A) != 0;
    call.conjugatesB =
        call.isComplex() && (conjugates & TC_CPU_CONJUGATE_B) != 0;
    call.conjugatesC =
        call.isComplex() && (conjugates & TC_CPU_CONJUGATE_C) != 0;
    call.saturates = (conjugates & TC_CPU_NONSATURATING) == 0;
    bool readsC =
        beta && !cpu::isNumber(call.real(), call.isComplex(), beta, 0);
    bool multiplies = true, hasElements = true;
    for (const TcCpuCombinedIndex &index : call.indices) {
      using Elements = Combination::Elements;
      if (index.extent < 0 ||
          (call.isSummed(index) && readsC && index.strides[Elements::C] != 0))
        return TC_ERROR_INVALID_ARGUMENT;
      multiplies &= index.extent > 0;
      hasElements &= index.extent > 0 || index.strides[Elements::D] == 0;
    }
    int64_t alignment = model::byteWidth(model::realTypeOf(call.type));
    for (const void *pointer : {a, b, c, static_cast<const void *>(d)})
      if (reinterpret_cast<uintptr_t>(pointer) %
              static_cast<uintptr_t>(alignment) !=
          0)
        return TC_ERROR_INVALID_ARGUMENT;
    if ((multiplies && !a) || (hasElements && (!d || (readsC && !c))))
      return TC_ERROR_INVALID_ARGUMENT;
    call.a = a;
    call.b = b;
    call.c = readsC ? c : nullptr;
    call.d = d;
    call.alpha = alpha;
    call.beta = beta;
    call.threads = static_cast<unsigned>(threads);
    call.ask = threads == 0 ? cpu::Ask::Free : cpu::Ask::All;
    if (!hasElements)
      return 0;
    if (!call.sumsUp()) {
      call.combine();
      return 0;
    }
    if (call.c)
      call.bringC();
    return call.contract() == cpu::Outcome::Done ? 0 : TC_ERROR_OUT_OF_MEMORY;
  });
}

int32_t tcCpuThreadsGet(void) {
  return static_cast<int32_t>(cpu::threadsByDefault());
}

/// Sets a number of threads by one of two functions.
static TcErrorCode setThreads(unsigned (*set)(unsigned), int32_t threads,
                              int32_t *former) {
  if (threads < 0 || threads > TC_MOST_THREADS)
    return TC_ERROR_INVALID_ARGUMENT;
  const unsigned before = set(static_cast<unsigned>(threads));
  if (former)
    *former = static_cast<int32_t>(before);
  return 0;
}

TcErrorCode tcCpuThreadsSet(int32_t threads, int32_t *former) {
  return setThreads(cpu::setThreads, threads, former);
}

TcErrorCode tcCpuThreadsSetHere(int32_t threads, int32_t *former) {
  return setThreads(cpu::setThreadsHere, threads, former);
}
