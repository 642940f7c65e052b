//===- PredictTest.cpp - Tests of whole launches --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedListing.h"

#include "tc/Timing/Report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

using namespace tc;
using namespace tc::timing;
using namespace tc::timing::test;

namespace {

Prediction predictionOf(const Lines &lines, const Launch &launch) {
  Result<Prediction> prediction = predict(functionOf(lines), launch, machine());
  if (!prediction) {
    ADD_FAILURE() << prediction.error();
    return {};
  }
  return std::move(*prediction);
}

std::string errorOf(const Lines &lines, const Launch &launch) {
  Result<Prediction> prediction = predict(functionOf(lines), launch, machine());
  return prediction ? "" : prediction.error();
}

const Lines chain = times(25, Line("FFMA R0, RZ, RZ, RZ", 4)) + Lines{"EXIT"};
constexpr double chainCycles = 4 * 25 + 1;

/// A loop of `rounds`, each of a load, a barrier and some products.
Lines loopOf(const char *rounds) {
  return Lines{"S2R R0, SR_TID.X", Line("MOV R2, RZ", 15),
               ".L_0:", Line("LDS R8, [RZ]", 2).writes(0)} +
         times(5, Line("DMMA.16x8x4 R12, R4, R8, R12").awaits(0)) +
         Lines{Line("BAR.SYNC.DEFER_BLOCKING 0x0", 5),
               Line("IADD3 R2, R2, 0x1, RZ", 5),
               Line(std::string("ISETP.NE.AND P0, PT, R2, ") + rounds + ", PT",
                    13),
               Line("@P0 BRA `(.L_0)", 5), "EXIT"};
}

TEST(PredictTest, BlocksComeInWaves) {
  Launch launch = block(32);
  launch.registers = 255;
  launch.grid[0] = 132;
  Prediction prediction = predictionOf(chain, launch);
  EXPECT_EQ(prediction.blocksPerMultiprocessor, 1);
  EXPECT_EQ(prediction.run.cycles, chainCycles);
  EXPECT_EQ(prediction.seconds, chainCycles / 1.98e9);
  EXPECT_EQ(prediction.instructions, 132 * 26);
  // As many blocks as there are registers for: eight warps of 255.
  EXPECT_EQ(prediction.residentBlocks, 8);
  EXPECT_EQ(prediction.limitedBy, "registers");
  launch.grid[0] = 133;
  prediction = predictionOf(chain, launch);
  EXPECT_EQ(prediction.blocksPerMultiprocessor, 2);
  EXPECT_EQ(prediction.run.cycles, chainCycles);
  // A hundred one after the other, of which some are simulated.
  launch.sharedBytes = 200 << 10;
  launch.grid[0] = 132 * 100;
  prediction = predictionOf(chain, launch);
  EXPECT_EQ(prediction.residentBlocks, 1);
  EXPECT_EQ(prediction.limitedBy, "shared memory");
  EXPECT_NEAR(prediction.run.cycles, 100 * chainCycles, 1e-6);
}

TEST(PredictTest, BlocksOfSeveralKinds) {
  // Of two blocks, one has a chain of its own before the others'.
  Lines lines =
      Lines{"S2R R0, SR_CTAID.X", "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT",
            "@P0 BRA `(.L_0)"} +
      times(200, Line("FFMA R0, RZ, RZ, RZ", 4)) + Lines{".L_0:"} + chain;
  Launch launch = block(32);
  launch.registers = 255;
  launch.sharedBytes = 200 << 10;
  launch.grid[0] = 132 * 100;
  Prediction prediction = predictionOf(lines, launch);
  EXPECT_EQ(prediction.kinds, 2u);
  constexpr double expected = 100 * (chainCycles + 3 + 800 / 2);
  EXPECT_NEAR(prediction.run.cycles, expected, 1e-3 * expected);
  EXPECT_NEAR(prediction.instructions, 132 * 100 * (29 + 200 / 2.0), 1e-6);
  EXPECT_EQ(predictionOf(chain, launch).kinds, 1u);
}

TEST(PredictTest, LongLoopsAreExtrapolated) {
  Launch launch = block(128);
  for (const char *rounds : {"0x40", "0x400"}) {
    Lines lines = loopOf(rounds);
    Prediction prediction = predictionOf(lines, launch);
    EXPECT_EQ(prediction.trips, std::strtoull(rounds, nullptr, 16));
    EXPECT_EQ(prediction.simulatedTrips, 26u);
    ASSERT_TRUE(prediction.loop);
    EXPECT_EQ(*prediction.loop, 2u);
    // The whole of it, simulated.
    timing::Run whole = runOf(lines, launch);
    EXPECT_NEAR(prediction.run.cycles, whole.cycles, 1e-6 * whole.cycles);
    EXPECT_NEAR(prediction.run.instructions, whole.instructions, 1e-3);
    EXPECT_NEAR(spentOn(prediction.run, Spent::Barrier),
                spentOn(whole, Spent::Barrier), 1e-3 * whole.cycles);
    EXPECT_NEAR(busyOf(prediction.run, Unit::Tensor),
                busyOf(whole, Unit::Tensor), 1e-6 * whole.cycles);
  }
  // Loops within loops: as often as both say.
  Lines nest = {"MOV R6, RZ", ".L_1:"};
  Lines inner = loopOf("0x30");
  inner.pop_back();
  nest = nest + inner +
         Lines{"IADD3 R6, R6, 0x1, RZ", "ISETP.NE.AND P0, PT, R6, 0x3, PT",
               "@P0 BRA `(.L_1)", "EXIT"};
  Prediction prediction = predictionOf(nest, launch);
  timing::Run whole = runOf(nest, launch);
  EXPECT_EQ(prediction.trips, 3 * 0x30u);
  EXPECT_NEAR(prediction.run.cycles, whole.cycles, 1e-6 * whole.cycles);
}

TEST(PredictTest, LaunchesThatCannotBe) {
  Launch launch = block(2048);
  EXPECT_EQ(errorOf(chain, launch),
            "'kernel': a block has more than 1024 threads");
  launch = block(32);
  launch.grid[1] = 0;
  EXPECT_EQ(errorOf(chain, launch), "'kernel': a grid or block of no extent");
  launch = block(32);
  launch.sharedBytes = 1 << 20;
  EXPECT_EQ(errorOf(chain, launch),
            "'kernel': a block has 1048576 bytes of shared memory, of 232448");
  launch = block(32);
  launch.registers = 256;
  EXPECT_EQ(errorOf(chain, launch),
            "'kernel': a thread has 256 registers, of 255");
  launch = block(1024);
  launch.registers = 255;
  EXPECT_EQ(errorOf(chain, launch),
            "'kernel': a multiprocessor has too few registers for a block");
}

TEST(PredictTest, WhatLimits) {
  Launch launch = block(512);
  launch.grid[0] = 132;
  // Half the rate that 16x8x4 has, so that no clock drops.
  EXPECT_EQ(predictionOf(
                times(500, "DMMA.8x8x4 R0, R4, R8, R0") + Lines{"EXIT"}, launch)
                .limit(),
            "tensor pipe");
  EXPECT_EQ(predictionOf(times(500, "NOP") + Lines{"EXIT"}, launch).limit(),
            "issuing");
  EXPECT_EQ(predictionOf(
                Lines{Line("LDG.E R4, [RZ]").writes(0), Line("EXIT").awaits(0)},
                block(128))
                .limit(),
            "waiting for scoreboards of global memory");
}

TEST(PredictTest, NothingIsFasterThanTheBestLibrary) {
  Launch launch = block(512);
  launch.grid[0] = 132;
  constexpr unsigned n = 500;
  Prediction prediction = predictionOf(
      times(n, "DMMA.16x8x4 R0, R4, R8, R0") + Lines{"EXIT"}, launch);
  EXPECT_TRUE(prediction.isSustainedRate);
  EXPECT_EQ(prediction.limit(), "the rate that the best library sustains");
  // 61.7 of 66.9 TFLOP/s, at 128 multiply-adds a cycle and multiprocessor.
  double work = 16.0 * n * 16 * 8 * 4;
  EXPECT_NEAR(prediction.seconds, work / 128 / 1.98e9 / (61.7 / 66.9), 1e-12);
}

TEST(PredictTest, Reports) {
  Launch launch = block(128);
  launch.grid[0] = 300;
  sass::Function function = functionOf(loopOf("0x40"));
  Prediction prediction = predictionOf(loopOf("0x40"), launch);
  std::string text;
  for (const auto &[title, line] : linesOf(prediction, function, machine()))
    text += title + ": " + line + "\n";
  EXPECT_NE(text.find("us predicted, after 3 us for the launch"),
            std::string::npos);
  EXPECT_NE(text.find("long loop: at 0x0020, 64 rounds of "),
            std::string::npos);
  std::string drawn = timelineText(prediction.timeline, 20);
  EXPECT_NE(drawn.find("\nissue         |"), std::string::npos);
  EXPECT_NE(drawn.find("\ntensor pipe   |"), std::string::npos);
  EXPECT_EQ(drawn.find("fp64"), std::string::npos);
  std::string svg = timelineSvg(prediction.timeline);
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find(">tensor pipe</text>"), std::string::npos);
  nlohmann::ordered_json json = toJson(prediction, machine());
  EXPECT_EQ(json["long_loop"]["rounds"], 64);
  EXPECT_EQ(json["resident_blocks"], prediction.residentBlocks);
  double spent = 0;
  for (const auto &[key, cycles] : json["issue_slots"].items())
    spent += cycles.get<double>();
  EXPECT_NEAR(spent, json["cycles"].get<double>(), 1);
}

} // namespace
