//===- FuzzPackage.cpp - Fuzz target: launch descriptions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as the JSON of a package. One that is accepted must come back
// from what is written of it.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Runtime/Package.h"

using namespace tc;
using namespace tc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<runtime::Package> package =
      runtime::fromJson({reinterpret_cast<const char *>(data), size});
  if (!package) {
    require(!package.error().empty(), "an error says something");
    return 0;
  }
  std::string written = runtime::toJson(*package);
  Result<runtime::Package> again = runtime::fromJson(written);
  require(bool(again), "a written package is accepted");
  require(runtime::toJson(*again) == written,
          "a written package is read as the same package");
  return 0;
}
