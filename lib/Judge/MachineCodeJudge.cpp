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

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/ScheduleJudge.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Judge/KernelLaunch.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/ErrorCollector.h"
#include "tc/Target/PTX/MachineCode.h"
#include "tc/Timing/Timing.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
namespace func = mlir::func;
using mlir::OwningOpRef;

/// Copies the operation into a function, whose arguments are its operands but
/// for constants.
static func::FuncOp isolate(OpBuilder &builder, ContractOp op,
                            const model::Schedule &schedule) {
  auto enclosing = op->getParentOfType<mlir::FunctionOpInterface>();
  auto function = func::FuncOp::create(builder, op.getLoc(), "judged",
                                       builder.getFunctionType({}, {}));
  if (isInUnalignedVersion(op))
    function->setAttr(unalignedAttrName, enclosing->getAttr(unalignedAttrName));
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  mlir::IRMapping mapping;
  SmallVector<int64_t> alignments;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    if (mlir::matchPattern(operand, mlir::m_Constant())) {
      builder.clone(*operand.getDefiningOp(), mapping);
      continue;
    }
    mapping.map(operand, body->addArgument(operand.getType(), op.getLoc()));
    alignments.push_back(
        isa<MemRefType>(operand.getType()) ? getBaseAlignment(operand) : 0);
  }
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), op->getResultTypes()));
  for (auto [number, alignment] : llvm::enumerate(alignments))
    if (alignment != 0)
      function.setArgAttr(number, TCDialect::baseAlignmentAttrName,
                          builder.getI64IntegerAttr(alignment));
  auto copy = cast<ContractOp>(builder.clone(*op, mapping));
  copy.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
  func::ReturnOp::create(builder, op.getLoc(), copy->getResults());
  return function;
}

/// A module with nothing but the operation, and with the target's description.
static std::string printAlone(ContractOp op, const model::Target &target,
                              const model::Schedule &schedule) {
  OpBuilder builder(op.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
  attachTarget(*module, target);
  builder.setInsertionPointToStart(module->getBody());
  isolate(builder, op, schedule);
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
    auto resources =
        llvm::find_if(assembly->resources, [&](const KernelResources &known) {
          return known.entry == symbol;
        });
    runtime::Problem problem;
    problem.alpha = kernel.alpha.isArgument ? 1.0 : kernel.alpha.value;
    problem.beta = kernel.beta.isArgument ? 0.0 : kernel.beta.value;
    Result<timing::Prediction> prediction = timing::predict(
        *function,
        launchOf(kernel, *function,
                 resources == assembly->resources.end() ? nullptr : &*resources,
                 problem),
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
    op.getContext()->loadDialect<mlir::DLTIDialect, func::FuncDialect>();
    Result<CompiledModule> compiled = compile(printAlone(op, target, schedule));
    if (!compiled)
      return Error{compiled.error()};
    return timeOf(*compiled, target);
  }
};

} // namespace

void tc::registerMachineCodeJudge(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TCDialect *dialect) {
    dialect->addInterfaces<MachineCodeJudge>();
  });
}
