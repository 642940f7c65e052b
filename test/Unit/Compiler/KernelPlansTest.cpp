//===- KernelPlansTest.cpp - Plans of kernels -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/InitAll.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace tc;
using mlir::OwningOpRef;

namespace {

/// Two kernels: a chain, and a product whose threads share K.
constexpr const char *chainAndProduct = R"(
func.func @f(%A: tensor<2048x32xf64>, %B: tensor<32x32xf64>, %D: tensor<32x48xf64>, %G: tensor<64x4096xf64>) -> (tensor<2048x48xf64>, tensor<64x64xf64>) {
  %e = tensor.empty() : tensor<2048x32xf64>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<2048x32xf64>, tensor<32x32xf64>) outs(%e : tensor<2048x32xf64>) -> tensor<2048x32xf64>
  %f = tensor.empty() : tensor<2048x48xf64>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %D : tensor<2048x32xf64>, tensor<32x48xf64>) outs(%f : tensor<2048x48xf64>) -> tensor<2048x48xf64>
  %h = tensor.empty() : tensor<64x64xf64>
  %2 = tc.contract [i, k], [j, k] -> [i, j] ins(%G, %G : tensor<64x4096xf64>, tensor<64x4096xf64>) outs(%h : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %1, %2 : tensor<2048x48xf64>, tensor<64x64xf64>
})";

/// Counts how often plans are computed, and lowering passes that take them.
class PlanCounter : public mlir::PassInstrumentation {
public:
  PlanCounter(unsigned &analyses, unsigned &passes)
      : analyses(analyses), passes(passes) {}

  void runBeforeAnalysis(llvm::StringRef, mlir::TypeID id,
                         mlir::Operation *) override {
    analyses += id == mlir::TypeID::get<KernelPlans>();
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *) override {
    passes += pass->getArgument().starts_with("tc-lower-");
  }

private:
  unsigned &analyses, &passes;
};

class KernelPlansTest : public testing::Test {
protected:
  KernelPlansTest() : context(registryOfAll()) {}

  static mlir::DialectRegistry registryOfAll() {
    mlir::DialectRegistry registry;
    registerAllTC(registry);
    static const bool arePassesRegistered = (registerTCPasses(), true);
    (void)arePassesRegistered;
    return registry;
  }

  /// Runs a part of the pipeline for a GPU.
  LogicalResult run(ModuleOp module, const std::string &options) {
    mlir::PassManager manager(&context);
    if (failed(mlir::parsePassPipeline(
            "tc-gpu-pipeline{target=sm_80 " + options + "}", manager)))
      return mlir::failure();
    manager.addInstrumentation(std::make_unique<PlanCounter>(analyses, passes));
    return manager.run(module);
  }

  MLIRContext context;
  unsigned analyses = 0, passes = 0;
};

} // namespace

/// No pass but the first one lays out a kernel.
TEST_F(KernelPlansTest, PassesShareThem) {
  auto module = mlir::parseSourceString<ModuleOp>(chainAndProduct, &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(run(*module, "")));
  EXPECT_EQ(analyses, 1u);
  EXPECT_GE(passes, 8u);
}

/// A plan is of the attribute and the types: a kernel that changes gets another
/// one, and the first one stays.
TEST_F(KernelPlansTest, AreMadeOnce) {
  auto module = mlir::parseSourceString<ModuleOp>(chainAndProduct, &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(run(*module, "to=outline")));
  KernelPlans plans(*module);
  std::vector<mlir::gpu::GPUFuncOp> kernels;
  module->walk([&](mlir::gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  ASSERT_EQ(kernels.size(), 2u);
  for (mlir::gpu::GPUFuncOp kernel : kernels) {
    const KernelPlan *plan = plans.planOf(kernel);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plans.planOf(kernel), plan);
    kernel.walk([&](ContractOp op) {
      EXPECT_EQ(plans.enclosing(op), &plan->contractions.front());
    });
    EXPECT_EQ(plan->contractions.front().layout.sharedBytes,
              plan->places.bytes);
    EXPECT_EQ(plan->group.edges.size() + 1, plan->contractions.size());
  }
  EXPECT_EQ(plans.size(), 2u);
}
