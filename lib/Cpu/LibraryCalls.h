//===- LibraryCalls.h - Contractions that a library computes ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategy::Library: a call of ahead-of-time kernels, which plan the
// contraction themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPU_LIBRARYCALLS_H
#define TC_LIB_CPU_LIBRARYCALLS_H

#include "tc/Cpu/CpuSchedule.h"

namespace tc::model {

/// `layOut` for Strategy::Library.
Result<CpuLayout> layOutLibrary(const Contraction &contraction,
                                const CpuSchedule &schedule);

} // namespace tc::model

#endif // TC_LIB_CPU_LIBRARYCALLS_H
