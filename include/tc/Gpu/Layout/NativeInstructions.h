//===- NativeInstructions.h - Native matrix instructions --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_NATIVEINSTRUCTIONS_H
#define TC_GPU_LAYOUT_NATIVEINSTRUCTIONS_H

#include "tc/Gpu/Layout/Instruction.h"

namespace tc::model {

/// Matrix instructions of the target that ptxas makes of one of a schedule, for
/// the contraction's types: one where the target has it, more where it is made
/// of smaller ones.
int64_t nativeInstructionsOf(const Contraction &contraction,
                             Instruction instruction, const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_NATIVEINSTRUCTIONS_H
