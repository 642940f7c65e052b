//===- Pipelines.h - Whole ways through the compiler ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass pipelines in stages: one options struct, one build function, one
// registration. Whatever compiles contractions calls these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_PIPELINES_H
#define TC_PIPELINES_PIPELINES_H

#include "tc/Pipelines/CodeOption.h"
#include "tc/Pipelines/Stages.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tc {

/// The names of stages, for options.
llvm::cl::ValuesClass stageValues();

/// Options of --tc-gpu-pipeline.
struct TCGPUPipelineOptions
    : public mlir::PassPipelineOptions<TCGPUPipelineOptions>,
      public CodeOptions {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Target to choose schedules for"),
                             llvm::cl::init("sm_90")};
  CodeOption<&CompileOptions::targetFile> targetFile{*this};
  CodeOption<&CompileOptions::schedule> schedule{*this};
  CodeOption<&CompileOptions::refine> refine{*this};
  CodeOption<&CompileOptions::tuned> tuned{*this};
  CodeOption<&CompileOptions::mergesSums> fuseAccumulations{*this};
  Option<bool> mergeSums{*this, "merge-sums",
                         llvm::cl::desc("Former name of fuse-accumulations"),
                         llvm::cl::init(true)};
  CodeOption<&CompileOptions::anyAlignment> anyAlignment{*this};
  CodeOption<&CompileOptions::dynamicShapes> dynamicShapes{*this};
  Option<bool> runTimeShapes{*this, "run-time-shapes",
                             llvm::cl::desc("Former name of dynamic-shapes"),
                             llvm::cl::init(false)};
  ListOption<std::string> representativeExtents{
      *this, "representative-extents",
      llvm::cl::desc(
          "Extents (m=4096,k=512) to choose schedules for where they "
          "are unknown at compile time")};
  Option<bool> fuseReductions{
      *this, "fuse-reductions",
      llvm::cl::desc("Let kernels add up the elements of contractions that are "
                     "only added up, and not store them"),
      llvm::cl::init(true)};
  CodeOption<&CompileOptions::fusesChains> fuseChains{*this};
  CodeOption<&CompileOptions::memoryLimit> memoryLimit{*this};
  CodeOption<&CompileOptions::searchMilliseconds> searchMilliseconds{*this};
  CodeOption<&CompileOptions::sumsOperands> sumOperands{*this};
  Option<unsigned> runnersUp{
      *this, "runners-up",
      llvm::cl::desc("Schedules to explain beside each chosen one, where a "
                     "listener asks"),
      llvm::cl::init(5)};
  Option<Stage> from{*this, "from", llvm::cl::desc("First stage to run"),
                     llvm::cl::init(allStages.front()), stageValues()};
  Option<Stage> to{*this, "to", llvm::cl::desc("Last stage to run"),
                   llvm::cl::init(allStages.back()), stageValues()};
};

/// Brings contractions into the form that schedules are chosen for: widens
/// inputs to the type of the factors, collapses indices and cleans up.
void buildTCNormalize(mlir::OpPassManager &manager);

/// Adds a stage of --tc-gpu-pipeline.
void addGPUStage(mlir::OpPassManager &manager, Stage stage,
                 const TCGPUPipelineOptions &options,
                 const PipelineListeners &listeners = {});

/// --tc-to-gpu, the stages `Outline` and `Lower`: scheduled contractions to
/// kernels in the gpu, scf, vector and memref dialects; contractions on tensors
/// are bufferized first.
void buildTCToGPU(mlir::OpPassManager &manager);

/// --tc-gpu-pipeline, or those of its stages that the options say.
void buildTCGPUPipeline(mlir::OpPassManager &manager,
                        const TCGPUPipelineOptions &options);

/// Options of --tc-cpu-pipeline.
struct TCCPUPipelineOptions
    : public mlir::PassPipelineOptions<TCCPUPipelineOptions>,
      public CodeOptions {
  CodeOption<&CompileOptions::targetFile> targetFile{*this};
  CodeOption<&CompileOptions::schedule> schedule{*this};
  CodeOption<&CompileOptions::tuned> tuned{*this};
  CodeOption<&CompileOptions::threads> threads{*this, 1};
  /// Threads that calls of ahead-of-time kernels are told, if other ones: zero
  /// leaves it to where the code runs.
  std::optional<unsigned> threadsOfCalls;
  CodeOption<&CompileOptions::strategy> strategy{*this};
  /// Functions that are outlined are called by a program, which may sum
  /// operands first by some of its own. Those of object files are called by
  /// others, who know the contractions.
  bool callsOutlined = false;
  CodeOption<&CompileOptions::tileChains> tileChains{*this};
  /// "auto" is "never": modules may leave the process.
  CodeOption<&CompileOptions::libraryCalls> libraryCalls{*this};
  CodeOption<&CompileOptions::workspaceLimit> workspaceLimit{*this};
  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("Make what is not computed with a shape that is unknown "
                     "at compile time an error, in place of loops of linalg"),
      llvm::cl::init(false)};
  Option<bool> outline{
      *this, "outline",
      llvm::cl::desc("Move contractions into functions of their own"),
      llvm::cl::init(false)};
  CodeOption<&CompileOptions::memoryLimit> memoryLimit{*this};
  CodeOption<&CompileOptions::searchMilliseconds> searchMilliseconds{*this};
  CodeOption<&CompileOptions::sumsOperands> sumOperands{*this};
  Option<bool> canonicalize{
      *this, "canonicalize",
      llvm::cl::desc("Canonicalize what is lowered; where only LLVM reads it, "
                     "that folds the same, and code is there a twentieth of "
                     "the time sooner"),
      llvm::cl::init(true)};
  Option<Stage> from{*this, "from", llvm::cl::desc("First stage to run"),
                     llvm::cl::init(allStages.front()), stageValues()};
  Option<Stage> to{*this, "to", llvm::cl::desc("Last stage to run"),
                   llvm::cl::init(allStages.back()), stageValues()};
};

/// Adds a stage of --tc-cpu-pipeline.
void addCPUStage(mlir::OpPassManager &manager, Stage stage,
                 const TCCPUPipelineOptions &options,
                 const PipelineListeners &listeners = {});

/// Part of stage `Schedule` for CPUs before it chooses schedules: decomposes
/// softmaxes, widens inputs, bufferizes and collapses indices.
void buildTCCPUNormalize(mlir::OpPassManager &manager);

/// The stages `Outline` and `Lower` of --tc-cpu-pipeline.
void buildTCToCPU(mlir::OpPassManager &manager,
                  const TCCPUPipelineOptions &options);

/// --tc-cpu-pipeline, or those of its stages that the options say.
void buildTCCPUPipeline(mlir::OpPassManager &manager,
                        const TCCPUPipelineOptions &options);

/// Bufferizes the contractions on tensors, function boundaries included.
void addBufferization(mlir::OpPassManager &manager);

/// Registers the former names of passes.
void registerRenamedPasses();

/// Registers all pipelines.
void registerTCPipelines();

} // namespace tc

#endif // TC_PIPELINES_PIPELINES_H
