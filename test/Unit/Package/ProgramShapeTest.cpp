//===- ProgramShapeTest.cpp - Tests of programs that take extents ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "tc/Package/ProgramShape.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

/// A kernel for many shapes, tuned for those extents.
static Kernel makeOpenKernel(const std::string &entry, const Labels &a,
                             const Labels &b, const Labels &c,
                             const Extents &extents) {
  Kernel kernel = makeKernel(a, b, c, extents);
  kernel.entry = entry;
  DynamicShape shape;
  shape.tensors.resize(3);
  for (const auto &[label, extent] : extents)
    shape.indices.push_back({label, 4, 1});
  kernel.gridDims.clear();
  int64_t blocks = 1;
  for (const std::string &label : c) {
    kernel.gridDims.push_back({label, extents.at(label), 4});
    blocks *= kernel.gridDims.back().tiles();
  }
  kernel.grid = {blocks, 1, 1};
  kernel.dynamicShape = std::move(shape);
  return kernel;
}

static ProgramPlace toParameter(size_t number) {
  ProgramPlace place;
  place.kind = ProgramPlace::Kind::Parameter;
  place.parameter = number;
  return place;
}

static ProgramPlace toSlot(size_t slot) {
  ProgramPlace place;
  place.slot = slot;
  return place;
}

/// T[m,k] = A[m,j] B[j,k], U[k,m] = B[j,k] A[m,j], and then a sum of products
/// of both in a slot, and D[m] = that times x[m]; m is the run's i, and k its
/// k.
static Package makeOpen() {
  Package package =
      makePackage(makeOpenKernel("first", {"m", "j"}, {"j", "k"}, {"m", "k"},
                                 {{"m", 16}, {"j", 7}, {"k", 12}}));
  package.kernels.push_back(makeOpenKernel("second", {"j", "k"}, {"m", "j"},
                                           {"k", "m"},
                                           {{"m", 16}, {"j", 7}, {"k", 12}}));
  package.kernels.push_back(makeOpenKernel("third", {"m", "k"}, {"k", "m"},
                                           {"m"}, {{"m", 16}, {"k", 12}}));
  package.kernels.push_back(
      makeOpenKernel("fourth", {"m"}, {"m"}, {"m"}, {{"m", 16}}));
  Program &program = package.programs.emplace_back();
  program.name = "open";
  program.extents = {{"i", 16}, {"k", 12}};
  auto add = [&](const char *name, std::vector<int64_t> extents, bool isRead) {
    ProgramParameter &parameter = program.parameters.emplace_back();
    parameter.name = name;
    parameter.strides.resize(extents.size());
    parameter.extents = std::move(extents);
    parameter.isRead = isRead;
    parameter.isWritten = !isRead;
  };
  add("A", {-1, 7}, true);
  add("B", {7, -2}, true);
  add("x", {-1}, true);
  add("D", {-1}, false);
  ProgramStep first, second, third, fourth;
  first.kernel = 0;
  first.tensors = {toParameter(0), toParameter(1), toSlot(0)};
  first.extents = {{"m", -1}, {"j", 7}, {"k", -2}};
  second.kernel = 1;
  second.tensors = {toParameter(1), toParameter(0), toSlot(1)};
  second.extents = first.extents;
  third.kernel = 2;
  third.tensors = {toSlot(0), toSlot(1), toSlot(2)};
  third.extents = {{"m", -1}, {"k", -2}};
  fourth.kernel = 3;
  fourth.tensors = {toSlot(2), toParameter(2), toParameter(3)};
  fourth.extents = {{"m", -1}};
  program.steps = {first, second, third, fourth};
  return package;
}

TEST(ProgramShapeTest, RoundTrip) {
  std::string text = toJson(makeOpen());
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  const Program &program = read->programs[0];
  ASSERT_EQ(program.extents.size(), 2u);
  EXPECT_EQ(program.extents[1].name, "k");
  EXPECT_EQ(program.extents[1].representative, 12);
  EXPECT_EQ(program.parameters[1].extents, (std::vector<int64_t>{7, -2}));
  EXPECT_EQ(program.steps[2].tensors[1].slot, 1u);
  EXPECT_EQ(program.steps[0].extents.size(), 3u);
}

TEST(ProgramShapeTest, SlotsAreAsLargeAsWhatIsInThem) {
  Package package = makeOpen();
  const Program &open = package.programs[0];
  for (auto [i, k] : {std::pair(16, 12), {1, 1}, {31, 17}, {33, 1}}) {
    Result<BoundProgram> bound = bindProgram(package, open, {i, k});
    ASSERT_TRUE(bound) << bound.error();
    const Program &program = bound->program;
    auto rounded = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
    int64_t slot = rounded(8 * i * k);
    EXPECT_EQ(program.workspaceBytes, 2 * slot + rounded(8 * i));
    EXPECT_EQ(program.steps[2].tensors[0].offset, 0);
    EXPECT_EQ(program.steps[2].tensors[1].offset, slot);
    EXPECT_EQ(program.steps[3].tensors[0].offset, 2 * slot);
    EXPECT_EQ(program.parameters[1].extents, (std::vector<int64_t>{7, k}));
    EXPECT_EQ(program.parameters[1].strides, (std::vector<int64_t>{k, 1}));
    EXPECT_EQ(bound->shapes[1][0].extents, (std::vector<int64_t>{7, k}));
    EXPECT_EQ(bound->shapes[1][2].extents, (std::vector<int64_t>{k, i}));
  }
}

TEST(ProgramShapeTest, CopiesAreAsLargeAsTheirExtents) {
  Package package = makeOpen();
  Program &program = package.programs[0];
  // D is what slot 2 holds, and then x.
  for (ProgramPlace from : {toSlot(2), toParameter(2)}) {
    ProgramStep &copy = program.steps.emplace_back();
    copy.tensors = {from, toParameter(3)};
    copy.bytes = 8;
    copy.extents = {{"", -1}};
  }
  std::string text = toJson(package);
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  Result<BoundProgram> bound = bindProgram(*read, read->programs[0], {31, 17});
  ASSERT_TRUE(bound) << bound.error();
  EXPECT_EQ(bound->program.steps[4].bytes, 8 * 31);
  EXPECT_EQ(bound->program.steps[4].tensors[0].offset,
            bound->program.steps[3].tensors[0].offset);
  // More than the parameter has.
  program.steps[5].extents.push_back({"", 2});
  EXPECT_EQ(bindProgram(package, program, {31, 17}).error(),
            "program open.steps[5].from: 496 B from byte 0 on are beyond "
            "parameter \"x\", which has 248");
}

TEST(ProgramShapeTest, WorkspacesOfKernelsHaveSlots) {
  Package package = makeOpen();
  // A version of the third kernel has 2 blocks share the sum of each of its
  // tiles, of one element along M and along N.
  Kernel sharing = package.kernels[2];
  sharing.entry = "sharing";
  sharing.versionOf = "third";
  sharing.mapping.splitK = 2;
  sharing.grid = {8, 1, 1};
  sharing.workspace = Workspace{128 + 8 * 8, 128, 128};
  package.kernels.push_back(sharing);
  EXPECT_EQ(verify(package).error(),
            "$.programs[0].steps[2]: kernel \"third\", or a version of it, "
            "takes a workspace");
  package.programs[0].steps[2].workspace = 3;
  std::string text = toJson(package);
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  // The third kernel itself is tuned for the same shape.
  Result<BoundProgram> bound = bindProgram(*read, read->programs[0], {33, 5});
  ASSERT_TRUE(bound) << bound.error();
  auto rounded = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
  int64_t before = 2 * rounded(8 * 33 * 5) + rounded(8 * 33);
  EXPECT_EQ(bound->program.steps[2].workspace, before);
  EXPECT_EQ(bound->program.workspaceBytes, before + rounded(128 + 9 * 2 * 8));
}

TEST(ProgramShapeTest, ExtentsMustBeTaken) {
  Package package = makeOpen();
  auto errorOf = [&](const std::vector<int64_t> &extents) {
    Result<BoundProgram> bound =
        bindProgram(package, package.programs[0], extents);
    return bound ? std::string() : bound.error();
  };
  EXPECT_EQ(errorOf({4}), "program open takes 2 extents, and 1 are given");
  EXPECT_EQ(errorOf({4, 0}),
            "the extent of index 'k' is 0, but must be at least 1");
  EXPECT_EQ(errorOf({int64_t(1) << 40, 1}),
            "kernel first: extent of index 'm' is 1099511627776, but the "
            "kernel takes 2147483639 at the most");
  // The result of one step is not as large as the operand of the next one.
  package.programs[0].steps[2].extents[1].extent = 12;
  EXPECT_EQ(errorOf({16, 12}), "");
  EXPECT_EQ(errorOf({16, 8}),
            "program open.steps[2].tensors[0]: byte 0 of the workspace is "
            "read, or one of the 1536 from there on, before a step writes it");
}

TEST(ProgramShapeTest, KernelsHaveTheShapesOfTheirSteps) {
  Package package = makeOpen();
  const Program &program = package.programs[0];
  Result<ShapedKernels> shaped =
      bindSteps(package, program, {{"i", 9}, {"k", 5}});
  ASSERT_TRUE(shaped) << shaped.error();
  ASSERT_EQ(shaped->kernels.size(), 4u);
  EXPECT_EQ(shaped->kernels[1].tensors[2].extents,
            (std::vector<int64_t>{5, 9}));
  EXPECT_EQ(bindSteps(package, program, {{"i", 9}}).error(),
            "extent of index 'k' is missing");
  EXPECT_EQ(bindSteps(package, program, {{"i", 9}, {"k", 5}, {"m", 9}}).error(),
            "program open takes no extent 'm'");
}

TEST(ProgramShapeTest, BadPrograms) {
  const std::string path = "$.programs[0]";
  auto errorOf = [](const std::function<void(nlohmann::ordered_json &)> &edit) {
    auto json = nlohmann::ordered_json::parse(toJson(makeOpen()));
    edit(json["programs"][0]);
    Result<Package> package = fromJson(json.dump());
    return package ? std::string() : package.error();
  };
  EXPECT_EQ(errorOf([](auto &p) { p["extents"] = {}; }).find(path), 0u);
  EXPECT_EQ(errorOf([](auto &p) { p["extents"][1]["name"] = "i"; }),
            path + ".parameters[1].extents[1]: no extent of the program is "
                   "called \"k\"");
  EXPECT_EQ(errorOf([](auto &p) { p["extents"][1]["representative"] = 13; }),
            "");
  EXPECT_EQ(errorOf([](auto &p) { p["parameters"][0]["extents"][0] = -1; }),
            path + ".parameters[0].extents[0]: must be at least 1, not -1");
  EXPECT_EQ(errorOf([](auto &p) { p["steps"][1]["extents"].erase("j"); }),
            path + ".extents: those that it is tuned for are none that it "
                   "takes: extent of index 'j' is missing");
  EXPECT_EQ(errorOf([](auto &p) { p["steps"][1]["extents"]["j"] = "n"; }),
            path + ".steps[1].extents.j: no extent of the program is called "
                   "\"n\"");
  EXPECT_EQ(errorOf([](auto &p) { p["steps"][1]["tensors"][2]["slot"] = 8; }),
            path + ".steps[1].tensors[2].slot: must be less than twice the "
                   "number of steps");
  EXPECT_EQ(errorOf([](auto &p) {
              p["steps"][1]["tensors"][0] = {{"constant", 0.5}};
            }),
            path + ".steps[1].tensors[0]: must not be a constant, as the "
                   "program takes extents");
  EXPECT_EQ(errorOf([](auto &p) { p["steps"][1]["tensors"].erase(0); }),
            path + ".steps[1].tensors: expected A, B and C, and what the "
                   "epilogue reads");
  EXPECT_EQ(errorOf([](auto &p) { p["steps"][1]["workspace"] = 3; }),
            path + ".steps[1]: kernel \"second\", or a version of it, takes no "
                   "workspace");
  EXPECT_EQ(errorOf([](auto &p) { p["workspace"]["bytes"] = 4; }),
            path + ".workspace: unknown key \"bytes\"");
  auto errorOfFill = [&](double number) {
    return errorOf([&](auto &p) {
      p["steps"][0] = {{"fill", 8},
                       {"type", "f64"},
                       {"constant", number},
                       {"to", {{"slot", 0}}},
                       {"extents", {"i", "k"}}};
    });
  };
  EXPECT_EQ(errorOfFill(0), "");
  EXPECT_EQ(errorOfFill(2),
            path + ".steps[0].constant: must be zero, as the program takes "
                   "extents");
  Package known = makeOpen();
  known.kernels[3].dynamicShape.reset();
  EXPECT_EQ(verify(known).error(),
            path + ".steps[3].kernel: \"fourth\" takes no shape at run time, "
                   "but the program takes extents");
}
