//===- RunCase.cpp - One module on all targets ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Comparison.h"

#include "tc/Compiler/GpuProgram.h"
#include "tc/Compiler/HostProgram.h"
#include "tc/InitAll.h"
#include "tc/Package/DynamicShape.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/Pass/PassManager.h"

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

/// A contraction of a module, before it is compiled, or several that add up.
struct Contraction {
  runtime::Kernel definition;
  Comparison comparison;
};

/// A target's code for a module: computes the contraction of that number on a
/// problem's operands.
using Run = llvm::function_ref<Status(size_t, runtime::Problem &)>;

/// The code that the CPU runs.
struct HostCode {
  HostProgram program;
  LoadedObject code;
};

class CaseRunner {
public:
  CaseRunner(mlir::MLIRContext &context, const Case &testCase)
      : context(context), testCase(testCase) {}

  Status prepare();
  Status onCpu() const;
  Status onSimulator() const;

private:
  Result<runtime::Problem> freshProblem(const runtime::Kernel &kernel) const;
  Result<std::vector<Contraction>>
  interpretAll(const std::vector<runtime::Kernel> &definitions) const;
  Status compareAll(const std::vector<Contraction> &contractions,
                    Run run) const;
  CompileOptions hostOptions(unsigned threads) const;
  Result<std::string> scheduledText(unsigned threads) const;
  Result<HostCode> compileOn(unsigned threads) const;
  Status runOn(
      const HostCode &host,
      llvm::function_ref<Status(size_t, std::vector<std::byte>)> inspect) const;
  Status inDynamicShapes(const runtime::Package &package,
                         const sim::Module &code) const;

  mlir::MLIRContext &context;
  const Case &testCase;
  OwningOpRef<ModuleOp> module;
  SmallVector<ContractOp> ops;
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

/// Computes the results that the module's kernels should have. Each has the
/// contractions that follow the last one's, as many as it adds up.
Result<std::vector<Contraction>> CaseRunner::interpretAll(
    const std::vector<runtime::Kernel> &definitions) const {
  std::vector<Contraction> parsed;
  ArrayRef<ContractOp> left = ops;
  for (const runtime::Kernel &definition : definitions) {
    size_t others = definition.others.size();
    if (left.size() <= others)
      return Error{"there are more terms than contractions"};
    Result<runtime::Problem> problem = freshProblem(definition);
    if (!problem)
      return Error{problem.error()};
    std::vector<std::vector<std::byte>> tensors = ::bytesOf(*problem);
    // The last one's operands come first, then the others' inputs.
    size_t inputs = tensors.size() - 2 * others;
    std::vector<Term> terms;
    for (size_t term = 0; term < others; ++term) {
      size_t first = inputs + 2 * term;
      terms.push_back({left[term],
                       {{tensors[first], tensors[first + 1], tensors[2]},
                        testCase.alpha,
                        testCase.beta}});
    }
    terms.push_back({left[others],
                     {{tensors.begin(), tensors.begin() + inputs},
                      testCase.alpha,
                      testCase.beta}});
    left = left.drop_front(others + 1);
    Result<Comparison> comparison = Comparison::make(terms, std::move(tensors));
    if (!comparison)
      return Error{comparison.error()};
    parsed.push_back({definition, std::move(*comparison)});
  }
  if (!left.empty())
    return Error{"a contraction is in no kernel"};
  return parsed;
}

/// Reads a module of the case.
static Result<OwningOpRef<ModuleOp>> parse(mlir::MLIRContext &context,
                                           const Case &testCase,
                                           const std::string &text) {
  return makeModule(context, Source{testCase.name, {}, {}, text});
}

/// Reads the module, and interprets its contractions.
Status CaseRunner::prepare() {
  Result<OwningOpRef<ModuleOp>> parsed =
      parse(context, testCase, testCase.module);
  if (!parsed)
    return Error{parsed.error()};
  module = std::move(*parsed);
  ErrorCollector errors(context);
  FailureOr<Definitions> definitions = defineAll(*module);
  if (failed(definitions))
    return errors.get("cannot be run");
  module->walk([&](ContractOp op) { ops.push_back(op); });
  if (ops.empty() || !definitions->empty.empty())
    return Error{"no contraction, or one with an extent of zero"};
  Result<std::vector<Contraction>> all = interpretAll(definitions->kernels);
  if (!all)
    return Error{all.error()};
  contractions = std::move(*all);
  return {};
}

Status CaseRunner::compareAll(const std::vector<Contraction> &compared,
                              Run run) const {
  for (auto [number, contraction] : llvm::enumerate(compared)) {
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

CompileOptions CaseRunner::hostOptions(unsigned threads) const {
  CompileOptions options;
  options.targetFile = testCase.cpuFile;
  options.threads = threads;
  options.strategy = testCase.strategy;
  // There is code for each contraction of the case then.
  options.sumsOperands = false;
  return options;
}

/// The module with the schedules that are chosen for so many threads. All code
/// for the CPU follows from it.
Result<std::string> CaseRunner::scheduledText(unsigned threads) const {
  ErrorCollector errors(context);
  OwningOpRef<ModuleOp> copy(module.get().clone());
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(hostOptions(threads), pipeline);
  mlir::PassManager choose(&context);
  pipeline.to = Stage::Schedule;
  buildTCCPUPipeline(choose, pipeline);
  if (failed(choose.run(*copy)))
    return errors.get("no schedule is chosen");
  std::string text;
  llvm::raw_string_ostream(text) << *copy;
  return text;
}

Result<HostCode> CaseRunner::compileOn(unsigned threads) const {
  OwningOpRef<ModuleOp> copy(module.get().clone());
  Result<HostProgram> program =
      compileForCpu(*copy, testCase.name, hostOptions(threads));
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = loadObject(program->object);
  if (!code)
    return Error{code.error()};
  return HostCode{std::move(*program), std::move(*code)};
}

/// Compares the code's results, and shows the contents of C then.
Status CaseRunner::runOn(
    const HostCode &host,
    llvm::function_ref<Status(size_t, std::vector<std::byte>)> inspect) const {
  return compareAll(
      contractions, [&](size_t number, runtime::Problem &problem) -> Status {
        if (Status status = prepareCall(
                host.code, number, host.program.kernels[number], problem)();
            !status)
          return status;
        const runtime::HostTensor &c = problem.c();
        return inspect(number, {c.data(), c.data() + c.bytes()});
      });
}

/// With a second number of threads that makes no other schedules, the same code
/// runs a second time.
Status CaseRunner::onCpu() const {
  Result<HostCode> host = compileOn(testCase.threads);
  if (!host)
    return Error{host.error()};
  std::vector<std::vector<std::byte>> results(contractions.size());
  Status status =
      runOn(*host, [&](size_t number, std::vector<std::byte> bytes) -> Status {
        results[number] = std::move(bytes);
        return {};
      });
  if (!status || !testCase.otherThreads)
    return status;
  Result<std::string> first = scheduledText(testCase.threads),
                      second = scheduledText(*testCase.otherThreads);
  if (!first || !second)
    return Error{(first ? second : first).error()};
  if (*first != *second)
    host = compileOn(*testCase.otherThreads);
  if (!host)
    return Error{host.error()};
  return runOn(*host,
               [&](size_t number, std::vector<std::byte> bytes) -> Status {
                 if (bytes == results[number])
                   return {};
                 return Error{"contraction " + std::to_string(number) + ": " +
                              std::to_string(*testCase.otherThreads) +
                              " threads leave other bits than " +
                              std::to_string(testCase.threads)};
               });
}

/// Runs a kernel on the operands of a problem.
static Status simulate(const runtime::Kernel &kernel, const sim::Module &code,
                       runtime::Problem &problem) {
  runtime::SimulationOptions simulation;
  simulation.workers = 1;
  Result<sim::Counters> counters =
      runtime::simulate(kernel, code, problem, simulation);
  return counters ? Status() : Error{counters.error()};
}

Status CaseRunner::onSimulator() const {
  bool isTuned = !testCase.tunedModule.empty();
  OwningOpRef<ModuleOp> copy(module.get().clone());
  if (isTuned) {
    Result<OwningOpRef<ModuleOp>> parsed =
        parse(context, testCase, testCase.tunedModule);
    if (!parsed)
      return Error{parsed.error()};
    copy = std::move(*parsed);
  }
  GpuOptions options;
  options.target = testCase.chip;
  options.dynamicShapes = isTuned;
  options.sumsOperands = false;
  Result<GpuProgram> program = compileForGpu(*copy, testCase.name, options);
  if (!program)
    return Error{program.error()};
  const runtime::Package &package = program->compiled.package;
  Result<sim::Module> code = sim::Module::parse(program->compiled.ptx, "PTX");
  if (!code)
    return Error{code.error()};
  if (Status status = runtime::checkAgainstPTX(package, *code); !status)
    return status;
  if (isTuned)
    return inDynamicShapes(package, *code);
  const std::vector<runtime::Kernel> &definitions =
      program->definitions.kernels;
  auto run = [&](size_t number, runtime::Problem &problem) {
    return ::simulate(package.kernels[number], *code, problem);
  };
  if (definitions.size() == contractions.size())
    return compareAll(contractions, run);
  // Some of them are one kernel.
  Result<std::vector<Contraction>> merged = interpretAll(definitions);
  return merged ? compareAll(*merged, run) : Error{merged.error()};
}

/// Runs all versions of a kernel that take the shape of the one contraction.
Status CaseRunner::inDynamicShapes(const runtime::Package &package,
                                   const sim::Module &code) const {
  if (contractions.size() != 1)
    return Error{"only one contraction can have a shape of its own"};
  const Contraction &contraction = contractions.front();
  runtime::KernelShape shape = runtime::shapeOf(contraction.definition);
  if (Result<size_t> chosen = runtime::chooseForShape(package, 0, shape);
      !chosen)
    return Error{chosen.error()};
  for (const runtime::Kernel &kernel : package.kernels) {
    Result<runtime::Kernel> bound = runtime::bindShape(kernel, shape);
    if (!bound)
      continue;
    auto run = [&](size_t, runtime::Problem &problem) {
      return ::simulate(*bound, code, problem);
    };
    if (Status status = compareAll(contractions, run); !status)
      return Error{kernel.entry + ": " + status.error()};
  }
  return {};
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
