//===- FuzzTarget.cpp - Fuzz target: descriptions of machines ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as the JSON of a target. One that is accepted must come back
// from what is written of it.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Model/TargetFile.h"

using namespace tc;
using namespace tc::fuzz;

static std::string write(const model::AnyTarget &target) {
  return std::visit([](const auto &kind) { return model::writeTarget(kind); },
                    target);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<model::AnyTarget> target = model::readAnyTarget(
      {reinterpret_cast<const char *>(data), size}, "input");
  if (!target) {
    require(!target.error().empty(), "an error says something");
    return 0;
  }
  std::string written = write(*target);
  Result<model::AnyTarget> again = model::readAnyTarget(written, "written");
  require(bool(again), "a written target is accepted");
  require(write(*again) == written,
          "a written target is read as the same target");
  return 0;
}
