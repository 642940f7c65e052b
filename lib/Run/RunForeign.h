//===- RunForeign.h - Kernels that others have compiled ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX of any compiler with a description of its launches: simulated, checked,
// profiled, or predicted from its machine code.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_RUNFOREIGN_H
#define TC_LIB_RUN_RUNFOREIGN_H

#include "Execute.h"

#include "tc/Foreign/Description.h"

namespace tc::run {

/// The input, if it is a description of foreign PTX.
Result<std::optional<foreign::LoadedDescription>>
loadForeign(const Options &options);

/// Does with it what the options ask for.
Status runForeign(const foreign::LoadedDescription &loaded,
                  const Options &options, const Progress &progress,
                  Report &report);

/// Says how long its launches take on the machine that its PTX is for.
Result<std::string> reportForeignTime(const foreign::LoadedDescription &loaded,
                                      const Options &options);

} // namespace tc::run

#endif // TC_LIB_RUN_RUNFOREIGN_H
