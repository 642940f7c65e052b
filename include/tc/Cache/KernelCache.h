//===- KernelCache.h - Compiled kernels that outlive a process --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values under keys in an SQLite database, which any number of processes may
// use at once. docs/cpu-lowering.md says what tc-run keeps in it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CACHE_KERNELCACHE_H
#define TC_CACHE_KERNELCACHE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;

namespace tc {

/// A cache never fails. What goes wrong is reported, as one line that names the
/// file, and then it is as if nothing had been stored: a damaged database, or
/// one of another format, is begun anew; a damaged entry is removed; where no
/// database can be read or written, there is none.
class KernelCache {
public:
  using Warn = std::function<void(const std::string &)>;

  /// The database's file in the cache's folder.
  static constexpr const char *fileName = "kernels.sqlite";

  /// Opens the cache in a folder, or makes one. Its file takes `maxBytes` at
  /// most after something was stored: what was used least recently is removed.
  KernelCache(const std::string &folder, int64_t maxBytes, Warn warn);
  KernelCache(const KernelCache &) = delete;
  KernelCache &operator=(const KernelCache &) = delete;
  ~KernelCache();

  /// The value that was stored last under exactly this key. From then on it
  /// counts as the one used last.
  std::optional<std::string> find(std::string_view key);

  /// Stores a value, in place of any that there is. Nothing happens if it is
  /// larger than the whole cache may be.
  void store(std::string_view key, std::string_view value);

  /// True if there is a database.
  bool isOpen() const { return database != nullptr; }

private:
  class Statement;

  void open(const std::string &folder);
  void close();
  int prepareDatabase();
  int createTables();
  int reset();
  int tryFind(std::string_view key, std::optional<std::string> &value);
  int tryStore(std::string_view key, std::string_view value);
  int evict(int64_t stored);
  int execute(const char *sql);
  bool isDamage(int code) const;
  int recover(int code);
  void complain(const std::string &what);

  std::string path;
  int64_t maxBytes;
  Warn warn;
  sqlite3 *database = nullptr;
};

/// The folder for caches of this user's: $XDG_CACHE_HOME/tc, else
/// $HOME/.cache/tc; empty if the environment has neither.
std::string defaultCacheFolder();

} // namespace tc

#endif // TC_CACHE_KERNELCACHE_H
