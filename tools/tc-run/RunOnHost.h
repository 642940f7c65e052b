//===- RunOnHost.h - Running contractions on this machine's CPU -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_RUNONHOST_H
#define TC_TOOLS_TC_RUN_RUNONHOST_H

#include "Execute.h"

namespace tc::run {

/// Compiles the input for this machine's CPU, runs its contractions one after
/// the other, each on operands of its own, and reports as the options say.
Status runOnHost(const Options &options, Report &report);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_RUNONHOST_H
