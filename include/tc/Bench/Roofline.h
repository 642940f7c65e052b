//===- Roofline.h - Upper bounds on the speed of kernels --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_ROOFLINE_H
#define TC_BENCH_ROOFLINE_H

#include "tc/Machine/Target.h"
#include "tc/Package/KernelText.h"

namespace tc::bench {

/// Floating-point operations a second of the fastest unit of a chip that
/// multiplies such elements as they are with sums in the accumulation type
/// (tensor cores for f8, f16, bf16 and f64, FMA for f32), or, for f32, with
/// that precision (3xtf32 takes three products for one). `multiprocessors` and
/// `clockHertz` are the device's.
double peakFlops(const model::Target &target, model::ElementType type,
                 model::Precision precision, int64_t multiprocessors,
                 double clockHertz);

/// The built-in target of a compute capability, or null.
const model::Target *targetOf(unsigned computeCapability);

/// The larger of the time for the arithmetic and the time for the compulsory
/// traffic.
struct Floor {
  double seconds = 0;
  bool isMemoryBound = false;
};
Floor floorOf(const runtime::Work &work, double flopsPerSecond,
              double bytesPerSecond);

} // namespace tc::bench

#endif // TC_BENCH_ROOFLINE_H
