//===- GpuProgram.cpp - Contractions as kernels for a GPU -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/GpuProgram.h"
#include "tc/Analysis/GroupObstacles.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Compiler/TunedFile.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Reference/Check.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace tc;

/// Checks that the kernels are those of the contractions, one each, in order.
static Status matchKernels(const std::vector<runtime::Kernel> &definitions,
                           const std::vector<runtime::Kernel> &kernels) {
  if (kernels.size() != definitions.size())
    return Error{std::to_string(definitions.size()) +
                 " contractions were compiled to " +
                 std::to_string(kernels.size()) + " kernels"};
  for (size_t i = 0; i < kernels.size(); ++i)
    if (Status status = runtime::checkSameBuffers(definitions[i], kernels[i]);
        !status)
      return status;
  return {};
}

/// Keeps contractions apart that become equal once their indices are collapsed,
/// as each is to be a kernel.
static void numberContractions(ModuleOp module) {
  mlir::Builder builder(module.getContext());
  int64_t number = 0;
  module.walk([&](ContractOp op) {
    op->setDiscardableAttr("number", builder.getI64IntegerAttr(number++));
  });
}

/// The same as `compileForGpu`, once: `dissolved` becomes true where buffers
/// keep a group that passes have made from being the one kernel that is
/// expected.
static Result<GpuProgram> compileOnce(ModuleOp module, const std::string &name,
                                      const GpuOptions &options,
                                      bool &dissolved) {
  ErrorCollector errors(*module.getContext());
  mlir::PassManager fusing(module.getContext());
  OrderPassOptions order;
  order.shares = true;
  order.target = options.target;
  order.memoryLimit = options.memoryLimit.value_or(-1);
  fusing.addPass(createOrderPass(order));
  fusing.addPass(createShareContractionsPass());
  // Loops over slices that are equal become one later, and are to be so here.
  if (options.memoryLimit)
    fusing.addPass(mlir::createCSEPass());
  if (options.dynamicShapes)
    fusing.addPass(createDynamicShapesPass());
  if (options.anyAlignment)
    fusing.addPass(createMultiVersionPass());
  if (options.schedule.empty() && options.mergesSums) {
    FuseAccumulationsPassOptions merge;
    merge.target = options.target;
    fusing.addPass(createFuseAccumulationsPass(merge));
  }
  if (options.schedule.empty() && options.fusesChains) {
    FuseChainsPassOptions chains;
    chains.target = options.target;
    chains.find = true;
    fusing.addPass(createFuseChainsPass(chains));
  }
  // What is added up has no place of its own to be checked in.
  fusing.addPass(createFuseReductionsPass());
  if (failed(fusing.run(module)))
    return errors.get(name + ": cannot be compiled");
  numberContractions(module);
  FailureOr<Definitions> definitions = defineAll(module);
  if (failed(definitions))
    return errors.get(name + ": cannot be run");
  GpuProgram program;
  program.definitions = std::move(*definitions);
  const std::vector<runtime::Kernel> &kernels = program.definitions.kernels;
  if (kernels.empty() && !program.definitions.empty.empty())
    return program;
  // A module without contractions may hold kernels that were made before.
  if (kernels.empty() && module.getOps<mlir::gpu::GPUModuleOp>().empty())
    return Error{name + ": no contraction in it"};

  if (!kernels.empty()) {
    TCGPUPipelineOptions pipeline;
    // Here, all contractions are to be kernels.
    pipeline.target = options.target;
    pipeline.schedule = options.schedule;
    pipeline.refine = options.refine;
    pipeline.tuned = chooseTunedFile(options.tuned);
    pipeline.fuseAccumulations = pipeline.fuseReductions = false;
    pipeline.fuseChains = false;
    mlir::PassManager manager(module.getContext());
    buildTCGPUPipeline(manager, pipeline);
    if (failed(manager.run(module)))
      return errors.get(name + ": cannot be compiled");
  }
  for (llvm::StringRef remark : errors.remarks()) {
    dissolved |= remark.starts_with(dissolvedRemark);
    if (remark.consume_front(tunedRemark))
      program.tuned.push_back(remark.str());
  }
  if (dissolved)
    return Error{name + ": groups are not kernels"};
  if (options.inspect)
    options.inspect(module);
  FailureOr<CompiledModule> compiled = translateToPTX(module, options.ptx);
  if (failed(compiled))
    return errors.get(name + ": cannot be translated to PTX");
  program.compiled = std::move(*compiled);
  if (kernels.empty())
    return program;
  if (Status status = matchKernels(kernels, program.compiled.package.kernels);
      !status)
    return Error{status.error()};
  return program;
}

Result<GpuProgram> tc::compileForGpu(ModuleOp module, const std::string &name,
                                     const GpuOptions &options) {
  if (!options.schedule.empty() ||
      (!options.mergesSums && !options.fusesChains)) {
    bool dissolved = false;
    return compileOnce(module, name, options, dissolved);
  }
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  bool dissolved = false;
  Result<GpuProgram> program = compileOnce(module, name, options, dissolved);
  if (!dissolved)
    return program;
  // What is checked is said before tensors become buffers, so that kernels are
  // those of contractions by themselves in all of the module.
  GpuOptions apart = options;
  apart.mergesSums = apart.fusesChains = false;
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  module->setAttrs((*copy)->getAttrDictionary());
  dissolved = false;
  return compileOnce(module, name, apart, dissolved);
}
