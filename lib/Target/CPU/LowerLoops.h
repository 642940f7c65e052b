//===- LowerLoops.h - From loops to branches --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_LOWERLOOPS_H
#define TC_LIB_TARGET_CPU_LOWERLOOPS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

/// A pass that makes branches of structured control flow, as upstream's
/// --convert-scf-to-cf does, but tests at the ends of loops whether they go on,
/// and by inequality where it is known that they hit their bound:
///
///   scf.for %i = %c0 to %n step %c1 {     cf.cond_br %any, ^body(%c0), ^after
///     body                              ^body(%i):
///   }                                     body
///                                         %next = arith.addi %i, %c1
///                                         %more = arith.cmpi ne, %next, %n
///                                         cf.cond_br %more, ^body(%next),
///                                         ^after
///
/// So LLVM need not rotate loops, which takes it as long as to hoist
/// invariants, and counts down where that saves an instruction. Loops of which
/// the bounds are known to leave something to do have no test before them.
std::unique_ptr<mlir::Pass> createLowerLoopsPass();

} // namespace tc

#endif // TC_LIB_TARGET_CPU_LOWERLOOPS_H
