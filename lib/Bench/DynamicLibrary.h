//===- DynamicLibrary.h - Libraries that may be there -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_DYNAMICLIBRARY_H
#define TC_LIB_BENCH_DYNAMICLIBRARY_H

#include "tc/Support/Result.h"

#include <string>
#include <vector>

namespace tc::bench {

/// A shared library. It stays loaded until the program ends: CUDA's libraries
/// do not support being unloaded.
class DynamicLibrary {
public:
  /// Loads the first of `names` that can be loaded: file names to search for,
  /// or paths. The error is that of the last.
  static Result<DynamicLibrary> open(const std::vector<std::string> &names);

  /// The name that was found.
  const std::string &name() const { return found; }
  /// Null if the library has no such symbol.
  void *find(const char *symbol) const;

private:
  DynamicLibrary(void *handle, std::string name)
      : handle(handle), found(std::move(name)) {}

  void *handle;
  std::string found;
};

} // namespace tc::bench

#endif // TC_LIB_BENCH_DYNAMICLIBRARY_H
