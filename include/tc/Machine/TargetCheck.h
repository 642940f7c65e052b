//===- TargetCheck.h - Checks of targets ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Targets come from files and attributes too. A figure that is missing, out of
// range or contradicts another is found here, not deep in the model.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_TARGETCHECK_H
#define TC_MACHINE_TARGETCHECK_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"

namespace tc::model {

/// Checks every figure by itself (present, finite, positive, not absurdly
/// large), and then those that must fit each other. The error names the figure
/// as files do, the part of the machine, and the values.
Status checkTarget(const Target &target);

/// The same for a CPU. An error in a cache names the cache.
Status checkCpuTarget(const CpuTarget &target);

/// Returns true if a target can have that name: letters, digits, '_', '-' and
/// '.', 64 at most.
bool isTargetName(std::string_view name);

} // namespace tc::model

#endif // TC_MACHINE_TARGETCHECK_H
