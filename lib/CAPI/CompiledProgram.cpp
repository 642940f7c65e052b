//===- CompiledProgram.cpp - Class of a TcProgram -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledProgram.h"
#include "Ahead.h"
#include "CompilerLoader.h"

#include <algorithm>

using namespace tc;
using namespace tc::capi;

Result<const std::string *>
TcProgram::Artifacts::find(TcArtifact artifact) const {
  if (objectFile && isOfObjectFile(artifact))
    return objectFile->get(artifact);
  auto found = texts.find(artifact);
  return found == texts.end() ? nullptr : &found->second;
}

/// Notes the artifacts of a compiled program.
void TcProgram::describe(const LoadedProgram &loaded,
                         Artifacts &described) const {
  described.texts[TC_ARTIFACT_CACHE] = stringify(loaded.outcome);
  described.objectFile = std::make_unique<ObjectFile>(
      loaded.program, source.get(), hostOptions, cacheOptions);
}

const TcProgram::Successor *TcProgram::findSuccessor() const {
  const LoadedProgram *code = specialization ? specialization->code() : nullptr;
  if (!code)
    return nullptr;
  std::call_once(hasTakenOver, [&] {
    auto hasSameName = [](const auto &own, const auto &other) {
      return own.name == other.name;
    };
    // Answers to earlier calls stay true.
    const auto &taking = code->program.program;
    const std::vector<runtime::ProgramParameter> &own = program().parameters;
    if (taking && std::equal(own.begin(), own.end(), taking->parameters.begin(),
                             taking->parameters.end(), hasSameName)) {
      successor = std::make_unique<Successor>(
          std::shared_ptr<const LoadedProgram>(specialization, code));
      describe(*code, successor->artifacts);
    }
  });
  return successor.get();
}

Status TcProgram::run(const std::vector<const void *> &tensors,
                      void *workspace) const {
  if (host)
    return host->run(tensors, workspace);
  const Successor *code = findSuccessor();
  if (code && specialization->codeOfNextCall()) {
    const runtime::Program &taking = code->runner.program();
    bool fits = taking.workspaceBytes <= program().workspaceBytes &&
                taking.workspaceAlignment <= program().workspaceAlignment;
    Specialization::Call call(specialization.get(), /*runsCode=*/true);
    Status status = code->runner.run(tensors, fits ? workspace : nullptr);
    call.end();
    return status;
  }
  Specialization::Call call(specialization.get());
  Status status = ahead->run(tensors, workspace);
  if (status)
    call.end();
  return status;
}

Result<const std::string *> TcProgram::find(TcArtifact artifact) const {
  Result<const std::string *> own = artifacts.find(artifact);
  if (!own || *own)
    return own;
  const Successor *code = findSuccessor();
  return code ? code->artifacts.find(artifact) : own;
}

Status TcProgram::takeCode(LoadedProgram loaded) {
  if (!loaded.program.program) {
    const std::string &why = loaded.program.programObstacle;
    return Error{source.get().name + ": cannot be run: " +
                 (why.empty() ? "nothing is multiplied" : why)};
  }
  describe(loaded, artifacts);
  host = std::make_unique<HostRunner>(
      std::make_shared<const LoadedProgram>(std::move(loaded)));
  return {};
}

/// The order of programs whose results may change in their last bits may, too.
static AheadProgram::Search searchOf(const TcOptions &options) {
  return options.specialize == Specialize::Auto
             ? AheadProgram::Search::WhenItPays
             : AheadProgram::Search::First;
}

void TcProgram::makeAhead(const TcOptions &options,
                          AheadProgram::Between between,
                          std::optional<ProductAhead> product) {
  const AheadProgram::Search search = searchOf(options);
  ahead = product ? AheadProgram::make(
                        std::move(product->name), std::move(product->network),
                        std::move(product->path), hostOptions, search)
                  : AheadProgram::make(*source.get().program, hostOptions,
                                       between, search);
}

bool TcProgram::prepareAhead(const TcOptions &options,
                             std::optional<ProductAhead> product) {
  if (!mayRunAhead(options) || hostOptions.tileChains != "auto")
    return false;
  makeAhead(options, AheadProgram::Between::Elements, std::move(product));
  if (!ahead)
    return false;
  FirstRun first = planFirstRun(ahead->seconds(), source, hostOptions, options);
  if (first.isAhead) {
    specialization = std::move(first.specialization);
    return true;
  }
  ahead.reset();
  return first.code && takeCode(std::move(*first.code));
}

Status TcProgram::compileForHost(const TcOptions &options,
                                 std::optional<ProductAhead> product) {
  if (options.refine > 1)
    return Error{"option 'refine' is for GPUs only"};
  hostOptions = options;
  cacheOptions = options;
  std::string &warnings = artifacts.texts[TC_ARTIFACT_WARNINGS];
  if (options.keepsSums) {
    makeAhead(options, AheadProgram::Between::Sums, std::move(product));
    return ahead ? Status()
                 : Error{source.get().name +
                         ": option 'keep-sums' is of one product "
                         "that ahead-of-time kernels compute"};
  }
  if (prepareAhead(options, std::move(product)))
    return {};
  HostCacheOptions cache{options};
  cache.warn = [&](const std::string &line) { warnings += line + "\n"; };
  Result<LoadedProgram> loaded = capi::compileOrFind(
      source.get(), hostOptions, cache, options.inBackground);
  if (!loaded)
    return Error{loaded.error()};
  // Nothing is left to compile of sums over nothing, whose output is scaled.
  if (!loaded->program.program && loaded->program.programObstacle.empty()) {
    ahead = AheadProgram::make(*source.get().program, hostOptions);
    if (ahead)
      return {};
  }
  return takeCode(std::move(*loaded));
}

Status TcProgram::compileForDevice(const TcOptions &options) {
  const Source &given = source.get();
  if (options.keepsSums)
    return Error{"option 'keep-sums' is for CPUs only"};
  bool isOpen = !given.program->unknown.empty();
  if (isOpen && options.memoryLimit)
    return Error{given.name + ": option 'memory-limit' bounds no temporaries "
                              "whose extents each run says"};
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  DeviceOptions gpu{options, options.target};
  // One kernel of several contractions takes no shape at run time.
  gpu.dynamicShapes = isOpen;
  gpu.mergesSums = gpu.fusesChains = !isOpen;
  Result<DeviceProgram> compiled = (*compiler)->compileForDevice(given, gpu);
  if (!compiled)
    return Error{compiled.error()};
  runtime::LoadedPackage loaded;
  loaded.package = std::move(compiled->package);
  loaded.code = std::move(compiled->ptx);
  if (loaded.package.programs.empty()) {
    const std::vector<std::string> &why = compiled->programObstacles;
    return Error{given.name + ": cannot be run: " +
                 (why.empty() ? "nothing is multiplied" : why.front())};
  }
  loaded.package.codeFile = loaded.codePath = options.name + ".ptx";
  if (Status status = runtime::verify(loaded.package); !status)
    return status;
  artifacts.texts[TC_ARTIFACT_PTX] = loaded.code;
  package = std::make_unique<TcPackage>(std::move(loaded));
  artifacts.texts[TC_ARTIFACT_PACKAGE] = package->description;
  for (const runtime::ProgramExtent &extent : program().extents)
    extentsOnDevice.push_back(extent.name);
  return {};
}
