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

#include <cstdio>
#include <cstdlib>
#include <optional>
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
namespace {
/// The most that TC_CPU_RUNTIME may ask for, from the least on.
enum Most { Generic, Avx2, Avx512, Avx512WithPairs, Names };
} // namespace

static std::string_view nameOf(int most) {
  switch (most) {
  case Avx2:
    return model::rowOf(model::CpuIsa::AVX2).name;
  case Avx512:
    return model::rowOf(model::CpuIsa::AVX512).name;
  case Avx512WithPairs:
    return "avx512bf16";
  default:
    return "generic";
  }
}

/// The most that it asks for, if it is set.
static std::optional<int> wantedMost() {
  const char *variable = std::getenv("TC_CPU_RUNTIME");
  if (!variable || !*variable)
    return std::nullopt;
  for (int most = Generic; most < Names; ++most)
    if (nameOf(most) == variable)
      return most;
  std::fprintf(stderr,
               "tc: warning: TC_CPU_RUNTIME is '%s', which is not avx512bf16, "
               "avx512, avx2 or generic, and is ignored\n",
               variable);
  return std::nullopt;
}

/// True if VDPBF16PS is worth it: cores of Intel's that have it begin one of 64
/// bytes in two cycles (measured on Emerald Rapids: 0.69 ns, where a fused
/// multiply-add took 0.16), which is half of the products of F32. Zen 4 begins
/// one a cycle, as many as of fused multiply-adds.
static bool multipliesPairsFaster() { return !__builtin_cpu_is("intel"); }
#endif

static InstructionSet select() {
#ifdef __x86_64__
  const std::optional<int> wanted = wantedMost();
  __builtin_cpu_init();
  if (wanted.value_or(Avx512) >= Avx512 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("f16c")) {
    InstructionSet set = avx512::instructions;
    if (__builtin_cpu_supports("avx512bf16") &&
        (wanted ? *wanted == Avx512WithPairs : multipliesPairsFaster()))
      set.pairs = &avx512bf16::pairs;
    return set;
  }
  if (wanted.value_or(Avx2) >= Avx2 && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    return avx2::instructions;
#endif
  return generic::instructions;
}

const InstructionSet &instructionSet() {
  static const InstructionSet chosen = select();
  return chosen;
}
} // namespace tc::cpu
