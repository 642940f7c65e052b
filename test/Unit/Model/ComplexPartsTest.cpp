//===- ComplexPartsTest.cpp - Complex contractions as real ones -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Model/ComplexParts.h"
#include "tc/Model/CpuSchedule.h"
#include "tc/Model/KernelLayout.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// C[m,n], or C[n,m], of A[m,k] and B[k,n], with 8, 6 and 4 values of m, n and
/// k.
Contraction matmul(bool swapsOutput = false,
                   ElementType type = ElementType::C64) {
  Result<Contraction> result = makeContiguous(
      {{labels("mk"), labels("kn"), labels(swapsOutput ? "nm" : "mn")}},
      {{"m", 8}, {"n", 6}, {"k", 4}}, type);
  EXPECT_TRUE(result);
  return std::move(*result);
}

PerTensor<int64_t> strideOf(const Contraction &contraction, const char *label) {
  return contraction.indices[*contraction.find(label)].stride;
}

using Strides = PerTensor<int64_t>;

TEST(ComplexParts, OfBoth) {
  Contraction real = toRealParts(matmul());
  ASSERT_TRUE(real.parts && real.parts->summed);
  EXPECT_EQ(real.parts->expanded, Tensor::B);
  for (Tensor tensor : allTensors)
    EXPECT_EQ(real.elementType[tensor], ElementType::F64);
  EXPECT_EQ(real.factorType, ElementType::F64);
  EXPECT_EQ(real.accumulatorType, ElementType::F64);
  EXPECT_EQ(strideOf(real, "m"), (Strides{{8, 0, 12}}));
  EXPECT_EQ(strideOf(real, "k"), (Strides{{2, 12, 0}}));
  EXPECT_EQ(strideOf(real, "re_im"), (Strides{{0, 1, 1}}));
  EXPECT_EQ(strideOf(real, "re_im_k"), (Strides{{1, 0, 0}}));
  EXPECT_EQ(real.indices[real.parts->output].role, Role::N);
  EXPECT_EQ(real.indices[*real.parts->summed].role, Role::K);
  // Four real multiplications for a complex one, and two numbers an element.
  EXPECT_EQ(real.fusedMultiplyAdds(), 4 * 8 * 6 * 4);
  EXPECT_EQ(real.elements(Tensor::A), 2 * 8 * 4);
  EXPECT_EQ(real.elements(Tensor::B), 2 * 6 * 4);
  EXPECT_EQ(real.elements(Tensor::C), 2 * 8 * 6);
}

TEST(ComplexParts, OfOne) {
  for (Tensor complex : {Tensor::A, Tensor::B}) {
    Contraction contraction = matmul();
    Tensor other = complex == Tensor::A ? Tensor::B : Tensor::A;
    contraction.elementType[other] = ElementType::F64;
    Contraction real = toRealParts(contraction);
    ASSERT_TRUE(real.parts);
    EXPECT_FALSE(real.parts->summed);
    EXPECT_EQ(real.parts->expanded, complex);
    EXPECT_EQ(real.indices[real.parts->output].role,
              complex == Tensor::A ? Role::M : Role::N);
    EXPECT_EQ(real.elements(other), contraction.elements(other));
    EXPECT_EQ(real.fusedMultiplyAdds(), 2 * 8 * 6 * 4);
  }
}

TEST(ComplexParts, OfNone) {
  Contraction real = toRealParts(matmul(false, ElementType::F64));
  EXPECT_FALSE(real.parts);
  EXPECT_EQ(real.indices.size(), 3u);
  EXPECT_FALSE(joinParts(real).parts);
}

TEST(ComplexParts, NamesAreUnused) {
  Contraction contraction = matmul();
  contraction.indices[0].label = "re_im";
  Contraction real = toRealParts(contraction);
  EXPECT_EQ(real.indices[real.parts->output].label, "re_im_");
}

TEST(ComplexParts, JoinedAlongTheOutput) {
  Contraction joined = joinParts(toRealParts(matmul()));
  ASSERT_TRUE(joined.parts && joined.parts->summed);
  EXPECT_EQ(joined.indices.size(), 4u);
  EXPECT_EQ(joined.parts->expanded, Tensor::B);
  EXPECT_EQ(joined.indices[joined.parts->output].label, "n");
  EXPECT_EQ(joined.indices[joined.parts->output].extent, 12);
  EXPECT_EQ(strideOf(joined, "n"), (Strides{{0, 1, 1}}));
  EXPECT_EQ(joined.indices[*joined.parts->summed].label, "re_im_k");

  // Where rows of C lie along M, A is expanded, but its rows do not.
  joined = joinParts(toRealParts(matmul(/*swapsOutput=*/true)));
  EXPECT_EQ(joined.indices.size(), 5u);
  EXPECT_EQ(joined.parts->expanded, Tensor::A);
  EXPECT_EQ(joined.indices[joined.parts->output].role, Role::M);
  EXPECT_EQ(strideOf(joined, "re_im"), (Strides{{1, 0, 1}}));
  EXPECT_EQ(strideOf(joined, "re_im_k"), (Strides{{0, 1, 0}}));
}

Schedule schedule(int64_t part, int64_t summed, int64_t registerN) {
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", 8}};
  schedule.n = {{"n", 2}, {"re_im", part}};
  schedule.k = {{"k", 4}, {"re_im_k", summed}};
  schedule.registerM = 2;
  schedule.registerN = registerN;
  return schedule;
}

TEST(ComplexParts, PanelsOfKernels) {
  Contraction real = toRealParts(matmul());
  Result<KernelLayout> layout =
      layOut(real, schedule(2, 2, 2), target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  // An access loads a number of B, and stores the two rows of its matrix.
  EXPECT_EQ(layout->b.width, 2);
  EXPECT_EQ(layout->b.accesses, 4 * 2);
  EXPECT_EQ(layout->b.copiesOfAccess(), 2);
  EXPECT_FALSE(layout->b.asynchronous);
  EXPECT_TRUE(layout->a.asynchronous);
  EXPECT_EQ(layout->a.accesses * layout->a.width, 8 * 4 * 2);
  EXPECT_EQ(layout->a.copiesOfAccess(), 1);
  EXPECT_EQ(layout->widthC, 2);
  EXPECT_TRUE(layout->storesAlongN);
}

TEST(ComplexParts, SchedulesThatTearThemApart) {
  Contraction real = toRealParts(matmul());
  const Target &sm90 = target("sm_90");
  auto errorOf = [&](const Contraction &contraction, const Schedule &schedule) {
    Result<KernelLayout> layout = layOut(contraction, schedule, sm90);
    return layout ? std::string() : layout.error();
  };
  EXPECT_EQ(errorOf(real, schedule(1, 2, 2)),
            "schedule: index 're_im', over the parts of complex numbers, must "
            "have a tile of 2 and be the last of N");
  EXPECT_EQ(errorOf(real, schedule(2, 1, 2)),
            "schedule: index 're_im_k', over the parts of complex numbers, "
            "must have a tile of 2, but it is 1");
  EXPECT_EQ(errorOf(real, schedule(2, 2, 1)),
            "schedule: register tile along N is 1, which does not divide into "
            "complex numbers");
  Schedule swapped = schedule(2, 2, 2);
  std::swap(swapped.n[0], swapped.n[1]);
  EXPECT_NE(errorOf(real, swapped), "");
  Contraction contraction = matmul();
  contraction.elementType[Tensor::B] = ElementType::F64;
  Schedule ofA = schedule(2, 2, 2);
  ofA.k.pop_back();
  ofA.m.push_back(ofA.n.back());
  ofA.n.pop_back();
  EXPECT_EQ(errorOf(toRealParts(contraction), ofA),
            "schedule: A is complex and B is not: swap them");
}

TEST(ComplexParts, SchedulesOfCPUs) {
  Contraction joined = joinParts(toRealParts(matmul()));
  CpuSchedule good;
  good.rows = Role::N;
  good.m = {{"m", 8}};
  good.n = {{"n", 12}};
  good.k = {{"k", 4}, {"re_im_k", 2}};
  good.lanes = good.registerRows = 8;
  good.registerColumns = 4;
  Result<CpuLayout> layout = layOut(joined, good);
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->rows.packing, Packing::Copy);
  EXPECT_EQ(layout->rows.chunk % 2, 0);
  CpuSchedule odd = good;
  odd.n = {{"n", 5}};
  EXPECT_EQ(layOut(joined, odd).error(),
            "cpu_schedule: the tile of index 'n', over the parts of complex "
            "numbers, must be even, but is 5");
  CpuSchedule columns = good;
  columns.rows = Role::M;
  EXPECT_EQ(layOut(joined, columns).error(),
            "cpu_schedule: index 'n', over the parts of complex numbers, must "
            "be the last of the rows");
  CpuSchedule loops = good;
  loops.strategy = Strategy::LoG;
  EXPECT_EQ(layOut(joined, loops).error(),
            "cpu_schedule: complex numbers need strategy = gett");
}

} // namespace
