//===- GpuProgram.cpp - Contractions as kernels for a GPU -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/GpuProgram.h"
#include "GpuStages.h"

#include "tc/Analysis/TunedSchedule.h"
#include "tc/Package/Geometry.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

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
  TCGPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  auto run = [&](Stage from, Stage to) {
    pipeline.from = from;
    pipeline.to = to;
    return runGPUStages(module, pipeline, {}, options.afterStage);
  };
  if (failed(run(Stage::Prepare, Stage::Fuse)))
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

  if (kernels.empty()) {
    if (options.afterStage)
      options.afterStage(Stage::Lower, module);
  } else if (failed(run(Stage::Schedule, Stage::Lower))) {
    return errors.get(name + ": cannot be compiled");
  }
  dissolved = areGroupsDissolved(errors);
  if (dissolved)
    return Error{name + ": groups are not kernels"};
  for (llvm::StringRef remark : errors.remarks())
    if (remark.consume_front(tunedRemark))
      program.tuned.push_back(remark.str());
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
  return compileInGroupsThatFit<GpuProgram, GpuOptions>(
      module, options, [&](const GpuOptions &tried, bool &dissolved) {
        return compileOnce(module, name, tried, dissolved);
      });
}
