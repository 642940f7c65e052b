//===- L2Reuse.h - DRAM traffic through the L2 cache ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At the L2 level, the order in which blocks are numbered is the innermost loop
// (Li et al., "Analytical Cache Modeling and Tilesize Optimization for Tensor
// Contractions", SC 2019, section 3): a tensor's data stays for as long as the
// data that is touched between two uses of it fits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_COST_L2REUSE_H
#define TC_GPU_COST_L2REUSE_H

#include "tc/Gpu/Cost/Traffic.h"

namespace tc::model {

/// The number of times that each tensor's sectors cross from DRAM to the L2
/// cache, for a kernel whose grid runs `concurrentBlocks` at a time: at least
/// once, at most as often as blocks visit them. Blocks that run at the same
/// time are taken to go through K in step, so that they share what they load.
PerTensor<double> dramPasses(const Contraction &contraction,
                             const KernelLayout &layout, const Traffic &traffic,
                             double concurrentBlocks, const Target &target);

} // namespace tc::model

#endif // TC_GPU_COST_L2REUSE_H
