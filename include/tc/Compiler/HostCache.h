//===- HostCache.h - Code for a CPU that was made before --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_HOSTCACHE_H
#define TC_COMPILER_HOSTCACHE_H

#include "tc/Compiler/HostProgram.h"

namespace tc {

/// All that the code depends on, as text: the source but for its name, the
/// options, the CPU that schedules are chosen for, whose description is given,
/// this machine and the compiler.
std::string makeCacheKey(const Source &source, const CompileOptions &options,
                         const std::string &target,
                         const std::string &tuned = "");

/// Takes the code for a source from the cache, else makes it and keeps it
/// there. May be called from several threads at once.
Result<LoadedProgram> compileOrFind(const Source &source,
                                    const CompileOptions &options,
                                    const HostCacheOptions &cache);

/// As `Compiler::findCompiled` and `Compiler::keepFaster` say.
FoundCode findCompiled(const Source &source, const CompileOptions &options,
                       const HostCacheOptions &cache,
                       const std::string &kernels);
void keepFaster(const Source &source, const CompileOptions &options,
                const HostCacheOptions &cache, const std::string &kernels,
                Faster faster);

} // namespace tc

#endif // TC_COMPILER_HOSTCACHE_H
