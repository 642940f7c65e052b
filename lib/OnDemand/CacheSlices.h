//===- CacheSlices.h - Slices whose temporaries stay in caches --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary that is larger than a core's cache is written to memory by one
// step and read from there by the next. With one index cut that all steps have,
// nothing is computed twice, and what a slice makes is used while it is near.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ONDEMAND_CACHESLICES_H
#define TC_LIB_ONDEMAND_CACHESLICES_H

#include "tc/Program/Slices.h"

#include <optional>

namespace tc {

/// The cut with which ahead-of-time kernels are predicted to compute a tree
/// faster on one thread than without, if there is one. It does not depend on
/// how many threads there are. It is not looked for where that takes more than
/// so many seconds and a tenth of the time of a run, about.
std::optional<model::Slice> findCacheSlice(const model::Network &network,
                                           const model::ContractionTree &tree,
                                           double seconds);

} // namespace tc

#endif // TC_LIB_ONDEMAND_CACHESLICES_H
