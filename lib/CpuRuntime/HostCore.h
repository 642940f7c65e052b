//===- HostCore.h - Figures of the core at hand -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The core that kernels run on, as plans and predictions see it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_HOSTCORE_H
#define TC_LIB_CPURUNTIME_HOSTCORE_H

#include "Kernels.h"

#include "tc/Hierarchy/Hierarchy.h"
#include "tc/Machine/CpuTarget.h"

namespace tc::cpu {

/// The core that kernels run on, as far as their instructions use it.
const model::CpuTarget &coreOfHost();

/// The products of a type of sums that it adds a cycle.
double productsPerCycleOf(Real real);

/// The levels of this machine's memory, as blocks are made for them.
const model::Hierarchy &levelsOfHost();

/// The rate, in bytes a second, at which the level of this machine's memory
/// that holds so many bytes fills the next inner one.
double rateFrom(double bytes);

/// The threads that pay for so much work, of which one is to have so much at
/// least, if there are as many.
int64_t threadsThatPay(double work, double leastShare);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_HOSTCORE_H
