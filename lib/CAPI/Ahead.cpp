//===- Ahead.cpp - Runs before compilation --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ahead.h"
#include "CompilerLoader.h"

#include "tc/OnDemand/Background.h"

using namespace tc;
using namespace tc::capi;

bool capi::mayRunAhead(const TcOptions &options) {
  return options.specialize != Specialize::Always && options.schedule.empty() &&
         options.strategy == "auto" && !options.workspaceLimit &&
         (!options.tuned || *options.tuned == "off");
}

FirstRun capi::planFirstRun(double seconds, const Source &source,
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
  if (seconds >= cachedRun) {
    Result<const Compiler *> compiler = loadCompiler();
    if (compiler)
      first.code = (*compiler)->findCompiled(source, host, {options});
    first.isAhead = !first.code && (!compiler || seconds < longRun);
  }
  if (first.isAhead)
    first.specialization = std::make_shared<Specialization>(
        [source, host, cache = HostCacheOptions{options}]() {
          return compileOrFind(source, host, cache, /*inBackground=*/true);
        },
        seconds);
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
