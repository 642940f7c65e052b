//===- CompilerModule.cpp - The compiler, as libtc loads it ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that libtc asks for (tc/OnDemand/Compiler.h), by the ways to
// compile that tc-run has, too.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Candidates.h"
#include "tc/Compiler/ExplainModule.h"
#include "tc/Compiler/GpuProgram.h"
#include "tc/Compiler/HostCache.h"
#include "tc/Compiler/ShapedContraction.h"
#include "tc/InitAll.h"
#include "tc/OnDemand/Compiler.h"
#include "tc/Tuning/TuningDatabase.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using tuning::TuningDatabase;

/// Columns of an explanation.
static constexpr unsigned explanationColumns = 120;

namespace {

/// The source as MLIR, and the context that it needs.
struct ParsedSource {
  explicit ParsedSource(const Source &source)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        module(source.program ? makeClosedModule(context, source)
                              : makeModule(context, source)) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllTC(registry);
    registerPTXExportDialects(registry);
    return registry;
  }

  MLIRContext context;
  Result<mlir::OwningOpRef<ModuleOp>> module;
};

class LoadableCompiler final : public Compiler {
public:
  Result<LoadedProgram>
  compileOrFind(const Source &source, const CompileOptions &options,
                const HostCacheOptions &cache) const override {
    return tc::compileOrFind(source, options, cache);
  }

  FoundCode findCompiled(const Source &source, const CompileOptions &options,
                         const HostCacheOptions &cache,
                         const std::string &kernels) const override {
    return tc::findCompiled(source, options, cache, kernels);
  }

  void keepFaster(const Source &source, const CompileOptions &options,
                  const HostCacheOptions &cache, const std::string &kernels,
                  Faster faster) const override {
    tc::keepFaster(source, options, cache, kernels, faster);
  }

  std::string describe(const HostKernel &kernel) const override {
    return decisionsText(kernel);
  }

  Result<ShapedCode>
  compileForAnyShape(const Source &source,
                     const CompileOptions &options) const override {
    return tc::compileForAnyShape(source, options);
  }

  Result<DeviceProgram>
  compileForDevice(const Source &source,
                   const DeviceOptions &options) const override;

  Result<Explanation> explain(const Source &source,
                              const ExplainedSchedule &schedule) const override;

  Result<std::string> assemble(const std::string &ptx,
                               const std::string &target) const override {
    Result<Assembly> assembly = tc::assemble(ptx, target);
    if (!assembly)
      return Error{assembly.error()};
    return std::move(assembly->cubin);
  }

  Result<std::string> print(const Source &source) const override;

  Status check(const Source &source) const override {
    ParsedSource parsed(source);
    return parsed.module ? Status() : Status(Error{parsed.module.error()});
  }

  Result<std::string> listCandidates(const Source &source,
                                     const std::string &target,
                                     const CompileOptions &options,
                                     size_t most) const override {
    auto candidates = tc::listCandidates(source, target, options, most);
    if (!candidates)
      return Error{candidates.error()};
    return candidates->dump();
  }

  Status checkEvaluations(const std::string &lines) const override {
    auto evaluations = readEvaluations(lines);
    return evaluations ? Status() : Status(Error{evaluations.error()});
  }

  Result<int64_t> mergeEvaluations(const std::string &path,
                                   const std::string &lines) const override;
  Result<std::string> exportEvaluations(const std::string &path,
                                        bool bestOnly) const override;

private:
  static Result<std::vector<tuning::Evaluation>>
  readEvaluations(const std::string &lines) {
    return tuning::readEvaluations(lines, "evaluations");
  }
};

} // namespace

Result<DeviceProgram>
LoadableCompiler::compileForDevice(const Source &source,
                                   const DeviceOptions &options) const {
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  GpuOptions gpu;
  static_cast<DeviceOptions &>(gpu) = options;
  Result<GpuProgram> made = compileForGpu(**parsed.module, source.name, gpu);
  if (!made)
    return Error{made.error()};
  CompiledModule &compiled = made->compiled;
  return DeviceProgram{std::move(compiled.ptx), std::move(compiled.package),
                       std::move(compiled.programObstacles),
                       std::move(made->tuned)};
}

Result<Explanation>
LoadableCompiler::explain(const Source &source,
                          const ExplainedSchedule &schedule) const {
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  ExplainOptions options;
  options.target = schedule.target;
  options.schedule = schedule.schedule;
  options.scheduleName = schedule.name;
  options.dynamicShapes = schedule.dynamicShapes;
  options.tuned = "off";
  auto sections = explainModule(**parsed.module, source.name, options);
  if (!sections)
    return Error{sections.error()};
  if (!schedule.origin.empty())
    sections->front().origin = schedule.origin;
  return Explanation{explain::renderText(sections->front(), explanationColumns),
                     explain::renderHtml(*sections)};
}

Result<std::string> LoadableCompiler::print(const Source &source) const {
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  std::string printed;
  llvm::raw_string_ostream os(printed);
  (*parsed.module)->print(os);
  return printed;
}

Result<int64_t>
LoadableCompiler::mergeEvaluations(const std::string &path,
                                   const std::string &lines) const {
  auto evaluations = readEvaluations(lines);
  if (!evaluations)
    return Error{evaluations.error()};
  Result<TuningDatabase> database =
      TuningDatabase::open(path, TuningDatabase::Access::Write);
  if (!database)
    return Error{database.error()};
  return database->merge(*evaluations);
}

Result<std::string> LoadableCompiler::exportEvaluations(const std::string &path,
                                                        bool bestOnly) const {
  Result<TuningDatabase> database =
      TuningDatabase::open(path, TuningDatabase::Access::Read);
  if (!database)
    return Error{database.error()};
  auto evaluations = bestOnly ? database->bests() : database->all();
  if (!evaluations)
    return Error{evaluations.error()};
  std::string text;
  for (const tuning::Evaluation &evaluation : *evaluations)
    text += tuning::writeEvaluation(evaluation) + "\n";
  return text;
}

extern "C" __attribute__((visibility("default"))) const Compiler *
tcCompilerGet(const CompilerHost &host) {
  static const LoadableCompiler compiler;
  if (host.version != std::string_view(TC_VERSION))
    return nullptr;
  cpu::leaveTeamTo(host.team);
  return &compiler;
}
