//===- ReductionCheck.h - Judging sums of all elements ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_REDUCTIONCHECK_H
#define TC_LIB_REFERENCE_REDUCTIONCHECK_H

#include "tc/Reference/Check.h"

namespace tc::runtime {

/// The bounds of errors of a kernel's elements.
ErrorBounds errorBounds(const Kernel &definition, int64_t sumLength,
                        bool ranOnDevice);

/// checkOutput() of a kernel that adds all elements up: compares the sum with
/// that of the reference's elements. Where only some blocks ran, there are but
/// the sums of each, in the workspace, and C must be as it was.
CheckReport checkReduction(const Kernel &kernel, const Problem &problem,
                           const CheckOptions &options);

} // namespace tc::runtime

#endif // TC_LIB_REFERENCE_REDUCTIONCHECK_H
