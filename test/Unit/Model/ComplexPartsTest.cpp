//===- ComplexPartsTest.cpp - Complex contractions as real ones -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Problem/ComplexParts.h"

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

/// Of the form with three products.
Schedule scheduleOfThree(std::vector<TileExtent> k) {
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", 8}};
  schedule.n = {{"n", 2}};
  schedule.k = std::move(k);
  schedule.registerM = 2;
  return schedule;
}

TEST(ComplexParts, ThreeProducts) {
  Contraction three = toThreeProducts(matmul());
  EXPECT_FALSE(three.parts);
  ASSERT_TRUE(three.threeProducts);
  const Index &products = three.indices[*three.threeProducts];
  EXPECT_EQ(products.label, "re_im_3m");
  EXPECT_EQ(products.extent, 3);
  EXPECT_EQ(products.role, Role::K);
  EXPECT_EQ(products.stride, (Strides{{0, 0, 0}}));
  EXPECT_EQ(three.elementType[Tensor::A], ElementType::C64);
  EXPECT_EQ(three.factorType, ElementType::F64);
  EXPECT_EQ(three.accumulatorType, ElementType::F64);
  EXPECT_EQ(three.fusedMultiplyAdds(), 3 * 8 * 6 * 4);

  // A schedule tells the form by the index that only it names.
  Schedule schedule = scheduleOfThree({{"re_im_3m", 1}, {"k", 4}});
  EXPECT_EQ(formOf(matmul(), schedule.k), ComplexForm::ThreeProducts);
  EXPECT_EQ(formOf(matmul(false, ElementType::F64), schedule.k),
            ComplexForm::FourProducts);
  Contraction named = matmul();
  named.indices[*named.find("k")].label = "re_im_3m";
  schedule.k = {{"re_im_3m", 4}};
  EXPECT_EQ(formOf(named, schedule.k), ComplexForm::FourProducts);
  schedule.k = {{"re_im_3m_", 1}, {"re_im_3m", 4}};
  EXPECT_EQ(formOf(named, schedule.k), ComplexForm::ThreeProducts);
}

TEST(ComplexParts, PanelsOfThreeProducts) {
  Contraction three = toThreeProducts(matmul());
  Schedule schedule = scheduleOfThree({{"re_im_3m", 1}, {"k", 2}});
  Result<KernelLayout> layout = layOut(three, schedule, target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  // An access loads one number, and stores a factor of half its size.
  for (const Staging *staging : {&layout->a, &layout->b}) {
    EXPECT_EQ(staging->width, 1);
    EXPECT_EQ(staging->elementType, ElementType::F64);
    EXPECT_FALSE(staging->asynchronous);
  }
  EXPECT_EQ(layout->a.accesses, 8 * 2);
  EXPECT_EQ(layout->b.accesses, 2 * 2);
  EXPECT_EQ(layout->steps, 3 * 2);
  // A sum has two steps, and begins with empty panels.
  schedule.stages = 4;
  layout = layOut(three, schedule, target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->buffers, 2);
}

TEST(ComplexParts, SchedulesOfThreeProducts) {
  Contraction three = toThreeProducts(matmul());
  auto errorOf = [&](const Schedule &schedule) {
    Result<KernelLayout> layout = layOut(three, schedule, target("sm_90"));
    return layout ? std::string() : layout.error();
  };
  const char *place = "schedule: index 're_im_3m', over products of parts of "
                      "complex numbers, must have a tile of 1 and be the first "
                      "of K";
  EXPECT_EQ(errorOf(scheduleOfThree({{"k", 4}, {"re_im_3m", 1}})), place);
  EXPECT_EQ(errorOf(scheduleOfThree({{"re_im_3m", 3}, {"k", 4}})), place);
  Schedule split = scheduleOfThree({{"re_im_3m", 1}, {"k", 2}});
  split.mapping.splitK = 3;
  EXPECT_EQ(errorOf(split),
            "schedule: K is split over 3 blocks, but must not be where complex "
            "numbers are multiplied by three products");
}

TEST(ComplexParts, ScheduleSearchOfThreeProducts) {
  Result<Schedule> found =
      searchSchedule(toThreeProducts(matmul()), target("sm_90"));
  ASSERT_TRUE(found) << found.error();
  ASSERT_EQ(found->k.size(), 2u);
  EXPECT_EQ(found->k.front().label, "re_im_3m");
  EXPECT_EQ(found->k.front().extent, 1);
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

TEST(ComplexParts, SchedulesOfThreeProductsOfCPUs) {
  Contraction three = toThreeProducts(matmul());
  CpuSchedule good;
  good.rows = Role::N;
  good.m = {{"m", 8}};
  good.n = {{"n", 5}};
  good.k = {{"re_im_3m", 3}, {"k", 2}};
  good.lanes = good.registerRows = 8;
  good.registerColumns = 4;
  Result<CpuLayout> layout = layOut(three, good);
  ASSERT_TRUE(layout) << layout.error();
  // Rows are whole numbers, and panels hold three factors of each.
  EXPECT_EQ(layout->rows.packing, Packing::Copy);
  EXPECT_EQ(layout->columns.packing, Packing::Transpose);
  EXPECT_EQ(layout->products, 3);
  EXPECT_EQ(layout->depth, 3 * 2);
  ASSERT_EQ(layout->k.size(), 1u);
  EXPECT_EQ(layout->k.front().blocks(), 2);
  EXPECT_EQ(layout->panelBytes(three), (8 + 2 * 4) * (3 * 2) * 8);

  const char *place = "cpu_schedule: index 're_im_3m', over products of parts "
                      "of complex numbers, must be the first of 'k', with a "
                      "tile of 3";
  CpuSchedule last = good;
  std::swap(last.k.front(), last.k.back());
  EXPECT_EQ(layOut(three, last).error(), place);
  CpuSchedule one = good;
  one.k.front().extent = 1;
  EXPECT_EQ(layOut(three, one).error(), place);
  for (Strategy strategy : {Strategy::LoG, Strategy::TTGT}) {
    CpuSchedule other = good;
    other.strategy = strategy;
    EXPECT_EQ(layOut(three, other).error(),
              "cpu_schedule: complex numbers need strategy = gett");
  }

  // Nothing else need be summed.
  Result<Contraction> outer =
      makeContiguous({{labels("m"), labels("n"), labels("mn")}},
                     {{"m", 8}, {"n", 6}}, ElementType::C64);
  good.k = {{"re_im_3m", 3}};
  layout = layOut(toThreeProducts(*outer), good);
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->depth, 3);
  EXPECT_EQ(layout->k.size(), 1u);
}

} // namespace
