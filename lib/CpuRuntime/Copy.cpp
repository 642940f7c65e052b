//===- Copy.cpp - Contractions that only move elements --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#include <complex>
#include <cstring>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;

std::unique_ptr<const CopyPlan> tc::cpu::planCopy(const Problem &problem,
                                                  unsigned threads) {
  if (problem.elementType[Tensor::A] != problem.elementType[Tensor::C] ||
      problem.conjugates[Tensor::A])
    return nullptr;
  ElementwiseProblem made;
  for (const Index &index : problem.indices) {
    auto [a, b, c] = static_cast<const std::array<int64_t, 3> &>(index.stride);
    if (index.extent != 1 && (b != 0 || c == 0))
      return nullptr;
    made.axes.push_back({index.extent, {{a, 0, c, c}}});
  }
  const ElementType type = problem.elementType[Tensor::A];
  made.type = {{type, type, type, type}};
  made.sums = type;
  made.offset = {{problem.offset[Tensor::A], 0, problem.offset[Tensor::C],
                  problem.offset[Tensor::C]}};
  made.hasB = false;
  auto plan = std::make_unique<CopyPlan>();
  plan->moves = planMove(std::move(made), threads);
  plan->offsetB = problem.offset[Tensor::B];
  plan->typeOfB = problem.elementType[Tensor::B];
  return plan;
}

bool CopyPlan::applies(const void *b) const {
  const char *place = static_cast<const char *>(b) +
                      offsetB * static_cast<int64_t>(model::byteWidth(typeOfB));
  auto is = [&](auto one) {
    decltype(one) found;
    std::memcpy(&found, place, sizeof found);
    return found == one;
  };
  switch (typeOfB) {
  case ElementType::F64:
    return is(1.0);
  case ElementType::F32:
    return is(1.0F);
  case ElementType::C64:
    return is(std::complex<double>(1));
  case ElementType::C32:
    return is(std::complex<float>(1));
  case ElementType::F16:
    return is(uint16_t(0x3c00));
  case ElementType::BF16:
    return is(uint16_t(0x3f80));
  case ElementType::I8:
    return is(int8_t(1));
  case ElementType::I32:
    return is(int32_t(1));
  case ElementType::I64:
    return is(int64_t(1));
  default:
    return false;
  }
}
