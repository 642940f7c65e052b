//===- GpuStages.cpp - The pipeline for GPUs, stage by stage --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuStages.h"

#include "tc/Analysis/GroupObstacles.h"
#include "tc/Compiler/TunedFile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace tc;

void tc::setPipelineOptions(const DeviceOptions &options,
                            TCGPUPipelineOptions &pipeline) {
  pipeline.setCode(options);
  pipeline.target = options.target;
  pipeline.tuned = chooseTunedFile(options.tuned);
}

LogicalResult
tc::runGPUStages(ModuleOp module, const TCGPUPipelineOptions &pipeline,
                 const PipelineListeners &listeners,
                 llvm::function_ref<void(Stage, ModuleOp)> after) {
  for (Stage stage : allStages) {
    if (stage < pipeline.from || pipeline.to < stage)
      continue;
    mlir::PassManager manager(module.getContext());
    // Verifying after each pass takes longer than the passes: once a stage is
    // enough to name the stage that is at fault, and tc-opt tells the pass.
    manager.enableVerifier(false);
    addGPUStage(manager, stage, pipeline, listeners);
    if (failed(manager.run(module)) || failed(mlir::verify(module)))
      return failure();
    if (after)
      after(stage, module);
  }
  return success();
}

bool tc::areGroupsDissolved(const ErrorCollector &errors) {
  return llvm::any_of(errors.remarks(), [](llvm::StringRef remark) {
    return remark.starts_with(dissolvedRemark);
  });
}
