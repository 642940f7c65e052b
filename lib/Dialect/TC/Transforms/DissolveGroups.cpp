//===- DissolveGroups.cpp - Groups that are not one kernel ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes groups apart that passes have made on tensors, and that buffers keep
// from being one kernel.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/GroupObstacles.h"

#include "mlir/IR/PatternMatch.h"

namespace tc {
#define GEN_PASS_DEF_DISSOLVEGROUPSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
struct DissolveGroupsPass
    : public tc::impl::DissolveGroupsPassBase<DissolveGroupsPass> {
  void runOnOperation() override {
    // Once a group is dissolved, what it no longer does may stand in the way of
    // another one.
    while (dissolveAny())
      ;
  }

private:
  bool dissolveAny() {
    SmallVector<FusedOp> groups;
    getOperation()->walk([&](FusedOp group) {
      if (group.getDissolvable())
        groups.push_back(group);
    });
    mlir::IRRewriter rewriter(&getContext());
    bool isAnyDissolved = false;
    for (FusedOp group : groups) {
      std::optional<GroupObstacle> obstacle = findGroupObstacle(group);
      if (!obstacle)
        continue;
      obstacle->op.emitRemark(dissolvedRemark) << obstacle->reason;
      // Theirs are for one kernel.
      for (ContractOp op : group.getContractions())
        op.removeScheduleAttr();
      group.dissolve(rewriter);
      ++numDissolved;
      isAnyDissolved = true;
    }
    return isAnyDissolved;
  }
};
} // namespace
