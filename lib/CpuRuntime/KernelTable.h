//===- KernelTable.h - Kernels for one instruction set ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by one source file for each instruction set, after it has named the
// namespace in TC_CPU_VARIANT, the row of the table of micro-kernels in
// TC_CPU_ISA, and the compiler target in TC_CPU_TARGET (none for the default);
// TC_CPU_HALF_CONVERSIONS says that it has instructions that convert F16.
// All headers come before the target is set, so that no inline function of
// theirs is compiled for it and then picked by the linker for all.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#define TC_CPU_STRING(...) #__VA_ARGS__
/// For lambdas, which are else called in loops.
#define TC_CPU_INLINE __attribute__((always_inline))
#define TC_CPU_PRAGMA(...) _Pragma(TC_CPU_STRING(__VA_ARGS__))

#ifdef TC_CPU_TARGET
#ifdef __clang__
TC_CPU_PRAGMA(clang attribute push(__attribute__((target(TC_CPU_TARGET))),
                                   apply_to = function))
#else
TC_CPU_PRAGMA(GCC push_options)
TC_CPU_PRAGMA(GCC target(TC_CPU_TARGET))
#endif
#endif

namespace tc::cpu::TC_CPU_VARIANT {
namespace {
constexpr model::CpuIsa isa = model::CpuIsa::TC_CPU_ISA;
constexpr int64_t vectorBytes = model::rowOf(isa).vectorBytes;

#include "Vectors.inc"

#include "Elements.inc"

#include "Multiply.inc"

#include "Pack.inc"

#include "Finish.inc"

#include "Combine.inc"

#include "Widened.inc"

#include "Dot.inc"

#include "AddLines.inc"

#include "Skinny.inc"

#include "Move.inc"

/// The kernel of each register tile that is compiled ahead of time.
template <typename T, size_t... places>
constexpr std::array<Kernel, kernelShapes>
kernelsOf(std::index_sequence<places...> /*of each*/) noexcept {
  constexpr auto tiles = model::aheadOfTimeKernelsOf(isa);
  return {kernelOf<T, tiles[places].vectors, tiles[places].columns>()...};
}
template <typename T>
constexpr auto kernelsOfType =
    kernelsOf<T>(std::make_index_sequence<kernelShapes>());
} // namespace

extern const InstructionSet instructions;
// NOLINTNEXTLINE(misc-definitions-in-headers): one for each instruction set.
const InstructionSet instructions = {
    isa,
    vectorBytes,
    {kernelsOfType<float>, kernelsOfType<double>, kernelsOfType<uint32_t>,
     kernelsOfType<uint64_t>},
    findPack,
    findPackAcross,
    findFinish,
    findSkinny,
    findNarrowSkinny,
    findLoad,
    findCombine,
    findStore,
    findMoves};
} // namespace tc::cpu::TC_CPU_VARIANT

#ifdef TC_CPU_TARGET
#ifdef __clang__
TC_CPU_PRAGMA(clang attribute pop)
#else
TC_CPU_PRAGMA(GCC pop_options)
#endif
#endif
