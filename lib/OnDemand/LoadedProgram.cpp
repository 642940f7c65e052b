//===- LoadedProgram.cpp - Contractions as code for a CPU -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/LoadedProgram.h"

#include <nlohmann/json.hpp>

using namespace tc;

Error tc::lackOfMemory(const HostKernel &kernel) {
  auto copies = nlohmann::json::parse(kernel.strategies);
  return {"there is no memory for the contraction's " +
          std::to_string(kernel.panelBytes) + " B of panels and " +
          copies["workspace_bytes"].dump() + " B of copies"};
}

std::string_view tc::stringify(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::Hit:
    return "hit";
  case CacheOutcome::Miss:
    return "miss";
  case CacheOutcome::Off:
    return "off";
  case CacheOutcome::Unusable:
    return "unusable";
  }
  return "";
}
