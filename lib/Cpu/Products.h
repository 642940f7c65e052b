//===- Products.h - The products that strategies end in ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPU_PRODUCTS_H
#define TC_LIB_CPU_PRODUCTS_H

#include "tc/Cpu/CpuStrategy.h"

namespace tc::model {

/// The slices that remain inside of the loops.
Contraction sliceOf(const Contraction &contraction,
                    const std::vector<std::string> &loops);

/// Shares the product that a schedule for one thread ends in out among threads.
Result<CpuSchedule> shareOutProduct(const Contraction &contraction,
                                    const CpuTarget &target,
                                    const CpuSchedule &schedule,
                                    int64_t threads);

} // namespace tc::model

#endif // TC_LIB_CPU_PRODUCTS_H
