//===- Tools.cpp - Tools as functions of a library ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wheel has LLVM once, in libtc_compiler, and so the tools are there, too:
// one small program calls the one by whose name it was started.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstring>

#define TC_TOOL(name, function) int function(int argc, char **argv);
#include "Tools.inc"
#undef TC_TOOL

/// Runs the tool whose name argv[0] ends with; returns its exit status.
extern "C" int tcToolMain(int argc, char **argv) {
  const char *name = argc > 0 ? argv[0] : "";
  if (const char *slash = std::strrchr(name, '/'))
    name = slash + 1;
#define TC_TOOL(tool, function)                                                \
  if (std::strcmp(name, tool) == 0)                                            \
    return function(argc, argv);
#include "Tools.inc"
#undef TC_TOOL
  std::fprintf(stderr, "tc-tools: error: there is no tool '%s'\n", name);
  return 1;
}
