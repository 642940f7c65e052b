//===- HandlerTable.h - Handlers for one host instruction set ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by one source file for each host instruction set, after it has named
// the namespace in TC_SIM_VARIANT and the compiler target in TC_SIM_TARGET
// ("" for the default). All headers come before the target is set, so that no
// inline function of theirs is compiled for it and then picked by the linker
// for everyone.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#define TC_SIM_STRING(...) #__VA_ARGS__
#define TC_SIM_PRAGMA(...) _Pragma(TC_SIM_STRING(__VA_ARGS__))

#ifdef __clang__
#define TC_SIM_INDEPENDENT TC_SIM_PRAGMA(clang loop vectorize(assume_safety))
#else
#define TC_SIM_INDEPENDENT TC_SIM_PRAGMA(GCC ivdep)
#endif

namespace tc::sim {
__extension__ using SignedWide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
} // namespace tc::sim

#ifdef TC_SIM_TARGET
#ifdef __clang__
TC_SIM_PRAGMA(clang attribute push(__attribute__((target(TC_SIM_TARGET))),
                                   apply_to = function))
#else
TC_SIM_PRAGMA(GCC push_options)
TC_SIM_PRAGMA(GCC target(TC_SIM_TARGET))
#endif
#endif

namespace tc::sim::TC_SIM_VARIANT {
namespace {
#include "Operations.inc"

#include "OperationsHalf.inc"

#include "Handlers.inc"

#include "HandlersMemory.inc"

#include "HandlersAsync.inc"

#include "HandlersMatrix.inc"

#include "HandlersWarp.inc"

#include "HandlersHalf.inc"
} // namespace

extern const Handler handlers[];
// NOLINTNEXTLINE(misc-definitions-in-headers): one for each instruction set.
const Handler handlers[] = {
#define TC_SIM_OPCODE(NAME, CLASS, ...) __VA_ARGS__,
#include "Opcodes.def"
};
} // namespace tc::sim::TC_SIM_VARIANT

#ifdef TC_SIM_TARGET
#ifdef __clang__
TC_SIM_PRAGMA(clang attribute pop)
#else
TC_SIM_PRAGMA(GCC pop_options)
#endif
#endif
