//===- StagesTest.cpp - One pipeline for tc-opt and the library -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/ExplainModule.h"
#include "tc/Compiler/GpuProgram.h"
#include "tc/InitAll.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>
#include <map>

using namespace tc;
using mlir::OwningOpRef;

namespace {

/// The types that stand for $A, $B and $C in a program.
struct Types {
  const char *a, *b, *c;
};

constexpr Types allTypes[] = {{"f64", "f64", "f64"},
                              {"f32", "f32", "f32"},
                              {"f16", "f32", "f32"},
                              {"bf16", "bf16", "f32"},
                              {"complex<f32>", "complex<f32>", "complex<f32>"}};

struct TestProgram {
  const char *name;
  const char *text;
  /// For a GPU of eight-byte complex numbers, there is no softmax.
  bool takesComplex = true;
};

constexpr TestProgram allPrograms[] = {
    {"product", R"(
func.func @f(%A: tensor<60x4x33x$A>, %B: tensor<33x50x4x$B>, %C: tensor<50x4x60x$C>) -> tensor<50x4x60x$C> {
  %0 = tc.contract [i, b, k], [k, j, b] -> [j, b, i] ins(%A, %B : tensor<60x4x33x$A>, tensor<33x50x4x$B>) outs(%C : tensor<50x4x60x$C>) -> tensor<50x4x60x$C>
  return %0 : tensor<50x4x60x$C>
})"},
    {"chain", R"(
func.func @f(%A: tensor<2048x32x$A>, %B: tensor<32x32x$B>, %D: tensor<32x48x$B>) -> tensor<2048x48x$C> {
  %e = tensor.empty() : tensor<2048x32x$C>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<2048x32x$A>, tensor<32x32x$B>) outs(%e : tensor<2048x32x$C>) -> tensor<2048x32x$C>
  %f = tensor.empty() : tensor<2048x48x$C>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %D : tensor<2048x32x$C>, tensor<32x48x$B>) outs(%f : tensor<2048x48x$C>) -> tensor<2048x48x$C>
  return %1 : tensor<2048x48x$C>
})"},
    {"chain of three", R"(
func.func @f(%A: tensor<1000x8x$A>, %B: tensor<8x8x$B>, %D: tensor<8x8x$A>, %E: tensor<8x8x$B>) -> tensor<1000x8x$C> {
  %e = tensor.empty() : tensor<1000x8x$C>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<1000x8x$A>, tensor<8x8x$B>) outs(%e : tensor<1000x8x$C>) -> tensor<1000x8x$C>
  %1 = tc.contract [m, k], [k, l] -> [m, l] ins(%0, %D : tensor<1000x8x$C>, tensor<8x8x$A>) outs(%e : tensor<1000x8x$C>) -> tensor<1000x8x$C>
  %2 = tc.contract [m, k], [k, l] -> [m, l] ins(%1, %E : tensor<1000x8x$C>, tensor<8x8x$B>) outs(%e : tensor<1000x8x$C>) -> tensor<1000x8x$C>
  return %2 : tensor<1000x8x$C>
})"},
    {"sum", R"(
func.func @f(%A: tensor<40x30x$A>, %B: tensor<30x50x$B>, %C: tensor<40x50x$C>, %one: $C) -> tensor<40x50x$C> {
  %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<40x30x$A>, tensor<30x50x$B>) outs(%C : tensor<40x50x$C>) beta(%one : $C) -> tensor<40x50x$C>
  %1 = tc.contract [i, l], [l, j] -> [i, j] ins(%A, %B : tensor<40x30x$A>, tensor<30x50x$B>) outs(%0 : tensor<40x50x$C>) beta(%one : $C) -> tensor<40x50x$C>
  return %1 : tensor<40x50x$C>
})"},
    {"shared input", R"(
func.func @f(%A: tensor<512x300x$A>, %B: tensor<300x16x$B>, %D: tensor<300x16x$B>) -> (tensor<512x16x$C>, tensor<512x16x$C>) {
  %e = tensor.empty() : tensor<512x16x$C>
  %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<512x300x$A>, tensor<300x16x$B>) outs(%e : tensor<512x16x$C>) -> tensor<512x16x$C>
  %1 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %D : tensor<512x300x$A>, tensor<300x16x$B>) outs(%e : tensor<512x16x$C>) -> tensor<512x16x$C>
  return %0, %1 : tensor<512x16x$C>, tensor<512x16x$C>
})"},
    {"three factors", R"(
func.func @f(%A: tensor<20x30x$A>, %B: tensor<30x40x$A>, %D: tensor<40x7x$A>, %C: tensor<20x7x$C>) -> tensor<20x7x$C> {
  %0 = tc.einsum [i, j], [j, k], [k, l] -> [i, l] ins(%A, %B, %D : tensor<20x30x$A>, tensor<30x40x$A>, tensor<40x7x$A>) outs(%C : tensor<20x7x$C>) -> tensor<20x7x$C>
  return %0 : tensor<20x7x$C>
})"},
    {"equal products", R"(
func.func @f(%A: tensor<20x30x$A>, %B: tensor<30x40x$B>) -> (tensor<20x40x$C>, tensor<40x20x$C>) {
  %e = tensor.empty() : tensor<20x40x$C>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<20x30x$A>, tensor<30x40x$B>) outs(%e : tensor<20x40x$C>) -> tensor<20x40x$C>
  %t = tensor.empty() : tensor<40x20x$C>
  %1 = tc.contract [a, b], [b, c] -> [c, a] ins(%A, %B : tensor<20x30x$A>, tensor<30x40x$B>) outs(%t : tensor<40x20x$C>) -> tensor<40x20x$C>
  return %0, %1 : tensor<20x40x$C>, tensor<40x20x$C>
})"},
    {"buffers", R"(
func.func @f(%A: memref<20x30x$A>, %B: memref<30x40x$B>, %D: memref<40x20x$B>, %T: memref<20x40x$C>, %C: memref<20x20x$C>) {
  tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : memref<20x30x$A>, memref<30x40x$B>) outs(%T : memref<20x40x$C>)
  tc.contract [i, j], [j, k] -> [i, k] ins(%T, %D : memref<20x40x$C>, memref<40x20x$B>) outs(%C : memref<20x20x$C>)
  return
})"},
    {"no sum", R"(
func.func @f(%A: tensor<17x1x$A>, %B: tensor<1x19x$B>, %C: tensor<17x19x$C>) -> tensor<17x19x$C> {
  %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<17x1x$A>, tensor<1x19x$B>) outs(%C : tensor<17x19x$C>) -> tensor<17x19x$C>
  return %0 : tensor<17x19x$C>
})"},
    {"attention", R"(
func.func @f(%Q: tensor<512x16x$A>, %K: tensor<64x16x$B>, %V: tensor<64x16x$B>) -> tensor<512x16x$C> {
  %s = tensor.empty() : tensor<512x64x$C>
  %0 = tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : tensor<512x16x$A>, tensor<64x16x$B>) outs(%s : tensor<512x64x$C>) -> tensor<512x64x$C>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<512x64x$C>) outs(%s : tensor<512x64x$C>) -> tensor<512x64x$C>
  %o = tensor.empty() : tensor<512x16x$C>
  %2 = tc.contract [q, k], [k, d] -> [q, d] ins(%1, %V : tensor<512x64x$C>, tensor<64x16x$B>) outs(%o : tensor<512x16x$C>) -> tensor<512x16x$C>
  return %2 : tensor<512x16x$C>
})",
     /*takesComplex=*/false},
    {"unknown extent", R"(
func.func @f(%A: tensor<?x30x$A>, %B: tensor<30x40x$B>, %C: tensor<?x40x$C>) -> tensor<?x40x$C> {
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<?x30x$A>, tensor<30x40x$B>) outs(%C : tensor<?x40x$C>) -> tensor<?x40x$C>
  return %0 : tensor<?x40x$C>
})",
     /*takesComplex=*/false},
};

std::string textOf(const TestProgram &program, const Types &types) {
  std::string text = program.text;
  for (auto [sign, type] :
       {std::pair("$A", types.a), {"$B", types.b}, {"$C", types.c}})
    for (size_t at; (at = text.find(sign)) != std::string::npos;)
      text.replace(at, 2, type);
  return text;
}

/// A module as text, without the attributes that keep contractions apart that
/// are to be kernels of their own.
std::string print(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  copy->walk([](ContractOp op) { op->removeDiscardableAttr("number"); });
  std::string text;
  llvm::raw_string_ostream(text) << *copy;
  return text;
}

class Stages : public testing::Test {
protected:
  Stages() : context(registryOfAll(), MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registryOfAll() {
    mlir::DialectRegistry registry;
    registerAllTC(registry);
    registerPTXExportDialects(registry);
    static const bool arePassesRegistered = (registerTCPasses(), true);
    (void)arePassesRegistered;
    return registry;
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<ModuleOp>(text, &context);
  }

  /// Runs the pipeline as its text says, which tc-opt takes.
  std::string runTextual(ModuleOp module, const std::string &options) {
    std::string error;
    llvm::raw_string_ostream stream(error);
    mlir::PassManager manager(&context);
    if (failed(mlir::parsePassPipeline("tc-gpu-pipeline{" + options + "}",
                                       manager, stream)))
      return error;
    return succeeded(manager.run(module)) ? print(module) : "failed";
  }

  std::string runStage(ModuleOp module, Stage stage) {
    std::string name = nameOf(stage).str();
    return runTextual(module, "target=sm_80 from=" + name + " to=" + name);
  }

  MLIRContext context;
};

/// Stages of the library and those of the text that tc-opt takes make the same
/// modules.
TEST_F(Stages, AreThoseOfTcOpt) {
  size_t compared = 0, fused = 0;
  for (const TestProgram &program : allPrograms)
    for (const Types &types : allTypes) {
      bool isComplex = llvm::StringRef(types.a).starts_with("complex");
      if (isComplex && !program.takesComplex)
        continue;
      SCOPED_TRACE(std::string(program.name) + " of " + types.a + ", " +
                   types.b + ", " + types.c);
      OwningOpRef<ModuleOp> module = parse(textOf(program, types));
      ASSERT_TRUE(module);
      std::map<Stage, std::string> seen;
      auto keep = [&](Stage stage, ModuleOp lowered) {
        seen[stage] = print(lowered);
      };
      GpuOptions options;
      options.target = "sm_80";
      options.tuned = "off";
      options.afterStage = keep;
      OwningOpRef<ModuleOp> compiled = module->clone();
      Result<GpuProgram> made = compileForGpu(*compiled, "text", options);
      bool isOpen = std::string(program.name) == "unknown extent";
      // A kernel whose shape is unknown cannot be described by the library.
      ASSERT_EQ(static_cast<bool>(made), !isOpen) << made.error();
      for (Stage stage : allStages) {
        if (isOpen && stage > Stage::Fuse)
          break;
        EXPECT_EQ(seen[stage], runStage(*module, stage)) << nameOf(stage).str();
      }
      fused += seen[Stage::Fuse].find("tc.fused") != std::string::npos;
      ++compared;
    }
  EXPECT_GE(compared, 50u);
  EXPECT_GE(fused, 15u);
}

/// Explanations have the schedules of the kernels that are made, those of fused
/// contractions included.
TEST_F(Stages, ExplanationsAreOfTheKernels) {
  for (const TestProgram &program : allPrograms) {
    if (std::string(program.name) == "unknown extent")
      continue;
    SCOPED_TRACE(program.name);
    OwningOpRef<ModuleOp> module = parse(textOf(program, allTypes[2]));
    ASSERT_TRUE(module);
    std::vector<std::string> schedules;
    auto list = [&](Stage stage, ModuleOp lowered) {
      if (stage == Stage::Schedule)
        lowered.walk([&](ContractOp op) {
          llvm::raw_string_ostream(schedules.emplace_back())
              << op.getScheduleAttr();
        });
    };
    GpuOptions options;
    options.tuned = "off";
    options.afterStage = list;
    OwningOpRef<ModuleOp> compiled = module->clone();
    ASSERT_TRUE(static_cast<bool>(compileForGpu(*compiled, "text", options)));
    ExplainOptions explained;
    explained.tuned = "off";
    Result<std::vector<explain::Section>> sections =
        explainModule(*module, "text", explained);
    ASSERT_TRUE(static_cast<bool>(sections)) << sections.error();
    ASSERT_EQ(sections->size(), schedules.size());
    for (size_t i = 0; i < schedules.size(); ++i)
      EXPECT_EQ((*sections)[i].schedules.front(), schedules[i]);
  }
}

/// The stages that are left out are those that the options say.
TEST_F(Stages, FollowOnOneAnother) {
  OwningOpRef<ModuleOp> module = parse(textOf(allPrograms[1], allTypes[2]));
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> inSteps = module->clone(), prepared = module->clone();
  std::string whole = runTextual(*module, "target=sm_80"), last;
  for (Stage stage : allStages)
    last = runStage(*inSteps, stage);
  EXPECT_EQ(last, whole);
  EXPECT_EQ(runTextual(*prepared, "target=sm_80 to=prepare").find("schedule"),
            std::string::npos);
  EXPECT_NE(whole.find("gpu.launch_func"), std::string::npos);
}

} // namespace
