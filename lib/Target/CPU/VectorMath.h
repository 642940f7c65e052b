//===- VectorMath.h - Functions on vectors ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_VECTORMATH_H
#define TC_LIB_TARGET_CPU_VECTORMATH_H

#include "tc/Support/MLIR/LLVM.h"

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace llvm {
class Triple;
} // namespace llvm

namespace tc {

/// The library with functions on vectors, and the prefix of their names.
inline constexpr const char *vectorMathLibrary = "libmvec.so.1";
inline constexpr const char *vectorMathPrefix = "_ZGV";

/// A pass that calls glibc's functions on vectors (libmvec, the vector ABI of
/// x86-64) for operations of the math dialect, on scalars, too, so that an
/// element's value does not depend on how many are computed at once. All calls
/// are as wide as the widest vectors of a CPU with these features (as
/// `CodeTarget` has them). Operations stay where this machine's library
/// has no such function, and all do on other machines than x86-64 with glibc.
std::unique_ptr<mlir::Pass> createVectorMathPass(const llvm::Triple &triple,
                                                 StringRef features);

} // namespace tc

#endif // TC_LIB_TARGET_CPU_VECTORMATH_H
