//===- Reference.cpp - Elements of C from the definition --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Reference.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::runtime;

Reference::Reference(const Kernel &kernel, const Problem &problem)
    : problem(problem), offsetA(kernel.tensors[0].offset),
      offsetB(kernel.tensors[1].offset) {
  model::Contraction contraction = contractionOf(kernel);
  for (const std::string &label : problem.c().geometry().labels) {
    const auto &stride = contraction.indices[*contraction.find(label)].stride;
    outputStrides.push_back(
        {stride[model::Tensor::A], stride[model::Tensor::B]});
  }
  for (unsigned k : contraction.withRole(model::Role::K)) {
    const model::Index &index = contraction.indices[k];
    summed.push_back({index.extent, index.stride[model::Tensor::A],
                      index.stride[model::Tensor::B]});
    length = saturatingMultiply(length, index.extent);
  }
  // The innermost loop is the one whose steps are shortest.
  std::sort(summed.begin(), summed.end(),
            [](const SummedIndex &x, const SummedIndex &y) {
              return magnitude(x.strideA) + magnitude(x.strideB) >
                     magnitude(y.strideA) + magnitude(y.strideB);
            });
  if (summed.empty())
    summed.push_back({1, 0, 0});
}

template <typename TA, typename TB>
ReferenceValue Reference::sum(int64_t a, int64_t b) const {
  const TA *dataA = problem.tensors[0].as<TA>();
  const TB *dataB = problem.tensors[1].as<TB>();
  const SummedIndex inner = summed.back();
  size_t outer = summed.size() - 1;
  std::vector<int64_t> coordinates(outer);
  long double total = 0;
  double squares = 0;
  for (;;) {
    for (int64_t i = 0; i < inner.extent; ++i) {
      long double term =
          static_cast<long double>(dataA[a + i * inner.strideA]) *
          static_cast<long double>(dataB[b + i * inner.strideB]);
      total += term;
      double rounded = static_cast<double>(term);
      squares += rounded * rounded;
    }
    size_t level = outer;
    for (; level-- > 0;) {
      a += summed[level].strideA;
      b += summed[level].strideB;
      if (++coordinates[level] < summed[level].extent)
        break;
      a -= summed[level].extent * summed[level].strideA;
      b -= summed[level].extent * summed[level].strideB;
      coordinates[level] = 0;
    }
    if (level == static_cast<size_t>(-1))
      return {total, squares};
  }
}

ReferenceValue Reference::at(const std::vector<int64_t> &coordinates) const {
  int64_t a = offsetA, b = offsetB;
  const Geometry &geometry = problem.c().geometry();
  int64_t position = geometry.offset;
  for (size_t i = 0; i < coordinates.size(); ++i) {
    a += coordinates[i] * outputStrides[i].first;
    b += coordinates[i] * outputStrides[i].second;
    position += coordinates[i] * geometry.dims[i].stride;
  }
  ReferenceValue result = dispatch(problem.tensors[0].type(), [&](auto zeroA) {
    return dispatch(problem.tensors[1].type(), [&](auto zeroB) {
      return sum<decltype(zeroA), decltype(zeroB)>(a, b);
    });
  });

  long double addend = 0;
  // What C holds must not count when beta is zero, even if it is no number.
  if (problem.beta != 0)
    addend = problem.beta * dispatch(problem.c().type(), [&](auto zero) {
               using T = decltype(zero);
               auto bits = problem.c().initialBits<T>(position);
               T value;
               std::memcpy(&value, &bits, sizeof(T));
               return static_cast<long double>(value);
             });
  double rounded = static_cast<double>(addend);
  result.value = problem.alpha * result.value + addend;
  result.magnitude = std::sqrt(
      problem.alpha * problem.alpha * result.magnitude + rounded * rounded);
  return result;
}
