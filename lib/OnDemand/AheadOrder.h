//===- AheadOrder.h - Orders for ahead-of-time kernels ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of a product of many tensors whose steps ahead-of-time kernels
// compute, on one thread, found in milliseconds.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ONDEMAND_AHEADORDER_H
#define TC_LIB_ONDEMAND_AHEADORDER_H

#include "tc/OnDemand/CompileOptions.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Program/OrderSearch.h"

#include <optional>

namespace tc {

/// An order, and where its temporaries lie in one workspace, which those of
/// each slice share.
struct AheadOrder {
  model::Order order;
  model::MemoryPlan memory;
  /// True if one index is cut so that temporaries of a slice stay in caches:
  /// threads share the slices, and not the steps of each.
  bool sharesSlices = false;
  /// Bytes that temporaries of all threads may take, if there is a limit.
  std::optional<int64_t> memoryLimit = std::nullopt;
};

/// Time of the search that `findAheadOrder` takes for so many inputs, about,
/// where the options ask for none.
double secondsOfSearch(size_t inputs);

/// An order of rough times, in tens of microseconds, whose temporaries have
/// their indices as they come: for runs that are over sooner than a search. If
/// there is a path, it is that; fails if that is none.
Result<AheadOrder> findRoughOrder(const model::Network &network,
                                  const model::ContractionPath &path,
                                  int64_t alignment);

/// The order of the least time, or that of the path if there is one, within the
/// options' limit of memory, if there is one: then perhaps in slices, if the
/// output has the type of sums. Fails where the workspace of none fits. In both
/// orders, an index is cut first where that keeps temporaries in caches.
Result<AheadOrder> findAheadOrder(const model::Network &network,
                                  const model::ContractionPath &path,
                                  const CompileOptions &options,
                                  int64_t alignment);

} // namespace tc

#endif // TC_LIB_ONDEMAND_AHEADORDER_H
