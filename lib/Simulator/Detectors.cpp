//===- Detectors.cpp - The names of detectors -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/Simulator.h"

using namespace tc;
using namespace tc::sim;

Result<Detectors> Detectors::parse(std::string_view list) {
  static constexpr std::pair<std::string_view, bool Detectors::*> names[] = {
      {"uninitialized", &Detectors::uninitialized},
      {"shared-races", &Detectors::sharedRaces},
      {"global-races", &Detectors::globalRaces},
      {"rewrites", &Detectors::rewrites},
      {"unwritten", &Detectors::unwritten},
  };
  if (list == "all")
    return Detectors();
  Detectors detectors = none();
  if (list == "none")
    return detectors;
  for (bool isLast = false; !isLast;) {
    std::size_t comma = list.find(',');
    isLast = comma == std::string_view::npos;
    std::string_view word = list.substr(0, comma);
    list.remove_prefix(isLast ? list.size() : comma + 1);
    std::string known;
    bool isFound = false;
    for (const auto &[name, detector] : names) {
      known += (known.empty() ? "" : ", ") + std::string(name);
      if (word == name)
        isFound = detectors.*detector = true;
    }
    if (!isFound)
      return Error{"there is no detector '" + std::string(word) +
                   "'; expected all, none, or some of " + known};
  }
  return detectors;
}
