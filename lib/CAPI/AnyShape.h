//===- AnyShape.h - Contractions whose shape each run says ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_ANYSHAPE_H
#define TC_LIB_CAPI_ANYSHAPE_H

#include "Problem.h"

#include "tc-c/Contraction.h"

#include <array>
#include <cstddef>
#include <vector>

namespace tc::capi {

/// Extents and strides of A, B and C.
struct GivenShape {
  std::vector<int64_t> extents;
  std::optional<std::vector<int64_t>> strides;
};
using GivenShapes = std::array<GivenShape, 3>;

/// A contraction for a CPU that is run by ahead-of-time kernels, of the
/// shape that each run says.
struct AnyShape {
  /// With extents of one, so that no index is broadcast.
  Problem problem;
  /// Those that it was compiled with.
  GivenShapes given;
  /// Factors that are no arguments.
  std::vector<std::byte> alpha, beta;
  unsigned threads = 0;
};

/// Fails if those kernels do not compute the contraction, or if the options ask
/// for code.
Result<AnyShape> makeAnyShape(const char *spec, const TcTensor *tensors,
                              const TcOptions &options);

/// Runs it on tensors of other shapes, or of its own if there are none.
TcError *runOnShapes(const AnyShape &contraction, const TcTensorShape *shapes,
                     const void *a, const void *b, void *c, const void *alpha,
                     const void *beta);

} // namespace tc::capi

#endif // TC_LIB_CAPI_ANYSHAPE_H
