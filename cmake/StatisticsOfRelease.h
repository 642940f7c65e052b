//===- StatisticsOfRelease.h - For builds with assertions -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The statistics of a pass are constructed within libMLIR, which is built
// without assertions, where they count nothing. Code with assertions would take
// them for the larger kind that does, and read what nobody has written. So
// where our assertions are on, this is included before all else.
//
//===----------------------------------------------------------------------===//

#ifndef TC_STATISTICSOFRELEASE_H
#define TC_STATISTICSOFRELEASE_H

#ifdef NDEBUG
#include "llvm/ADT/Statistic.h"
#else
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#endif

#include <type_traits>

static_assert(std::is_same_v<llvm::Statistic, llvm::NoopStatistic>);

#endif // TC_STATISTICSOFRELEASE_H
