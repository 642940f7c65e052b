//===- WarpGroups.h - Tensor cores made for warp groups ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mma.sync` is on targets whose tensor cores are made for other
// instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_WARPGROUPS_H
#define TC_LIB_GPU_LAYOUT_WARPGROUPS_H

#include "tc/Machine/Target.h"

namespace tc::model {

/// Whether a target has instructions for warp groups. There, `mma.sync` on
/// types below f64 reaches about five eighths of their rate (Luo et al.,
/// "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", IPDPS
/// 2024), and 8-bit floats are converted to halves and multiplied as these, as
/// the code shows that ptxas of CUDA 13.0 makes.
inline bool hasWarpGroups(const Target &target) {
  return target.computeCapability >= 90 && target.computeCapability < 120;
}

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_WARPGROUPS_H
