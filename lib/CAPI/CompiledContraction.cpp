//===- CompiledContraction.cpp - Class of a TcContraction -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledContraction.h"
#include "Ahead.h"
#include "Arguments.h"
#include "CompilerLoader.h"

#include "tc/Package/KernelText.h"
#include "tc/Package/Package.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Problem/Overlap.h"

using namespace tc;
using namespace tc::capi;

/// Part of a contraction that ahead-of-time kernels compute; none if they do
/// not, or if it takes the compiler to say whether it is valid.
static std::optional<cpu::Problem> problemAhead(const Problem &problem) {
  const model::ContractionRecord &record = problem.record;
  const model::TensorRecord &c = record.tensors[model::Tensor::C];
  const notation::FusedExpressions &fused = problem.fused;
  if (fused.prologueA || fused.prologueB || fused.epilogue || fused.semiring ||
      !model::isPlainlyInjective(c.extents, c.strides))
    return std::nullopt;
  std::optional<cpu::Problem> ahead =
      cpu::problemOf(model::contractionOf(record));
  if (ahead)
    ahead->saturates = problem.saturates;
  return ahead;
}

bool TcContraction::prepareAhead(const TcOptions &options,
                                 const CompileOptions &host) {
  if (!mayRunAhead(options))
    return false;
  std::optional<cpu::Problem> made = problemAhead(problem);
  if (!made)
    return false;
  ahead.emplace(*made, host.threads.value_or(0));
  // No code moves or reads elements faster than memory does.
  if (ahead->isElementwise() || ahead->isReadOnce())
    return true;
  FirstRun first =
      planFirstRun(ahead->seconds(), LazySource(source), host, options);
  if (first.isAhead) {
    specialization = std::move(first.specialization);
    return true;
  }
  ahead.reset();
  if (!first.code)
    return false;
  // The compiler is loaded where code has been found.
  takeCode(**loadCompiler(), std::move(*first.code), host, options);
  return true;
}

void TcContraction::takeCode(const Compiler &compiler, LoadedProgram loaded,
                             const CompileOptions &host,
                             const CacheOptions &cache) {
  artifacts[TC_ARTIFACT_CACHE] = stringify(loaded.outcome);
  const HostProgram &program = loaded.program;
  bool multiplies = !program.kernels.empty();
  artifacts[TC_ARTIFACT_SCHEDULE] =
      multiplies ? program.kernels[0].schedule : "";
  artifacts[TC_ARTIFACT_EXPLANATION] =
      multiplies ? compiler.describe(program.kernels[0]) : "";
  objectFile = std::make_unique<ObjectFile>(program, source, host, cache);
  if (multiplies)
    code = std::move(loaded);
}

Status TcContraction::prepareForAnyShape(const char *spec,
                                         const TcTensor *tensors,
                                         const TcOptions &options) {
  if (options.refine > 1)
    return Error{"option 'refine' is for GPUs only"};
  Result<AnyShape> made = makeAnyShape(spec, tensors, options);
  if (!made)
    return Error{made.error()};
  anyShape = std::move(*made);
  source.contractions = {anyShape->problem};
  artifacts[TC_ARTIFACT_WARNINGS] = artifacts[TC_ARTIFACT_SCHEDULE] = "";
  artifacts[TC_ARTIFACT_EXPLANATION] =
      runtime::reportLine("kernels", "ahead of time, of the shape of each run");
  return {};
}

Status TcContraction::compileForHost(const TcOptions &options) {
  if (options.refine > 1)
    return Error{"option 'refine' is for GPUs only"};
  CompileOptions host = options.ofContraction();
  artifacts[TC_ARTIFACT_WARNINGS] = "";
  if (prepareAhead(options, host))
    return {};
  HostCacheOptions cache{options};
  std::string &warnings = artifacts[TC_ARTIFACT_WARNINGS];
  cache.warn = [&](const std::string &line) { warnings += line + "\n"; };
  Result<LoadedProgram> loaded =
      capi::compileOrFind(source, host, cache, options.inBackground);
  if (!loaded)
    return Error{loaded.error()};
  // The compiler is loaded where code has been made.
  takeCode(**loadCompiler(), std::move(*loaded), host, options);
  return {};
}

Status TcContraction::compileForDevice(const TcOptions &options) {
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  DeviceOptions gpu{options.ofContraction(), options.target};
  obeysSchedule = !options.schedule.empty();
  Result<DeviceProgram> compiled = (*compiler)->compileForDevice(source, gpu);
  if (!compiled)
    return Error{compiled.error()};
  device = std::move(*compiled);
  runtime::Package &package = device->package;
  package.target = options.target;
  artifacts[TC_ARTIFACT_WARNINGS] = "";
  artifacts[TC_ARTIFACT_PTX] = device->ptx;
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
  launcher = std::make_unique<runtime::PackageLauncher>(
      runtime::LoadedPackage{package, device->ptx, package.codeFile},
      std::move(names));
  return {};
}

Result<Explanation> TcContraction::explainDevice() const {
  if (device->package.kernels.empty())
    return Explanation();
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  ExplainedSchedule explained;
  explained.target = device->package.target;
  explained.schedule = device->package.kernels[0].schedule;
  explained.name = obeysSchedule           ? "given"
                   : device->tuned.empty() ? "compiled"
                                           : "tuned";
  if (!device->tuned.empty())
    explained.origin = device->tuned.front();
  explained.dynamicShapes = device->package.kernels[0].dynamicShape.has_value();
  return (*compiler)->explain(source, explained);
}

Result<std::string> TcContraction::assemble() const {
  if (device->package.kernels.empty())
    return std::string();
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  return (*compiler)->assemble(device->ptx, device->package.target);
}

Result<std::string> TcContraction::printSource() const {
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  return (*compiler)->print(source);
}

/// Result that is made once, when somebody asks for it.
static Result<const std::string *>
getOrMake(std::optional<std::string> &kept,
          const std::function<Result<std::string>()> &make) {
  if (!kept) {
    Result<std::string> made = make();
    if (!made)
      return Error{made.error()};
    kept = std::move(*made);
  }
  return &*kept;
}

Result<const std::string *>
TcContraction::getShaped(TcArtifact artifact) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!shaped) {
    Result<const Compiler *> compiler = loadCompiler();
    if (!compiler)
      return Error{compiler.error()};
    CompileOptions options;
    if (anyShape->threads > 0)
      options.threads = anyShape->threads;
    Result<ShapedCode> made = (*compiler)->compileForAnyShape(source, options);
    if (!made)
      return Error{made.error()};
    shaped = std::move(*made);
  }
  return artifact == TC_ARTIFACT_MLIR     ? &shaped->mlir
         : artifact == TC_ARTIFACT_OBJECT ? &shaped->object
                                          : &shaped->header;
}

Result<const std::string *> TcContraction::get(TcArtifact artifact) const {
  if (anyShape &&
      (artifact == TC_ARTIFACT_MLIR || artifact == TC_ARTIFACT_OBJECT ||
       artifact == TC_ARTIFACT_HEADER))
    return getShaped(artifact);
  if (objectFile && isOfObjectFile(artifact))
    return objectFile->get(artifact);
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
                 (device ? device->package.target : "cpu") + "'"};
  return &found->second;
}
