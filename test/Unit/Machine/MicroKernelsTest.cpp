//===- MicroKernelsTest.cpp - Tests of the table of micro-kernels ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/MicroKernels.h"
#include "tc/Machine/CpuTarget.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

using namespace tc;
using namespace tc::model;

namespace {

TEST(MicroKernels, FitTheRegistersAndAreThereOnce) {
  std::set<std::tuple<CpuIsa, int64_t, int64_t>> seen;
  for (const MicroKernel &kernel : microKernels) {
    const CpuIsaRow &row = rowOf(kernel.isa);
    SCOPED_TRACE(std::string(row.name) + ": " + std::to_string(kernel.vectors) +
                 " x " + std::to_string(kernel.columns));
    EXPECT_LE(kernel.vectors * kernel.columns + kernel.vectors + 1,
              row.vectorRegisters);
    EXPECT_TRUE(
        seen.emplace(kernel.isa, kernel.vectors, kernel.columns).second);
  }
}

TEST(MicroKernels, AheadOfTimeAreThoseThatBothUse) {
  for (CpuIsa isa : allCpuIsas) {
    SCOPED_TRACE(rowOf(isa).name);
    size_t both = 0;
    for (const MicroKernel &kernel : microKernels)
      both += kernel.isa == isa && kernel.use == MicroKernelUse::Both;
    EXPECT_EQ(both, aheadOfTimeKernels);
    for (const MicroKernel &kernel : aheadOfTimeKernelsOf(isa)) {
      EXPECT_EQ(kernel.isa, isa);
      EXPECT_GT(kernel.vectors, 0);
    }
  }
}

TEST(MicroKernels, OfATargetFitItsRegistersFirst) {
  struct Case {
    int64_t bytes, registers;
    CpuIsa isa;
  };
  for (const Case &each : {Case{64, 32, CpuIsa::AVX512},
                           {128, 64, CpuIsa::AVX512},
                           {32, 16, CpuIsa::AVX2},
                           {64, 24, CpuIsa::AVX2},
                           {16, 16, CpuIsa::SSE2},
                           {8, 16, CpuIsa::SSE2},
                           {8, 8, CpuIsa::SSE2},
                           {16, 32, CpuIsa::NEON},
                           {32, 32, CpuIsa::NEON},
                           {8, 32, CpuIsa::NEON}}) {
    CpuTarget target;
    target.vectorBytes = each.bytes;
    target.vectorRegisters = each.registers;
    EXPECT_EQ(rowOf(isaOf(target)).name, rowOf(each.isa).name)
        << each.registers << " registers of " << each.bytes << " bytes";
  }
}

} // namespace
