//===- EntryPoint.cpp - What compiled code calls --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"
#include "tc/CpuRuntime/Contraction.h"

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
    problem.type[tensor] = *type;
  }
  std::optional<ElementType> factors =
      model::commonTypeOf(problem.type[Tensor::A], problem.type[Tensor::B]);
  if (!factors)
    return false;
  problem.sums = model::accumulatorTypeOf(*factors);
  return model::accumulatorTypeOf(problem.type[Tensor::C]) == problem.sums;
}

TcErrorCode tcCpuContract(const TcCpuIndex *indices, int32_t rank,
                          TcElementType typeA, TcElementType typeB,
                          TcElementType typeC, int32_t conjugates,
                          const void *a, const void *b, void *c,
                          const void *alpha, const void *beta,
                          int32_t threads) {
  constexpr int32_t flags = TC_CPU_CONJUGATE_A | TC_CPU_CONJUGATE_B;
  if (rank < 0 || (rank > 0 && !indices) || threads < 0 ||
      (conjugates & ~flags) != 0)
    return TC_ERROR_INVALID_ARGUMENT;
  try {
    cpu::Problem problem;
    if (!setTypes(problem, {{typeA, typeB, typeC}}))
      return TC_ERROR_INVALID_ARGUMENT;
    problem.conjugates[Tensor::A] = (conjugates & TC_CPU_CONJUGATE_A) != 0;
    problem.conjugates[Tensor::B] = (conjugates & TC_CPU_CONJUGATE_B) != 0;
    bool multiplies = true, hasElements = true;
    for (int32_t i = 0; i < rank; ++i) {
      const auto &[extent, strides] = indices[i];
      if (extent < 0)
        return TC_ERROR_INVALID_ARGUMENT;
      multiplies &= extent > 0;
      hasElements &= extent > 0 || strides[2] == 0;
      problem.indices.push_back(
          {extent, {{strides[0], strides[1], strides[2]}}});
    }
    if ((multiplies && (!a || !b)) || (hasElements && !c))
      return TC_ERROR_INVALID_ARGUMENT;
    cpu::Contraction contraction(problem, static_cast<unsigned>(threads));
    return contraction.run(a, b, c, alpha, beta) == cpu::Outcome::Done
               ? 0
               : TC_ERROR_OUT_OF_MEMORY;
  } catch (const std::bad_alloc &) {
    return TC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    // Those who call this may have no way to unwind.
    return TC_ERROR_INTERNAL;
  }
}
