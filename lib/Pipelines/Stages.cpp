//===- Stages.cpp - Parts of the pipelines --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace tc;

llvm::StringRef tc::nameOf(Stage stage) {
  switch (stage) {
  case Stage::Prepare:
    return "prepare";
  case Stage::Fuse:
    return "fuse";
  case Stage::Schedule:
    return "schedule";
  case Stage::Outline:
    return "outline";
  case Stage::Lower:
    return "lower";
  }
  llvm_unreachable("no stage");
}

llvm::cl::ValuesClass tc::stageValues() {
  return llvm::cl::values(
      clEnumValN(Stage::Prepare, nameOf(Stage::Prepare),
                 "orders products of many tensors, shares equal contractions"),
      clEnumValN(Stage::Fuse, nameOf(Stage::Fuse),
                 "decides which contractions are computed together"),
      clEnumValN(Stage::Schedule, nameOf(Stage::Schedule),
                 "collapses indices and chooses schedules"),
      clEnumValN(Stage::Outline, nameOf(Stage::Outline),
                 "moves contractions into kernels, or functions, of their own"),
      clEnumValN(Stage::Lower, nameOf(Stage::Lower),
                 "makes loops, copies and multiplications of contractions"));
}

namespace {

/// Says that no stage is left to run: building a pipeline cannot fail.
struct RejectStages
    : public mlir::PassWrapper<RejectStages, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RejectStages)

  RejectStages(Stage from, Stage to) : from(from), to(to) {}

  void runOnOperation() override {
    emitError(getOperation()->getLoc())
        << "option 'from': stage '" << nameOf(from) << "' comes after '"
        << nameOf(to) << "', which is the last to run";
    signalPassFailure();
  }

  Stage from, to;
};

} // namespace

/// Adds the stages that options say by a function that adds one.
template <typename Options>
static void addStages(mlir::OpPassManager &manager, const Options &options,
                      void (*addStage)(mlir::OpPassManager &, Stage,
                                       const Options &,
                                       const PipelineListeners &)) {
  if (options.to < options.from)
    manager.addPass(std::make_unique<RejectStages>(options.from, options.to));
  for (Stage stage : allStages)
    if (options.from <= stage && stage <= options.to)
      addStage(manager, stage, options, {});
}

void tc::buildTCGPUPipeline(mlir::OpPassManager &manager,
                            const TCGPUPipelineOptions &options) {
  addStages(manager, options, addGPUStage);
}

void tc::buildTCCPUPipeline(mlir::OpPassManager &manager,
                            const TCCPUPipelineOptions &options) {
  addStages(manager, options, addCPUStage);
}

void tc::registerTCPipelines() {
  mlir::PassPipelineRegistration<> toGPU(
      "tc-to-gpu",
      "Lower scheduled contractions to kernels in the gpu, scf, vector and "
      "memref dialects",
      buildTCToGPU);
  mlir::PassPipelineRegistration<TCGPUPipelineOptions> pipeline(
      "tc-gpu-pipeline",
      "Collapse indices, choose schedules and lower contractions to kernels",
      buildTCGPUPipeline);
  mlir::PassPipelineRegistration<TCCPUPipelineOptions> cpuPipeline(
      "tc-cpu-pipeline",
      "Collapse indices, choose CPU schedules and lower contractions to loops "
      "over packed panels",
      buildTCCPUPipeline);
}
