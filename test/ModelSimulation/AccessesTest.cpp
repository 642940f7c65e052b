//===- AccessesTest.cpp - Predicted accesses against counted ones ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels in the simulator and compares the counts with the model's for
// their layouts.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "Gpu/Layout/TestSchedules.h"
#include "Problem/Suites.h"
#include "Ranking.h"
#include "SimulatedKernel.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

bool anyRagged(const std::vector<TileDim> &dims) {
  return std::any_of(dims.begin(), dims.end(),
                     [](const TileDim &dim) { return dim.ragged(); });
}

/// Returns true if threads may be outside the tensor when they store.
bool mayBeOutside(const KernelLayout &layout) {
  return anyRagged(layout.m) || anyRagged(layout.n);
}

/// Without a loop, LLVM moves products to where they are stored, so that
/// threads outside the tensor leave them out.
bool mayLeaveOutProducts(const KernelLayout &layout) {
  return layout.steps == 1 && mayBeOutside(layout);
}

/// So it does with loads of partial sums where it unrolls the loop over parts.
bool mayLeaveOutParts(const KernelLayout &layout) {
  return layout.mapping.splitK > 1 && mayBeOutside(layout);
}

/// Returns true if threads may copy one after the other. If not all of them
/// take part in the last round of a copy, LLVM may join that guard with others,
/// or put the code behind it into both of its branches.
bool mayCopyApart(const KernelLayout &layout) {
  return layout.a.accesses % layout.threads != 0 ||
         layout.b.accesses % layout.threads != 0;
}

/// Returns true if memref types can describe the tensors, and none of them
/// repeats rows: loads of repeated rows, which are one and the same to a
/// thread, are merged.
bool isPlain(const Contraction &contraction) {
  return std::all_of(
      contraction.indices.begin(), contraction.indices.end(),
      [](const Index &index) {
        bool repeats =
            index.role == Role::K && index.extent > 1 &&
            (index.stride[Tensor::A] == 0 || index.stride[Tensor::B] == 0);
        return !repeats && std::all_of(allTensors.begin(), allTensors.end(),
                                       [&](Tensor tensor) {
                                         return index.stride[tensor] >= 0;
                                       });
      });
}

/// The numbers of figures that were compared, and of those that were equal.
struct Tally {
  unsigned kernels = 0, figures = 0, equal = 0;
};

/// Compares all that a kernel does with the prediction.
void compareKernel(mlir::MLIRContext &context, const Contraction &contraction,
                   const Schedule &schedule, Tally &tally) {
  Result<SimulatedKernel> kernel = SimulatedKernel::compile(
      context, contraction, schedule, contraction.readsC ? 0.5 : 0);
  ASSERT_TRUE(kernel) << kernel.error();
  Result<sim::Counters> counters = kernel->run(ZeroTensors(contraction), {});
  ASSERT_TRUE(counters) << counters.error();
  const KernelLayout &layout = kernel->layout();
  AccessCounts predicted =
      countAccesses(kernel->contraction(), layout, target("sm_90"));
  ++tally.kernels;
  for (const Quantity &quantity :
       compare(kernel->contraction(), layout, predicted, *counters)) {
    using Part = Quantity::Part;
    bool mayBeLess =
        (mayLeaveOutProducts(layout) && (quantity.part == Part::Products ||
                                         quantity.part == Part::PanelLoads)) ||
        (mayLeaveOutParts(layout) &&
         (quantity.part == Part::PartLoads || quantity.name == "ld.global"));
    bool mayBeMore =
        mayCopyApart(layout) &&
        (quantity.part == Part::PanelStores || quantity.part == Part::Tensors);
    if (!mayBeLess) {
      EXPECT_GE(quantity.counted, quantity.predicted) << describe(quantity);
    }
    if (!mayBeMore) {
      EXPECT_LE(quantity.counted, quantity.predicted) << describe(quantity);
    }
    tally.equal += quantity.counted == quantity.predicted;
    ++tally.figures;
  }
}

/// Returns true if a kernel is small enough for all of it to be simulated.
bool isSmall(const KernelLayout &layout) {
  return layout.blocks * layout.steps * layout.mapping.tilesPerBlock *
             layout.blockM * layout.blockN * layout.blockK <=
         200'000;
}

TEST(AccessesSimulated, WholeGridsOfRandomKernels) {
  auto context = makeContext();
  std::mt19937 random(20261121);
  Tally tally;
  for (unsigned trial = 0; trial < 5000 && tally.kernels < 200; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    schedule.target = "sm_90";
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    if (!layout || !isPlain(contraction) || !isSmall(*layout))
      continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ASSERT_NO_FATAL_FAILURE(
        compareKernel(*context, contraction, schedule, tally));
  }
  EXPECT_EQ(tally.kernels, 200u);
  EXPECT_GE(tally.equal, 0.95 * tally.figures);
}

// Tiles mapped to blocks in every way.
TEST(AccessesSimulated, WholeGridsOfRandomMappings) {
  auto context = makeContext();
  std::mt19937 random(20261122);
  Tally plain, persistent, sharing;
  for (unsigned trial = 0; trial < 20000; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    schedule.target = "sm_90";
    mapRandomly(schedule, contraction, random);
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    if (!layout || !isPlain(contraction) || !isSmall(*layout))
      continue;
    bool isPersistent = schedule.mapping.stationary != Stationary::Output;
    Tally &tally = isPersistent                  ? persistent
                   : schedule.mapping.splitK > 1 ? sharing
                                                 : plain;
    if (tally.kernels == 100)
      continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ASSERT_NO_FATAL_FAILURE(
        compareKernel(*context, contraction, schedule, tally));
  }
  for (const Tally *tally : {&plain, &persistent, &sharing}) {
    EXPECT_EQ(tally->kernels, 100u);
    EXPECT_GE(tally->equal, 0.95 * tally->figures);
    std::printf("%u of %u figures are equal\n", tally->equal, tally->figures);
  }
}

/// The purpose of the model: schedules that it prefers move less.
TEST(AccessesSimulated, RankRandomSchedules) {
  auto context = makeContext();
  std::mt19937 random(12);
  std::vector<SuiteCase> suite = tccgSuite(ElementType::F64);
  for (size_t i : {0, 14, 40}) {
    Result<Ranking> ranking = rankRandomSchedules(
        *context, suite[i].contraction, target("sm_90"), 20, random);
    ASSERT_TRUE(ranking) << ranking.error();
    EXPECT_GE(rankCorrelation(ranking->accesses, ranking->counted), 0.95)
        << suite[i].name;
  }
}

TEST(AccessesSimulated, RankCorrelation) {
  EXPECT_EQ(rankCorrelation({1, 2, 3}, {2, 4, 9}), 1);
  EXPECT_EQ(rankCorrelation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_NEAR(rankCorrelation({1, 2, 3}, {1, 3, 2}), 0.5, 1e-15);
  // The ranks of the first are 0, 1.5, 1.5 and 3.
  EXPECT_NEAR(rankCorrelation({1, 2, 2, 3}, {1, 2, 3, 4}),
              4.5 / std::sqrt(4.5 * 5), 1e-15);
}

} // namespace
