//===- StrategyTable.cpp - Prints the times predicted for strategies ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each contraction of the benchmark and each strategy that is
// available on this machine: milliseconds in all, and those of each part.
//
//===----------------------------------------------------------------------===//

#include "Problem/Suites.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/DetectCpu.h"

#include <cstdio>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

int main() {
  Result<DetectedCpu> cpu = detectCpu();
  if (!cpu) {
    std::fprintf(stderr, "%s\n", cpu.error().c_str());
    return 1;
  }
  for (ElementType type : {ElementType::F64, ElementType::F32})
    for (const SuiteCase &entry : tccgSuite(type)) {
      Result<std::vector<StrategyChoice>> choices =
          considerStrategies(entry.contraction, cpu->target);
      if (!choices) {
        std::fprintf(stderr, "%s: %s\n", entry.name.c_str(),
                     choices.error().c_str());
        return 1;
      }
      for (const StrategyChoice &choice : *choices) {
        if (!choice.unavailable.empty())
          continue;
        const CpuTime &time = choice.time;
        std::printf("%-24s %-4s %8.3f: multiply %.3f output %.3f pack %.3f "
                    "transpose %.3f setup %.3f\n",
                    entry.name.c_str(),
                    std::string(stringify(choice.strategy)).c_str(),
                    time.total() * 1e3, time.multiply * 1e3, time.output * 1e3,
                    time.pack * 1e3, time.transpose * 1e3, time.setup * 1e3);
      }
    }
  return 0;
}
