//===- CompiledContraction.cpp - What a TcContraction is ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledContraction.h"
#include "Ahead.h"
#include "Arguments.h"

#include "tc/Compiler/ExplainModule.h"
#include "tc/Package/Package.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace tc;
using namespace tc::capi;
using mlir::OwningOpRef;

/// Columns of an explanation.
static constexpr unsigned explanationColumns = 120;

/// The source as MLIR, and the context that it needs.
namespace {
struct ParsedSource {
  explicit ParsedSource(const Source &source)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        module(makeModule(context, source)) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllTC(registry);
    registerPTXExportDialects(registry);
    return registry;
  }

  MLIRContext context;
  Result<OwningOpRef<ModuleOp>> module;
};
} // namespace

/// Whether strides say by themselves that no two elements of a tensor are one:
/// each is beyond all that lies along smaller ones.
static bool isPlainlyInjective(const model::TensorRecord &tensor) {
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  for (auto [extent, stride] : llvm::zip_equal(tensor.extents, tensor.strides))
    if (extent > 1)
      dimensions.push_back({magnitude(stride), extent});
  llvm::sort(dimensions);
  int64_t reach = 0;
  for (auto [stride, extent] : dimensions) {
    if (stride <= reach)
      return false;
    reach = saturatingAdd(reach, saturatingMultiply(stride, extent - 1));
  }
  return reach < saturated;
}

/// What kernels that were made ahead compute of a contraction; none if they do
/// not, or if it takes the compiler to say whether it is valid.
static std::optional<cpu::Problem> problemAhead(const Problem &problem) {
  const model::ContractionRecord &record = problem.record;
  const notation::FusedExpressions &fused = problem.fused;
  if (fused.prologueA || fused.prologueB || fused.epilogue || fused.semiring ||
      !isPlainlyInjective(record.tensors[model::Tensor::C]))
    return std::nullopt;
  return cpu::problemOf(model::contractionOf(record));
}

bool TcContraction::prepareAhead(const TcOptions &options,
                                 const HostOptions &host) {
  if (!mayRunAhead(options))
    return false;
  std::optional<cpu::Problem> made = problemAhead(problem);
  if (!made)
    return false;
  ahead.emplace(*made, host.threads.value_or(0));
  FirstRun first = planFirstRun(ahead->seconds(), source, host, options);
  if (first.isAhead) {
    specialization = std::move(first.specialization);
    return true;
  }
  ahead.reset();
  if (!first.code)
    return false;
  takeCode(std::move(*first.code));
  return true;
}

void TcContraction::takeCode(LoadedProgram loaded) {
  artifacts[TC_ARTIFACT_CACHE] = stringify(loaded.outcome);
  const HostProgram &program = loaded.program;
  bool multiplies = !program.kernels.empty();
  artifacts[TC_ARTIFACT_SCHEDULE] =
      multiplies ? program.kernels[0].schedule : "";
  artifacts[TC_ARTIFACT_EXPLANATION] =
      multiplies ? decisionsText(program.kernels[0]) : "";
  artifacts[TC_ARTIFACT_OBJECT] = program.object.object;
  artifacts[TC_ARTIFACT_HEADER] = program.header;
  if (multiplies)
    code = std::move(loaded);
}

Status TcContraction::compileForHost(const TcOptions &options) {
  if (options.dynamicShapes)
    return Error{"option 'dynamic-shapes' is for GPUs only"};
  if (options.refine > 1)
    return Error{"option 'refine' is for GPUs only"};
  HostOptions host = options.host;
  host.schedule = options.schedule;
  artifacts[TC_ARTIFACT_WARNINGS] = "";
  if (prepareAhead(options, host))
    return {};
  HostCacheOptions cache = options.cache;
  std::string &warnings = artifacts[TC_ARTIFACT_WARNINGS];
  cache.warn = [&](const std::string &line) { warnings += line + "\n"; };
  Result<LoadedProgram> loaded = compileOrFind(source, host, cache);
  if (!loaded)
    return Error{loaded.error()};
  takeCode(std::move(*loaded));
  return {};
}

Status TcContraction::compileForDevice(const TcOptions &options) {
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  GpuOptions gpu;
  gpu.target = options.target;
  gpu.schedule = options.schedule;
  gpu.tuned = options.host.tuned;
  gpu.refine = options.refine;
  gpu.dynamicShapes = options.dynamicShapes;
  obeysSchedule = !options.schedule.empty();
  Result<GpuProgram> compiled =
      compileForGpu(**parsed.module, source.name, gpu);
  if (!compiled)
    return Error{compiled.error()};
  device = std::move(*compiled);
  runtime::Package &package = device->compiled.package;
  package.target = options.target;
  artifacts[TC_ARTIFACT_WARNINGS] = "";
  artifacts[TC_ARTIFACT_PTX] = device->compiled.ptx;
  bool multiplies = !package.kernels.empty();
  artifacts[TC_ARTIFACT_SCHEDULE] =
      multiplies ? package.kernels[0].schedule : "";
  artifacts[TC_ARTIFACT_PACKAGE] = "";
  if (!multiplies)
    return {};
  package.codeFile = options.name + ".ptx";
  if (Status status = runtime::verify(package); !status)
    return status;
  artifacts[TC_ARTIFACT_PACKAGE] = runtime::toJson(package);
  std::vector<std::string> names = {"A", "B", "C"};
  for (size_t i = 0; i < problem.auxiliaries.size(); ++i)
    names.push_back(nameOfAuxiliary(problem, i));
  std::vector<std::byte> one;
  if (problem.operands == 1) {
    const auto *bytes = reinterpret_cast<const std::byte *>(problem.one.data());
    one.assign(bytes,
               bytes + model::byteWidth(
                           problem.record.tensors[model::Tensor::B].type));
  }
  launcher = std::make_unique<runtime::PackageLauncher>(
      runtime::LoadedPackage{package, device->compiled.ptx, package.codeFile},
      std::move(names), std::move(one));
  return {};
}

Result<TcContraction::Explanation> TcContraction::explainDevice() const {
  const runtime::Package &package = device->compiled.package;
  if (package.kernels.empty())
    return Explanation();
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  ExplainOptions options;
  options.target = package.target;
  options.schedule = package.kernels[0].schedule;
  options.scheduleName = obeysSchedule           ? "given"
                         : device->tuned.empty() ? "compiled"
                                                 : "tuned";
  options.dynamicShapes = package.kernels[0].dynamicShape.has_value();
  options.tuned = "off";
  auto sections = explainModule(**parsed.module, source.name, options);
  if (!sections)
    return Error{sections.error()};
  if (!device->tuned.empty())
    sections->front().origin = device->tuned.front();
  return Explanation{explain::renderText(sections->front(), explanationColumns),
                     explain::renderHtml(*sections)};
}

Result<std::string> TcContraction::assemble() const {
  if (device->compiled.package.kernels.empty())
    return std::string();
  Result<Assembly> assembly =
      tc::assemble(device->compiled.ptx, device->compiled.package.target);
  if (!assembly)
    return Error{assembly.error()};
  return std::move(assembly->cubin);
}

Result<std::string> TcContraction::printSource() const {
  ParsedSource parsed(source);
  if (!parsed.module)
    return Error{parsed.module.error()};
  std::string printed;
  llvm::raw_string_ostream os(printed);
  (*parsed.module)->print(os);
  return printed;
}

/// What is made once, when somebody asks for it.
static Result<const std::string *>
getOrMake(std::optional<std::string> &kept,
          llvm::function_ref<Result<std::string>()> make) {
  if (!kept) {
    Result<std::string> made = make();
    if (!made)
      return Error{made.error()};
    kept = std::move(*made);
  }
  return &*kept;
}

Result<const std::string *> TcContraction::get(TcArtifact artifact) const {
  if (artifact == TC_ARTIFACT_MLIR) {
    std::lock_guard<std::mutex> lock(mutex);
    return getOrMake(text, [&] { return printSource(); });
  }
  bool isText = artifact == TC_ARTIFACT_EXPLANATION;
  if (device && (isText || artifact == TC_ARTIFACT_EXPLANATION_PAGE)) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!explanation) {
      Result<Explanation> made = explainDevice();
      if (!made)
        return Error{made.error()};
      explanation = std::move(*made);
    }
    return isText ? &explanation->text : &explanation->page;
  }
  if (device && artifact == TC_ARTIFACT_CUBIN) {
    std::lock_guard<std::mutex> lock(mutex);
    return getOrMake(cubin, [&] { return assemble(); });
  }
  if (ahead && artifact == TC_ARTIFACT_CACHE)
    if (const LoadedProgram *made = codeByNow()) {
      std::lock_guard<std::mutex> lock(mutex);
      return getOrMake(outcome, [&]() -> Result<std::string> {
        return std::string(stringify(made->outcome));
      });
    }
  auto found = artifacts.find(artifact);
  if (found == artifacts.end() && ahead)
    return Error{describeUncompiled(artifact)};
  if (found == artifacts.end())
    return Error{"artifact " + std::to_string(artifact) +
                 " does not exist for target '" +
                 (device ? device->compiled.package.target : "cpu") + "'"};
  return &found->second;
}
