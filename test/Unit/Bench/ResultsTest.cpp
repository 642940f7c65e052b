//===- ResultsTest.cpp - Results of a benchmark -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Results.h"
#include "TestJson.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::bench;

static Results example() {
  Results results;
  results.suite = "example";
  results.machine = "cuda";
  results.date = "2026-11-21T19:15:00Z";
  results.options = {{"seed", 3}};
  results.device = {{"name", "Fake GPU"}};
  results.versions = {{"tc", "0.1"}};
  results.ceilings = {{"copy_bytes_per_second", 1e12}};
  results.unavailable = {{"cutensor", "not there"}};
  results.notRun = {"third"};
  CaseResult first;
  first.name = "first";
  first.contraction = "C[i] = A[i] * B[]";
  first.type = "f64";
  first.extents = {{"i", 100}};
  first.work = {200, 1608};
  first.floor = {2e-9, true};
  first.conditions = {{"before", Json::object()}};
  Outcome ours;
  ours.contender = "tc";
  ours.verdict = {true, 1e-16, 2e-15, "passed"};
  ours.samples = {4e-9, 2e-9, 3e-9, 5e-9, 1e-9};
  ours.details = {{"registers", 42}};
  Outcome peer;
  peer.contender = "cublas";
  peer.error = "wrong result";
  peer.difference = 0.5;
  first.outcomes = {ours, peer};
  CaseResult second;
  second.name = "second";
  second.type = "f16";
  second.extents = {{"i", 2}};
  second.refused = "no halves";
  CaseResult simulated = second;
  simulated.name = "simulated";
  simulated.refused = "";
  simulated.simulation = {{"blocks", 1}};
  results.cases = {first, second, simulated};
  return results;
}

static std::string errorWith(const char *path, const Json &value) {
  Json json = Json::parse(toJson(example()));
  valueAt(json, path) = value;
  Result<Results> results = parseResults(json.dump());
  return results ? "no error" : results.error();
}

TEST(ResultsTest, RoundTrip) {
  std::string text = toJson(example());
  Result<Results> again = parseResults(text);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(toJson(*again), text);
}

TEST(ResultsTest, FiguresThatFollow) {
  Json json = Json::parse(toJson(example()));
  const Json &ours = json["cases"][0]["outcomes"][0];
  EXPECT_EQ(ours["median_seconds"], 3e-9);
  EXPECT_EQ(ours["quartiles_seconds"], Json({2e-9, 4e-9}));
  EXPECT_DOUBLE_EQ(ours["flops_per_second"].get<double>(), 200 / 3e-9);
  EXPECT_DOUBLE_EQ(ours["bytes_per_second"].get<double>(), 1608 / 3e-9);
  EXPECT_DOUBLE_EQ(ours["fraction_of_floor"].get<double>(), 2.0 / 3);
  EXPECT_EQ(json["cases"][0]["bound"], "memory");
  EXPECT_EQ(json["complete"], false);
}

TEST(ResultsTest, WhatPasses) {
  Results results = example();
  EXPECT_FALSE(results.cases[0].passed());
  EXPECT_FALSE(results.cases[1].passed());
  EXPECT_TRUE(results.cases[2].passed());
  EXPECT_EQ(results.find("second"), &results.cases[1]);
  EXPECT_EQ(results.find("fourth"), nullptr);
  EXPECT_EQ(results.cases[0].find("cublas"), &results.cases[0].outcomes[1]);
  EXPECT_EQ(results.cases[0].find("torch"), nullptr);
}

TEST(ResultsTest, Errors) {
  EXPECT_EQ(errorWith("/format", "tc-suite"),
            "$.format: expected \"tc-bench\", not \"tc-suite\"");
  EXPECT_EQ(errorWith("/version", 7),
            "$.version: unknown version 7; this program reads version 1");
  EXPECT_EQ(errorWith("/extra", 7), "$: unknown key \"extra\"");
  EXPECT_EQ(errorWith("/machine", "cpu"),
            "$.machine: expected \"cuda\" or \"sim\"");
  EXPECT_EQ(errorWith("/device", 1), "$.device: expected an object");
  EXPECT_EQ(errorWith("/complete", true),
            "$.complete: contradicts \"not_run\"");
  EXPECT_EQ(errorWith("/complete", 1), "$.complete: expected true or false");
  EXPECT_EQ(errorWith("/unavailable", 1), "$.unavailable: expected an object");
  EXPECT_EQ(errorWith("/cases/1/name", "first"),
            "$.cases[1].name: \"first\" occurs twice");
  EXPECT_EQ(errorWith("/cases/0/bound", "speed"),
            "$.cases[0].bound: expected \"memory\" or \"arithmetic\"");
  EXPECT_EQ(errorWith("/cases/0/floor_seconds", 0),
            "$.cases[0].floor_seconds: expected a positive number");
  EXPECT_EQ(errorWith("/cases/0/conditions", 1),
            "$.cases[0].conditions: expected an object");
  EXPECT_EQ(errorWith("/cases/0/outcomes/1/contender", "tc"),
            "$.cases[0].outcomes[1].contender: \"tc\" occurs twice");
  EXPECT_EQ(errorWith("/cases/0/outcomes/0/samples_seconds/1", -1),
            "$.cases[0].outcomes[0].samples_seconds[1]: expected a positive "
            "number");
  EXPECT_EQ(errorWith("/cases/0/outcomes/0/error", "why"),
            "$.cases[0].outcomes[0]: expected either \"error\" or "
            "\"samples_seconds\"");
  EXPECT_EQ(errorWith("/cases/0/outcomes/0/check/passed", 1),
            "$.cases[0].outcomes[0].check.passed: expected true or false");
}

TEST(ResultsTest, WhatIsNotFiniteIsRead) {
  Results results = example();
  results.cases[0].outcomes[1].verdict = {false, NAN, 1e-15, "FAILED"};
  results.cases[0].outcomes[1].difference = NAN;
  Result<Results> again = parseResults(toJson(results));
  ASSERT_TRUE(again) << again.error();
  EXPECT_FALSE(again->cases[0].outcomes[1].difference);
}

TEST(ResultsTest, DateHasItsForm) {
  std::string date = currentDate();
  ASSERT_EQ(date.size(), 20u);
  EXPECT_EQ(date[10], 'T');
  EXPECT_EQ(date[19], 'Z');
}
