//===- KernelQualityTest.cpp - Quality of the benchmark's kernels ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the kernels of the benchmark, with the schedules that the search
// chooses, to the predictions of their accesses, and bounds their traffic and
// instructions beyond the needs of their tiles. Work is counted by the
// simulator in blocks of the full-size problem. Spills are counted by ptxas in
// test/Integration/suite_ptx.py, and instructions around products, of which PTX
// tells little, in machine code by test/Integration/machine_code_limits.py.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "Machine/TestTargets.h"
#include "Problem/Suites.h"
#include "SimulatedKernel.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Gpu/Search/ScheduleSearch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;
using sim::InstructionKind;

namespace {

struct Quality {
  /// Sectors that warps ask for, over the distinct ones of each tile and those
  /// that partial sums fill.
  double sectors = 1;
  /// Wavefronts of shared memory, over those that there were without conflicts.
  double wavefronts = 1;
  /// Of the main loop: instructions that multiply, in units of FMA or of 16 x 8
  /// x 8, and all others.
  double products = 0, others = 0;

  double othersPerProduct() const {
    return products > 0 ? others / products : 0;
  }
};

double sectorRatio(const Contraction &contraction, const KernelLayout &layout,
                   const Target &target) {
  AccessCounts counts = countAccesses(contraction, layout, target);
  Traffic traffic = countTraffic(contraction, layout, target);
  double asked = counts.stores.sectors + counts.partStores.sectors +
                 counts.partLoads.sectors;
  for (Tensor tensor : allTensors)
    asked += counts.loads[tensor].sectors;
  double parts = (counts.partStores.bytes + counts.partLoads.bytes) /
                 static_cast<double>(target.sectorBytes);
  return asked / (traffic.total() + parts);
}

bool isProduct(InstructionKind kind) {
  return kind == InstructionKind::FmaF32 || kind == InstructionKind::FmaF64 ||
         kind == InstructionKind::MmaF64;
}

/// Counts the instructions that are issued in the loop around most products or,
/// where K takes so few steps that they make no loop, from the first product to
/// the last one.
void countMainLoop(const KernelLayout &layout, const sim::Profile &profile,
                   Quality &quality) {
  std::map<uint32_t, uint64_t> productsOfLoop;
  for (const sim::InstructionProfile &instruction : profile.instructions)
    if (isProduct(instruction.kind))
      productsOfLoop[instruction.loop] += instruction.warpInstructions;
  auto main = std::max_element(
      productsOfLoop.begin(), productsOfLoop.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  if (main == productsOfLoop.end())
    return;
  double products = 0, others = 0, since = 0;
  for (const sim::InstructionProfile &instruction : profile.instructions) {
    if (instruction.loop != main->first)
      continue;
    auto issued = static_cast<double>(instruction.warpInstructions);
    if (main->first != sim::noLoop) {
      (isProduct(instruction.kind) ? products : others) += issued;
    } else if (isProduct(instruction.kind)) {
      others += products > 0 ? since : 0;
      products += issued;
      since = 0;
    } else {
      since += issued;
    }
  }
  double unit = layout.isCollective()
                    ? double(layout.atom().shape.multiplyAdds()) / (16 * 8 * 8)
                    : 1;
  quality.products = unit * products;
  quality.others = others;
}

Quality measure(const SimulatedKernel &kernel, const sim::Counters &counters,
                const Target &target) {
  Quality quality;
  quality.sectors = sectorRatio(kernel.contraction(), kernel.layout(), target);
  const sim::SharedTraffic &traffic = counters.shared;
  quality.wavefronts =
      static_cast<double>(traffic.loadWavefronts + traffic.storeWavefronts) /
      static_cast<double>(traffic.idealLoadWavefronts +
                          traffic.idealStoreWavefronts);
  countMainLoop(kernel.layout(), *counters.profile, quality);
  return quality;
}

/// Runs blocks, and holds all that they do to the predictions.
void runAndCompare(const SimulatedKernel &kernel, const ZeroTensors &tensors,
                   const std::vector<int64_t> &blocks, const Target &target,
                   sim::Counters *counters = nullptr) {
  Result<sim::Counters> counted = kernel.run(tensors, blocks, /*profile=*/true);
  ASSERT_TRUE(counted) << counted.error();
  AccessCounts predicted =
      countAccesses(kernel.contraction(), kernel.layout(), target, blocks);
  for (const Quantity &quantity :
       compare(kernel.contraction(), kernel.layout(), predicted, *counted))
    EXPECT_EQ(quantity.predicted, quantity.counted) << describe(quantity);
  if (counters)
    *counters = std::move(*counted);
}

/// Those of a list that are not in another one.
std::vector<int64_t> without(const std::vector<int64_t> &blocks,
                             const std::vector<int64_t> &others) {
  std::vector<int64_t> left;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(left),
               [&](int64_t block) {
                 return std::find(others.begin(), others.end(), block) ==
                        others.end();
               });
  return left;
}

/// So many of the blocks at most, from the first to the last: where K is so
/// long that blocks share its sums, dozens of them do the same for a tile.
std::vector<int64_t> some(const std::vector<int64_t> &blocks) {
  constexpr size_t most = 6;
  if (blocks.size() <= most)
    return blocks;
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < most; ++i)
    chosen.push_back(blocks[i * (blocks.size() - 1) / (most - 1)]);
  return chosen;
}

class KernelsOfSuite
    : public testing::TestWithParam<std::pair<ElementType, const char *>> {};

// Edges are compared with their predictions, and waste is bounded inside.
TEST_P(KernelsOfSuite, DoWhatIsPredictedAndWasteLittle) {
  auto [type, chip] = GetParam();
  auto context = makeContext();
  std::vector<SuiteCase> suite = tccgSuite(type);
  double sectors = 0, wavefronts = 0;
  for (const SuiteCase &entry : suite) {
    SCOPED_TRACE(entry.name);
    Result<Schedule> schedule = searchSchedule(entry.contraction, target(chip));
    ASSERT_TRUE(schedule) << schedule.error();
    Result<SimulatedKernel> kernel =
        SimulatedKernel::compile(*context, entry.contraction, *schedule, 0);
    ASSERT_TRUE(kernel) << kernel.error();
    Result<std::vector<int64_t>> inner = kernel->blocks("first,middle");
    ASSERT_TRUE(inner) << inner.error();
    Result<std::vector<int64_t>> outer = kernel->blocks("last,edge");
    ASSERT_TRUE(outer) << outer.error();
    ZeroTensors tensors(entry.contraction);
    sim::Counters ofInner;
    ASSERT_NO_FATAL_FAILURE(
        runAndCompare(*kernel, tensors, some(*inner), target(chip), &ofInner));
    if (std::vector<int64_t> edges = without(*outer, *inner); !edges.empty())
      ASSERT_NO_FATAL_FAILURE(
          runAndCompare(*kernel, tensors, some(edges), target(chip)));
    Quality quality = measure(*kernel, ofInner, target(chip));
    sectors += quality.sectors;
    wavefronts += quality.wavefronts;
    EXPECT_LE(quality.sectors, 1.5);
    std::printf("%-22s %-12s sectors %.3f, wavefronts %.3f, other "
                "instructions in the loop per product %.2f\n",
                entry.name.c_str(),
                std::string(stringify(schedule->instruction)).c_str(),
                quality.sectors, quality.wavefronts,
                quality.othersPerProduct());
    if (atomOf(schedule->instruction).isCollective()) {
      EXPECT_LE(quality.othersPerProduct(), 4.1);
    } else if (schedule->registerM * schedule->registerN >= 64) {
      EXPECT_GE(quality.products, 0.85 * (quality.products + quality.others));
    }
  }
  auto count = static_cast<double>(suite.size());
  std::printf("on average: sectors %.3f wavefronts %.3f\n", sectors / count,
              wavefronts / count);
  EXPECT_LE(sectors / count, 1.10);
  // Kernels of f32 that wait for the L2 cache have conflicts that cost nothing.
  EXPECT_LE(wavefronts / count, type == ElementType::F32 ? 1.08 : 1.05);
}

INSTANTIATE_TEST_SUITE_P(TCCG, KernelsOfSuite,
                         testing::Values(std::pair(ElementType::F64, "sm_90"),
                                         std::pair(ElementType::F32, "sm_90"),
                                         std::pair(ElementType::F64, "sm_80"),
                                         std::pair(ElementType::F32, "sm_80")),
                         [](const auto &info) {
                           return std::string(stringify(info.param.first)) +
                                  info.param.second;
                         });

} // namespace
