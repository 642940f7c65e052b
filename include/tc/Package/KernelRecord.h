//===- KernelRecord.h - Kernels and records of contractions -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_KERNELRECORD_H
#define TC_PACKAGE_KERNELRECORD_H

#include "tc/Package/Package.h"
#include "tc/Problem/ContractionRecord.h"

namespace tc::runtime {

/// A kernel that computes what a record says, without the texts of its fused
/// code, its auxiliary tensors and its launch.
Kernel kernelOf(const model::ContractionRecord &record);

/// The record of a contraction, and of a kernel's own one, that have been
/// verified.
model::ContractionRecord recordOf(const KernelContraction &contraction);
model::ContractionRecord recordOf(const Kernel &kernel);

} // namespace tc::runtime

#endif // TC_PACKAGE_KERNELRECORD_H
