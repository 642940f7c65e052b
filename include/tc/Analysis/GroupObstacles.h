//===- GroupObstacles.h - Obstacles to a group in one kernel ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions on a group before it becomes a kernel, the same for all who
// ask.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_GROUPOBSTACLES_H
#define TC_ANALYSIS_GROUPOBSTACLES_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/LLVM.h"

#include <optional>
#include <string>

namespace tc {

/// The beginning of the remark on a contraction whose group is dissolved.
inline constexpr llvm::StringLiteral dissolvedRemark =
    "becomes a kernel of its own: ";

/// The reason why a contraction of a group cannot be in one kernel with the one
/// before.
struct GroupObstacle {
  ContractOp op;
  std::string reason;
};

/// The first obstacle to a group's being one kernel; nothing if there is none,
/// as far as that does not depend on tiles. On tensors, buffers may bring one
/// yet.
std::optional<GroupObstacle> findGroupObstacle(FusedOp group);

/// Fails with an error on the contraction if there is an obstacle.
LogicalResult checkGroup(FusedOp group);

} // namespace tc

#endif // TC_ANALYSIS_GROUPOBSTACLES_H
