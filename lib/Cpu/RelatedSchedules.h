//===- RelatedSchedules.h - Schedules with smaller blocks -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedules that are like one that was built for the caches.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPU_RELATEDSCHEDULES_H
#define TC_LIB_CPU_RELATEDSCHEDULES_H

#include "tc/Cpu/CpuSchedule.h"

#include <vector>

namespace tc::model {

/// A schedule of packed panels, and those that have parts of its blocks, each
/// with its loops over blocks in all orders that differ: where a loop with one
/// trip stands changes nothing. The first is the schedule.
std::vector<CpuSchedule> relatedSchedules(const Contraction &contraction,
                                          const CpuSchedule &schedule);

} // namespace tc::model

#endif // TC_LIB_CPU_RELATEDSCHEDULES_H
