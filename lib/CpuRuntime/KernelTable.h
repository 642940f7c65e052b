//===- KernelTable.h - Kernels for one instruction set ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by one source file for each instruction set, which has defined what
// BeginTarget.inc asks for.
//
//===----------------------------------------------------------------------===//

#include "BeginTarget.inc"

#include "Vectors.inc"

#include "Elements.inc"

#include "Multiply.inc"

#include "Widened.inc"

#include "PackComplex.inc"

#include "Pack.inc"

#include "Finish.inc"

#include "Load.inc"

#include "Combine.inc"

#include "Dot.inc"

#include "AddLines.inc"

#include "Skinny.inc"

#include "Direct.inc"

#include "Move.inc"
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
    findDirect,
    findLoad,
    findCombine,
    findStore,
    findMoves,
    nullptr};
#include "EndTarget.inc"
