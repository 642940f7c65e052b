//===- KernelLaunch.h - Launches of the project's kernels -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of a kernel's launch that the timing of machine code needs,
// from the kernel's description in a package.
//
//===----------------------------------------------------------------------===//

#ifndef TC_JUDGE_KERNELLAUNCH_H
#define TC_JUDGE_KERNELLAUNCH_H

#include "tc/Buffers/Problem.h"
#include "tc/Target/PTX/PTXExport.h"
#include "tc/Timing/Trace.h"

namespace tc {

/// The launch of a kernel, of which `function` is the code and `resources`,
/// which may be null, the report of ptxas. Of the problem, factors are taken.
timing::Launch launchOf(const runtime::Kernel &kernel,
                        const sass::Function &function,
                        const KernelResources *resources,
                        const runtime::Problem &problem);

} // namespace tc

#endif // TC_JUDGE_KERNELLAUNCH_H
