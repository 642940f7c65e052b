//===- GroupObstacles.cpp - Obstacles to one kernel for a group -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/GroupObstacles.h"

#include "tc/Analysis/ProducerConsumer.h"
#include "tc/Analysis/SumTerms.h"

using namespace tc;

static std::optional<std::string>
findObstacle(model::EdgeKind kind, ContractOp before, ContractOp op) {
  switch (kind) {
  case model::EdgeKind::Accumulate:
    return findSumObstacle(before, op);
  case model::EdgeKind::Feed:
    return findChainObstacle(before, op);
  case model::EdgeKind::Share:
    return findSharingObstacle(before, op);
  }
  return std::nullopt;
}

std::optional<GroupObstacle> tc::findGroupObstacle(FusedOp group) {
  SmallVector<ContractOp> ops = group.getContractions();
  model::Group edges = group.getGroup();
  for (size_t number = 1; number < ops.size(); ++number)
    if (std::optional<std::string> reason = findObstacle(
            model::kindOf(edges.edges.front()), ops[number - 1], ops[number]))
      return GroupObstacle{ops[number], std::move(*reason)};
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
