//===- Options.h - The command line of tc-launch ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_LAUNCH_OPTIONS_H
#define TC_TOOLS_TC_LAUNCH_OPTIONS_H

#include "tc/Problem/Constants.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tc::launch {

struct Options {
  std::string package;
  /// Only this kernel, if there is a name.
  std::string kernel;
  /// Extents to run with, by their labels, if these are not the package's.
  std::map<std::string, int64_t> extents;
  bool check = false;
  /// Elements to compare; 0 means all, nothing means as many as are cheap.
  std::optional<int64_t> samples;
  /// Timed runs; nothing means that none is asked for.
  std::optional<int> repeats;
  /// Only check the package.
  bool validate = false;
  bool json = false;
  int device = 0;
  std::optional<uint64_t> seed;
  /// For kernels that take them as arguments.
  model::Constant alpha = 1, beta = 0;
  bool help = false, version = false;
};

extern const char *const usage;

Result<Options> parseOptions(int argc, char **argv);

} // namespace tc::launch

#endif // TC_TOOLS_TC_LAUNCH_OPTIONS_H
