//===- CompileOptions.h - Options for making and keeping code ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options that all front doors have in common. tc/OnDemand/OptionTable.h says
// how users call each, what it takes and what it does.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_COMPILEOPTIONS_H
#define TC_ONDEMAND_COMPILEOPTIONS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tc {

/// Options of the compilation of contractions.
struct CompileOptions {
  /// A file with the machine to choose schedules for. Of GPUs, who calls the
  /// compiler has read it.
  std::string targetFile;
  /// The schedule to obey, in the syntax of #tc.schedule or #tc.cpu_schedule,
  /// if any.
  std::string schedule;
  /// The tuning database to consult, as `chooseTunedFile` takes it.
  std::optional<std::string> tuned;
  /// Bytes that temporaries of a product of many tensors may take at the same
  /// time, if there is a limit.
  std::optional<int64_t> memoryLimit;
  /// About the time that the search for an order of many tensors takes; by
  /// default a share of what the order is predicted to take.
  std::optional<int64_t> searchMilliseconds;
  /// Operands of contractions may be summed over indices that they have alone
  /// before they are multiplied, by code of their own. Not where a schedule or
  /// a strategy is given, where there is a limit of memory, and where kernels
  /// take shapes at run time.
  bool sumsOperands = true;

  // For a CPU.
  /// Threads that chosen schedules may use; by default as many as
  /// `cpu::threadsToCompileFor()`, of which runs get those that are free.
  std::optional<unsigned> threads;
  /// "auto", or the name of a strategy; the bytes that its copies may take, if
  /// there is a limit.
  std::string strategy = "auto";
  std::optional<int64_t> workspaceLimit;
  /// Contractions that feed one another are computed in tiles: "auto",
  /// "always" or "never".
  std::string tileChains = "auto";
  /// Code may call libtc_cpu_runtime, where that is predicted to be faster:
  /// "always", "never", or "auto", which is where code stays in the process.
  std::string libraryCalls = "auto";

  // For a GPU.
  /// The best schedules of the search that are compiled to machine code, whose
  /// time decides.
  unsigned refine = 1;
  /// One kernel may add up contractions that feed one another's C.
  bool mergesSums = true;
  /// Contractions that feed one another may become one kernel, where
  /// that is predicted to be faster. Groups that are chains always do.
  bool fusesChains = true;
  /// Kernels have second versions, for tensors that are aligned to
  /// their elements only. Each is a kernel of the program, behind all of its
  /// function.
  bool anyAlignment = false;
  /// Kernels take extents and strides as arguments, those of the module
  /// being representative, with second versions for shapes that the first do
  /// not take.
  bool dynamicShapes = false;
};

/// The size of a cache of code on the disk, if nobody says.
inline constexpr int64_t defaultCacheBytes = int64_t(256) << 20;

/// Place of the cache of code for a CPU.
struct CacheOptions {
  /// A folder, or "off"; by default $TC_CACHE, else tc in the user's caches.
  std::optional<std::string> cacheFolder;
  int64_t cacheBytes = defaultCacheBytes;
};

/// The same, and who hears of it.
struct HostCacheOptions : CacheOptions {
  /// Takes a line for each thing that is wrong with the cache.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
  /// Is told when making code begins, by true, and when it ends: in between,
  /// the thread writes no file.
  std::function<void(bool)> compiles = [](bool) {};
};

} // namespace tc

#endif // TC_ONDEMAND_COMPILEOPTIONS_H
