//===- TCCPUPipeline.cpp - From contractions to code for CPUs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of --tc-cpu-pipeline.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "tc/Conversion/ExpandFloat8/Passes.h"
#include "tc/Conversion/TCToCPU/Passes.h"
#include "tc/Dialect/TC/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace tc;

static void addPrepare(mlir::OpPassManager &manager,
                       const TCCPUPipelineOptions &options,
                       const PipelineListeners &listeners) {
  // Passes that only kernels for GPUs do at once.
  manager.addPass(createInlineFusedPass());
  OrderPassOptions order;
  order.shares = true;
  order.target = "cpu";
  order.targetFile = options.targetFile;
  order.memoryLimit = options.memoryLimit;
  order.searchMilliseconds = options.searchMilliseconds;
  manager.addPass(createOrderPass(order, listeners.takeOrders));
  // A schedule or a strategy that is given is that of all products, and sums
  // would take memory beside the limit.
  const bool mayOutline = !options.outline || options.callsOutlined;
  if (options.sumOperands && mayOutline && options.schedule.empty() &&
      options.strategy == "auto" && options.memoryLimit < 0) {
    SumOperandsPassOptions sums;
    sums.target = order.target;
    sums.targetFile = order.targetFile;
    manager.addPass(createSumOperandsPass(sums));
  }
  manager.addPass(createShareContractionsPass());
}

static void addFuse(mlir::OpPassManager &manager,
                    const TCCPUPipelineOptions &options) {
  TileChainsPassOptions chains;
  chains.targetFile = options.targetFile;
  chains.when = options.tileChains;
  manager.addPass(createTileChainsPass(chains));
  // Loops over slices that are equal become one later, and are to be so before
  // anyone counts contractions.
  if (options.memoryLimit >= 0)
    manager.addPass(mlir::createCSEPass());
}

void tc::buildTCCPUNormalize(mlir::OpPassManager &manager) {
  manager.addPass(createDecomposeSoftmaxPass());
  manager.addPass(createWidenInputsPass());
  manager.addPass(mlir::createCSEPass());
  addBufferization(manager);
  // The buffer of a tile gives the order of its indices.
  manager.addPass(createCollapseIndicesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

static void addSchedule(mlir::OpPassManager &manager,
                        const TCCPUPipelineOptions &options,
                        const PipelineListeners &listeners) {
  buildTCCPUNormalize(manager);
  TileCpuPassOptions tile;
  tile.targetFile = options.targetFile;
  tile.schedule = options.schedule;
  tile.tuned = options.tuned;
  tile.threads = options.threads;
  tile.strategy = options.strategy;
  tile.libraryCalls = options.libraryCalls == "always";
  tile.workspaceLimit = options.workspaceLimit;
  manager.addPass(createTileCpuPass(tile, listeners.takeStrategies));
}

static void addOutline(mlir::OpPassManager &manager,
                       const TCCPUPipelineOptions &options) {
  if (!options.outline)
    return;
  manager.addPass(createTCOutlineContractions());
  manager.addPass(createTCOutlinePrograms());
}

static void addLower(mlir::OpPassManager &manager,
                     const TCCPUPipelineOptions &options) {
  TCCallRuntimeOptions unknown;
  unknown.threads =
      options.threadsOfCalls.value_or(static_cast<unsigned>(options.threads));
  unknown.strict = options.strict;
  manager.addPass(createTCCallRuntime(unknown));
  manager.addPass(createTCTransposeOperands());
  manager.addPass(createTCLowerTransposes());
  manager.addPass(createTCToCPU());
  manager.addPass(createTCExpandFloat8());
  if (options.canonicalize)
    manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

void tc::addCPUStage(mlir::OpPassManager &manager, Stage stage,
                     const TCCPUPipelineOptions &options,
                     const PipelineListeners &listeners) {
  switch (stage) {
  case Stage::Prepare:
    return addPrepare(manager, options, listeners);
  case Stage::Fuse:
    return addFuse(manager, options);
  case Stage::Schedule:
    return addSchedule(manager, options, listeners);
  case Stage::Outline:
    return addOutline(manager, options);
  case Stage::Lower:
    return addLower(manager, options);
  }
}

void tc::buildTCToCPU(mlir::OpPassManager &manager,
                      const TCCPUPipelineOptions &options) {
  addOutline(manager, options);
  addLower(manager, options);
}
