//===- DescribeKernels.h - Launch descriptions of kernels -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_DESCRIBEKERNELS_H
#define TC_LIB_TARGET_PTX_DESCRIBEKERNELS_H

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Package/Package.h"

namespace tc {

/// Describes the launch of a kernel, and its computation. `terms` is the result
/// of `planKernel`.
runtime::Kernel describeKernel(StringRef entry, ArrayRef<KernelInfo> terms);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_DESCRIBEKERNELS_H
