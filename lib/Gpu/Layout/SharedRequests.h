//===- SharedRequests.h - Accesses to one shared tile -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the requests of a block for one shared tile in shared memory in one
// step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
#define TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H

#include "tc/Gpu/Layout/AccessCounts.h"

#include <algorithm>

namespace tc::model {

/// The way in which shared memory serves accesses of one size.
struct Slots {
  Slots(int64_t accessBytes, const Target &target)
      : accessBytes(accessBytes),
        count(std::max<int64_t>(1, target.sharedBytesPerCycle / accessBytes)),
        lanes(std::min<int64_t>(target.warpSize, count)) {}

  int64_t accessBytes;
  int64_t count; ///< slots of a wavefront
  int64_t lanes; ///< that are served at a time
};

/// The first value of k of a lane's first fragment.
int64_t matrixDepth(const KernelLayout &layout, int64_t lane);

/// Loads of one thread from a shared tile in a step of the K loop.
int64_t loadsOfThread(const KernelLayout &layout, bool ofN);

/// Matrices that a warp loads from a shared tile in a step of the K loop.
int64_t matricesOfWarp(const KernelLayout &layout, bool ofN);

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
