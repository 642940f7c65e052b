//===- PackageProgramsTest.cpp - Kernels that run after one another -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

static ProgramPlace parameterAt(size_t number, int64_t offset = 0) {
  ProgramPlace place;
  place.kind = ProgramPlace::Kind::Parameter;
  place.parameter = number;
  place.offset = offset;
  return place;
}

static ProgramPlace workspaceAt(int64_t offset) {
  ProgramPlace place;
  place.offset = offset;
  return place;
}

/// D += A B C by way of a temporary, with beta an argument of the second kernel
/// and a workspace for the first, and a copy of D.
static Package makeProgramPackage() {
  Extents extents = {{"i", 4}, {"j", 3}, {"k", 5}, {"l", 2}};
  Kernel first = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"}, extents);
  first.entry = "first";
  first.mapping.splitK = 2;
  first.grid = {2, 1, 1};
  first.workspace = {4096 + 2 * 32 * 96, 4096, 16};
  Kernel second = makeKernel({"i", "j"}, {"j", "l"}, {"i", "l"}, extents);
  second.entry = "second";
  second.beta.isArgument = true;
  second.tensors[2].isRead = true;
  Package package = makePackage(first);
  package.kernels.push_back(second);

  Program &program = package.programs.emplace_back();
  program.name = "product";
  int64_t rows[] = {4, 5, 3, 4, 4}, columns[] = {5, 3, 2, 2, 2};
  const char *names[] = {"A", "B", "C", "D", "old"};
  for (size_t i = 0; i < 5; ++i) {
    ProgramParameter &parameter = program.parameters.emplace_back();
    parameter.name = names[i];
    parameter.extents = {rows[i], columns[i]};
    parameter.strides = {columns[i], 1};
    parameter.isRead = i < 4;
    parameter.isWritten = i >= 3;
  }
  program.workspaceBytes = 16384;
  ProgramStep copy, one, two;
  copy.tensors = {parameterAt(3), parameterAt(4)};
  copy.bytes = 64;
  one.kernel = 0;
  one.tensors = {parameterAt(0), parameterAt(1), workspaceAt(0)};
  one.workspace = 256;
  two.kernel = 1;
  two.tensors = {workspaceAt(0), parameterAt(2), parameterAt(3)};
  two.beta = 1.0;
  program.steps = {copy, one, two};
  return package;
}

TEST(PackageProgramsTest, RoundTrip) {
  Package package = makeProgramPackage();
  // Numbers that are the same, in the place of C.
  ProgramPlace &c = package.programs[0].steps[2].tensors[1];
  c.kind = ProgramPlace::Kind::Constant;
  c.constant = 0.5;
  std::string text = toJson(package);
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  ASSERT_EQ(read->programs.size(), 1u);
  const Program &program = read->programs[0];
  EXPECT_EQ(program.name, "product");
  ASSERT_EQ(program.parameters.size(), 5u);
  EXPECT_EQ(program.parameters[3].name, "D");
  EXPECT_TRUE(program.parameters[3].isRead && program.parameters[3].isWritten);
  EXPECT_FALSE(program.parameters[4].isRead);
  ASSERT_EQ(program.steps.size(), 3u);
  EXPECT_FALSE(program.steps[0].kernel);
  EXPECT_EQ(program.steps[0].bytes, 64);
  EXPECT_EQ(program.steps[1].kernel, 0u);
  EXPECT_EQ(program.steps[1].workspace, 256);
  EXPECT_EQ(program.steps[2].beta, model::Constant(1.0));
  EXPECT_FALSE(program.steps[2].alpha);
  EXPECT_EQ(program.steps[2].tensors[0].kind, ProgramPlace::Kind::Workspace);
  EXPECT_EQ(program.steps[2].tensors[1].kind, ProgramPlace::Kind::Constant);
  EXPECT_EQ(program.steps[2].tensors[1].constant, model::Constant(0.5));
  EXPECT_EQ(program.steps[2].tensors[2].parameter, 3u);
}

/// The copy is a fill of D.
static const char *fillOfD =
    R"({"fill": 64, "type": "f64", "constant": 0.5, "to": {"parameter": "D"}})";

TEST(PackageProgramsTest, Fills) {
  Package package = makeProgramPackage();
  ProgramStep &fill = package.programs[0].steps[0];
  fill.tensors[0] = {};
  fill.tensors[0].kind = ProgramPlace::Kind::Constant;
  fill.tensors[0].constant = {0.5, -1.0};
  fill.type = model::ElementType::C64;
  std::string text = toJson(package);
  Result<Package> read = fromJson(text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(toJson(*read), text);
  const ProgramStep &step = read->programs[0].steps[0];
  EXPECT_TRUE(step.isFill());
  EXPECT_EQ(step.bytes, 64);
  EXPECT_EQ(step.type, model::ElementType::C64);
  EXPECT_EQ(step.tensors[0].constant, model::Constant(0.5, -1.0));
  EXPECT_EQ(step.tensors[1].parameter, 4u);
  EXPECT_FALSE(read->programs[0].steps[1].isFill());
}

/// The error if the value at a path into the only program, as "/steps/0/to", is
/// another, or is not there.
static std::string errorInProgram(const std::string &path, const char *value) {
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(toJson(makeProgramPackage()));
  nlohmann::ordered_json *parent = &json["programs"][0];
  auto step = [](nlohmann::ordered_json &from,
                 const std::string &name) -> nlohmann::ordered_json & {
    return from.is_array() ? from[std::stoul(name)] : from[name];
  };
  size_t begin = 1, end = 0;
  while ((end = path.find('/', begin)) != std::string::npos) {
    parent = &step(*parent, path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (value)
    step(*parent, path.substr(begin)) = nlohmann::ordered_json::parse(value);
  else
    parent->erase(path.substr(begin));
  Result<Package> package = fromJson(json.dump());
  return package ? "" : package.error();
}

TEST(PackageProgramsTest, BadPrograms) {
  const std::string program = "$.programs[0]", step = program + ".steps[2]";
  EXPECT_EQ(errorInProgram("/name", "\"product\""), "");
  EXPECT_EQ(errorInProgram("/name", "\"\""), program + ".name: is empty");
  EXPECT_EQ(errorInProgram("/workspace", nullptr),
            program + ": missing key \"workspace\"");
  EXPECT_EQ(errorInProgram("/workspace/alignment", "48"),
            program + ".workspace.alignment: must be a power of two of at most "
                      "4096, not 48");
  EXPECT_EQ(errorInProgram("/workspace/bytes", "-1"),
            program + ".workspace.bytes: must be at least 0, not -1");
  EXPECT_EQ(errorInProgram("/steps", "[]"), program + ".steps: no steps");
  Package twice = makeProgramPackage();
  twice.programs[0].parameters[1].name = "A";
  EXPECT_EQ(verify(twice).error(),
            program + ".parameters[1].name: \"A\" occurs twice");
  EXPECT_EQ(errorInProgram("/parameters/1/strides", "[1]"),
            program + ".parameters[1].strides: 1 strides for 2 indices");
  EXPECT_EQ(errorInProgram("/parameters/1/access", "\"none\""),
            program + ".parameters[1].access: expected \"read\", \"write\" or "
                      "\"read_write\"");
  EXPECT_EQ(errorInProgram("/steps/2/kernel", "\"third\""),
            step + ".kernel: no kernel is called \"third\"");
  EXPECT_EQ(errorInProgram("/steps/2/tensors/1", "{\"parameter\": \"E\"}"),
            step + ".tensors[1].parameter: no parameter is called \"E\"");
  EXPECT_EQ(errorInProgram("/steps/2/tensors", "[]"),
            step + ".tensors: kernel \"second\" takes 3 tensors, not 0");
  EXPECT_EQ(errorInProgram("/steps/2/beta", nullptr),
            step + ": kernel \"second\" takes beta");
  EXPECT_EQ(errorInProgram("/steps/2/alpha", "{\"value\": 2}"),
            step + ": kernel \"second\" takes no alpha");
  EXPECT_EQ(errorInProgram("/steps/2/workspace", "0"),
            step + ": kernel \"second\" takes no workspace");
  EXPECT_EQ(errorInProgram("/steps/1/workspace", nullptr),
            program + ".steps[1]: kernel \"first\" takes a workspace");
}

/// A launch may take a version of the kernel, which has a workspace of its own.
TEST(PackageProgramsTest, WorkspacesAreEnoughForVersions) {
  const std::string step = "$.programs[0].steps[1]";
  auto withVersion = [](std::optional<Workspace> workspace) {
    Package package = makeProgramPackage();
    Kernel version = package.kernels[0];
    version.entry = "version";
    version.versionOf = "first";
    version.workspace = workspace;
    if (!workspace) {
      version.mapping.splitK = 1;
      version.grid = {1, 1, 1};
    }
    package.kernels.push_back(version);
    return package;
  };
  const Workspace own = *makeProgramPackage().kernels[0].workspace;
  EXPECT_TRUE(verify(withVersion(own)));
  EXPECT_TRUE(verify(withVersion(std::nullopt)));
  Workspace larger = own;
  larger.bytes += 512;
  Package package = withVersion(larger);
  EXPECT_TRUE(verify(package));
  package.programs[0].workspaceBytes = 256 + own.bytes;
  EXPECT_EQ(verify(package).error(),
            step + ".workspace: 10752 B from byte 256 on are beyond the "
                   "workspace, which has 10496");
  Workspace stricter = own;
  stricter.alignment = 512;
  EXPECT_EQ(verify(withVersion(stricter)).error(),
            step + ".workspace: byte 256 of the workspace is not known to be "
                   "aligned to the 512 bytes that the kernel needs");
  // Only the version has one.
  package = withVersion(own);
  package.kernels[0].workspace.reset();
  package.kernels[0].mapping.splitK = 1;
  package.kernels[0].grid = {1, 1, 1};
  EXPECT_TRUE(verify(package));
  package.programs[0].steps[1].workspace.reset();
  EXPECT_EQ(verify(package).error(),
            step + ": kernel \"first\" takes a workspace");
}

TEST(PackageProgramsTest, BadPlaces) {
  const std::string program = "$.programs[0]", step = program + ".steps[2]";
  EXPECT_EQ(errorInProgram("/steps/2/tensors/1/offset", "8"),
            step + ".tensors[1]: 48 B from byte 8 on are beyond parameter "
                   "\"C\", which has 48");
  EXPECT_EQ(errorInProgram("/parameters/2/alignment", "8"),
            step + ".tensors[1]: byte 0 of parameter \"C\" is not known to be "
                   "aligned to the 16 bytes that the kernel needs");
  EXPECT_EQ(errorInProgram("/parameters/2/type", "\"f32\""),
            step + ".tensors[1]: 48 B from byte 0 on are beyond parameter "
                   "\"C\", which has 24");
  EXPECT_EQ(errorInProgram("/parameters/2/type", "\"i64\""),
            step + ".tensors[1]: parameter \"C\" has elements of i64, and "
                   "tensor \"B\" of the kernel of f64");
  EXPECT_EQ(errorInProgram("/steps/1/tensors/2", "{\"workspace\": 16320}"),
            program + ".steps[1].tensors[2]: 96 B from byte 16320 on are "
                      "beyond the workspace, which has 16384");
  EXPECT_EQ(errorInProgram("/steps/2/tensors/0", "{\"workspace\": 16}"),
            step + ".tensors[0]: byte 16 of the workspace is read, or one of "
                   "the 96 from there on, before a step writes it");
  // The kernel's own workspace has overwritten these bytes.
  EXPECT_EQ(errorInProgram("/steps/2/tensors/0", "{\"workspace\": 512}"),
            step + ".tensors[0]: byte 512 of the workspace is read, or one of "
                   "the 96 from there on, before a step writes it");
  EXPECT_EQ(errorInProgram("/steps/1/tensors/2", "{\"workspace\": 512}"),
            program + ".steps[1].tensors[2]: shares bytes of the workspace "
                      "with what else the kernel takes");
  EXPECT_EQ(errorInProgram("/steps/2/tensors/2", "{\"constant\": 1}"),
            step + ".tensors[2]: a constant is written");
  EXPECT_EQ(errorInProgram("/parameters/3/access", "\"read\""),
            step + ".tensors[2]: parameter \"D\" is written, which its access "
                   "does not say");
  EXPECT_EQ(errorInProgram("/steps/0/to", "{\"parameter\": \"D\"}"),
            program + ".steps[0]: copies to where it copies from");
  EXPECT_EQ(errorInProgram("/steps/0/from", "{\"constant\": 1}"),
            program + ".steps[0].from: expected a parameter or the workspace");
  EXPECT_EQ(errorInProgram("/steps/0/copy", "72"),
            program +
                ".steps[0].from: 72 B from byte 0 on are beyond parameter "
                "\"D\", which has 64");
}

TEST(PackageProgramsTest, BadFills) {
  const std::string step = "$.programs[0].steps[0]";
  auto errorWith = [&](const char *key, const char *value) {
    nlohmann::json fill = nlohmann::json::parse(fillOfD);
    fill[key] = nlohmann::json::parse(value);
    return errorInProgram("/steps/0", fill.dump().c_str());
  };
  EXPECT_EQ(errorWith("fill", "60"),
            step + ": 60 B are no whole number of elements of f64");
  EXPECT_EQ(errorWith("fill", "72"),
            step + ".to: 72 B from byte 0 on are beyond parameter \"D\", "
                   "which has 64");
  EXPECT_EQ(errorWith("type", "\"i32\""), step + ".constant: '0.5' is no i32");
  EXPECT_EQ(errorWith("type", "\"f63\""),
            step + ".type: unknown element type \"f63\"");
  EXPECT_EQ(errorWith("to", "{\"constant\": 1}"),
            step + ".to: a constant is written");
  EXPECT_EQ(errorWith("to", "{\"parameter\": \"A\"}"),
            step + ".to: parameter \"A\" is written, which its access does "
                   "not say");
  EXPECT_EQ(errorWith("from", "{\"parameter\": \"A\"}"),
            step + ": unknown key \"from\"");
  EXPECT_EQ(errorWith("fill", "0"), step + ".fill: must be at least 1, not 0");
}

/// Whoever runs a program makes its constants, which must not take all memory.
TEST(PackageProgramsTest, ConstantsAreSmall) {
  Extents extents = {{"i", 4}, {"k", int64_t{1} << 24}};
  Package package = makePackage(makeKernel({"i", "k"}, {"k"}, {"i"}, extents));
  Program &program = package.programs.emplace_back();
  program.name = "sums";
  ProgramParameter a, c;
  a.name = "A";
  a.extents = {4, int64_t{1} << 24};
  a.strides = {int64_t{1} << 24, 1};
  c.name = "C";
  c.extents = {4};
  c.strides = {1};
  c.isRead = false;
  c.isWritten = true;
  program.parameters = {a, c};
  ProgramStep &step = program.steps.emplace_back();
  ProgramPlace ones;
  ones.kind = ProgramPlace::Kind::Constant;
  ones.constant = 1.0;
  step.kernel = 0;
  step.tensors = {parameterAt(0), ones, parameterAt(1)};
  EXPECT_EQ(
      verify(package).error(),
      "$.programs[0].steps[0].tensors[1]: a constant of 134217728 B, more "
      "than 67108864");
}

/// A beta of zero reads nothing.
TEST(PackageProgramsTest, BetaOfZeroReadsNothing) {
  const char *place = "{\"workspace\": 8192}";
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(toJson(makeProgramPackage()));
  json["programs"][0]["steps"][2]["tensors"][2] =
      nlohmann::ordered_json::parse(place);
  EXPECT_FALSE(fromJson(json.dump()));
  json["programs"][0]["steps"][2]["beta"]["value"] = 0;
  Result<Package> package = fromJson(json.dump());
  EXPECT_TRUE(package) << package.error();
}
