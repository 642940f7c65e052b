//===- ShapedContraction.h - Contractions for any shape ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_SHAPEDCONTRACTION_H
#define TC_COMPILER_SHAPEDCONTRACTION_H

#include "tc/OnDemand/Compiler.h"

namespace tc {

/// Compiles a source's contraction, whose extents stand for any, so that its
/// function takes extents and strides, and calls the ahead-of-time
/// kernels. Errors name the place in the source.
Result<ShapedCode> compileForAnyShape(const Source &source,
                                      const CompileOptions &options);

} // namespace tc

#endif // TC_COMPILER_SHAPEDCONTRACTION_H
