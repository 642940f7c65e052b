//===- TestSchedules.h - Random schedules for tests -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_GPU_LAYOUT_TESTSCHEDULES_H
#define TC_TEST_UNIT_GPU_LAYOUT_TESTSCHEDULES_H

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"
#include "tc/Gpu/Layout/KernelLayout.h"

#include <random>

namespace tc::model::test {

/// A schedule of random tiles, feasible or not.
Schedule randomSchedule(const Contraction &contraction, std::mt19937 &random);
/// Maps a schedule's tiles to blocks in a random way: in groups of rows, with
/// an operand stationary, for which a tile must span K, or with shared sums,
/// for which K may have too few tiles.
void mapRandomly(Schedule &schedule, const Contraction &contraction,
                 std::mt19937 &random);

} // namespace tc::model::test

#endif // TC_TEST_UNIT_GPU_LAYOUT_TESTSCHEDULES_H
