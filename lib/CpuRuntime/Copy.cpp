//===- Copy.cpp - Contractions that only move elements --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where neighbours in C are neighbours in A, too, runs are copied. Else squares
// of both indices along which they are neighbours are, each of which stays in
// the first cache.
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#include "tc/CpuRuntime/Team.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;
using Dimension = CopyPlan::Dimension;

std::unique_ptr<const CopyPlan> tc::cpu::planCopy(const Problem &problem,
                                                  unsigned threads) {
  if (problem.type[Tensor::A] != problem.type[Tensor::C] ||
      problem.conjugates[Tensor::A])
    return nullptr;
  auto plan = std::make_unique<CopyPlan>();
  std::vector<Dimension> &dimensions = plan->dimensions;
  double count = 1;
  for (const Index &index : problem.indices) {
    if (index.extent == 0)
      return nullptr;
    if (index.extent == 1)
      continue;
    if (index.stride[Tensor::B] != 0 || index.stride[Tensor::C] == 0)
      return nullptr;
    dimensions.push_back(
        {index.extent, index.stride[Tensor::A], index.stride[Tensor::C]});
    count *= static_cast<double>(index.extent);
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension &a, const Dimension &b) {
              return std::abs(a.ofC) < std::abs(b.ofC);
            });
  size_t kept = 0;
  for (size_t i = 1; i < dimensions.size(); ++i) {
    Dimension &last = dimensions[kept];
    if (dimensions[i].ofA == last.ofA * last.extent &&
        dimensions[i].ofC == last.ofC * last.extent)
      last.extent *= dimensions[i].extent;
    else
      dimensions[++kept] = dimensions[i];
  }
  if (!dimensions.empty())
    dimensions.resize(kept + 1);
  plan->offsetA = problem.offset[Tensor::A];
  plan->offsetB = problem.offset[Tensor::B];
  plan->offsetC = problem.offset[Tensor::C];
  plan->type = problem.type[Tensor::A];
  plan->typeOfB = problem.type[Tensor::B];
  // What a thread has to have to move, that it is worth to wake it.
  constexpr double leastBytes = 1 << 20;
  double most = count * static_cast<double>(model::byteWidth(plan->type));
  if (!dimensions.empty())
    plan->parts = static_cast<int64_t>(
        std::clamp(most / leastBytes, 1.0,
                   static_cast<double>(
                       std::min<int64_t>(threads, dimensions.back().extent))));
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
  default:
    return false;
  }
}

namespace {

struct Pair {
  uint64_t parts[2];
};

/// Copies a part of a plan, whose elements are like T.
template <typename T> class Copier {
public:
  Copier(std::vector<Dimension> given) : dimensions(std::move(given)) {
    if (dimensions.empty())
      dimensions.push_back({1, 1, 1});
    auto closest =
        std::min_element(dimensions.begin(), dimensions.end(),
                         [](const Dimension &a, const Dimension &b) {
                           return magnitudeOf(a.ofA) < magnitudeOf(b.ofA);
                         });
    inner = dimensions.front();
    if (closest != dimensions.begin())
      other = *closest;
    if (closest != dimensions.begin())
      dimensions.erase(closest);
    dimensions.erase(dimensions.begin());
  }

  void run(const T *a, T *c) const { loop(dimensions.size(), a, c); }

private:
  /// What repeats an element of A comes last.
  static int64_t magnitudeOf(int64_t stride) {
    return stride == 0 ? std::numeric_limits<int64_t>::max() : std::abs(stride);
  }

  void loop(size_t depth, const T *a, T *c) const {
    if (depth == 0) {
      copySquares(a, c);
      return;
    }
    const Dimension &along = dimensions[depth - 1];
    for (int64_t i = 0; i < along.extent; ++i)
      loop(depth - 1, a + i * along.ofA, c + i * along.ofC);
  }

  void copySquares(const T *a, T *c) const {
    if (other.extent == 1) {
      copyRow(inner.extent, a, c);
      return;
    }
    constexpr int64_t side = 16;
    for (int64_t y = 0; y < other.extent; y += side)
      for (int64_t x = 0; x < inner.extent; x += side) {
        int64_t rows = std::min(side, other.extent - y);
        int64_t columns = std::min(side, inner.extent - x);
        for (int64_t row = 0; row < rows; ++row)
          copyRow(columns, a + x * inner.ofA + (y + row) * other.ofA,
                  c + x * inner.ofC + (y + row) * other.ofC);
      }
  }

  void copyRow(int64_t count, const T *a, T *c) const {
    if (inner.ofA == 1 && inner.ofC == 1)
      std::memcpy(c, a, static_cast<size_t>(count) * sizeof(T));
    else if (inner.ofC == 1)
      for (int64_t i = 0; i < count; ++i)
        c[i] = a[i * inner.ofA];
    else
      for (int64_t i = 0; i < count; ++i)
        c[i * inner.ofC] = a[i * inner.ofA];
  }

  std::vector<Dimension> dimensions;
  Dimension inner = {1, 1, 1}, other = {1, 0, 0};
};

} // namespace

template <typename T>
static void runAs(const CopyPlan &plan, const void *a, void *c) {
  const T *from = static_cast<const T *>(a) + plan.offsetA;
  T *to = static_cast<T *>(c) + plan.offsetC;
  struct Part {
    Copier<T> copier;
    int64_t ofA, ofC;
  };
  // Tasks must not fail, and what is allocated here may.
  std::vector<Part> parts;
  for (int64_t number = 0; number < plan.parts; ++number) {
    std::vector<Dimension> dimensions = plan.dimensions;
    int64_t first = 0;
    if (plan.parts > 1) {
      int64_t extent = dimensions.back().extent;
      first = extent * number / plan.parts;
      dimensions.back().extent = extent * (number + 1) / plan.parts - first;
    }
    int64_t ofA = dimensions.empty() ? 0 : first * dimensions.back().ofA;
    int64_t ofC = dimensions.empty() ? 0 : first * dimensions.back().ofC;
    parts.push_back({Copier<T>(std::move(dimensions)), ofA, ofC});
  }
  runTasks(plan.parts, [&](int64_t number) {
    const Part &part = parts[static_cast<size_t>(number)];
    part.copier.run(from + part.ofA, to + part.ofC);
  });
}

void CopyPlan::run(const void *a, void *c) const {
  switch (model::byteWidth(type)) {
  case 1:
    return runAs<uint8_t>(*this, a, c);
  case 2:
    return runAs<uint16_t>(*this, a, c);
  case 4:
    return runAs<uint32_t>(*this, a, c);
  case 8:
    return runAs<uint64_t>(*this, a, c);
  default:
    return runAs<Pair>(*this, a, c);
  }
}
