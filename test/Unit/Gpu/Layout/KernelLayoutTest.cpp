//===- KernelLayoutTest.cpp - Tests of kernel layouts ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSchedules.h"

#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Support/Arithmetic.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

std::string errorOf(const Contraction &contraction, const Schedule &schedule,
                    const std::string &name = "sm_90") {
  Result<KernelLayout> layout = layOut(contraction, schedule, target(name));
  return layout ? "no error" : layout.error();
}

KernelLayout layOutOrFail(const Contraction &contraction,
                          const Schedule &schedule) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target("sm_90"));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return {};
  }
  return *layout;
}

std::string labelsOf(const Contraction &contraction,
                     const std::vector<TileDim> &dims) {
  std::string result;
  for (const TileDim &dim : dims)
    result += contraction.indices[dim.index].label;
  return result;
}

Contraction product(int64_t m = 256, int64_t n = 256, int64_t k = 64) {
  return contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", k}});
}

Schedule productSchedule() {
  return {"sm_90", {{"m", 128}}, {{"n", 128}}, {{"k", 8}}, 8, 8};
}

TEST(KernelLayout, MatrixProduct) {
  Contraction contraction = product();
  KernelLayout layout = layOutOrFail(contraction, productSchedule());
  EXPECT_EQ(layout.threads, 256);
  EXPECT_EQ(layout.threadsM, 16);
  // A's rows are along K, so a thread's positions lie apart.
  EXPECT_EQ(layout.groupM, 1);
  EXPECT_EQ(layout.groupN, 2);
  EXPECT_EQ(layout.laneDepth, 2);
  EXPECT_EQ(layout.steps, 8);
  EXPECT_EQ(layout.blocks, 4);
  EXPECT_TRUE(layout.lanesAlongN);
  EXPECT_EQ(layout.widthC, 2);

  // A thread copies two neighbouring rows, which need one address.
  EXPECT_EQ(labelsOf(contraction, layout.a.order), "kmm");
  EXPECT_EQ(layout.a.width, 2);
  EXPECT_EQ(layout.a.accesses, 128 * 8 / 2);
  EXPECT_EQ(layout.a.accessesPerThread, 2);
  EXPECT_FALSE(layout.a.passesRegisters());
  EXPECT_TRUE(layout.a.contiguousInSharedTile);
  EXPECT_TRUE(layout.a.alongK);
  EXPECT_EQ(layout.a.rows, 128);
  EXPECT_EQ(layout.a.rowLength, 12);
  EXPECT_EQ(layout.a.fragmentWidth, 2);

  EXPECT_EQ(labelsOf(contraction, layout.b.order), "nkn");
  EXPECT_TRUE(layout.b.contiguousInSharedTile);
  EXPECT_FALSE(layout.b.alongK);
  EXPECT_EQ(layout.b.rows, 8);
  EXPECT_EQ(layout.b.rowLength, 128);
  EXPECT_EQ(layout.b.fragmentWidth, 2);

  EXPECT_EQ(layout.buffers, 2);
  EXPECT_EQ(layout.sharedBytes, 2 * (128 * 12 + 8 * 128) * 8);
  // 64 accumulators, 8 rows of two k and 8 columns of one; accesses of each
  // operand differ by constants, so there is one place for all.
  EXPECT_EQ(layout.registers,
            2 * (64 + 16 + 8) + 2 * 3 + GpuRegisterCosts().base);

  // Copies by way of registers have two elements each.
  Schedule schedule = productSchedule();
  schedule.m[0].extent = schedule.n[0].extent = 64;
  schedule.registerM = 4;
  Result<KernelLayout> turing = layOut(contraction, schedule, target("sm_75"));
  ASSERT_TRUE(turing) << turing.error();
  EXPECT_TRUE(turing->a.passesRegisters());
  EXPECT_EQ(turing->registers, 2 * (32 + 8 + 8) + (2 + 2) * (2 * 2) + 2 * 3 +
                                   GpuRegisterCosts().base);
}

TEST(KernelLayout, MatrixInstructions) {
  Contraction contraction = product();
  Schedule schedule{"sm_90", {{"m", 128}}, {{"n", 64}}, {{"k", 16}}, 8, 8};
  schedule.instruction = Instruction::MmaM8N8K4;
  schedule.stages = 4;
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(layout.threads, 128);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.groupM, 1);
  EXPECT_EQ(layout.groupN, 2);
  EXPECT_EQ(layout.laneDepth, 2);
  EXPECT_EQ(layout.stepDepth(), 8);
  // Two rows of 8 lanes that are served at a time are 64 bytes apart.
  EXPECT_EQ(layout.a.rowLength, 16 + 8);
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.rowLength, 64 + 2);
  EXPECT_EQ(layout.b.fragmentWidth, 2);
  EXPECT_EQ(layout.laneColumns, 2);
  EXPECT_TRUE(layout.swapsPlaces(/*ofN=*/true));
  EXPECT_FALSE(layout.swapsPlaces(/*ofN=*/false));
  EXPECT_EQ(layout.buffers, 4);
  EXPECT_EQ(layout.bufferBytes, (128 * 24 + 16 * 66) * 8);
  // 64 accumulators, 8 rows and 4 columns of two k each.
  EXPECT_EQ(layout.registers,
            2 * (64 + 2 * (8 + 4)) + 2 * 3 + GpuRegisterCosts().base);
  // Lane 13 of warp 5 is in row 3 and column 1; two warps share a row.
  ThreadPosition at = positionOf(layout, 2 * 32 + 13);
  EXPECT_EQ(layout.threadsN, 8);
  EXPECT_EQ(at.m, 8 + 3);
  EXPECT_EQ(at.n, 1);
  // Its lane row, the second odd one, loads columns of the second round.
  EXPECT_EQ(placeInRound(layout, /*ofN=*/true, 0, 5), 5);
  EXPECT_EQ(placeInRound(layout, /*ofN=*/true, 1, 5), 4);
  EXPECT_EQ(placeInRound(layout, /*ofN=*/false, 1, 5), 5);
  EXPECT_EQ(fragmentPosition(layout, /*ofN=*/true, 13), (8 + (1 ^ 1)) * 2);
  EXPECT_EQ(fragmentPosition(layout, /*ofN=*/true, 9), (0 + 1) * 2);
  EXPECT_EQ(fragmentPosition(layout, /*ofN=*/false, 13), 3);

  // Three columns are loaded one by one. There are too few threads along N for
  // rows.
  Schedule odd = schedule;
  odd.registerN = 6;
  odd.n[0].extent = 24;
  layout = layOutOrFail(contraction, odd);
  EXPECT_EQ(layout.laneColumns, 1);
  EXPECT_EQ(layout.groupN, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 1);

  // With C's index of stride one along M, rows are along N.
  Contraction turned =
      contract("km", "kn", "nm", {{"m", 256}, {"n", 256}, {"k", 64}});
  layout = layOutOrFail(turned, schedule);
  EXPECT_FALSE(layout.rowsAlongM());
  EXPECT_EQ(layout.groupM, 2);
  EXPECT_EQ(layout.groupN, 2);
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 2);
}

// One load brings values that are neighbours in the registers of an instruction
// of 16 rows: rows, or values of k of a column. The one of the other kind is
// loaded by the element.
TEST(KernelLayout, FragmentsFitRegisters) {
  Schedule schedule{"sm_90", {{"m", 128}}, {{"n", 64}}, {{"k", 16}}, 8, 8};
  schedule.instruction = Instruction::MmaM16N8K8;
  std::vector<std::pair<std::string, int64_t>> extents = {
      {"m", 256}, {"n", 256}, {"k", 256}};

  // A's neighbours are along K, B's along N: so rows are along N, though C's
  // index of stride one is there.
  KernelLayout layout = layOutOrFail(product(256, 256, 256), schedule);
  EXPECT_FALSE(layout.rowsAlongM());
  EXPECT_TRUE(layout.storesAlongN);
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 2);
  EXPECT_EQ(layout.laneDepth, 2);
  EXPECT_EQ(layout.laneColumns, 1);
  EXPECT_EQ(layout.groupM, 2);
  EXPECT_EQ(layout.groupN, 2);
  EXPECT_EQ(layout.widthC, 2);
  // Over fewer values of k, that saves fewer loads than it takes moves to store
  // neighbours of C, which are rows then.
  layout = layOutOrFail(product(), schedule);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.laneColumns, 1);
  EXPECT_EQ(layout.widthC, 2);
  // The shape leaves no choice: rows of A are loaded by the element, and with
  // them columns, which are along N.
  Schedule narrow = schedule;
  narrow.registerN = 6;
  narrow.n[0].extent = 24;
  layout = layOutOrFail(product(), narrow);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.a.fragmentWidth, 1);
  EXPECT_EQ(layout.b.fragmentWidth, 1);

  // Both along K: a lane's values of k are not neighbours, for words would meet
  // in banks otherwise. C decides.
  Contraction alongK = contract("mk", "nk", "mn", extents);
  layout = layOutOrFail(alongK, schedule);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.a.fragmentWidth, 1);
  EXPECT_EQ(layout.b.fragmentWidth, 1);
  EXPECT_EQ(layout.laneDepth, 1);
  EXPECT_EQ(layout.stepDepth(), 8);
  EXPECT_EQ(layout.stepDepthOfThread(), 2);
  SharedRequests loads = countSharedStep(alongK, layout, target("sm_90")).loads;
  EXPECT_EQ(loads.conflicts(), 0);
  // Rows cost twice as much as columns: they are along the shorter side.
  Schedule tall = schedule;
  tall.registerM = 16;
  tall.registerN = 4;
  layout = layOutOrFail(alongK, tall);
  EXPECT_FALSE(layout.rowsAlongM());

  // Neither along K: columns are loaded together only where an instruction has
  // one value of k of each.
  Contraction alongSides = contract("km", "kn", "mn", extents);
  layout = layOutOrFail(alongSides, schedule);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 1);
  Schedule shallow = schedule;
  shallow.instruction = Instruction::MmaM16N8K4;
  layout = layOutOrFail(alongSides, shallow);
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 2);
  EXPECT_TRUE(layout.swapsPlaces(/*ofN=*/true));
  EXPECT_EQ(layout.stepDepth(), 4);

  // TF32 is rounded in place: of four neighbours, two fit.
  Contraction rounded = contract("mk", "kn", "mn", extents, ElementType::F32);
  rounded.precision = Precision::TF32;
  layout = layOutOrFail(rounded, schedule);
  EXPECT_FALSE(layout.rowsAlongM());
  EXPECT_EQ(layout.a.fragmentWidth, 2);
  EXPECT_EQ(layout.b.fragmentWidth, 2);
  // Sums of f32 are moved as well.
  Contraction shortK = contract(
      "mk", "kn", "mn", {{"m", 256}, {"n", 256}, {"k", 32}}, ElementType::F32);
  shortK.precision = Precision::TF32;
  EXPECT_TRUE(layOutOrFail(shortK, schedule).rowsAlongM());
  // BF16 is packed, so that it fits as it comes.
  rounded.precision = Precision::BF16x3;
  layout = layOutOrFail(rounded, schedule);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_EQ(layout.b.fragmentWidth, 4);

  // Groups of terms of a sum do not depend on shared tiles, nor do their rows.
  Contraction term = product(256, 256, 256);
  term.isTerm = true;
  EXPECT_TRUE(layOutOrFail(term, schedule).rowsAlongM());
}

TEST(KernelLayout, ErrorsOfMatrixInstructions) {
  Schedule schedule{"sm_90", {{"m", 32}}, {{"n", 32}}, {{"k", 8}}, 4, 4};
  schedule.instruction = Instruction::MmaM16N8K8;
  EXPECT_EQ(errorOf(product(), schedule, "sm_80"),
            "schedule: instruction 'mma_m16n8k8' for f64 needs tensor cores of "
            "sm_90, which sm_80 does not have");
  Contraction single = contract(
      "mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 8}}, ElementType::F32);
  EXPECT_EQ(errorOf(single, schedule),
            "schedule: instruction 'mma_m16n8k8' multiplies f64, f32 with "
            "precision tf32, f32 with precision 3xtf32, f32 with precision "
            "bf16x3, f16, bf16, f8e4m3fn, f8e5m2, not f32");
  schedule.k[0].extent = 4;
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: instruction 'mma_m16n8k8' needs a block tile along K "
            "that is a multiple of 8, but it is 4");
  schedule.k[0].extent = 8;
  // The messages are of rows along M; along N the block can't be divided
  // either.
  schedule.registerM = 8;
  schedule.n[0].extent = 24;
  schedule.registerN = 12;
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: instruction 'mma_m16n8k8' needs a number of threads "
            "along M that is a multiple of 8, but it is 4");
  schedule.registerM = 1;
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: instruction 'mma_m16n8k8' needs a register tile along M "
            "that is a multiple of 2, but it is 1");
  schedule.registerM = 2;
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: instruction 'mma_m16n8k8' needs a number of threads "
            "along N that is a multiple of 4, but it is 2");
  schedule.registerN = 1;
  schedule.m[0].extent = 16;
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: instruction 'mma_m16n8k8' needs a register tile along N "
            "that is a multiple of 2, but it is 1");
}

TEST(KernelLayout, EightBitsShareRegisters) {
  Contraction contraction =
      contract("mk", "nk", "mn", {{"m", 64}, {"n", 64}, {"k", 128}},
               ElementType::F8E4M3FN);
  Schedule schedule{"sm_90", {{"m", 32}}, {{"n", 32}}, {{"k", 64}}, 4, 4};
  schedule.instruction = Instruction::MmaM16N8K32;
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(layout.factorsPerRegister(), 4);
  EXPECT_FALSE(layout.loadsMatrices());
  // A lane loads 16 bytes along K, for two instructions.
  EXPECT_EQ(layout.laneDepth, 16);
  EXPECT_EQ(layout.a.fragmentWidth, 16);
  EXPECT_EQ(layout.stepDepth(), 64);
  EXPECT_FALSE(layout.a.passesRegisters());
  EXPECT_EQ(layout.a.width, 16);
  EXPECT_EQ(instructionsFor(contraction, target("sm_89")),
            (std::vector{Instruction::MmaM16N8K32, Instruction::FMA}));
  EXPECT_EQ(errorOf(contraction, schedule, "sm_80"),
            "schedule: instruction 'mma_m16n8k32' for f8e4m3fn needs tensor "
            "cores of sm_89, which sm_80 does not have");
  Target old = target("sm_90");
  old.ptxVersion = 78;
  Result<KernelLayout> refused = layOut(contraction, schedule, old);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "schedule: instruction 'mma_m16n8k32' for f8e4m3fn needs version "
            "8.4 of PTX, but sm_90 has 7.8");
}

// The large shapes of f64 are Hopper's; later chips have the small one, of
// which ptxas makes the others.
TEST(KernelLayout, ShapesAreThoseThatTheChipHas) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 64}});
  auto rate = [&](Instruction instruction, const char *name) {
    return *multiplyAddsPerCycle(contraction, instruction, target(name));
  };
  EXPECT_EQ(instructionsFor(contraction, target("sm_90")),
            (std::vector{Instruction::MmaM16N8K8, Instruction::MmaM16N8K4,
                         Instruction::FMA}));
  for (const char *name : {"sm_80", "sm_100", "sm_103"})
    EXPECT_EQ(instructionsFor(contraction, target(name)),
              (std::vector{Instruction::MmaM8N8K4, Instruction::FMA}))
        << name;
  for (const char *name : {"sm_86", "sm_89", "sm_110", "sm_120", "sm_121"})
    EXPECT_EQ(instructionsFor(contraction, target(name)),
              (std::vector{Instruction::FMA}))
        << name;
  // If they are asked for, they have the rate of their parts, and so many
  // parts.
  for (auto [instruction, count] : {std::pair(Instruction::MmaM8N8K4, 1),
                                    {Instruction::MmaM16N8K4, 2},
                                    {Instruction::MmaM16N8K8, 4},
                                    {Instruction::MmaM16N8K16, 8}}) {
    EXPECT_EQ(rate(instruction, "sm_100"), 64);
    EXPECT_EQ(nativeInstructionsOf(contraction, instruction, target("sm_100")),
              count);
    EXPECT_EQ(nativeInstructionsOf(contraction, instruction, target("sm_90")),
              1);
  }
  EXPECT_EQ(rate(Instruction::MmaM8N8K4, "sm_90"), 64);
  EXPECT_EQ(rate(Instruction::MmaM16N8K8, "sm_90"), 128);
}

// 8-bit floats become halves where no instruction multiplies them, or ptxas
// makes others of it.
TEST(KernelLayout, EightBitsBecomeHalves) {
  Contraction contraction =
      contract("mk", "nk", "mn", {{"m", 64}, {"n", 64}, {"k", 128}},
               ElementType::F8E5M2);
  for (const char *name : {"sm_80", "sm_90", "sm_100", "sm_103", "sm_110"})
    EXPECT_EQ(instructionsFor(contraction, target(name)),
              (std::vector{Instruction::MmaM16N8K16, Instruction::MmaM16N8K8,
                           Instruction::FMA}));
  EXPECT_EQ(instructionsFor(contraction, target("sm_75")),
            (std::vector{Instruction::MmaM16N8K8, Instruction::FMA}));
  for (const char *name : {"sm_120", "sm_121"})
    EXPECT_EQ(instructionsFor(contraction, target(name)),
              (std::vector{Instruction::MmaM16N8K32, Instruction::FMA}));

  Schedule schedule{"sm_90", {{"m", 32}}, {{"n", 32}}, {{"k", 64}}, 4, 4};
  schedule.instruction = Instruction::MmaM16N8K16;
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(layout.a.elementType, ElementType::F16);
  EXPECT_TRUE(layout.loadsMatrices());
  EXPECT_TRUE(layout.a.passesRegisters());
  // The elements of one store, 16 bytes of halves, are loaded at once.
  EXPECT_EQ(layout.a.width, 8);
  schedule.instruction = Instruction::FMA;
  layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(layout.a.elementType, ElementType::F8E5M2);
  EXPECT_FALSE(layout.a.passesRegisters());
}

// A's index of stride one is a, but b varies fastest along M: a thread copies
// four values of b, of eight values of a each.
TEST(KernelLayout, NarrowNeighboursAreGathered) {
  std::vector<std::pair<std::string, int64_t>> extents = {
      {"a", 64}, {"b", 32}, {"n", 64}, {"k", 64}};
  Contraction contraction =
      contract("kba", "kn", "abn", extents, ElementType::F16);
  Schedule schedule{
      "sm_90", {{"a", 32}, {"b", 16}}, {{"n", 64}}, {{"k", 16}}, 16, 8};
  schedule.instruction = Instruction::MmaM16N8K16;
  KernelLayout layout = layOutOrFail(contraction, schedule);
  const TiledCopy &tiledCopy = layout.a;
  ASSERT_EQ(tiledCopy.order.size(), 5u);
  EXPECT_EQ(tiledCopy.gathered, 4);
  EXPECT_EQ(tiledCopy.width, 8);
  EXPECT_EQ(tiledCopy.storeWidth(), 4);
  EXPECT_EQ(tiledCopy.threads, 256);
  EXPECT_EQ(tiledCopy.accessesPerThread, 4);
  // A sector, along the shared tile's rows, the rest of what a round walks.
  EXPECT_EQ(labelsOf(contraction, tiledCopy.order), "abakb");
  EXPECT_EQ(tiledCopy.gatheredPlace, 4u);
  EXPECT_EQ(tiledCopy.order[1].step, 4);
  EXPECT_EQ(tiledCopy.order[4].tile, 4);
  EXPECT_EQ(tiledCopy.order[4].sharedTileStride, 1);
  EXPECT_TRUE(stepsAreUniform(tiledCopy));
  SharedStep step = countSharedStep(contraction, layout, target("sm_90"));
  EXPECT_EQ(step.stores.instructions, 64);

  // With fewer threads' accesses to go round, fewer are gathered; where the
  // tensor cuts them off, none is.
  schedule.m[0].extent = 16;
  schedule.registerM = 8;
  EXPECT_EQ(layOutOrFail(contraction, schedule).a.gathered, 2);
  extents[1].second = 31;
  EXPECT_EQ(
      layOutOrFail(contract("kba", "kn", "abn", extents, ElementType::F16),
                   schedule)
          .a.gathered,
      1);
  // A single thread walks nothing before them.
  Schedule single{"sm_90", {{"a", 16}, {"b", 2}}, {{"n", 1}}, {{"k", 1}}, 32,
                  1};
  EXPECT_EQ(layOutOrFail(contraction, single).a.gathered, 1);
  // Words are copied asynchronously.
  extents[1].second = 32;
  schedule.instruction = Instruction::FMA;
  EXPECT_EQ(
      layOutOrFail(contract("kba", "kn", "abn", extents, ElementType::F32),
                   schedule)
          .a.gathered,
      1);
}

TEST(KernelLayout, RowsGoAlongTheSideThatTheyDivide) {
  // C's index of stride one is n, but 24 is no multiple of 16.
  Contraction contraction = product(256, 24);
  Schedule schedule{"sm_90", {{"m", 128}}, {{"n", 24}}, {{"k", 8}}, 8, 6};
  schedule.instruction = Instruction::MmaM16N8K8;
  EXPECT_TRUE(layOutOrFail(contraction, schedule).rowsAlongM());
  Contraction turned =
      contract("km", "kn", "nm", {{"m", 256}, {"n", 24}, {"k", 64}});
  KernelLayout layout = layOutOrFail(turned, schedule);
  EXPECT_TRUE(layout.rowsAlongM());
  EXPECT_FALSE(layout.storesAlongN);
  EXPECT_EQ(layout.groupM, 2);
  EXPECT_EQ(layout.widthC, 2);
}

TEST(KernelLayout, StagesAreAtMostSteps) {
  Schedule schedule = productSchedule();
  schedule.stages = 5;
  EXPECT_EQ(layOutOrFail(product(), schedule).buffers, 5);
  EXPECT_EQ(layOutOrFail(product(256, 256, 24), schedule).buffers, 3);
  EXPECT_EQ(layOutOrFail(product(256, 256, 8), schedule).buffers, 1);
  for (int64_t stages : {1, 9}) {
    schedule.stages = stages;
    EXPECT_EQ(errorOf(product(), schedule), "schedule: number of stages is " +
                                                std::to_string(stages) +
                                                ", but must be from 2 to 8");
  }
}

TEST(KernelLayout, SinglePrecisionUsesWiderAccesses) {
  Contraction contraction = contract(
      "mk", "kn", "mn", {{"m", 256}, {"n", 256}, {"k", 64}}, ElementType::F32);
  KernelLayout layout = layOutOrFail(contraction, productSchedule());
  EXPECT_EQ(layout.groupN, 4);
  EXPECT_EQ(layout.a.width, 4);
  EXPECT_EQ(layout.widthC, 4);
  EXPECT_EQ(layout.laneDepth, 4);
}

// [d, e, g, a] x [g, f, b, c] -> [a, b, c, d, e, f] with tiles over four
// indices. A's stride-one index a is not the fastest of the M shared tile,
// which follows C (e, then d, then a).
TEST(KernelLayout, HigherRanks) {
  Contraction contraction = contract("dega", "gfbc", "abcdef",
                                     {{"a", 24},
                                      {"b", 16},
                                      {"c", 16},
                                      {"d", 24},
                                      {"e", 16},
                                      {"f", 16},
                                      {"g", 24}});
  Schedule schedule{"sm_90",
                    {{"a", 4}, {"d", 1}, {"e", 16}},
                    {{"b", 1}, {"c", 4}, {"f", 16}},
                    {{"g", 24}},
                    4,
                    4};
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(layout.blockM, 64);
  EXPECT_EQ(layout.m[0].sharedTileStride, 16);
  EXPECT_EQ(layout.m[1].sharedTileStride, 16);
  EXPECT_EQ(layout.m[2].sharedTileStride, 1);
  EXPECT_EQ(layout.blocks, 6 * 24 * 1 * 16 * 4 * 1);
  EXPECT_EQ(layout.steps, 1);
  // Sectors of a are walked in two halves, with eight neighbours along e in the
  // shared tile between them: sixteen lanes then have sixteen banks.
  EXPECT_EQ(labelsOf(contraction, layout.a.order), "aeaegagd");
  EXPECT_EQ(layout.a.order[0].tile, 2);
  EXPECT_EQ(layout.a.order[1].tile, 8);
  EXPECT_EQ(layout.a.order[2].step, 2);
  EXPECT_EQ(layout.a.order[3].step, 8);
  // Elements that lie apart in the shared tile are copied one by one.
  EXPECT_EQ(layout.a.width, 1);
  EXPECT_FALSE(layout.a.passesRegisters());
  EXPECT_FALSE(layout.a.contiguousInSharedTile);
  Result<KernelLayout> turing = layOut(contraction, schedule, target("sm_75"));
  ASSERT_TRUE(turing) << turing.error();
  EXPECT_EQ(turing->a.width, 2);
  // Beyond a sector, neighbours of b lie 2 KB apart or more.
  EXPECT_EQ(labelsOf(contraction, layout.b.order), "cfcfcgb");
  EXPECT_TRUE(layout.lanesAlongN);
  EXPECT_EQ(layout.widthC, 2);
  EXPECT_EQ(labelsOf(contraction, gridOrder(layout)), "edafcb");
}

// The offset of an asynchronous copy reaches 2 KB. So threads are apart along
// indices of long strides, and each one's accesses along those of short ones.
TEST(KernelLayout, AccessesOfAThreadLieTogether) {
  Contraction contraction = contract(
      "fbea", "cedf", "dcba",
      {{"a", 72}, {"b", 72}, {"c", 72}, {"d", 72}, {"e", 72}, {"f", 72}});
  Schedule schedule{"sm_90",
                    {{"b", 2}, {"a", 24}},
                    {{"c", 8}, {"d", 8}},
                    {{"e", 1}, {"f", 24}},
                    6,
                    8};
  schedule.instruction = Instruction::MmaM16N8K8;
  KernelLayout layout = layOutOrFail(contraction, schedule);
  for (const TiledCopy *tiledCopy : {&layout.a, &layout.b}) {
    EXPECT_EQ(tiledCopy->threads, layout.threads);
    EXPECT_TRUE(stepsAreUniform(*tiledCopy));
  }
  // Three parts of 64 bytes along a for each of three values of f.
  EXPECT_EQ(layout.a.accessesPerThread, 9);
  // All values of c are other threads'.
  EXPECT_EQ(layout.b.accessesPerThread, 12);
  for (const TileDim &dim : layout.b.order)
    if (contraction.indices[dim.index].label == "c")
      EXPECT_EQ(dim.tile, 8);
  SharedStep step = countSharedStep(contraction, layout, target("sm_90"));
  EXPECT_EQ(step.stores.conflicts(), 0);
}

TEST(KernelLayout, BatchIndicesHaveTilesOfOne) {
  Contraction contraction = contract(
      "xmk", "xkn", "xmn", {{"x", 5}, {"m", 16}, {"n", 16}, {"k", 16}});
  Schedule schedule{"sm_90", {{"m", 16}}, {{"n", 16}}, {{"k", 8}}, 2, 2};
  KernelLayout layout = layOutOrFail(contraction, schedule);
  ASSERT_EQ(layout.batch.size(), 1u);
  EXPECT_EQ(layout.batch[0].tile, 1);
  EXPECT_EQ(layout.blocks, 5);
  EXPECT_EQ(labelsOf(contraction, gridOrder(layout)), "mnx");
}

TEST(KernelLayout, EmptyRoles) {
  KernelLayout scalar =
      layOutOrFail(contract("", "", "", {}), {"sm_90", {}, {}, {}, 1, 1});
  EXPECT_EQ(scalar.threads, 1);
  EXPECT_EQ(scalar.blocks, 1);
  EXPECT_EQ(scalar.steps, 1);
  EXPECT_EQ(scalar.a.accesses, 1);
  EXPECT_EQ(scalar.widthC, 1);

  Contraction dot = contract("k", "k", "", {{"k", 64}});
  KernelLayout layout = layOutOrFail(dot, {"sm_90", {}, {}, {{"k", 8}}, 1, 1});
  EXPECT_EQ(layout.threads, 1);
  EXPECT_EQ(layout.a.width, 2);
  EXPECT_TRUE(layout.a.alongK);
  EXPECT_EQ(layout.a.rows, 1);
  EXPECT_EQ(layout.a.rowLength, 8);
}

TEST(KernelLayout, WidthNeedsAlignment) {
  Schedule schedule = productSchedule();
  auto widthOfA = [&](const Contraction &contraction) {
    return layOutOrFail(contraction, schedule).a.width;
  };
  EXPECT_EQ(widthOfA(product()), 2);
  // Rows of an odd length.
  EXPECT_EQ(widthOfA(product(256, 256, 63)), 1);
  // An odd offset.
  Contraction shifted = product();
  shifted.offset[Tensor::A] = 1;
  EXPECT_EQ(widthOfA(shifted), 1);
  // Gaps between rows.
  Contraction padded = product();
  padded.indices[*padded.find("m")].stride[Tensor::A] = 65;
  EXPECT_EQ(widthOfA(padded), 1);
  // An odd tile.
  schedule.k[0].extent = 7;
  EXPECT_EQ(widthOfA(product()), 1);
  // No index of stride one.
  schedule.k[0].extent = 8;
  Contraction strided = product();
  strided.indices[*strided.find("k")].stride[Tensor::A] = 2;
  EXPECT_EQ(widthOfA(strided), 1);
}

TEST(KernelLayout, WidthOfStoresNeedsConsecutiveAccumulators) {
  Contraction contraction =
      contract("akm", "kn", "anm", {{"a", 4}, {"m", 32}, {"n", 32}, {"k", 8}});
  Schedule schedule{"sm_90", {{"a", 4}, {"m", 32}}, {{"n", 32}}, {{"k", 8}}, 4,
                    4};
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_FALSE(layout.lanesAlongN);
  EXPECT_EQ(layout.widthC, 2);
  // m is not the fastest of its shared tile.
  std::swap(schedule.m[0], schedule.m[1]);
  EXPECT_EQ(layOutOrFail(contraction, schedule).widthC, 1);
  // One accumulator a thread.
  std::swap(schedule.m[0], schedule.m[1]);
  schedule.registerM = 1;
  EXPECT_EQ(layOutOrFail(contraction, schedule).widthC, 1);
}

TEST(KernelLayout, IndicesThatAnOperandLacksCopyLast) {
  // s is only in A, yet B's shared tile has rows for it.
  Contraction contraction =
      contract("msk", "kn", "mn", {{"m", 8}, {"s", 4}, {"k", 8}, {"n", 8}});
  Schedule schedule{"sm_90", {{"m", 8}}, {{"n", 8}}, {{"s", 4}, {"k", 8}},
                    2,       2};
  KernelLayout layout = layOutOrFail(contraction, schedule);
  EXPECT_EQ(labelsOf(contraction, layout.b.order), "nks");
  EXPECT_EQ(layout.b.accesses, 8 * 8 * 4 / 2);
}

TEST(KernelLayout, ErrorsOfLists) {
  Contraction contraction = product();
  Schedule schedule = productSchedule();
  schedule.m.push_back({"z", 1});
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: the list of M names index 'z', which is not in the "
            "contraction");
  schedule = productSchedule();
  schedule.m.push_back({"k", 1});
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: the list of M names index 'k', whose role is K");
  schedule = productSchedule();
  schedule.n.push_back({"n", 1});
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: the list of N names index 'n' twice");
  schedule = productSchedule();
  schedule.k.clear();
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: the list of K does not name index 'k'");
}

TEST(KernelLayout, ErrorsOfTiles) {
  Contraction contraction = product(24);
  Schedule schedule = productSchedule();
  // Up to the next power of two, a tile may stick out.
  schedule.m[0].extent = 32;
  EXPECT_TRUE(layOutOrFail(contraction, schedule).m[0].ragged());
  schedule.m[0].extent = 40;
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: tile of index 'm' is 40, but its extent is 24");
  schedule.m[0].extent = 0;
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: tile of index 'm' is 0, but must be at least 1");
  schedule.m[0].extent = 12;
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: register tile along M is 8, which does not divide the "
            "block tile of 12");
  schedule.registerM = -1;
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: register tile along M is -1, but must be at least 1");
  schedule.registerM = 12;
  schedule.registerN = 0;
  EXPECT_EQ(errorOf(contraction, schedule),
            "schedule: register tile along N is 0, but must be at least 1");
}

TEST(KernelLayout, ErrorsOfCapacities) {
  Schedule schedule{"sm_90", {{"m", 64}}, {{"n", 32}}, {{"k", 8}}, 1, 1};
  EXPECT_EQ(errorOf(product(), schedule),
            "schedule: number of threads of a block is 2048, but sm_90 allows "
            "1024");
  schedule = productSchedule();
  schedule.k[0].extent = 64;
  schedule.registerM = schedule.registerN = 4;
  EXPECT_EQ(errorOf(product(), schedule, "sm_75"),
            "schedule: shared memory in bytes of a block is 131072, but sm_75 "
            "allows 65536");
  EXPECT_EQ(errorOf(product(),
                    {"sm_90", {{"m", 128}}, {{"n", 128}}, {{"k", 8}}, 16, 16}),
            "schedule: estimate of registers of a thread is 646, but sm_90 "
            "allows 255");
  EXPECT_EQ(errorOf(product(),
                    {"sm_90", {{"m", 256}}, {{"n", 128}}, {{"k", 8}}, 8, 8}),
            "schedule: estimate of registers of a block is 110592, but sm_90 "
            "allows 65536");
}

TEST(KernelLayout, RegistersOfPartitions) {
  const Target &chip = target("sm_90");
  // 222 registers a thread are 7168 a warp, of the 16384 of a partition.
  EXPECT_EQ(allocatedRegisters(222, 256, chip), 8 * 7168);
  EXPECT_EQ(blocksByRegisters(222, 256, chip), 1);
  EXPECT_EQ(blocksByRegisters(222, 128, chip), 2);
  EXPECT_EQ(blocksByRegisters(222, 32, chip), 8);
  // A ninth warp is checked as if it were four.
  EXPECT_EQ(allocatedRegisters(222, 288, chip), 12 * 7168);
}

TEST(KernelLayout, ErrorsOfCounts) {
  int64_t large = int64_t(1) << 20;
  Contraction wide = product(large, large, 8);
  EXPECT_EQ(errorOf(wide, {"sm_90", {{"m", 1}}, {{"n", 1}}, {{"k", 8}}, 1, 1}),
            "schedule: number of blocks is 1099511627776, but a grid allows "
            "2147483647");
  EXPECT_EQ(errorOf(product(1, 1, int64_t(1) << 32),
                    {"sm_90", {{"m", 1}}, {{"n", 1}}, {{"k", 1}}, 1, 1}),
            "schedule: number of steps of the K loop is 4294967296, but a "
            "kernel allows 2147483647");
}

TEST(KernelLayout, ProductsThatOverflowAreErrors) {
  // Strides of one everywhere keep the tensors small: only counts overflow.
  int64_t large = int64_t(1) << 40;
  Contraction contraction;
  contraction.indices = {{"m", large, Role::M, {{1, 0, 1}}},
                         {"n", large, Role::N, {{0, 1, 1}}}};
  EXPECT_EQ(errorOf(contraction, {"sm_90", {{"m", 1}}, {{"n", 1}}, {}, 1, 1}),
            "schedule: number of blocks is over 2^63, but a grid allows "
            "2147483647");
  EXPECT_EQ(
      errorOf(contraction, {"sm_90", {{"m", large}}, {{"n", large}}, {}, 1, 1}),
      "schedule: number of threads of a block is over 2^63, but sm_90 allows "
      "1024");
}

// Invariants that the lowering relies on, over many layouts.
TEST(KernelLayout, Invariants) {
  std::mt19937 random(7);
  unsigned checked = 0;
  for (unsigned trial = 0; trial < 2000; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    Result<KernelLayout> result =
        layOut(contraction, schedule, target("sm_80"));
    if (!result)
      continue;
    ++checked;
    const KernelLayout &layout = *result;
    int64_t bytes = byteWidth(contraction.accumulatorType);
    EXPECT_EQ(layout.threadsM * layout.registerM, layout.blockM);
    EXPECT_EQ(layout.registerN % layout.groupN, 0);
    int64_t sharedTiles = 0;
    for (const TiledCopy *tiledCopy : {&layout.a, &layout.b}) {
      bool isA = tiledCopy == &layout.a;
      int64_t block = isA ? layout.blockM : layout.blockN;
      EXPECT_EQ(tiledCopy->accesses * tiledCopy->width, layout.blockK * block);
      EXPECT_GE(tiledCopy->accessesPerThread * layout.threads,
                tiledCopy->accesses);
      EXPECT_EQ(tiledCopy->rows, tiledCopy->alongK ? block : layout.blockK);
      EXPECT_GE(tiledCopy->rowLength,
                tiledCopy->alongK ? layout.blockK : block);
      // Fragments and accesses are aligned in every row.
      EXPECT_EQ(tiledCopy->rowLength % tiledCopy->fragmentWidth, 0);
      EXPECT_EQ((tiledCopy->alongK ? layout.laneDepth
                 : isA             ? layout.groupM
                                   : layout.groupN) %
                    tiledCopy->fragmentWidth,
                0);
      if (tiledCopy->contiguousInSharedTile && tiledCopy->width > 1) {
        EXPECT_EQ(tiledCopy->order.front().sharedTileStride, 1);
        EXPECT_EQ(tiledCopy->rowLength % tiledCopy->width, 0);
      }
      EXPECT_LE(tiledCopy->width * bytes, 16);
      sharedTiles += tiledCopy->rows * tiledCopy->rowLength * bytes;
    }
    EXPECT_EQ(layout.blockK % layout.stepDepth(), 0);
    EXPECT_GE(layout.sharedBytes, layout.buffers * sharedTiles);
    int64_t blocks = 1;
    for (const TileDim &dim : gridOrder(layout))
      blocks *= dim.tiles();
    EXPECT_EQ(blocks, layout.blocks);
  }
  EXPECT_GT(checked, 1500u);
}

} // namespace
