//===- KernelsGeneric.cpp - Kernels for any CPU ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for the instruction set that the compiler aims at by default, with
// vectors of 16 bytes, which x86-64 and AArch64 have.
//
//===----------------------------------------------------------------------===//

#define TC_CPU_VARIANT generic
#ifdef __aarch64__
#define TC_CPU_ISA NEON
#define TC_CPU_HALF_CONVERSIONS
#else
#define TC_CPU_ISA SSE2
#endif
#include "KernelTable.h"

#include <cstdlib>
#include <string_view>

namespace tc::cpu {
#ifdef __x86_64__
namespace avx2 {
extern const InstructionSet instructions;
} // namespace avx2
namespace avx512 {
extern const InstructionSet instructions;
} // namespace avx512
namespace avx512bf16 {
extern const PairKernels pairs;
} // namespace avx512bf16
#endif

#ifdef __x86_64__
/// As TC_CPU_RUNTIME names AVX-512 with products of pairs of BF16.
static constexpr std::string_view pairsName = "avx512bf16";

/// True if VDPBF16PS is worth it: cores of Intel's that have it begin one of 64
/// bytes in two cycles (measured on Emerald Rapids: 0.69 ns, where a fused
/// multiply-add took 0.16), which is half of the products of F32. Zen 4 begins
/// one a cycle, as many as of fused multiply-adds.
static bool multipliesPairsFaster() { return !__builtin_cpu_is("intel"); }
#endif

static InstructionSet select() {
#ifdef __x86_64__
  const char *variable = std::getenv("TC_CPU_RUNTIME");
  std::string_view wanted = variable ? variable : "";
  auto mayBe = [&](std::string_view name) {
    return wanted.empty() || wanted == name;
  };
  __builtin_cpu_init();
  const bool wantsPairs = wanted == pairsName;
  if ((mayBe(model::rowOf(model::CpuIsa::AVX512).name) || wantsPairs) &&
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("f16c")) {
    InstructionSet set = avx512::instructions;
    if (__builtin_cpu_supports("avx512bf16") &&
        (wantsPairs || (wanted.empty() && multipliesPairsFaster())))
      set.pairs = &avx512bf16::pairs;
    return set;
  }
  if (mayBe(model::rowOf(model::CpuIsa::AVX2).name) &&
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c"))
    return avx2::instructions;
#endif
  return generic::instructions;
}

const InstructionSet &instructionSet() {
  static const InstructionSet chosen = select();
  return chosen;
}
} // namespace tc::cpu
