//===- HostOptions.h - How code for a CPU is made and kept ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_HOSTOPTIONS_H
#define TC_ONDEMAND_HOSTOPTIONS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tc {

/// How contractions are compiled for the CPU of this machine.
struct HostOptions {
  /// The schedule to obey, in the syntax of #tc.cpu_schedule, if any.
  std::string schedule;
  /// The tuning database to consult, as `chooseTunedFile` takes it.
  std::optional<std::string> tuned;
  /// A file with the CPU to choose schedules for, instead of this machine's.
  std::string targetFile;
  /// "auto", or the name of a strategy; the bytes that its copies may take, if
  /// there is a limit.
  std::string strategy = "auto";
  std::optional<int64_t> workspaceLimit;
  /// Bytes that temporaries of a product of many tensors may take at the same
  /// time, if there is a limit.
  std::optional<int64_t> memoryLimit;
  /// Whether contractions that feed one another are computed in tiles: "auto",
  /// "always" or "never".
  std::string tileChains = "auto";
  /// Threads that chosen schedules may use; by default one for each core that
  /// this process may use.
  std::optional<unsigned> threads;
};

/// What a cache of code takes on the disk, if nobody says.
inline constexpr int64_t defaultCacheBytes = int64_t(256) << 20;

/// Where code is kept that was compiled before.
struct HostCacheOptions {
  /// A folder, or "off"; by default $TC_CACHE, else tc in the user's caches.
  std::optional<std::string> folder;
  int64_t maxBytes = defaultCacheBytes;
  /// Takes a line for each thing that is wrong with the cache.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
  /// Is told when making code begins, by true, and when it ends: in between,
  /// the thread writes no file.
  std::function<void(bool)> compiles = [](bool) {};
};

} // namespace tc

#endif // TC_ONDEMAND_HOSTOPTIONS_H
