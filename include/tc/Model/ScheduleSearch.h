//===- ScheduleSearch.h - Choosing a schedule -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_SCHEDULESEARCH_H
#define TC_MODEL_SCHEDULESEARCH_H

#include "tc/Model/Traffic.h"

namespace tc::model {

/// The feasible schedule of least cost; deterministic. Fails if no schedule is
/// feasible, naming what even a block of one element exceeds.
Result<Schedule> searchSchedule(const Contraction &contraction,
                                const Target &target);

} // namespace tc::model

#endif // TC_MODEL_SCHEDULESEARCH_H
