//===- TCGPUPipeline.cpp - From contractions to GPU kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds and registers --tc-to-gpu and --tc-gpu-pipeline.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "tc/Conversion/ExpandFloat8/Passes.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace tc;

static void addCleanup(mlir::OpPassManager &manager) {
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

/// Without the pattern that compares the values that a loop carries with one
/// another whenever it looks at the loop: that takes seconds where they are
/// hundreds of accumulators. Run on what this leaves, it looks once.
static void addQuickCleanup(mlir::OpPassManager &manager) {
  manager.addPass(mlir::createCanonicalizerPass(
      mlir::GreedyRewriteConfig(),
      {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"}));
  manager.addPass(mlir::createCSEPass());
}

void tc::buildTCNormalize(mlir::OpPassManager &manager) {
  manager.addPass(createWidenInputsPass());
  manager.addPass(createCollapseIndicesPass());
  addCleanup(manager);
}

void tc::addBufferization(mlir::OpPassManager &manager) {
  mlir::bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      mlir::bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(mlir::bufferization::createOneShotBufferizePass(bufferize));
}

void tc::buildTCToGPU(mlir::OpPassManager &manager) {
  addBufferization(manager);
  manager.addPass(createTCOutlineKernels());
  auto &kernels = manager.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(createTCMaterializeLoopNest());
  kernels.addPass(createTCLowerTileCopies());
  kernels.addPass(createTCLowerMultiplyTiles());
  kernels.addPass(createTCLowerPartialSums());
  kernels.addPass(createTCLowerConvertAccumulators());
  kernels.addPass(createTCLowerRowStatistics());
  kernels.addPass(createTCLowerStoreAccumulators());
  kernels.addPass(createTCLowerStoreTile());
  kernels.addPass(createTCLowerReduceBlocks());
  manager.addPass(createTCExpandFloat8());
  auto &expanded = manager.nest<mlir::gpu::GPUModuleOp>();
  addQuickCleanup(expanded);
  // What depends on block and thread only is computed once, before the K loop.
  expanded.addPass(mlir::createLoopInvariantCodeMotionPass());
  addCleanup(expanded);
}

void tc::buildTCGPUPipeline(mlir::OpPassManager &manager,
                            const TCGPUPipelineOptions &options) {
  OrderPassOptions order;
  order.shares = true;
  order.target = options.target;
  order.targetFile = options.targetFile;
  manager.addPass(createOrderPass(order));
  manager.addPass(createShareContractionsPass());
  DynamicShapesPassOptions shapes;
  shapes.unknownOnly = !options.dynamicShapes && !options.runTimeShapes;
  shapes.representativeExtents.assign(options.representativeExtents.begin(),
                                      options.representativeExtents.end());
  manager.addPass(createDynamicShapesPass(shapes));
  if (options.anyAlignment)
    manager.addPass(createMultiVersionPass());
  // What is merged keeps its indices, of which schedules speak.
  if (options.fuseAccumulations && options.mergeSums &&
      options.schedule.empty()) {
    FuseAccumulationsPassOptions merge;
    merge.target = options.target;
    merge.targetFile = options.targetFile;
    manager.addPass(createFuseAccumulationsPass(merge));
  }
  if (options.schedule.empty()) {
    // Which factors are of one type, schedules say.
    manager.addPass(createWidenInputsPass());
    FuseChainsPassOptions chains;
    chains.target = options.target;
    chains.targetFile = options.targetFile;
    chains.find = options.fuseChains;
    manager.addPass(createFuseChainsPass(chains));
  }
  manager.addPass(createDecomposeSoftmaxPass());
  if (options.fuseReductions)
    manager.addPass(createFuseReductionsPass());
  buildTCNormalize(manager);
  TilePassOptions tile;
  tile.target = options.target;
  tile.targetFile = options.targetFile;
  tile.schedule = options.schedule;
  tile.refine = options.refine;
  tile.tuned = options.tuned;
  manager.addPass(createTilePass(tile));
  // What is one kernel and which fits, buffers say; new ones get their
  // schedules then.
  addBufferization(manager);
  manager.addPass(createDissolveGroupsPass());
  manager.addPass(createDecomposeSoftmaxPass());
  manager.addPass(createDispatchVersionsPass());
  manager.addPass(createTilePass(tile));
  buildTCToGPU(manager);
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
