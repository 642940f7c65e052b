//===- GroupObstacles.cpp - Why a group is not one kernel -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/GroupObstacles.h"

#include "tc/Analysis/ChainLinks.h"
#include "tc/Analysis/SumTerms.h"

using namespace tc;

std::optional<GroupObstacle> tc::findGroupObstacle(FusedOp group) {
  SmallVector<ContractOp> ops = group.getContractions();
  bool isChain = group.isChain(), isFan = group.isFan();
  for (size_t number = 1; number < ops.size(); ++number) {
    ContractOp before = ops[number - 1], op = ops[number];
    if (std::optional<std::string> reason =
            isChain ? findChainObstacle(before, op)
            : isFan ? findFanObstacle(before, op)
                    : findSumObstacle(before, op))
      return GroupObstacle{op, std::move(*reason)};
  }
  return std::nullopt;
}

LogicalResult tc::checkGroup(FusedOp group) {
  std::optional<GroupObstacle> obstacle = findGroupObstacle(group);
  if (!obstacle)
    return success();
  return obstacle->op.emitOpError("cannot be in one kernel with the "
                                  "contraction before, with which it is in a "
                                  "'tc.fused': ")
         << obstacle->reason;
}
