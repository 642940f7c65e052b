//===- ProducerConsumer.h - Producers and consumers -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_PRODUCERCONSUMER_H
#define TC_ANALYSIS_PRODUCERCONSUMER_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/LLVM.h"

#include <optional>
#include <string>

namespace tc {

/// The contraction an input of which is what `op` computes, or the softmax of
/// that, if nothing else uses either; null if there is none. On tensors only:
/// what else uses a buffer, and when, is not looked at.
ContractOp getConsumer(ContractOp op);

/// The reason why `next`, an input of which `op` computes, cannot be in one
/// kernel with it; nothing if it can, as far as that does not depend on tiles.
/// On buffers, the one between them must be allocated, and nothing else may
/// read what the producer leaves in it.
std::optional<std::string> findChainObstacle(ContractOp op, ContractOp next);

/// The reason why two contractions that share an input cannot be in one kernel
/// for that; nothing if they can, as far as that does not depend on tiles.
std::optional<std::string> findSharingObstacle(ContractOp op, ContractOp other);

} // namespace tc

#endif // TC_ANALYSIS_PRODUCERCONSUMER_H
