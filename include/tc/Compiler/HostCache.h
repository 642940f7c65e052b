//===- HostCache.h - Code for a CPU that was made before --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_HOSTCACHE_H
#define TC_COMPILER_HOSTCACHE_H

#include "tc/Cache/KernelCache.h"
#include "tc/Compiler/HostProgram.h"

#include <string_view>

namespace tc {

enum class CacheOutcome {
  Hit,      ///< the code was made by another run
  Miss,     ///< it is made now, for the next one to find
  Off,      ///< no cache is wanted, or there is no place for one
  Unusable, ///< there is a place, but no database can be there
};
/// "hit", "miss", "off" or "unusable".
std::string_view stringify(CacheOutcome outcome);

/// Where code is kept that was compiled before.
struct HostCacheOptions {
  /// A folder, or "off"; by default $TC_CACHE, else tc in the user's caches.
  std::optional<std::string> folder;
  int64_t maxBytes = KernelCache::defaultBytes;
  /// Takes a line for each thing that is wrong with the cache.
  KernelCache::Warn warn = [](const std::string &) {};
};

/// A program that can be called.
struct LoadedProgram {
  HostProgram program;
  LoadedObject code;
  CacheOutcome outcome;
};

/// All that the code depends on, as text: the source but for its name, the
/// options, the CPU that schedules are chosen for, whose description is given,
/// this machine and the compiler.
std::string makeCacheKey(const Source &source, const HostOptions &options,
                         const std::string &target,
                         const std::string &tuned = "");

/// Takes the code for a source from the cache, else makes it and keeps it
/// there. May be called from several threads at once.
Result<LoadedProgram> compileOrFind(const Source &source,
                                    const HostOptions &options,
                                    const HostCacheOptions &cache);

/// Takes the code for a source from the cache, if it is there. What keeps the
/// cache from being asked is no error.
std::optional<LoadedProgram> findCompiled(const Source &source,
                                          const HostOptions &options,
                                          const HostCacheOptions &cache);

} // namespace tc

#endif // TC_COMPILER_HOSTCACHE_H
