//===- ReportTest.cpp - Reports of kernels --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Report/Report.h"
#include "Package/TestKernels.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

TEST(ReportTest, TellsTheFirstFailure) {
  Report report;
  report.text = "text";
  report.json["kernels"] = 2;
  CheckReport passed, failed;
  failed.unwritten.count = 1;
  ASSERT_TRUE(passed.passed());
  report.note("kernel a", passed);
  EXPECT_EQ(report.render(/*asJson=*/false), "text");
  EXPECT_EQ(report.render(/*asJson=*/true),
            "{\n  \"kernels\": 2,\n  \"passed\": true\n}\n");
  report.note("kernel b", failed);
  report.note("kernel c", failed);
  EXPECT_EQ(report.failure, "kernel b: check " + failed.summary());
  EXPECT_EQ(Json::parse(report.render(/*asJson=*/true))["passed"], false);
}

TEST(ReportTest, WorkIsThatOfAllTerms) {
  Work work = workOf(sumKernel());
  EXPECT_EQ(work.flops, 2 * 5 * 7 * (3 + 4));
  // C is read and written once.
  EXPECT_EQ(work.bytes, 8 * ((15 + 21) + (28 + 20) + 2 * 35));
}

TEST(ReportTest, TellsTerms) {
  Kernel kernel = sumKernel();
  kernel.others[0].prologueA = "relu(x)";
  EXPECT_EQ(
      otherContractionsText(kernel),
      "  contraction 1 C[x,y] += -1 * A1[y,z] * B1[z,x] with y=7 z=4 x=5\n"
      "  prologue a   relu(x)\n");
  Json terms = kernelToJson(kernel)["contractions"];
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(terms[0]["contraction"], "C[x,y] += -1 * A1[y,z] * B1[z,x]");
  EXPECT_EQ(terms[0]["prologue_a"], "relu(x)");
  EXPECT_EQ(terms[0]["extents"]["z"], 4);
}

TEST(ReportTest, TellsReductions) {
  Kernel kernel = reducingKernel();
  EXPECT_EQ(formulaOf(kernel), "C = sum over i,j of 2 * A[i,k] * B[k,j]");
  EXPECT_EQ(kernelToJson(kernel)["reduce"], "add");
  // One number is stored.
  EXPECT_EQ(workOf(kernel).bytes, 8 * (15 + 21 + 1));
}
