//===- OutlineTeams.h - From parallel regions to functions ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_OUTLINETEAMS_H
#define TC_LIB_TARGET_CPU_OUTLINETEAMS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

/// A pass that makes functions of parallel regions as contractions have them,
/// once all else is in the LLVM dialect, and calls of LLVM's OpenMP runtime:
///
///   omp.parallel num_threads(%n) {           // %n a constant
///     ...
///     omp.barrier
///     omp.wsloop schedule(static) {          // of as many trips at most
///       omp.loop_nest (%i) : i64 = (%c0) to (%c2) step (%c1) { ... }
///     }
///     omp.terminator
///   }
///
/// Translation to LLVM's IR would do the same by taking apart its own output,
/// and ask the runtime before each loop which trips a thread has. Here it is
/// asked once in a region: a loop without more trips than the team may have
/// threads gives each thread one at most. All other regions are left to the
/// translation.
std::unique_ptr<mlir::Pass> createOutlineTeamsPass();

} // namespace tc

#endif // TC_LIB_TARGET_CPU_OUTLINETEAMS_H
