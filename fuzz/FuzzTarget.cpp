//===- FuzzTarget.cpp - Fuzz target: descriptions of machines ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as the JSON of a target. One that is accepted must come back
// from what is written of it, and schedules be searched for on it.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Machine/TargetFile.h"

using namespace tc;
using namespace tc::fuzz;

static std::string write(const model::AnyTarget &target) {
  return std::visit([](const auto &kind) { return model::writeTarget(kind); },
                    target);
}

/// Looks for schedules of a small product; that there are none is an answer.
static void searchFor(const model::AnyTarget &target) {
  using Labels = std::vector<std::string>;
  for (model::ElementType type :
       {model::ElementType::F64, model::ElementType::F32,
        model::ElementType::I8}) {
    Result<model::Contraction> contraction = model::makeContiguous(
        {{Labels{"i", "k"}, Labels{"k", "j"}, Labels{"i", "j"}}},
        {{"i", 48}, {"j", 30}, {"k", 100}}, type);
    require(bool(contraction), "a product of matrices is a contraction");
    if (const auto *gpu = std::get_if<model::Target>(&target)) {
      (void)model::search(*contraction, *gpu);
      continue;
    }
    const auto &cpu = std::get<model::CpuTarget>(target);
    (void)model::searchCpuSchedule(*contraction, cpu, cpu.cores);
  }
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
  searchFor(*target);
  return 0;
}
