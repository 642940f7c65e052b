//===- TuningKeyTest.cpp - Keys, and names of indices ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Tuning/TuningKey.h"
#include "Problem/TestContractions.h"
#include "Problem/ValueChanges.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/ContractionRecord.h"

#include <set>

using namespace tc;
using namespace tc::tuning;
using model::Contraction;
using model::CpuSchedule;
using model::ElementType;
using model::test::contract;

namespace {

model::CpuTarget cpu() {
  model::CpuTarget target;
  target.name = "cpu";
  target.product = "product";
  target.cores = 4;
  target.clockHertz = 3e9;
  target.vectorBytes = 32;
  target.vectorRegisters = 16;
  target.fmaPerCycleF32 = 16;
  target.fmaPerCycleF64 = 8;
  target.caches = {{"L1", 32 << 10, 8, 64, 1, 2e11},
                   {"L2", 256 << 10, 4, 64, 1, 1e11}};
  target.memoryBytesPerSecond = 1e10;
  return target;
}

/// C[a,b,i,j] of A[a,i,k] and B[b,k,j], under other names.
Contraction transposed(const std::string &names,
                       ElementType type = ElementType::F32) {
  auto rename = [&](std::string list) {
    for (char &c : list)
      c = names[std::string("abijk").find(c)];
    return list;
  };
  model::test::Extents extents;
  for (size_t i = 0; i < 5; ++i)
    extents.push_back({std::string(1, names[i]), int64_t(24 + 8 * i)});
  return contract(rename("aik"), rename("bkj"), rename("abij"), extents, type);
}

TEST(TuningKeyTest, NamesOfIndicesDoNotCount) {
  ContractionCode code, other;
  code.epilogue = "relu(x + s0[a, j])";
  other.epilogue = "relu(x + s0[z, k])";
  EXPECT_EQ(describeForGpu(transposed("abijk"), code),
            describeForGpu(transposed("zyxkj"), other));
  EXPECT_NE(describeForGpu(transposed("abijk"), code).find("s0[i0, i3]"),
            std::string::npos);
  EXPECT_EQ(describeForCpu(transposed("abijk"), code),
            describeForCpu(transposed("zyxkj"), other));
}

TEST(TuningKeyTest, AllElseCounts) {
  Contraction contraction = transposed("abijk");
  contraction.parts.emplace();
  contraction.parts->summed = 1;
  contraction.threeProducts = 1;
  contraction.userSemiring.padding.emplace();
  contraction.runTime.emplace();
  ContractionCode code;
  std::string key = describeForGpu(contraction, code);
  std::set<std::string> keys = {key};
  forEachChange(contraction, [&](const std::string &name, FieldUse) {
    bool isLabel = name.find("label") != std::string::npos;
    EXPECT_EQ(keys.insert(describeForGpu(contraction, code)).second, !isLabel)
        << name;
  });
  for (std::string ContractionCode::*text :
       {&ContractionCode::prologueA, &ContractionCode::prologueB,
        &ContractionCode::product, &ContractionCode::combine,
        &ContractionCode::epilogue}) {
    ContractionCode changed;
    changed.*text = "abs(x)";
    EXPECT_TRUE(keys.insert(describeForGpu(contraction, changed)).second);
  }
  code.allowsThreeProducts = true;
  EXPECT_TRUE(keys.insert(describeForGpu(contraction, code)).second);
}

TEST(TuningKeyTest, CpusTakeTensorsOfAnyAlignment) {
  Contraction contraction = transposed("abijk");
  std::string key = describeForCpu(contraction, {});
  contraction.offset[model::Tensor::A] = 3;
  contraction.baseAlignment[model::Tensor::B] = 1;
  EXPECT_EQ(describeForCpu(contraction, {}), key);
  contraction.indices[0].extent = 7;
  EXPECT_NE(describeForCpu(contraction, {}), key);
}

TEST(TuningKeyTest, MachinesAreWhatDoesNotChange) {
  model::CpuTarget target = cpu();
  std::string machine = describeMachine(target, 2);
  EXPECT_EQ(machine, "cpu, product, 4 cores, 16 registers of 32 B, L1 32768 B, "
                     "8 ways, for 1, L2 262144 B, 4 ways, for 1, 2 threads");
  target.clockHertz = 1e9;
  target.costs.tileCycles = 7;
  target.memoryBytes = 1;
  target.calibration = "file";
  target.caches[0].bytesPerSecond = target.memoryBytesPerSecond = 1;
  EXPECT_EQ(describeMachine(target, 2), machine);
  EXPECT_NE(describeMachine(target, 1), machine);
  target.caches[1].bytes = 1 << 20;
  EXPECT_NE(describeMachine(target, 2), machine);
  EXPECT_EQ(describeMachine(**model::findTarget("sm_80")), "sm_80");
}

/// Expects that the choice under other names is the renamed one, and that
/// renaming back gives the original.
template <typename ScheduleT>
void expectRenamed(const Contraction &from, const ScheduleT &schedule,
                   const Contraction &to, const ScheduleT &expected) {
  Result<ScheduleT> renamed = renameIndices(schedule, from, to);
  ASSERT_TRUE(renamed) << renamed.error();
  EXPECT_TRUE(*renamed == expected);
  Result<ScheduleT> back = renameIndices(*renamed, to, from);
  ASSERT_TRUE(back) << back.error();
  EXPECT_TRUE(*back == schedule);
}

TEST(TuningKeyTest, RenamesSchedulesOfAllStrategies) {
  model::CpuTarget target = cpu();
  Contraction from = transposed("abijk"), to = withCanonicalNames(from);
  auto ofFrom = model::considerStrategies(from, target),
       ofTo = model::considerStrategies(to, target);
  ASSERT_TRUE(ofFrom && ofTo);
  for (size_t i = 0; i < ofFrom->size(); ++i) {
    ASSERT_EQ((*ofFrom)[i].unavailable, "");
    expectRenamed(from, (*ofFrom)[i].schedule, to, (*ofTo)[i].schedule);
  }
  // The copies of TTGT have merged indices here.
  bool isMerged = false;
  for (const model::TileExtent &tile : (*ofTo)[1].schedule.m)
    isMerged |= tile.label.size() > 2;
  EXPECT_TRUE(isMerged);
}

TEST(TuningKeyTest, RenamesSchedulesOfComplexNumbers) {
  Contraction from = transposed("abijk", ElementType::C64),
              to = withCanonicalNames(from);
  model::CpuTarget target = cpu();
  const model::Target &gpu = **model::findTarget("sm_80");
  for (model::ComplexForm form :
       {model::ComplexForm::FourProducts, model::ComplexForm::ThreeProducts}) {
    Contraction formOfFrom = model::toForm(form, from);
    Contraction formOfTo = model::toForm(form, to);
    expectRenamed(from, *model::searchSchedule(formOfFrom, gpu), to,
                  *model::searchSchedule(formOfTo, gpu));
    expectRenamed(
        from, *model::searchCpuSchedule(model::joinParts(formOfFrom), target),
        to, *model::searchCpuSchedule(model::joinParts(formOfTo), target));
  }
}

TEST(TuningKeyTest, RefusesOtherNames) {
  Contraction from = transposed("abijk"), to = withCanonicalNames(from);
  Result<CpuSchedule> schedule = model::searchCpuSchedule(from, cpu());
  ASSERT_TRUE(schedule);
  schedule->m[0].label = "other";
  Result<CpuSchedule> renamed = renameIndices(*schedule, from, to);
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error(), "the contraction has no index 'other'");
}

} // namespace
