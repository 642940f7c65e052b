//===- SumTerms.h - Contractions that add to one output ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions for contractions that add to one another's C to be one kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SUMTERMS_H
#define TC_ANALYSIS_SUMTERMS_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/LLVM.h"

#include <optional>
#include <string>

namespace tc {

/// The group that a contraction is in, null if it stands by itself.
FusedOp getGroup(ContractOp op);

/// Moves contractions into a new group, in the place of the last one, whose
/// result the group has. Only what touches no memory may be in between. The
/// group is dissolvable.
FusedOp groupContractions(ArrayRef<ContractOp> ops);

/// The same of contractions on tensors that have an input in common, and
/// results that nothing before the last of them uses.
FusedOp groupProductsOfInput(ArrayRef<ContractOp> ops);

/// The contractions that add to one output, and make one kernel with the last
/// of them: those of its group, if that is a sum, or it alone.
SmallVector<ContractOp> getTermsUpTo(ContractOp last);

/// The contraction whose C is what `op` computes, if nothing else uses that:
/// the only user of its result or, on buffers, the next one in the block, with
/// nothing in between that may touch memory. Null if there is none.
ContractOp getNextTerm(ContractOp op);

/// The reason why `next`, which adds to what `op` computes, cannot be in one
/// kernel with it; nothing if it can.
std::optional<std::string> findSumObstacle(ContractOp op, ContractOp next);

} // namespace tc

#endif // TC_ANALYSIS_SUMTERMS_H
