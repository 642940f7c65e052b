//===- MicroKernels.cpp - Vectors and register tiles by ISA ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/MicroKernels.h"

#include "tc/Machine/CpuTarget.h"

#include <tuple>

using namespace tc;
using namespace tc::model;

CpuIsa tc::model::isaOf(const CpuTarget &target) {
  // Sets that fit the registers come before those that fit the vectors, as
  // lanes are the target's own.
  auto rank = [&](CpuIsa isa) {
    const CpuIsaRow &row = rowOf(isa);
    bool hasRegisters = row.vectorRegisters <= target.vectorRegisters;
    bool hasBytes = row.vectorBytes <= target.vectorBytes;
    return std::make_tuple(
        hasRegisters, hasRegisters ? row.vectorRegisters : -row.vectorRegisters,
        hasBytes, hasBytes ? row.vectorBytes : -row.vectorBytes);
  };
  CpuIsa best = allCpuIsas.front();
  for (CpuIsa isa : allCpuIsas)
    if (rank(isa) > rank(best))
      best = isa;
  return best;
}
