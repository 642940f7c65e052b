//===- RunCase.cpp - One module on all targets ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Comparison.h"

#include "tc/Compiler/ErrorCollector.h"
#include "tc/Compiler/GpuProgram.h"
#include "tc/Compiler/HostProgram.h"
#include "tc/InitAll.h"
#include "tc/Runtime/PackageSimulation.h"

using namespace tc;
using namespace tc::differential;
using mlir::OwningOpRef;

std::unique_ptr<mlir::MLIRContext> differential::createContext() {
  DialectRegistry registry;
  registerAllTC(registry);
  registerPTXExportDialects(registry);
  registerCPUExportDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static std::vector<std::vector<std::byte>>
bytesOf(const runtime::Problem &problem) {
  std::vector<std::vector<std::byte>> all;
  for (const runtime::HostTensor &tensor : problem.tensors)
    all.emplace_back(tensor.data(), tensor.data() + tensor.bytes());
  return all;
}

namespace {

/// A contraction of a module, before it is compiled.
struct Contraction {
  runtime::Kernel definition;
  Comparison comparison;
};

/// What a target makes of a module: computes the contraction of that number on
/// a problem's operands.
using Run = llvm::function_ref<Status(size_t, runtime::Problem &)>;

class CaseRunner {
public:
  CaseRunner(mlir::MLIRContext &context, const Case &testCase)
      : context(context), testCase(testCase) {}

  Status prepare();
  Status onCpu() const;
  Status onSimulator() const;

private:
  Result<runtime::Problem> freshProblem(const runtime::Kernel &kernel) const;
  Status compareAll(Run run) const;

  mlir::MLIRContext &context;
  const Case &testCase;
  OwningOpRef<ModuleOp> module;
  std::vector<Contraction> contractions;
};

} // namespace

Result<runtime::Problem>
CaseRunner::freshProblem(const runtime::Kernel &kernel) const {
  runtime::ProblemOptions options;
  options.seed = testCase.seed;
  options.alpha = testCase.alpha;
  options.beta = testCase.beta;
  options.workers = 1;
  return runtime::makeProblem(kernel, options);
}

/// Reads the module, and interprets its contractions.
Status CaseRunner::prepare() {
  Result<OwningOpRef<ModuleOp>> parsed =
      makeModule(context, Source{testCase.name, {}, testCase.module});
  if (!parsed)
    return Error{parsed.error()};
  module = std::move(*parsed);
  ErrorCollector errors(context);
  FailureOr<Definitions> definitions = defineAll(*module);
  if (failed(definitions))
    return errors.get("cannot be run");
  SmallVector<ContractOp> ops;
  module->walk([&](ContractOp op) { ops.push_back(op); });
  if (ops.empty() || !definitions->empty.empty())
    return Error{"no contraction, or one with an extent of zero"};
  for (auto [op, definition] : llvm::zip_equal(ops, definitions->kernels)) {
    Result<runtime::Problem> problem = freshProblem(definition);
    if (!problem)
      return Error{problem.error()};
    Result<Comparison> comparison = Comparison::make(
        op, {::bytesOf(*problem), testCase.alpha, testCase.beta});
    if (!comparison)
      return Error{comparison.error()};
    contractions.push_back({definition, std::move(*comparison)});
  }
  return {};
}

Status CaseRunner::compareAll(Run run) const {
  for (auto [number, contraction] : llvm::enumerate(contractions)) {
    Result<runtime::Problem> problem = freshProblem(contraction.definition);
    if (!problem)
      return Error{problem.error()};
    if (Status status = run(number, *problem); !status)
      return status;
    if (Status status = contraction.comparison.compare(::bytesOf(*problem));
        !status)
      return status;
  }
  return {};
}

Status CaseRunner::onCpu() const {
  OwningOpRef<ModuleOp> copy(module.get().clone());
  HostOptions options;
  options.targetFile = testCase.cpuFile;
  options.threads = testCase.threads;
  Result<HostProgram> program = compileForCpu(*copy, testCase.name, options);
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = LoadedObject::load(program->object);
  if (!code)
    return Error{code.error()};
  return compareAll([&](size_t number, runtime::Problem &problem) -> Status {
    prepareCall(*code, number, program->kernels[number].definition, problem)();
    return {};
  });
}

Status CaseRunner::onSimulator() const {
  OwningOpRef<ModuleOp> copy(module.get().clone());
  GpuOptions options;
  options.target = testCase.chip;
  Result<GpuProgram> program = compileForGpu(*copy, testCase.name, options);
  if (!program)
    return Error{program.error()};
  const runtime::Package &package = program->compiled.package;
  Result<sim::Module> code = sim::Module::parse(program->compiled.ptx, "PTX");
  if (!code)
    return Error{code.error()};
  if (Status status = runtime::checkAgainstPTX(package, *code); !status)
    return status;
  return compareAll([&](size_t number, runtime::Problem &problem) -> Status {
    runtime::SimulationOptions simulation;
    simulation.workers = 1;
    Result<sim::Counters> counters =
        runtime::simulate(package.kernels[number], *code, problem, simulation);
    return counters ? Status() : Error{counters.error()};
  });
}

Status differential::runCase(mlir::MLIRContext &context, const Case &testCase,
                             llvm::function_ref<void(StringRef)> enter) {
  CaseRunner runner(context, testCase);
  enter("oracle");
  if (Status status = runner.prepare(); !status)
    return Error{"oracle: " + status.error()};
  std::string failures;
  auto runOn = [&](StringRef target, Status (CaseRunner::*run)() const) {
    enter(target);
    if (Status status = (runner.*run)(); !status)
      failures +=
          (failures.empty() ? "" : "; ") + target.str() + ": " + status.error();
  };
  if (testCase.onCpu)
    runOn("cpu", &CaseRunner::onCpu);
  if (testCase.onSimulator)
    runOn("sim", &CaseRunner::onSimulator);
  return failures.empty() ? Status() : Error{failures};
}
