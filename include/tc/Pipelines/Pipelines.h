//===- Pipelines.h - Whole ways through the compiler ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass pipelines: one options struct, one build function, one registration.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_PIPELINES_H
#define TC_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tc {

/// Options of --tc-gpu-pipeline.
struct TCGPUPipelineOptions
    : public mlir::PassPipelineOptions<TCGPUPipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Target to choose schedules for"),
                             llvm::cl::init("sm_90")};
  Option<std::string> targetFile{
      *this, "target-file",
      llvm::cl::desc("JSON file with the target to choose schedules for")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("Schedule for contractions that carry none, instead of a "
                     "search")};
};

/// Brings contractions into the form that schedules are chosen for: collapses
/// indices and cleans up.
void buildTCNormalize(mlir::OpPassManager &manager);

/// --tc-to-gpu: scheduled contractions to kernels in the gpu, scf, vector and
/// memref dialects; contractions on tensors are bufferized first.
void buildTCToGPU(mlir::OpPassManager &manager);

/// --tc-gpu-pipeline: collapses indices, chooses schedules, then --tc-to-gpu.
void buildTCGPUPipeline(mlir::OpPassManager &manager,
                        const TCGPUPipelineOptions &options);

/// Registers both pipelines.
void registerTCPipelines();

} // namespace tc

#endif // TC_PIPELINES_PIPELINES_H
