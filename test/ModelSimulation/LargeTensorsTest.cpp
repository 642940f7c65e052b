//===- LargeTensorsTest.cpp - Tensors beyond 32 bits ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products C[i,j] = A[i,k] * B[k,j] of tensors whose offsets, in elements or in
// bytes, take more than 32 bits, simulated where they are largest. Numbers are
// small positive integers, so that sums are exact and none is zero, as C is at
// first. Memory is only taken for elements that are touched.
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "SimulatedKernel.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

constexpr int64_t two31 = int64_t(1) << 31;

struct Case {
  const char *name;
  ElementType type;
  int64_t i, j, k;
  /// Strides of i and k in A, of k and j in B, of i and j in C.
  int64_t ai, ak, bk, bj, ci, cj;
};

double numberA(int64_t i, int64_t k) {
  return static_cast<double>((i * 7 + k * 3) % 5 + 1);
}
double numberB(int64_t k, int64_t j) {
  return static_cast<double>((k * 5 + j) % 3 + 1);
}

Contraction contractionOf(const Case &c) {
  Contraction contraction;
  contraction.elementType = {{c.type, c.type, c.type}};
  contraction.factorType = contraction.accumulatorType = c.type;
  contraction.indices = {{"i", c.i, Role::M, {{c.ai, 0, c.ci}}},
                         {"j", c.j, Role::N, {{0, c.bj, c.cj}}},
                         {"k", c.k, Role::K, {{c.ak, c.bk, 0}}}};
  return contraction;
}

/// The values of an index that are looked at: all, or those at its beginning,
/// in its middle and at its end, in which each kernel's tiles fit.
std::vector<int64_t> windows(int64_t extent) {
  constexpr int64_t size = 1024;
  std::vector<int64_t> values;
  auto add = [&](int64_t begin, int64_t end) {
    for (int64_t i = std::max<int64_t>(begin, 0); i < std::min(end, extent);
         ++i)
      if (values.empty() || i > values.back())
        values.push_back(i);
  };
  if (extent <= 4 * size) {
    add(0, extent);
    return values;
  }
  add(0, size);
  add(extent / 2 - size, extent / 2 + size);
  add(extent - size, extent);
  return values;
}

template <typename T> class Product {
public:
  Product(const Case &c, const ZeroTensors &tensors)
      : c(c), buffers(tensors.buffers()), rows(windows(c.i)),
        columns(windows(c.j)), steps(windows(c.k)) {}

  void fill() {
    for (int64_t k : steps) {
      for (int64_t i : rows)
        at(Tensor::A, i * c.ai + k * c.ak) = static_cast<T>(numberA(i, k));
      for (int64_t j : columns)
        at(Tensor::B, k * c.bk + j * c.bj) = static_cast<T>(numberB(k, j));
    }
  }

  /// Checks elements of C: those that a block owns are right, all others zero.
  /// Returns how many rows and columns have one that is right.
  std::pair<size_t, size_t> check() {
    std::vector<bool> rowIsRight(rows.size()), columnIsRight(columns.size());
    unsigned wrong = 0;
    for (size_t row = 0; row < rows.size(); ++row)
      for (size_t column = 0; column < columns.size(); ++column) {
        int64_t i = rows[row], j = columns[column];
        double expected = 0;
        for (int64_t k : steps)
          expected += numberA(i, k) * numberB(k, j);
        auto found = static_cast<double>(at(Tensor::C, i * c.ci + j * c.cj));
        if (found == expected)
          rowIsRight[row] = columnIsRight[column] = true;
        else if (found != 0 && ++wrong < 10)
          ADD_FAILURE() << "C[" << i << ", " << j << "] is " << found
                        << ", not " << expected;
      }
    EXPECT_EQ(wrong, 0u);
    auto count = [](const std::vector<bool> &flags) {
      return static_cast<size_t>(std::count(flags.begin(), flags.end(), true));
    };
    return {count(rowIsRight), count(columnIsRight)};
  }

  /// Returns true if the element in the last row and the last column is right.
  bool lastIsRight() {
    int64_t i = c.i - 1, j = c.j - 1;
    double expected = 0;
    for (int64_t k : steps)
      expected += numberA(i, k) * numberB(k, j);
    return static_cast<double>(at(Tensor::C, i * c.ci + j * c.cj)) == expected;
  }

private:
  T &at(Tensor tensor, int64_t position) {
    return reinterpret_cast<T *>(
        buffers[static_cast<size_t>(tensor)].data)[position];
  }

  const Case &c;
  std::vector<sim::GlobalBuffer> buffers;
  std::vector<int64_t> rows, columns, steps;
};

template <typename T> void runCase(const Case &c) {
  Contraction contraction = contractionOf(c);
  auto context = makeContext();
  Result<Schedule> schedule = searchSchedule(contraction, target("sm_90"));
  ASSERT_TRUE(schedule) << schedule.error();
  Result<SimulatedKernel> kernel =
      SimulatedKernel::compile(*context, contraction, *schedule, 0);
  ASSERT_TRUE(kernel) << kernel.error();
  bool isSmall = c.i <= 4096 && c.j <= 4096;
  Result<std::vector<int64_t>> blocks =
      kernel->blocks(isSmall ? "all" : "first,middle,last,edge");
  ASSERT_TRUE(blocks) << blocks.error();
  ZeroTensors tensors(contraction);
  Product<T> product(c, tensors);
  product.fill();
  Result<sim::Counters> counters = kernel->run(tensors, *blocks);
  ASSERT_TRUE(counters) << counters.error();
  auto [rows, columns] = product.check();
  EXPECT_TRUE(product.lastIsRight());
  if (isSmall) {
    EXPECT_EQ(rows, static_cast<size_t>(c.i));
    EXPECT_EQ(columns, static_cast<size_t>(c.j));
  } else {
    // Three blocks at least have some of each.
    EXPECT_GE(rows + columns, 6u);
  }
}

class LargeTensors : public testing::TestWithParam<Case> {};

TEST_P(LargeTensors, AreAddressed) {
  const Case &c = GetParam();
  if (c.type == ElementType::F64)
    runCase<double>(c);
  else
    runCase<float>(c);
}

constexpr ElementType f32 = ElementType::F32, f64 = ElementType::F64;

INSTANTIATE_TEST_SUITE_P(
    Sizes, LargeTensors,
    testing::Values(
        // Tensors of more than 2^32 elements, in which only A and C, or B and
        // C, are large.
        Case{"Rows", f32, 2 * two31 / 8 + 3, 8, 8, 8, 1, 8, 1, 8, 1},
        Case{"Columns", f32, 8, 2 * two31 / 8 + 3, 8, 8, 1, 2 * two31 / 8 + 3,
             1, 2 * two31 / 8 + 3, 1},
        // More than 2^31 values of one index.
        Case{"Extent", f32, two31 + 5, 1, 2, 2, 1, 1, 1, 1, 1},
        // More bytes than 2^32, but fewer elements than 2^31.
        Case{"Bytes", f64, two31 / 8 - 1, 8, 4, 4, 1, 8, 1, 8, 1},
        // Views: strides that no 32 bits hold, in each tensor.
        Case{"StridesOfA", f64, 40, 24, 30, two31 + 7, 1, 24, 1, 24, 1},
        Case{"StridesOfK", f64, 40, 24, 30, 1, two31 + 7, two31 + 9, 1, 24, 1},
        Case{"StridesOfB", f32, 40, 24, 30, 30, 1, 1, two31 + 7, 24, 1},
        Case{"StridesOfC", f32, 40, 24, 30, 30, 1, 24, 1, two31 + 7, 1},
        // Views that reach just below 2^31 elements, and just beyond.
        Case{"Below", f64, 3, 24, 30, (two31 - 32) / 2, 1, 24, 1,
             (two31 - 26) / 2, 1},
        Case{"Beyond", f64, 3, 24, 30, (two31 - 28) / 2, 1, 24, 1,
             (two31 - 22) / 2, 1}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
