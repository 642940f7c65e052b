//===- HostCore.cpp - Figures of the core at hand -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCore.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/CpuRuntime/ThreadLimits.h"
#include "tc/Hierarchy/Blocks.h"
#include "tc/Machine/CpuCycles.h"
#include "tc/Machine/DetectCpu.h"

#include <algorithm>
#include <array>
#include <utility>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;

const model::CpuTarget &cpu::coreOfHost() {
  static const model::CpuTarget core =
      model::limitedTo(instructionSet().isa, model::thisCore());
  return core;
}

std::string_view cpu::instructionSetName() {
  return model::rowOf(instructionSet().isa).name;
}

double cpu::productsPerCycleOf(Real real) {
  static const std::array<double, 5> rates = [] {
    std::array<double, 5> found;
    for (auto [type, place] : {std::pair(ElementType::F32, Real::F32),
                               {ElementType::F64, Real::F64},
                               {ElementType::I32, Real::I32},
                               {ElementType::I64, Real::I64}}) {
      model::Contraction contraction;
      contraction.accumulatorType = type;
      found[static_cast<size_t>(place)] =
          coreOfHost().productsPerCycle(contraction);
    }
    // Numbers of 8 bits are multiplied in 16, of which vectors have twice as
    // many as of I32.
    found[static_cast<size_t>(Real::I8)] =
        2 * found[static_cast<size_t>(Real::I32)];
    return found;
  }();
  return rates[static_cast<size_t>(real)];
}

double cpu::leastSecondsOf(double products, model::ElementType type) {
  const bool isPaired =
      type == model::ElementType::BF16 && instructionSet().pairs;
  const double ofStep = isPaired ? 2 : 1;
  return products / ofStep / productsPerCycleOf(Real::F32) /
         coreOfHost().clockHertz;
}

double cpu::roughSecondsOf(double products, double bytes) {
  return products / productsPerCycleOf(Real::F64) / coreOfHost().clockHertz +
         bytes / rateFrom(bytes);
}

const model::Hierarchy &cpu::levelsOfHost() {
  static const model::Hierarchy levels =
      model::blockHierarchy(model::thisCore());
  return levels;
}

double cpu::rateFrom(double bytes) {
  static const model::Hierarchy levels =
      model::memoryHierarchy(model::thisCore());
  return levels[model::levelHolding(levels, bytes)].bytesPerSecond;
}

double cpu::readRateOf(double bytes) { return rateFrom(bytes); }

int64_t cpu::bytesOfCache(size_t number) {
  return model::cacheOf(levelsOfHost(), number).capacityBytes;
}

int64_t cpu::threadsThatPay(double work, double leastShare) {
  return static_cast<int64_t>(
      std::clamp(work / leastShare, 1.0, static_cast<double>(mostThreads)));
}
