//===- Cores.h - Cores that a process may use -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_CORES_H
#define TC_SUPPORT_CORES_H

#include <optional>
#include <string>

namespace tc {

/// The cores that this process may use: those of its affinity, and no more than
/// its control group has processor time for, rounded up. It is asked once.
unsigned coresOfProcess();

/// The cores that control groups of a process have processor time for, rounded
/// up, at least one; nothing without such a quota. `root` comes before paths of
/// the files that say so, which are of either version of control groups.
std::optional<unsigned> quotaOfCores(const std::string &root = "");

} // namespace tc

#endif // TC_SUPPORT_CORES_H
