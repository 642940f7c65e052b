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

/// Artifacts of a compiled program.
static std::map<TcArtifact, std::string>
artifactsOf(const LoadedProgram &loaded) {
  return {{TC_ARTIFACT_CACHE, std::string(stringify(loaded.outcome))},
          {TC_ARTIFACT_OBJECT, loaded.program.object.object},
          {TC_ARTIFACT_HEADER, loaded.program.header}};
}

TcProgram::Successor::Successor(
    const std::shared_ptr<const LoadedProgram> &code)
    : runner(code), artifacts(artifactsOf(*code)) {}

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
                             taking->parameters.end(), hasSameName))
      successor = std::make_unique<Successor>(
          std::shared_ptr<const LoadedProgram>(specialization, code));
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

const std::string *TcProgram::find(TcArtifact artifact) const {
  auto findIn = [&](const Artifacts &list) {
    auto found = list.find(artifact);
    return found == list.end() ? nullptr : &found->second;
  };
  if (const std::string *own = findIn(artifacts))
    return own;
  const Successor *code = findSuccessor();
  return code ? findIn(code->artifacts) : nullptr;
}

Status TcProgram::takeCode(LoadedProgram loaded, const std::string &name) {
  if (!loaded.program.program) {
    const std::string &why = loaded.program.programObstacle;
    return Error{name + ": cannot be run: " +
                 (why.empty() ? "nothing is multiplied" : why)};
  }
  artifacts.merge(artifactsOf(loaded));
  host = std::make_unique<HostRunner>(
      std::make_shared<const LoadedProgram>(std::move(loaded)));
  return {};
}

bool TcProgram::prepareAhead(const Source &source,
                             const CompileOptions &hostOptions,
                             const TcOptions &options) {
  if (!mayRunAhead(options) || hostOptions.tileChains != "auto")
    return false;
  ahead = AheadProgram::make(*source.program, hostOptions);
  if (!ahead)
    return false;
  FirstRun first = planFirstRun(ahead->seconds(), source, hostOptions, options);
  if (first.isAhead) {
    specialization = std::move(first.specialization);
    return true;
  }
  ahead.reset();
  return first.code && takeCode(std::move(*first.code), source.name);
}

Status TcProgram::compileForHost(const Source &source,
                                 const TcOptions &options) {
  if (options.refine > 1)
    return Error{"option 'refine' is for GPUs only"};
  const CompileOptions &hostOptions = options;
  std::string &warnings = artifacts[TC_ARTIFACT_WARNINGS];
  if (prepareAhead(source, hostOptions, options))
    return {};
  HostCacheOptions cache{options};
  cache.warn = [&](const std::string &line) { warnings += line + "\n"; };
  Result<LoadedProgram> loaded =
      capi::compileOrFind(source, hostOptions, cache, options.inBackground);
  if (!loaded)
    return Error{loaded.error()};
  // Nothing is left to compile of sums over nothing, whose output is scaled.
  if (!loaded->program.program && loaded->program.programObstacle.empty()) {
    ahead = AheadProgram::make(*source.program, hostOptions);
    if (ahead)
      return {};
  }
  return takeCode(std::move(*loaded), source.name);
}

Status TcProgram::compileForDevice(const Source &source,
                                   const TcOptions &options) {
  bool isOpen = !source.program->unknown.empty();
  if (isOpen && options.memoryLimit)
    return Error{source.name + ": option 'memory-limit' bounds no temporaries "
                               "whose extents each run says"};
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  DeviceOptions gpu{options, options.target};
  // One kernel of several contractions takes no shape at run time.
  gpu.dynamicShapes = isOpen;
  gpu.mergesSums = gpu.fusesChains = !isOpen;
  Result<DeviceProgram> compiled = (*compiler)->compileForDevice(source, gpu);
  if (!compiled)
    return Error{compiled.error()};
  runtime::LoadedPackage loaded;
  loaded.package = std::move(compiled->package);
  loaded.code = std::move(compiled->ptx);
  if (loaded.package.programs.empty()) {
    const std::vector<std::string> &why = compiled->programObstacles;
    return Error{source.name + ": cannot be run: " +
                 (why.empty() ? "nothing is multiplied" : why.front())};
  }
  loaded.package.codeFile = loaded.codePath = options.name + ".ptx";
  if (Status status = runtime::verify(loaded.package); !status)
    return status;
  artifacts[TC_ARTIFACT_PTX] = loaded.code;
  package = std::make_unique<TcPackage>(std::move(loaded));
  artifacts[TC_ARTIFACT_PACKAGE] = package->description;
  for (const runtime::ProgramExtent &extent : program().extents)
    extentsOnDevice.push_back(extent.name);
  return {};
}
