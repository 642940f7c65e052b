//===- MachineCodeJudge.cpp - Schedules by their machine code -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation is copied as text into a context of its own, since passes run
// while others look at the one that it is in.
//
//===----------------------------------------------------------------------===//

#include "tc/Judge/MachineCodeJudge.h"

#include "tc/Analysis/ScheduleJudge.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/Transforms/IsolateContraction.h"
#include "tc/Judge/KernelLaunch.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/MLIR/ErrorCollector.h"
#include "tc/Target/PTX/MachineCode.h"
#include "tc/Timing/Timing.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
namespace func = mlir::func;
using mlir::OwningOpRef;

/// A module with nothing but the operation, and with the target's description.
static std::string printAlone(ContractOp op, const model::Target &target,
                              const model::Schedule &schedule) {
  OpBuilder builder(op.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  attachTarget(*module, target);
  setSaturation(*module, saturates(op));
  builder.setInsertionPointToStart(module->getBody());
  isolateContraction(builder, op, "judged")
      .op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<TCDialect>();
  registerPTXExportDialects(registry);
  return registry;
}

static Result<CompiledModule> compile(const std::string &text) {
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  ErrorCollector errors(context);
  OwningOpRef<ModuleOp> module =
      mlir::parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return errors.get("the operation cannot be copied");
  mlir::PassManager manager(&context);
  buildTCToGPU(manager);
  if (failed(manager.run(*module)))
    return errors.get("the schedule cannot be compiled");
  FailureOr<CompiledModule> compiled = translateToPTX(*module);
  if (failed(compiled))
    return errors.get("the kernel cannot be translated to PTX");
  return std::move(*compiled);
}

/// The time of all kernels of a module, one after the other.
static Result<double> timeOf(const CompiledModule &compiled,
                             const model::Target &target) {
  Result<Assembly> assembly = assemble(compiled.ptx, target.chip);
  if (!assembly)
    return Error{assembly.error()};
  Result<sass::Listing> listing = disassemble(assembly->cubin);
  if (!listing)
    return Error{listing.error()};
  timing::Machine machine = timing::machineOf(target);
  double seconds = 0;
  for (const runtime::Kernel &kernel : compiled.package.kernels) {
    const std::string &symbol = symbolOf(kernel);
    const sass::Function *function = listing->find(symbol);
    if (!function)
      return Error{"the cubin has no function '" + symbol + "'"};
    runtime::Problem problem;
    problem.alpha = kernel.alpha.isArgument ? 1.0 : kernel.alpha.value;
    problem.beta = kernel.beta.isArgument ? 0.0 : kernel.beta.value;
    Result<timing::Prediction> prediction = timing::predict(
        *function, launchOf(kernel, *function, assembly->find(symbol), problem),
        machine);
    if (!prediction)
      return Error{prediction.error()};
    seconds += prediction->seconds;
  }
  return seconds;
}

namespace {

class MachineCodeJudge : public ScheduleJudge {
public:
  using ScheduleJudge::ScheduleJudge;

  StringRef name() const override { return "time from machine code"; }

  Status check() const override {
    for (const Result<std::string> &program : {findPtxas(), findNvdisasm()})
      if (!program)
        return Error{program.error()};
    return {};
  }

  Result<double> judge(ContractOp op, const model::Target &target,
                       const model::Schedule &schedule) const override {
    Result<CompiledModule> compiled = compile(printAlone(op, target, schedule));
    if (!compiled)
      return Error{compiled.error()};
    return timeOf(*compiled, target);
  }
};

} // namespace

void tc::registerMachineCodeJudge(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TCDialect *dialect) {
    // The dialects in which it makes copies of operations. While passes run, no
    // dialect may be loaded.
    context->loadDialect<mlir::DLTIDialect, func::FuncDialect>();
    dialect->addInterfaces<MachineCodeJudge>();
  });
}
