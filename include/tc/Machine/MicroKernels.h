//===- MicroKernels.h - Vectors and register tiles by ISA -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of instruction sets of CPUs: their vector registers, and the
// register tiles that micro-kernels have on them. The compiler generates code
// of the tiles, the library has kernels of some, compiled ahead of time.
// docs/cpu-runtime.md says how to add one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_MICROKERNELS_H
#define TC_MACHINE_MICROKERNELS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tc::model {

struct CpuTarget;

enum class CpuIsa : std::uint8_t {
  AVX512, ///< the subset of x86-64-v4
  AVX2,   ///< with fused multiply-adds
  SSE2,   ///< what all of x86-64 has
  NEON,   ///< what all of AArch64 has
};
inline constexpr std::array<CpuIsa, 4> allCpuIsas = {
    CpuIsa::AVX512, CpuIsa::AVX2, CpuIsa::SSE2, CpuIsa::NEON};

/// The vectors of an instruction set.
struct CpuIsaRow {
  /// As TC_CPU_RUNTIME names it where kernels for any CPU have less.
  std::string_view name;
  /// The flag by which Linux reports these vectors. AVX has those of AVX2.
  std::string_view flag;
  /// Of one register, and how many of them an instruction can name: Intel SDM
  /// volume 1, 14.1.1 and 15.1; Arm ARM (DDI 0487), B1.2.1.
  int64_t vectorBytes = 0, vectorRegisters = 0;
  /// True if code for it multiplies and adds in one instruction.
  bool fuses = false;
};

inline constexpr CpuIsaRow cpuIsaRows[] = {
    {"avx512", "avx512f", 64, 32, true},
    {"avx2", "avx", 32, 16, true},
    {"sse2", "sse2", 16, 16, false},
    {"neon", "asimd", 16, 32, true},
};

constexpr const CpuIsaRow &rowOf(CpuIsa isa) {
  return cpuIsaRows[static_cast<size_t>(isa)];
}

/// Those that can use a register tile.
enum class MicroKernelUse : std::uint8_t {
  Compiled, ///< code that is generated for a contraction
  Both,     ///< kernels that are compiled ahead of time, too
};

/// A micro-kernel: the vectors of rows, and the columns, of its register tile.
struct MicroKernel {
  CpuIsa isa;
  int64_t vectors, columns;
  MicroKernelUse use;
};

/// All micro-kernels; of one instruction set, those that come first are taken
/// where they are as fast as others. Accumulators, the vectors of one operand
/// and one of the other fit the registers.
inline constexpr MicroKernel microKernels[] = {
    {CpuIsa::AVX512, 3, 8, MicroKernelUse::Both},
    {CpuIsa::AVX512, 2, 12, MicroKernelUse::Both},
    {CpuIsa::AVX512, 2, 8, MicroKernelUse::Compiled},
    {CpuIsa::AVX512, 1, 16, MicroKernelUse::Both},
    {CpuIsa::AVX512, 6, 4, MicroKernelUse::Compiled},
    {CpuIsa::AVX2, 3, 4, MicroKernelUse::Both},
    {CpuIsa::AVX2, 2, 6, MicroKernelUse::Both},
    {CpuIsa::AVX2, 2, 4, MicroKernelUse::Compiled},
    {CpuIsa::AVX2, 1, 8, MicroKernelUse::Both},
    {CpuIsa::SSE2, 3, 4, MicroKernelUse::Both},
    {CpuIsa::SSE2, 2, 6, MicroKernelUse::Compiled},
    {CpuIsa::SSE2, 2, 4, MicroKernelUse::Both},
    {CpuIsa::SSE2, 1, 8, MicroKernelUse::Both},
    {CpuIsa::NEON, 3, 8, MicroKernelUse::Both},
    {CpuIsa::NEON, 2, 12, MicroKernelUse::Both},
    {CpuIsa::NEON, 2, 8, MicroKernelUse::Compiled},
    {CpuIsa::NEON, 1, 16, MicroKernelUse::Both},
    {CpuIsa::NEON, 6, 4, MicroKernelUse::Compiled},
};

/// The micro-kernels of each instruction set that are compiled ahead of time.
inline constexpr size_t aheadOfTimeKernels = 3;

/// These of one instruction set, in the order of the table.
constexpr std::array<MicroKernel, aheadOfTimeKernels>
aheadOfTimeKernelsOf(CpuIsa isa) {
  std::array<MicroKernel, aheadOfTimeKernels> kernels = {};
  size_t count = 0;
  for (const MicroKernel &kernel : microKernels)
    if (kernel.isa == isa && kernel.use == MicroKernelUse::Both)
      kernels[count++] = kernel;
  return kernels;
}

/// The instruction set whose micro-kernels a CPU has: the one with the most of
/// the registers that it has, and of these the one with the widest of its
/// vectors; with fewer than any, the one that needs least.
CpuIsa isaOf(const CpuTarget &target);

} // namespace tc::model

#endif // TC_MACHINE_MICROKERNELS_H
