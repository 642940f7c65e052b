//===- GroupCost.h - Cost of a group ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_GROUPCOST_H
#define TC_LIB_GPU_SEARCH_GROUPCOST_H

#include "tc/Gpu/Search/GroupSearch.h"
#include "tc/Gpu/Search/ScheduleSearch.h"

#include <optional>
#include <vector>

namespace tc::model {

/// The time that parts of a machine take for a contraction which they may
/// limit, in seconds: the multiprocessors, the L2 cache and DRAM.
struct PartSeconds {
  double within = 0, l2 = 0, dram = 0;

  double longest() const;
};

/// Predicts what a contraction of a group takes in a kernel with a layout's
/// resources, in the steady state: without what stays on the chip, be it a
/// tensor between contractions or the input that is kept from step to step;
/// with the softmax of what it computes. What the kernel's own contraction
/// takes from another one is in shared memory, unless it `staysInRegisters`.
PartSeconds secondsOfNode(const ContractionGroup &group, unsigned node,
                          const KernelLayout &layout, const Target &target,
                          bool staysInRegisters = false);

/// Predicts the seconds of contractions with these layouts, one after the
/// other, in a kernel that has what all of them need. None if no multiprocessor
/// has that.
///
/// @param layouts  by the numbers of nodes
std::optional<double>
secondsOfGroup(const ContractionGroup &group,
               const std::vector<const KernelLayout *> &layouts,
               const Target &target);

/// Predicts the seconds of a kernel for one contraction, to be compared with
/// those of a group.
double secondsApart(const Contraction &contraction, const Candidate &kernel,
                    const Target &target);

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_GROUPCOST_H
