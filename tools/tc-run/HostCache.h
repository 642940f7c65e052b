//===- HostCache.h - Code for a CPU that was made before --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_HOSTCACHE_H
#define TC_TOOLS_TC_RUN_HOSTCACHE_H

#include "HostProgram.h"

#include <string_view>

namespace tc::run {

enum class CacheOutcome {
  Hit,      ///< the code was made by another run
  Miss,     ///< it is made now, for the next one to find
  Off,      ///< the user wants no cache, or has no place for one
  Unusable, ///< there is a place, but no database can be there
};
/// "hit", "miss", "off" or "unusable".
std::string_view stringify(CacheOutcome outcome);

/// A program that can be called.
struct LoadedProgram {
  HostProgram program;
  LoadedObject code;
  CacheOutcome outcome;
};

/// Takes the code for an input from the cache, else makes it and keeps it
/// there. Warns on standard error of what is wrong with the cache.
Result<LoadedProgram> compileOrFind(const InputText &input,
                                    const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_HOSTCACHE_H
