//===- Ahead.cpp - Runs before compilation --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ahead.h"
#include "CompilerLoader.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/OnDemand/Background.h"
#include "tc/Support/BuildId.h"

using namespace tc;
using namespace tc::capi;

bool capi::mayRunAhead(const TcOptions &options) {
  return options.specialize != Specialize::Always && options.schedule.empty() &&
         options.strategy == "auto" && !options.workspaceLimit &&
         (!options.tuned || *options.tuned == "off");
}

/// The build of ahead-of-time kernels, and those of it that are used.
static std::string identifyKernels() {
  return identifyCompiler() + std::string(cpu::instructionSetName()) + "\n";
}

/// Code that takes over later from ahead-of-time kernels.
static std::shared_ptr<Specialization> specialize(double seconds,
                                                  const LazySource &source,
                                                  const CompileOptions &host,
                                                  const CacheOptions &cache) {
  struct Work {
    LazySource source;
    CompileOptions host;
    HostCacheOptions cache;
  };
  auto work =
      std::make_shared<const Work>(Work{source, host, HostCacheOptions{cache}});
  auto make = [work]() -> Result<FoundCode> {
    const auto &[lazy, options, place] = *work;
    const Source &code = lazy.get();
    Result<const Compiler *> compiler = loadCompiler();
    if (!compiler)
      return Error{compiler.error()};
    FoundCode found =
        (*compiler)->findCompiled(code, options, place, identifyKernels());
    if (found.program || found.faster == Faster::Ahead)
      return found;
    Result<LoadedProgram> made =
        compileOrFind(code, options, place, /*inBackground=*/true);
    if (!made)
      return Error{made.error()};
    found.program = std::move(*made);
    return found;
  };
  auto keep = [work](Faster faster) {
    if (Result<const Compiler *> compiler = loadCompiler())
      (*compiler)->keepFaster(work->source.get(), work->host, work->cache,
                              identifyKernels(), faster);
  };
  return std::make_shared<Specialization>(make, keep, seconds);
}

FirstRun capi::planFirstRun(double seconds, const LazySource &source,
                            const CompileOptions &host,
                            const TcOptions &options) {
  // Runs that are predicted to take as long are compiled for at once; and
  // shorter ones, if the cache has the code, unless to load the compiler, which
  // asks it, takes longer than that saves.
  constexpr double longRun = 1;
  const double cachedRun = isCompilerLoaded() ? 0.02 : 0.5;
  FirstRun first;
  first.isAhead = true;
  if (options.specialize == Specialize::Never)
    return first;
  FoundCode found;
  if (seconds >= cachedRun) {
    Result<const Compiler *> compiler = loadCompiler();
    if (compiler)
      found = (*compiler)->findCompiled(source.get(), host, {options},
                                        identifyKernels());
    const bool isCodeFirst =
        compiler && found.faster != Faster::Ahead &&
        (seconds >= longRun || (found.program && found.faster == Faster::Code));
    if (isCodeFirst) {
      first.isAhead = false;
      first.code = std::move(found.program);
      return first;
    }
    if (found.faster == Faster::Ahead)
      return first;
  }
  first.specialization = specialize(seconds, source, host, options);
  if (found.program)
    first.specialization->take(std::move(found));
  return first;
}

Result<LoadedProgram> capi::compileOrFind(const Source &source,
                                          const CompileOptions &host,
                                          HostCacheOptions cache,
                                          bool inBackground) {
  std::optional<BackgroundWork> background;
  if (inBackground) {
    background.emplace();
    cache.compiles = setMayBeStopped;
  }
  Result<const Compiler *> compiler = loadCompiler();
  if (!compiler)
    return Error{compiler.error()};
  return (*compiler)->compileOrFind(source, host, cache);
}

void tcSpecializationEnd(void) { endSpecializations(); }

std::string capi::describeUncompiled(TcArtifact artifact) {
  return "artifact " + std::to_string(artifact) +
         " does not exist for what is not compiled: set option 'specialize' to "
         "'always'";
}
