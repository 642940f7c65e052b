//===- CarryPositions.h - Positions that grow by loops' steps ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_CARRYPOSITIONS_H
#define TC_LIB_TARGET_CPU_CARRYPOSITIONS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

/// A pass that makes innermost loops carry positions that are products of their
/// induction variable, in place of computing them in each trip:
///
///   scf.for %i = %c0 to %n step %c1 {     scf.for %i = %c0 to %n step %c1
///     %0 = arith.muli %i, %c48                iter_args(%p = %start) {
///     %1 = arith.addi %start, %0            memref.load %a[%p]
///     memref.load %a[%1]                    %next = arith.addi %p, %c48
///   }                                       scf.yield %next
///                                         }
///
/// If addresses may have a constant and a register that counts elements, as on
/// x86, that is all that LLVM's loop strength reduction does for such loops,
/// which takes a tenth of the time of making code.
std::unique_ptr<mlir::Pass> createCarryPositionsPass();

} // namespace tc

#endif // TC_LIB_TARGET_CPU_CARRYPOSITIONS_H
