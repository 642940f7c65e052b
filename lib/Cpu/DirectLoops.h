//===- DirectLoops.h - Loops without panels ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategy::Direct: loops around a register tile of C whose factors are loaded
// from where they lie. Nothing is packed, so that it is for contractions that
// use each element a few times (products of matrices and vectors, dot products
// of a batch) or are small. docs/cpu-strategies.md explains it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPU_DIRECTLOOPS_H
#define TC_LIB_CPU_DIRECTLOOPS_H

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Hierarchy/DataMovement.h"

#include <cmath>
#include <functional>

namespace tc::model {

/// Checks the register tile of any strategy.
Status checkRegisterTile(const CpuSchedule &schedule);

/// `layOut` for Strategy::Direct.
Result<CpuLayout> layOutDirect(const Contraction &contraction,
                               const CpuSchedule &schedule);

/// The loops around the register tile, the innermost first.
TilingLoops tilingLoopsOf(const Contraction &contraction,
                          const DirectLoops &loops);

/// `predictTime` for Strategy::Direct. If the products alone take `limit`
/// seconds, it counts nothing else.
CpuTime predictDirectTime(const Contraction &contraction,
                          const CpuSchedule &schedule, const CpuLayout &layout,
                          const CpuTarget &target, double limit = HUGE_VAL);

/// The schedule of least predicted time for one thread. Fails with the reason
/// if there is none.
Result<CpuSchedule> searchDirect(const Contraction &contraction,
                                 const CpuTarget &target);

/// All schedules that are considered for one thread, with the predicted
/// seconds, or some of them if these are `limit`, which visits may lower, or
/// more.
using VisitDirect = std::function<void(const CpuSchedule &, double)>;
void visitDirect(const Contraction &contraction, const CpuTarget &target,
                 const VisitDirect &visit, const double &limit = HUGE_VAL);

/// Shares the loops over C out among as many threads as pay.
CpuSchedule shareOutDirect(const Contraction &contraction,
                           const CpuTarget &target, const CpuSchedule &schedule,
                           int64_t threads);

} // namespace tc::model

#endif // TC_LIB_CPU_DIRECTLOOPS_H
