//===- KernelTable.h - Kernels for one instruction set ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by one source file for each instruction set, after it has named the
// namespace in TC_CPU_VARIANT, the bytes of a vector in TC_CPU_VECTOR_BYTES,
// the register tiles in TC_CPU_TILES, and the compiler target in TC_CPU_TARGET
// (none for the default). All headers come before the target is set, so that no
// inline function of theirs is compiled for it and then picked by the linker
// for all.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cstring>
#include <type_traits>
#include <utility>

#define TC_CPU_STRING(...) #__VA_ARGS__
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
#include "Vectors.inc"

#include "Elements.inc"

#include "Multiply.inc"

#include "Pack.inc"

#include "Finish.inc"

#include "AddUp.inc"

#include "Combine.inc"

#include "Move.inc"
} // namespace

extern const InstructionSet instructions;
const InstructionSet instructions = {TC_CPU_NAME,
                                     TC_CPU_VECTOR_BYTES,
                                     {{TC_CPU_TILES(float)},
                                      {TC_CPU_TILES(double)},
                                      {TC_CPU_TILES(uint32_t)},
                                      {TC_CPU_TILES(uint64_t)}},
                                     findPack,
                                     findPackAcross,
                                     findFinish,
                                     findAddUp,
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
