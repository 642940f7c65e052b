//===- SuiteTest.cpp - Lists of contractions --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Suite.h"
#include "TestJson.h"
#include "tc/Package/Geometry.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::bench;
using model::Role;

using Json = nlohmann::ordered_json;

/// One matrix product that is compiled, and one case that is refused.
static Json exampleJson() {
  return Json::parse(R"({
    "format": "tc-suite", "version": 1, "name": "example", "target": "sm_90",
    "layout": "row",
    "cases": [
      {"name": "product", "type": "f32",
       "C": ["i", "j"], "A": ["i", "k"], "B": ["k", "j"],
       "extents": {"i": 5, "j": 7, "k": 3}, "alpha": -1.5, "beta": 2,
       "precision": "tf32", "package": "product.json",
       "cubin": "product.cubin.json",
       "resources": {"registers": 40, "spill_store_bytes": 8,
                     "spill_load_bytes": 16},
       "machine_code": {"multiply": "HMMA.1688.F32.TF32", "instructions": 90,
                        "multiplies": 30, "moves": 4,
                        "others_per_multiply": 1.5, "stall_cycles": 200,
                        "bank_conflicts": 2,
                        "busy_cycles": {"tensor": 240, "alu": 8.5}},
       "predicted_time": {"seconds": 2.5e-5, "launch_seconds": 3e-6,
                          "limited_by": "tensor pipe"}},
      {"name": "small", "type": "f4",
       "C": [], "A": ["i"], "B": ["i"], "extents": {"i": 5},
       "refused": "no such type"}
    ]})");
}

/// The error for the example with one value replaced.
static std::string errorWith(const char *path, const Json &value) {
  Json json = exampleJson();
  valueAt(json, path) = value;
  Result<Suite> suite = parseSuite(json.dump());
  return suite ? "no error" : suite.error();
}

static std::string errorWithout(const char *path, const char *key) {
  Json json = exampleJson();
  valueAt(json, path).erase(key);
  Result<Suite> suite = parseSuite(json.dump());
  return suite ? "no error" : suite.error();
}

TEST(SuiteTest, ReadsEverything) {
  Result<Suite> suite = parseSuite(exampleJson().dump());
  ASSERT_TRUE(suite) << suite.error();
  EXPECT_EQ(suite->name, "example");
  EXPECT_EQ(suite->target, "sm_90");
  EXPECT_EQ(suite->layout, Layout::Row);
  ASSERT_EQ(suite->cases.size(), 2u);
  const Case &product = suite->cases[0];
  EXPECT_EQ(product.indices[0], (std::vector<std::string>{"i", "k"}));
  EXPECT_EQ(product.indices[2], (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(product.alpha, -1.5);
  EXPECT_EQ(product.beta, 2);
  EXPECT_EQ(product.precision, model::Precision::TF32);
  EXPECT_EQ(product.cubin, "product.cubin.json");
  ASSERT_TRUE(product.resources);
  EXPECT_EQ(product.resources->registers, 40);
  EXPECT_EQ(product.resources->spillStoreBytes, 8);
  EXPECT_EQ(product.resources->spillLoadBytes, 16);
  ASSERT_TRUE(product.machineCode);
  EXPECT_EQ(product.machineCode->multiply, "HMMA.1688.F32.TF32");
  EXPECT_EQ(product.machineCode->moves, 4);
  EXPECT_EQ(product.machineCode->othersPerMultiply, 1.5);
  EXPECT_EQ(product.machineCode->busyCycles.at(1).second, 8.5);
  ASSERT_TRUE(product.predictedTime);
  EXPECT_EQ(product.predictedTime->seconds, 2.5e-5);
  EXPECT_EQ(product.predictedTime->launchSeconds, 3e-6);
  EXPECT_EQ(product.predictedTime->limitedBy, "tensor pipe");
  EXPECT_FALSE(suite->cases[1].machineCode);
  EXPECT_FALSE(suite->cases[1].predictedTime);
  EXPECT_EQ(suite->cases[1].refused, "no such type");
}

TEST(SuiteTest, RoundTrip) {
  Result<Suite> suite = parseSuite(exampleJson().dump());
  ASSERT_TRUE(suite) << suite.error();
  EXPECT_EQ(Json::parse(toJson(*suite)), exampleJson());
  suite->layout = Layout::Col;
  Result<Suite> again = parseSuite(toJson(*suite));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(toJson(*again), toJson(*suite));
}

TEST(SuiteTest, ErrorsOfTheDocument) {
  EXPECT_EQ(parseSuite("{").error(), "line 1, column 2: malformed JSON");
  EXPECT_EQ(errorWith("/format", "tc-bench"),
            "$.format: expected \"tc-suite\", not \"tc-bench\"");
  EXPECT_EQ(errorWith("/version", 2),
            "$.version: unknown version 2; this program reads version 1");
  EXPECT_EQ(errorWithout("", "layout"), "$: missing key \"layout\"");
  EXPECT_EQ(errorWith("/speed", 2), "$: unknown key \"speed\"");
  EXPECT_EQ(errorWith("/target", "h200"),
            "$.target: \"h200\" is not a chip, as sm_90 is");
  EXPECT_EQ(errorWith("/layout", "rows"),
            "$.layout: expected \"row\" or \"col\"");
  EXPECT_EQ(errorWith("/cases", Json::array()), "$.cases: must hold a case");
  EXPECT_EQ(errorWithout("", "target"),
            "$.cases[0].package: the suite has no \"target\"");
}

TEST(SuiteTest, ErrorsOfACase) {
  EXPECT_EQ(errorWithout("/cases/0", "A"), "$.cases[0]: missing key \"A\"");
  EXPECT_EQ(errorWith("/cases/0/name", ""),
            "$.cases[0].name: must not be empty");
  EXPECT_EQ(errorWith("/cases/1/name", "product"),
            "$.cases[1].name: \"product\" is the name of another case");
  EXPECT_EQ(errorWith("/cases/0/extents/i", 0),
            "$.cases[0].extents.i: must be at least 1, not 0");
  EXPECT_EQ(errorWith("/cases/0/extents/2", 4),
            "$.cases[0].extents.2: \"2\" is not an index name");
  EXPECT_EQ(errorWith("/cases/0/extents/x", 4),
            "$.cases[0].extents: index \"x\" is in no tensor");
  EXPECT_EQ(errorWith("/cases/0/A/0", "x"),
            "$.cases[0].A: index \"x\" has no extent");
  EXPECT_EQ(errorWith("/cases/0/A/0", "k"),
            "$.cases[0].A: index \"k\" occurs twice");
  EXPECT_EQ(errorWith("/cases/1/C", {"i", "i"}),
            "$.cases[1].C: index \"i\" occurs twice");
  EXPECT_EQ(errorWith("/cases/1/A", Json::array()), "no error");
  Json orphan = exampleJson();
  orphan["cases"][0]["A"] = {"k"};
  EXPECT_EQ(parseSuite(orphan.dump()).error(),
            "$.cases[0].C: index \"i\" is in neither A nor B");
  EXPECT_EQ(errorWith("/cases/0/precision", "half"),
            "$.cases[0].precision: expected ieee, tf32, 3xtf32 or bf16x3, not "
            "\"half\"");
  EXPECT_EQ(errorWith("/cases/0/type", "f64"),
            "$.cases[0].precision: \"tf32\" does not go with f64");
  EXPECT_EQ(errorWith("/cases/0/alpha", 1e40),
            "$.cases[0].alpha: '1e+40' is too large for f32");
  EXPECT_EQ(errorWith("/cases/0/package", "../x.json"),
            "$.cases[0].package: \"../x.json\" is not a path below the folder "
            "of the suite");
  EXPECT_EQ(errorWith("/cases/0/cubin", "/x.json"),
            "$.cases[0].cubin: \"/x.json\" is not a path below the folder of "
            "the suite");
  EXPECT_EQ(errorWithout("/cases/0", "package"),
            "$.cases[0].cubin: there is no \"package\" beside it");
  EXPECT_EQ(errorWith("/cases/0/refused", "why"),
            "$.cases[0].refused: there is a \"package\" beside it");
  EXPECT_EQ(errorWith("/cases/1/refused", ""),
            "$.cases[1].refused: must not be empty");
  EXPECT_EQ(errorWith("/cases/0/resources/registers", -1),
            "$.cases[0].resources.registers: must be at least 0, not -1");
  EXPECT_EQ(errorWith("/cases/0/machine_code/moves", -1),
            "$.cases[0].machine_code.moves: must be at least 0, not -1");
  EXPECT_EQ(errorWith("/cases/0/machine_code/multiply", nullptr), "no error");
  EXPECT_EQ(errorWith("/cases/0/predicted_time/seconds", 0),
            "$.cases[0].predicted_time.seconds: expected a positive number");
  EXPECT_EQ(errorWith("/cases/0/predicted_time/launch_seconds", -1),
            "$.cases[0].predicted_time.launch_seconds: must not be negative");
  EXPECT_EQ(errorWithout("/cases/1", "refused"),
            "$.cases[1]: unknown element type \"f4\"");
  Json huge = exampleJson();
  huge["cases"][0]["extents"] = {
      {"i", int64_t(1) << 40}, {"j", 7}, {"k", int64_t(1) << 40}};
  EXPECT_EQ(parseSuite(huge.dump()).error().find("$.cases[0]: tensor A: "), 0u)
      << parseSuite(huge.dump()).error();
}

TEST(SuiteTest, ErrorsOfFilesNameThePath) {
  EXPECT_EQ(loadSuite("/nonexistent/suite.json").error(),
            "/nonexistent/suite.json: No such file or directory");
}

TEST(SuiteTest, Definitions) {
  Result<Suite> suite = parseSuite(exampleJson().dump());
  ASSERT_TRUE(suite);
  Result<runtime::Kernel> row = definitionOf(*suite, suite->cases[0]);
  ASSERT_TRUE(row) << row.error();
  EXPECT_EQ(row->tensors[0].strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(row->accumulatorType, model::ElementType::F32);
  EXPECT_TRUE(row->tensors[2].isRead);
  EXPECT_TRUE(row->tensors[2].isWritten);
  EXPECT_EQ(row->alpha.value, -1.5);
  EXPECT_EQ(row->precision, model::Precision::TF32);
  suite->layout = Layout::Col;
  suite->cases[0].type = "f16";
  suite->cases[0].beta = 0;
  Result<runtime::Kernel> col = definitionOf(*suite, suite->cases[0]);
  ASSERT_TRUE(col) << col.error();
  EXPECT_EQ(col->tensors[0].strides, (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(col->accumulatorType, model::ElementType::F32);
  EXPECT_FALSE(col->tensors[2].isRead);
  EXPECT_FALSE(definitionOf(*suite, suite->cases[1]));
}

TEST(SuiteTest, EqualSizeMatrixProduct) {
  Case test;
  test.type = "f64";
  test.indices = {
      {{"b", "i", "k", "l"}, {"j", "l", "k", "b"}, {"j", "b", "i"}}};
  test.extents = {{"b", 2}, {"i", 3}, {"j", 5}, {"k", 7}, {"l", 11}};
  Result<runtime::Kernel> definition = definitionOf({}, test);
  ASSERT_TRUE(definition) << definition.error();
  Result<runtime::Kernel> product = matrixProductOf(*definition);
  ASSERT_TRUE(product) << product.error();
  model::Contraction contraction = runtime::contractionOf(*product);
  EXPECT_EQ(contraction.extent(Role::M), 3);
  EXPECT_EQ(contraction.extent(Role::N), 5);
  EXPECT_EQ(contraction.extent(Role::K), 77);
  EXPECT_EQ(contraction.extent(Role::Batch), 2);
  EXPECT_EQ(product->tensors[0].strides, (std::vector<int64_t>{1, 3, 231}));
  EXPECT_EQ(product->tensors[2].strides, (std::vector<int64_t>{1, 3, 15}));
  // k only in A: no product sums over it.
  test.indices[1] = {"j", "l", "b"};
  definition = definitionOf({}, test);
  ASSERT_TRUE(definition) << definition.error();
  EXPECT_EQ(matrixProductOf(*definition).error(),
            "not a matrix product: k is summed within one operand");
}
