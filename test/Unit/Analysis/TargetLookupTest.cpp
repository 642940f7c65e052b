//===- TargetLookupTest.cpp - Tests of targets on modules -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/TargetLookup.h"

#include "tc/Machine/TargetFile.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tc;

namespace {

class TargetLookup : public ::testing::Test {
protected:
  TargetLookup() { context.loadDialect<mlir::DLTIDialect>(); }

  mlir::OwningOpRef<ModuleOp> parse(const char *text) {
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  MLIRContext context;
};

/// All figures, as text.
std::string textOf(const Result<model::Target> &target) {
  return target ? model::writeTarget(*target) : target.error();
}

TEST_F(TargetLookup, WhatIsWrittenIsReadAgain) {
  for (const model::Target &target : model::builtinTargets()) {
    mlir::TargetDeviceSpecInterface spec = writeTargetSpec(&context, target);
    EXPECT_TRUE(isTargetSpec(spec));
    EXPECT_EQ(textOf(readTargetSpec(spec, target.name)),
              model::writeTarget(target));
  }
}

TEST_F(TargetLookup, AnAttachedTargetIsFound) {
  mlir::OwningOpRef<ModuleOp> module = parse("module {}");
  model::Target target = **model::findTarget("sm_90");
  target.name = "mine";
  attachTarget(*module, target);
  EXPECT_EQ(textOf(lookUpTarget(*module, "mine")), model::writeTarget(target));

  // Attaching again replaces it and keeps the others.
  model::Target other = target;
  other.name = "other";
  attachTarget(*module, other);
  target.multiprocessors = 100;
  attachTarget(*module, target);
  EXPECT_EQ(textOf(lookUpTarget(*module, "mine")), model::writeTarget(target));
  EXPECT_EQ(textOf(lookUpTarget(*module, "other")), model::writeTarget(other));
  EXPECT_TRUE(mlir::succeeded(module->verify()));
}

TEST_F(TargetLookup, TheClosestDescriptionCounts) {
  mlir::OwningOpRef<ModuleOp> module = parse(R"(
    module attributes {dlti.target_system_spec = #dlti.target_system_spec<
      "sm_90" = #dlti.target_device_spec<
        "tc.base" = "sm_90", "tc.multiprocessors" = 107 : i64>,
      "outer" = #dlti.target_device_spec<"tc.base" = "sm_80">>} {
      module attributes {dlti.target_system_spec = #dlti.target_system_spec<
        "sm_90" = #dlti.target_device_spec<
          "tc.base" = "sm_90", "tc.multiprocessors" = 109 : i64>,
        "sm_75" = #dlti.target_device_spec<"vendor.figure" = 1 : i64>>} {}
    })");
  ModuleOp inner = *module->getOps<ModuleOp>().begin();
  EXPECT_EQ(lookUpTarget(*module, "sm_90")->multiprocessors, 107u);
  EXPECT_EQ(lookUpTarget(inner, "sm_90")->multiprocessors, 109u);
  EXPECT_EQ(lookUpTarget(inner, "outer")->chip, "sm_80");
  // Somebody else's device of that name hides nothing.
  EXPECT_EQ(lookUpTarget(inner, "sm_75")->multiprocessors, 40u);
  EXPECT_EQ(lookUpTarget(inner, "sm_1").error(),
            "unknown target 'sm_1'; known are sm_75, sm_80, sm_86, sm_89, "
            "sm_90, sm_100, sm_103, sm_110, sm_120, sm_121");
}

} // namespace
