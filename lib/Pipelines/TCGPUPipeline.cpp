//===- TCGPUPipeline.cpp - From contractions to GPU kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of --tc-gpu-pipeline, of which --tc-to-gpu is the last two.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "tc/Conversion/ExpandFloat8/Passes.h"
#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
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

static void addPrepare(mlir::OpPassManager &manager,
                       const TCGPUPipelineOptions &options,
                       const PipelineListeners &listeners) {
  OrderPassOptions order;
  order.shares = true;
  order.target = options.target;
  order.targetFile = options.targetFile;
  order.memoryLimit = options.memoryLimit;
  order.searchMilliseconds = options.searchMilliseconds;
  manager.addPass(createOrderPass(order, listeners.takeOrders));
  // A schedule that is given is that of all products, sums would take memory
  // beside the limit, and of a shape at run time one kernel is expected.
  if (options.sumOperands && options.schedule.empty() &&
      options.memoryLimit < 0 && !options.dynamicShapes &&
      !options.runTimeShapes) {
    SumOperandsPassOptions sums;
    sums.target = options.target;
    sums.targetFile = options.targetFile;
    manager.addPass(createSumOperandsPass(sums));
  }
  manager.addPass(createShareContractionsPass());
  // Loops over slices that are equal become one later, and are to be so before
  // anyone counts contractions.
  if (options.memoryLimit >= 0)
    manager.addPass(mlir::createCSEPass());
  DynamicShapesPassOptions shapes;
  shapes.unknownOnly = !options.dynamicShapes && !options.runTimeShapes;
  shapes.representativeExtents.assign(options.representativeExtents.begin(),
                                      options.representativeExtents.end());
  manager.addPass(createDynamicShapesPass(shapes));
  if (options.anyAlignment)
    manager.addPass(createMultiVersionPass());
}

static void addFuse(mlir::OpPassManager &manager,
                    const TCGPUPipelineOptions &options,
                    const PipelineListeners &listeners) {
  // A merged group keeps its indices, of which schedules speak.
  if (options.fuseAccumulations && options.mergeSums &&
      options.schedule.empty()) {
    FuseAccumulationsPassOptions merge;
    merge.target = options.target;
    merge.targetFile = options.targetFile;
    manager.addPass(createFuseAccumulationsPass(merge));
  }
  if (options.schedule.empty()) {
    // Schedules give the types of factors.
    manager.addPass(createWidenInputsPass());
    FuseChainsPassOptions chains;
    chains.target = options.target;
    chains.targetFile = options.targetFile;
    chains.find = options.fuseChains;
    manager.addPass(createFuseChainsPass(chains, listeners.takeFusions));
  }
  manager.addPass(createDecomposeSoftmaxPass());
  if (options.fuseReductions)
    manager.addPass(createFuseReductionsPass());
}

static void addSchedule(mlir::OpPassManager &manager,
                        const TCGPUPipelineOptions &options,
                        const PipelineListeners &listeners) {
  buildTCNormalize(manager);
  TilePassOptions tile;
  tile.target = options.target;
  tile.targetFile = options.targetFile;
  tile.schedule = options.schedule;
  tile.refine = options.refine;
  tile.tuned = options.tuned;
  tile.runnersUp = options.runnersUp;
  manager.addPass(createTilePass(tile, listeners.schedules));
  // Buffers decide on kernels and their versions; new ones get their schedules
  // then.
  addBufferization(manager);
  manager.addPass(createDissolveGroupsPass());
  manager.addPass(createDecomposeSoftmaxPass());
  manager.addPass(createDispatchVersionsPass());
  manager.addPass(createTilePass(tile));
}

static void addOutline(mlir::OpPassManager &manager) {
  addBufferization(manager);
  manager.addPass(createTCOutlineKernels());
}

static void addLower(mlir::OpPassManager &manager) {
  auto &kernels = manager.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(createTCMaterializeLoopNest());
  kernels.addPass(createTCLowerTileCopies());
  kernels.addPass(createTCLowerMultiplyTiles());
  kernels.addPass(createTCLowerTileWaits());
  kernels.addPass(createTCLowerPartialSums());
  kernels.addPass(createTCLowerConvertAccumulators());
  kernels.addPass(createTCLowerRowStatistics());
  kernels.addPass(createTCLowerStoreAccumulators());
  kernels.addPass(createTCLowerStoreTile());
  kernels.addPass(createTCLowerReduceBlocks());
  manager.addPass(createTCExpandFloat8());
  auto &expanded = manager.nest<mlir::gpu::GPUModuleOp>();
  addQuickCleanup(expanded);
  // Values that depend on block and thread only are computed once, before the K
  // loop.
  expanded.addPass(mlir::createLoopInvariantCodeMotionPass());
  addCleanup(expanded);
}

void tc::addGPUStage(mlir::OpPassManager &manager, Stage stage,
                     const TCGPUPipelineOptions &options,
                     const PipelineListeners &listeners) {
  switch (stage) {
  case Stage::Prepare:
    return addPrepare(manager, options, listeners);
  case Stage::Fuse:
    return addFuse(manager, options, listeners);
  case Stage::Schedule:
    return addSchedule(manager, options, listeners);
  case Stage::Outline:
    return addOutline(manager);
  case Stage::Lower:
    return addLower(manager);
  }
}

void tc::buildTCToGPU(mlir::OpPassManager &manager) {
  addOutline(manager);
  addLower(manager);
}
