//===- TCCPUPipeline.cpp - From contractions to code for CPUs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds --tc-cpu-pipeline.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "tc/Conversion/ExpandFloat8/Passes.h"
#include "tc/Conversion/TCToCPU/Passes.h"
#include "tc/Dialect/TC/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace tc;

void tc::addTileChains(mlir::OpPassManager &manager,
                       const TCCPUPipelineOptions &options) {
  TileChainsPassOptions chains;
  chains.targetFile = options.targetFile;
  chains.when = options.tileChains;
  manager.addPass(createTileChainsPass(chains));
}

void tc::buildTCCPUNormalize(mlir::OpPassManager &manager,
                             const TCCPUPipelineOptions &options) {
  manager.addPass(createInlineFusedPass());
  OrderPassOptions order;
  order.shares = true;
  order.target = "cpu";
  order.targetFile = options.targetFile;
  manager.addPass(createOrderPass(order));
  manager.addPass(createShareContractionsPass());
  addTileChains(manager, options);
  manager.addPass(createDecomposeSoftmaxPass());
  manager.addPass(createWidenInputsPass());
  manager.addPass(mlir::createCSEPass());
  addBufferization(manager);
  // Which indices of a tile lie side by side, its buffer says.
  manager.addPass(createCollapseIndicesPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

void tc::buildTCCPUSchedules(mlir::OpPassManager &manager,
                             const TCCPUPipelineOptions &options,
                             TakeStrategies take) {
  buildTCCPUNormalize(manager, options);
  TileCpuPassOptions tile;
  tile.targetFile = options.targetFile;
  tile.schedule = options.schedule;
  tile.tuned = options.tuned;
  tile.threads = options.threads;
  tile.strategy = options.strategy;
  tile.workspaceLimit = options.workspaceLimit;
  manager.addPass(createTileCpuPass(tile, std::move(take)));
}

void tc::buildTCToCPU(mlir::OpPassManager &manager,
                      const TCCPUPipelineOptions &options, bool canonicalizes) {
  if (options.outline) {
    manager.addPass(createTCOutlineContractions());
    manager.addPass(createTCOutlinePrograms());
  }
  TCCallRuntimeOptions unknown;
  unknown.threads = options.threads;
  unknown.strict = options.strict;
  manager.addPass(createTCCallRuntime(unknown));
  manager.addPass(createTCTransposeOperands());
  manager.addPass(createTCLowerTransposes());
  manager.addPass(createTCToCPU());
  manager.addPass(createTCExpandFloat8());
  if (canonicalizes)
    manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

void tc::buildTCCPUPipeline(mlir::OpPassManager &manager,
                            const TCCPUPipelineOptions &options) {
  buildTCCPUSchedules(manager, options);
  buildTCToCPU(manager, options);
}
