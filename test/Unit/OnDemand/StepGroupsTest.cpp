//===- StepGroupsTest.cpp - Steps that may run at the same time -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/OnDemand/StepGroups.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;
using Kind = ProgramPlace::Kind;

namespace {

/// Four rows of eight.
TensorArgument rows(bool isWritten) {
  TensorArgument tensor;
  tensor.labels = {"i", "j"};
  tensor.extents = {4, 8};
  tensor.strides = {8, 1};
  tensor.isRead = !isWritten;
  tensor.isWritten = isWritten;
  return tensor;
}

constexpr int64_t tileBytes = 4 * 8 * 8;

ProgramPlace inParameter(size_t parameter, int64_t offset) {
  ProgramPlace place;
  place.kind = Kind::Parameter;
  place.parameter = parameter;
  place.offset = offset;
  return place;
}

ProgramPlace inWorkspace(int64_t offset) {
  ProgramPlace place;
  place.offset = offset;
  return place;
}

/// Of three tiles of four rows of parameter 0, two kernels make the same of
/// parameter 2, by way of the workspace. Both read parameter 1.
struct Tiles {
  std::vector<Kernel> kernels;
  Program program;

  Tiles() {
    Kernel kernel;
    kernel.tensors = {rows(false), rows(false), rows(true)};
    kernels = {kernel, kernel};
    for (int64_t extent : {12, 4, 12}) {
      ProgramParameter &parameter = program.parameters.emplace_back();
      parameter.extents = {extent, 8};
      parameter.strides = {8, 1};
    }
    program.workspaceBytes = 3 * tileBytes;
    for (int64_t tile = 0; tile < 3; ++tile) {
      add(0, {inParameter(0, tile * tileBytes), inParameter(1, 0),
              inWorkspace(tileBytes)});
      add(1, {inWorkspace(tileBytes), inParameter(1, 0),
              inParameter(2, tile * tileBytes)});
    }
  }

  void add(size_t kernel, std::vector<ProgramPlace> places) {
    ProgramStep &step = program.steps.emplace_back();
    step.kernel = kernel;
    step.tensors = std::move(places);
  }

  std::vector<StepGroups> find() const {
    return findStepGroups(program, kernels);
  }
};

TEST(StepGroups, AreTilesOfAChain) {
  Tiles tiles;
  // The step that makes a temporary that all need is no tile, nor is the rest.
  ProgramStep before = tiles.program.steps.front();
  before.tensors[2] = inWorkspace(0);
  tiles.program.steps.insert(tiles.program.steps.begin(), before);
  for (size_t i = 1; i < tiles.program.steps.size(); i += 2)
    tiles.program.steps[i].tensors[1] = inWorkspace(0);
  std::vector<StepGroups> found = tiles.find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 1u);
  EXPECT_EQ(found[0].length, 2u);
  EXPECT_EQ(found[0].count, 3u);
  EXPECT_EQ(found[0].own, (std::vector<ByteRange>{{tileBytes, 2 * tileBytes}}));
  EXPECT_FALSE(found[0].isOwn(0));
  EXPECT_TRUE(found[0].isOwn(tileBytes));
}

TEST(StepGroups, MayAddToTheirPartsOfAResult) {
  Tiles tiles;
  tiles.kernels[0].tensors[2].isRead = true;
  tiles.kernels[0].beta.value = 1;
  for (size_t i = 0; i < 6; i += 2) {
    ProgramPlace part = tiles.program.steps[i + 1].tensors[2];
    tiles.program.steps[i].tensors[2] = part;
    tiles.program.steps[i + 1].tensors[0] = part;
  }
  EXPECT_EQ(tiles.find().size(), 1u);
}

TEST(StepGroups, DoNotShareWhatTheyMake) {
  Tiles tiles;
  // Two write the same rows.
  tiles.program.steps[3].tensors[2].offset = 0;
  EXPECT_TRUE(tiles.find().empty());
  // Or rows of two tiles.
  tiles.program.steps[3].tensors[2].offset = tileBytes / 2;
  EXPECT_TRUE(tiles.find().empty());
}

TEST(StepGroups, DoNotNeedWhatAnotherOneMakes) {
  {
    // The contents of the workspace after the tile before.
    Tiles tiles;
    for (size_t i = 0; i < 6; i += 2)
      tiles.program.steps[i].tensors[0] = inWorkspace(tileBytes);
    EXPECT_TRUE(tiles.find().empty());
  }
  {
    // Another part of the result.
    Tiles tiles;
    for (size_t i = 0; i < 6; i += 2)
      tiles.program.steps[i].tensors[1] = inParameter(2, 0);
    EXPECT_TRUE(tiles.find().empty());
  }
}

TEST(StepGroups, LeaveNothingForLaterSteps) {
  Tiles tiles;
  tiles.add(1, {inParameter(0, 0), inWorkspace(tileBytes), inWorkspace(0)});
  EXPECT_TRUE(tiles.find().empty());
  // Unless it is written again before.
  tiles.program.steps.pop_back();
  tiles.kernels.push_back(tiles.kernels[0]);
  tiles.add(2, {inParameter(0, 0), inParameter(1, 0), inWorkspace(tileBytes)});
  tiles.add(1, {inParameter(0, 0), inWorkspace(tileBytes), inWorkspace(0)});
  EXPECT_EQ(tiles.find().size(), 1u);
}

} // namespace
