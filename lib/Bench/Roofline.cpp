//===- Roofline.cpp - Upper bounds on the speed of kernels ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Roofline.h"

#include <algorithm>

using namespace tc;
using namespace tc::bench;

double bench::peakFlops(const model::Target &target, model::ElementType type,
                        model::Precision precision, int64_t multiprocessors,
                        double clockHertz) {
  return 2 * target.peakFmaPerCycle(type, precision) *
         static_cast<double>(multiprocessors) * clockHertz;
}

const model::Target *bench::targetOf(unsigned computeCapability) {
  for (const model::Target &target : model::builtinTargets())
    if (target.computeCapability == computeCapability)
      return &target;
  return nullptr;
}

Floor bench::floorOf(const runtime::Work &work, double flopsPerSecond,
                     double bytesPerSecond) {
  double arithmetic = work.flops / flopsPerSecond;
  double traffic = work.bytes / bytesPerSecond;
  return {std::max(arithmetic, traffic), traffic > arithmetic};
}
