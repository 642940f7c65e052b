//===- TreeRewriter.h - Contractions of a tree ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_TRANSFORMS_TREEREWRITER_H
#define TC_LIB_DIALECT_TC_TRANSFORMS_TREEREWRITER_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Program/OrderSearch.h"

namespace tc {

/// Of the places of temporaries, as of other buffers.
inline constexpr int64_t alignmentOfTemporaries = 64;

/// The places of the temporaries of the first slice, which has the largest
/// ones.
Result<model::MemoryPlan> planTemporaries(const model::Network &network,
                                          const model::Order &order);

/// Replaces an operation by the contractions of a tree, in loops over its
/// slices. The indices of the network are the operation's labels, in order;
/// what is sliced has known extents. Temporaries on tensors are made before all
/// loops; those on memrefs are views of one allocation, which is freed.
LogicalResult rewriteAsTree(mlir::RewriterBase &rewriter, EinsumOp op,
                            const model::Network &network,
                            const model::Order &order);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_TRANSFORMS_TREEREWRITER_H
