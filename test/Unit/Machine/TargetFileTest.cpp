//===- TargetFileTest.cpp - Tests of targets as JSON ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// The same text with the first `from` replaced.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t position = text.find(from);
  if (position == std::string::npos) {
    ADD_FAILURE() << "no " << from << " in " << text;
    return text;
  }
  return text.replace(position, from.size(), to);
}

std::string complaint(const std::string &text) {
  Result<AnyTarget> target = readAnyTarget(text, "t.json");
  return target ? "" : target.error();
}

std::string gpuText() { return writeTarget(target("sm_90")); }

std::string inputText(const std::string &name) {
  std::ifstream file(std::string(TC_TARGET_INPUTS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

CpuTarget cpuInput(const std::string &name) {
  Result<CpuTarget> cpu = readCpuTarget(inputText(name), name);
  if (!cpu) {
    ADD_FAILURE() << cpu.error();
    return {};
  }
  return *cpu;
}

TEST(TargetFile, WhatIsWrittenIsReadAgain) {
  for (const Target &target : builtinTargets()) {
    SCOPED_TRACE(target.name);
    Result<Target> again = readTarget(writeTarget(target), "t.json");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(writeTarget(*again), writeTarget(target));
    visitGpuFigures(target, [&](const Figure &figure, const auto &value) {
      using T = std::decay_t<decltype(value)>;
      visitGpuFigures(*again, [&](const Figure &other, const auto &copy) {
        if constexpr (std::is_same_v<T, std::decay_t<decltype(copy)>>) {
          if (other.key == figure.key) {
            EXPECT_EQ(copy, value) << figure.key;
          }
        }
      });
    });
  }
  CpuTarget cpu = cpuInput("i7-6700k.json");
  Result<CpuTarget> again = readCpuTarget(writeTarget(cpu), "t.json");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(writeTarget(*again), writeTarget(cpu));
}

TEST(TargetFile, EveryKeyButOfCostsIsRequired) {
  Target target = test::target("sm_90");
  visitGpuFigures(target, [&](const Figure &figure, const auto &) {
    std::string key = "\"" + std::string(figure.key) + "\"";
    if (figure.isCost())
      return;
    EXPECT_EQ(complaint(replaced(gpuText(), "  " + key, "  \"other\"")),
              "t.json: $: missing key " + key);
  });
}

TEST(TargetFile, CostsAreOptional) {
  std::string text = gpuText();
  Target target = test::target("sm_90");
  int costs = 0;
  visitGpuCosts(target.costs, [&](const Figure &figure, const auto &) {
    EXPECT_TRUE(figure.isCost()) << figure.key;
    size_t begin = text.find(",\n  \"" + std::string(figure.key) + "\":");
    ASSERT_NE(begin, std::string::npos) << figure.key;
    size_t end = text.find_first_of(",}", begin + 1);
    text.erase(begin, end - begin);
    ++costs;
  });
  EXPECT_EQ(costs, 38);
  Result<Target> read = readTarget(text, "t.json");
  ASSERT_TRUE(read) << read.error() << text;
  EXPECT_EQ(writeTarget(*read), gpuText());

  target.costs.registers.base = 40;
  target.costs.time.mmaSyncPart = 0.5;
  read = readTarget(writeTarget(target), "t.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->costs.registers.base, 40);
  EXPECT_EQ(read->costs.time.mmaSyncPart, 0.5);
  EXPECT_EQ(complaint(replaced(gpuText(), "\"registers_base\": 32",
                               "\"registers_base\": 3000")),
            "t.json: registers_base (costs: registers) is 3000; expected at "
            "most 1024");
}

TEST(TargetFile, CostsOfCpusAreOptional) {
  std::string text = inputText("i7-6700k.json");
  CpuTarget cpu = cpuInput("i7-6700k.json");
  int costs = 0;
  visitCpuCosts(cpu.costs, [&](const Figure &figure, auto &value) {
    EXPECT_TRUE(figure.isCost()) << figure.key;
    EXPECT_EQ(text.find("\"" + std::string(figure.key) + "\""),
              std::string::npos);
    value = static_cast<std::decay_t<decltype(value)>>(figure.largest);
    ++costs;
  });
  EXPECT_EQ(costs, 57);
  Result<CpuTarget> again = readCpuTarget(writeTarget(cpu), "t.json");
  ASSERT_TRUE(again) << again.error();
  visitCpuCosts(again->costs, [&](const Figure &figure, auto value) {
    EXPECT_EQ(static_cast<double>(value), figure.largest) << figure.key;
  });
  cpu.costs.kernelPart = 1.5;
  EXPECT_EQ(complaint(writeTarget(cpu)),
            "t.json: kernel_part (costs) is 1.5; expected at most 1");
}

TEST(TargetFile, WrongTypesAreNamed) {
  EXPECT_EQ(complaint(replaced(gpuText(), "\"sm_90\"", "90")),
            "t.json: $.name: expected a string");
  EXPECT_EQ(complaint(replaced(gpuText(), "\"multiprocessors\": 132",
                               "\"multiprocessors\": 132.5")),
            "t.json: $.multiprocessors: expected an integer of at most 64 "
            "bits");
  EXPECT_EQ(complaint(replaced(gpuText(), "1980000000.0", "true")),
            "t.json: $.clock_hertz: expected a number");
  EXPECT_EQ(complaint(replaced(gpuText(), "\"kind\": \"gpu\"",
                               "\"kind\": \"gpu\", \"sources\": [1]")),
            "t.json: $.sources[0]: expected a string");
}

TEST(TargetFile, RangesAreChecked) {
  auto withSMs = [](const char *count) {
    return replaced(gpuText(), "\"multiprocessors\": 132",
                    std::string("\"multiprocessors\": ") + count);
  };
  EXPECT_EQ(complaint(withSMs("-1")),
            "t.json: $.multiprocessors: must be at least 0, not -1");
  EXPECT_EQ(complaint(withSMs("4294967428")),
            "t.json: $.multiprocessors: must be at most 2147483647, not "
            "4294967428");
  EXPECT_EQ(complaint(withSMs("0")),
            "t.json: multiprocessors (chip) is missing or zero");
  EXPECT_EQ(complaint(replaced(gpuText(), "1980000000.0", "\"inf\"")),
            "t.json: clock_hertz (chip) is not finite");
}

TEST(TargetFile, KeysAreStrict) {
  EXPECT_EQ(complaint(replaced(gpuText(), "\"kind\": \"gpu\"",
                               "\"kind\": \"gpu\", \"colour\": 1")),
            "t.json: $: unknown key \"colour\"");
  EXPECT_EQ(complaint(replaced(gpuText(), "\"kind\": \"gpu\"",
                               "\"kind\": \"gpu\", \"name\": \"x\"")),
            "t.json: key \"name\" occurs twice in one object");
  EXPECT_EQ(complaint("{}"), "t.json: $.kind: missing");
  EXPECT_EQ(complaint("[]"), "t.json: $.kind: missing");
  EXPECT_EQ(complaint("{\"kind\": \"tpu\"}"),
            "t.json: $.kind: expected \"gpu\" or \"cpu\", not \"tpu\"");
  EXPECT_EQ(complaint("{\n  \"kind\": gpu}"),
            "t.json: line 2, column 11: malformed JSON");
  EXPECT_EQ(complaint(std::string(70000, ' ')),
            "t.json: has more bytes than any target, 65536");
}

TEST(TargetFile, ABaseGivesWhatIsNotSaid) {
  Result<Target> pcie = readTarget(R"({
    "kind": "gpu", "base": "sm_90", "name": "h100-pcie",
    "product": "NVIDIA H100 PCIe", "multiprocessors": 114,
    "clock_hertz": 1755e6, "memory_bytes_per_second": 2e12,
    "sources": ["NVIDIA H100 datasheet"]
  })",
                                   "t.json");
  ASSERT_TRUE(pcie) << pcie.error();
  Target expected = target("sm_90");
  expected.name = "h100-pcie";
  expected.product = "NVIDIA H100 PCIe";
  expected.multiprocessors = 114;
  expected.clockHertz = 1.755e9;
  expected.memoryBytesPerSecond = 2e12;
  EXPECT_EQ(writeTarget(*pcie), writeTarget(expected));

  EXPECT_EQ(complaint(R"({"kind": "gpu", "base": "sm_90"})"),
            "t.json: $: missing key \"name\"");
  EXPECT_EQ(complaint(R"({"kind": "gpu", "base": "h100", "name": "x"})"),
            "t.json: $.base: unknown target 'h100'; known are sm_75, sm_80, "
            "sm_86, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121");
  EXPECT_EQ(
      complaint(R"({"kind": "gpu", "base": "sm_90", "name": "x", "y": 1})"),
      "t.json: $: unknown key \"y\"");
}

TEST(TargetFile, KindsAreNotMixedUp) {
  Result<Target> gpu = readTarget(inputText("i7-6700k.json"), "t.json");
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error(), "t.json: describes a CPU; expected a GPU");
  Result<CpuTarget> cpu = readCpuTarget(gpuText(), "t.json");
  ASSERT_FALSE(cpu);
  EXPECT_EQ(cpu.error(), "t.json: describes a GPU; expected a CPU");
}

TEST(TargetFile, FilesAreLoaded) {
  Result<AnyTarget> cpu =
      loadAnyTarget(std::string(TC_TARGET_INPUTS) + "/i7-6700k.json");
  ASSERT_TRUE(cpu) << cpu.error();
  EXPECT_TRUE(std::holds_alternative<CpuTarget>(*cpu));
  for (auto [path, says] :
       {std::pair("/nonexistent/t.json", "No such file or directory"),
        std::pair(TC_TARGET_INPUTS, "is a directory")}) {
    Result<Target> missing = loadTarget(path);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error(), std::string(path) + ": " + says);
  }
}

TEST(TargetFile, TheCpuOfAFileOrOfThisMachine) {
  Result<CpuTarget> fromFile =
      loadCpuTarget(std::string(TC_TARGET_INPUTS) + "/i7-6700k.json");
  ASSERT_TRUE(fromFile) << fromFile.error();
  EXPECT_EQ(fromFile->name, "i7-6700k");
  Result<CpuTarget> detected = loadCpuTarget("");
  ASSERT_TRUE(detected) << detected.error();
  EXPECT_EQ(detected->name, "host");
  Result<CpuTarget> missing = loadCpuTarget("/nonexistent/t.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), "/nonexistent/t.json: No such file or directory");
}

TEST(TargetFile, CachesAreStrictToo) {
  std::string text = writeTarget(cpuInput("i7-6700k.json"));
  EXPECT_EQ(complaint(replaced(text, "\"ways\"", "\"way\"")),
            "t.json: $.caches[0]: missing key \"ways\"");
  EXPECT_EQ(complaint(replaced(text, "\"ways\"", "\"way\": 1, \"ways\"")),
            "t.json: $.caches[0]: unknown key \"way\"");
  EXPECT_EQ(complaint(replaced(text, "\"ways\": 8", "\"ways\": 0")),
            "t.json: ways (L1) is missing or zero");
  EXPECT_EQ(complaint(R"({"kind": "cpu"})"), "t.json: $: missing key "
                                             "\"caches\"");
}

/// The machines of Li et al., SC 2019, with the bandwidths of its table 3.
TEST(TargetFile, MachinesOfTheCachePaper) {
  auto expect = [](const CpuTarget &cpu, std::vector<double> bytesPerCycle) {
    ASSERT_EQ(cpu.caches.size() + 1, bytesPerCycle.size());
    for (size_t i = 0; i < cpu.caches.size(); ++i)
      EXPECT_DOUBLE_EQ(cpu.caches[i].bytesPerSecond,
                       bytesPerCycle[i] * cpu.clockHertz);
    EXPECT_DOUBLE_EQ(cpu.memoryBytesPerSecond,
                     bytesPerCycle.back() * cpu.clockHertz);
    EXPECT_EQ(cpu.fmaPerCycleF64, 8);
    EXPECT_EQ(cpu.fmaPerCycleF32, 16);
  };
  expect(cpuInput("i7-6700k.json"), {19.36, 18.32, 12.8, 6.4});
  expect(cpuInput("e5-2680v4.json"), {25.28, 19.68, 11.44, 6.08});
}

} // namespace
