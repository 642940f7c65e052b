//===- BFloat16.h - Numbers of bf16 on any CPU ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM calls functions that no library here has for bf16 on CPUs without
// instructions for it, even to select one of two such numbers. So all
// arithmetic is in f32, conversions are arithmetic on integers, and the rest
// are bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_BFLOAT16_H
#define TC_LIB_TARGET_CPU_BFLOAT16_H

#include "tc/Support/MLIR/LLVM.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tc {

/// Returns true if an operation of the module has operands or results of bf16,
/// or vectors or memrefs of it.
bool usesBFloat16(ModuleOp module);

/// Computes operations on bf16 in f32, and rounds to bf16 by arithmetic on
/// integers: instructions for it, where there are any, take subnormal numbers
/// for zero. For before `arith` and `math` are lowered.
void addBFloat16Arithmetic(mlir::OpPassManager &manager);

/// Has integers of 16 bits in place of bf16, which is only moved any more, in a
/// module of the LLVM dialect.
void replaceBFloat16ByBits(ModuleOp module);

} // namespace tc

#endif // TC_LIB_TARGET_CPU_BFLOAT16_H
