//===- Ahead.h - Runs before compilation ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_AHEAD_H
#define TC_LIB_CAPI_AHEAD_H

#include "LazySource.h"
#include "Options.h"

#include "tc/OnDemand/Specialization.h"

namespace tc::capi {

/// True if ahead-of-time kernels may compute something: who says how
/// code is to be has it made.
bool mayRunAhead(const TcOptions &options);

/// Way in which the first run of something is computed: by code that there is
/// already, by ahead-of-time kernels, or by code that is to be made
/// before.
struct FirstRun {
  std::optional<LoadedProgram> code;
  bool isAhead = false;
  /// Code that takes over from those kernels later, if anything does.
  std::shared_ptr<Specialization> specialization;
};

/// Decides as docs/cpu-runtime.md says, by the seconds that a run is predicted
/// to take with these kernels.
FirstRun planFirstRun(double seconds, const LazySource &source,
                      const CompileOptions &host, const TcOptions &options);

/// Makes code, or finds it in the cache. Where it is made in the background, a
/// process that ends does not wait for it (`stopBackgroundWork`).
Result<LoadedProgram> compileOrFind(const Source &source,
                                    const CompileOptions &host,
                                    HostCacheOptions cache, bool inBackground);

/// The error of who asks for an artifact of what is not compiled.
std::string describeUncompiled(TcArtifact artifact);

} // namespace tc::capi

#endif // TC_LIB_CAPI_AHEAD_H
