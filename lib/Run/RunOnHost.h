//===- RunOnHost.h - Running contractions on this machine's CPU -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_RUNONHOST_H
#define TC_LIB_RUN_RUNONHOST_H

#include "Execute.h"

#include "tc/Run/Run.h"

namespace tc::run {

/// Compiles the input for this machine's CPU, runs its contractions one after
/// the other, each on operands of its own, and reports as the options say.
Status runOnHost(const Options &options, const Warn &warn,
                 const Progress &progress, Report &report);

} // namespace tc::run

#endif // TC_LIB_RUN_RUNONHOST_H
