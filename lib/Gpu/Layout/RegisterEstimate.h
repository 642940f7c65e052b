//===- RegisterEstimate.h - Registers of a thread ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_REGISTERESTIMATE_H
#define TC_LIB_GPU_LAYOUT_REGISTERESTIMATE_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

inline constexpr int64_t registerBytes = 4;

/// The registers of a plainly mapped kernel, as `KernelLayout::registers`
/// defines them.
int64_t estimateRegisters(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target);

/// Registers that a mapping takes, of a kernel that would need so many as the
/// layout says if it were plainly mapped.
int64_t registersOfMapping(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target);

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_REGISTERESTIMATE_H
