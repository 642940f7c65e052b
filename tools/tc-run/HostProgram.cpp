//===- HostProgram.cpp - Contractions as code for a CPU -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "Definition.h"
#include "ErrorCollector.h"
#include "StrategyReport.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/InitAll.h"
#include "tc/Model/CpuSchedule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using namespace tc::run;
using mlir::OwningOpRef;
using runtime::Kernel;

void run::setPipelineOptions(const Options &options,
                             TCCPUPipelineOptions &pipeline) {
  pipeline.schedule = options.schedule;
  pipeline.targetFile = options.targetFile;
  pipeline.threads = options.threads.value_or(
      llvm::heavyweight_hardware_concurrency().compute_thread_count());
  pipeline.strategy = options.strategy;
  pipeline.workspaceLimit = options.workspaceLimit.value_or(-1);
}

/// Chooses schedules and lowers; notes what was decided on the way.
static LogicalResult lower(ModuleOp module, const Options &options,
                           HostProgram &program) {
  mlir::PassManager choose(module.getContext());
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  buildTCCPUSchedules(choose, pipeline);
  if (failed(choose.run(module)))
    return failure();
  size_t next = 0;
  auto result = module.walk([&](ContractOp op) {
    auto schedule =
        op->getAttrOfType<CpuScheduleAttr>(CpuScheduleAttr::attrName);
    FailureOr<model::Contraction> contraction = failure();
    if (!schedule || failed(contraction = toContraction(op)))
      return mlir::WalkResult::advance();
    HostKernel &kernel = program.kernels[next++];
    llvm::raw_string_ostream(kernel.schedule) << schedule;
    kernel.threads = schedule.getValue().threads.count();
    if (Result<model::CpuLayout> layout =
            model::layOut(*contraction, schedule.getValue()))
      kernel.panelBytes = layout->panelBytes(*contraction);
    kernel.strategies =
        strategiesToJson(*contraction, schedule.getValue(), pipeline).dump();
    return mlir::WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  mlir::PassManager lowering(module.getContext());
  pipeline.outline = true;
  buildTCToCPU(lowering, pipeline);
  return lowering.run(module);
}

static Status compile(ModuleOp module, const Options &options,
                      HostProgram &program) {
  ErrorCollector errors(*module.getContext());
  auto defined = module.walk([&](ContractOp op) {
    if (op.hasZeroExtent()) {
      program.empty.push_back(describeEmpty(op));
      return mlir::WalkResult::advance();
    }
    FailureOr<Kernel> definition = defineContraction(op);
    if (failed(definition))
      return mlir::WalkResult::interrupt();
    program.kernels.push_back({std::move(*definition), {}, 1, 0, {}});
    return mlir::WalkResult::advance();
  });
  if (defined.wasInterrupted())
    return errors.get(options.input + ": cannot be run");
  if (program.kernels.empty() && program.empty.empty())
    return Error{options.input + ": no contraction in it"};
  if (program.kernels.empty())
    return {};
  if (failed(lower(module, options, program)))
    return errors.get(options.input + ": cannot be compiled");
  FailureOr<CompiledObject> object = compileForHost(module);
  if (failed(object))
    return errors.get(options.input + ": cannot be translated to native code");
  program.object = std::move(*object);
  if (program.object.functions.size() != program.kernels.size())
    return Error{std::to_string(program.kernels.size()) +
                 " contractions were compiled to " +
                 std::to_string(program.object.functions.size()) +
                 " functions"};
  return {};
}

Result<HostProgram> run::compileForCpu(const InputText &input,
                                       const Options &options) {
  DialectRegistry registry;
  registerAllTC(registry);
  registerCPUExportDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> module = makeModule(context, input);
  if (!module)
    return Error{module.error()};
  HostProgram program;
  if (Status status = compile(**module, options, program); !status)
    return Error{status.error()};
  return program;
}
