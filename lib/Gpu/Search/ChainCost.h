//===- ChainCost.h - What a chain takes -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_CHAINCOST_H
#define TC_LIB_GPU_SEARCH_CHAINCOST_H

#include "tc/Gpu/Search/ChainSearch.h"
#include "tc/Gpu/Search/ScheduleSearch.h"

#include <optional>
#include <vector>

namespace tc::model {

/// What the parts of a machine that may limit a link take for it, in seconds:
/// the multiprocessors, the L2 cache and DRAM.
struct LinkSeconds {
  double within = 0, l2 = 0, dram = 0;

  double longest() const;
};

/// Predicts what a link takes in a kernel with a layout's resources, in the
/// steady state: without what stays on the chip, be it what links hand over or
/// the input that is kept from step to step; with the softmax of what it
/// computes. What the last link takes is in shared memory, unless it
/// `staysInRegisters`.
LinkSeconds secondsOfLink(const std::vector<ChainLink> &links, size_t number,
                          const KernelLayout &layout, const Target &target,
                          bool staysInRegisters = false);

/// Predicts the seconds of links with these layouts, one after the other, in a
/// kernel that has what all of them need. None if no multiprocessor has that.
std::optional<double>
secondsOfChain(const std::vector<ChainLink> &links,
               const std::vector<const KernelLayout *> &layouts,
               const Target &target);

/// Predicts the seconds of a kernel for one contraction, to be compared with
/// those of a chain.
double secondsApart(const Contraction &contraction, const Candidate &kernel,
                    const Target &target);

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_CHAINCOST_H
