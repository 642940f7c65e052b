//===- FuseAccumulations.cpp - One kernel for a sum of contractions -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for chains of contractions whether one kernel is faster.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/GroupObstacles.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Gpu/Search/SearchMemo.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tc {
#define GEN_PASS_DEF_FUSEACCUMULATIONSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

struct FuseAccumulationsPass
    : public tc::impl::FuseAccumulationsPassBase<FuseAccumulationsPass> {
  using FuseAccumulationsPassBase::FuseAccumulationsPassBase;

  void runOnOperation() override {
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    if (maxTerms == 0) {
      emitError(getOperation()->getLoc())
          << "option 'most-terms': must be at least 1";
      return signalPassFailure();
    }
    model::SearchMemo memo(*found);
    getOperation()->walk([&](FusedOp group) { scheduleGroup(group, memo); });
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> seen;
    for (ContractOp op : ops) {
      if (!seen.insert(op).second)
        continue;
      SmallVector<ContractOp> chain = chainFrom(op);
      seen.insert(chain.begin(), chain.end());
      if (chain.size() > 1 &&
          schedule(chain, memo, /*onlyIfFaster=*/true, isAddedUp(chain))) {
        groupContractions(chain);
        ++numSums;
        numTerms += chain.size();
      }
    }
  }

private:
  static bool isFree(ContractOp op) {
    return !op.getScheduleAttr() && !getGroup(op) && !op.getDynamicShape() &&
           op.getTypeOf(model::Tensor::C).hasStaticShape();
  }

  /// As many terms as follow on one another from a contraction on.
  SmallVector<ContractOp> chainFrom(ContractOp op) const {
    SmallVector<ContractOp> chain = {op};
    if (!isFree(op))
      return chain;
    while (chain.size() < maxTerms) {
      ContractOp next = getNextTerm(chain.back());
      if (!next || !isFree(next) || findSumObstacle(chain.back(), next))
        break;
      chain.push_back(next);
    }
    return chain;
  }

  /// Returns true if a reduction will be added to the group that a chain
  /// becomes.
  static bool isAddedUp(ArrayRef<ContractOp> chain) {
    ContractOp first = chain.front(), last = chain.back();
    return !first.hasBuffers() && !first.readsC() &&
           findReduction(last, /*addsTerms=*/true);
  }

  /// Gives the contractions of a group schedules, if they have none and can be
  /// one kernel. What they cannot be is reported by the pass that makes it.
  static void scheduleGroup(FusedOp group, model::SearchMemo &memo) {
    if (!group.getGroup().hasOnly(model::EdgeKind::Accumulate))
      return;
    SmallVector<ContractOp> terms = group.getContractions();
    bool hasSchedule = llvm::any_of(
        terms, [](ContractOp op) { return op.getScheduleAttr() != nullptr; });
    if (terms.size() > 1 && !hasSchedule && !findGroupObstacle(group))
      schedule(terms, memo, /*onlyIfFaster=*/false,
               group.getReduction() && !terms.front().readsC());
  }

  /// Gives all terms schedules if one kernel is possible and, if that is asked
  /// for, faster. Whatever makes one of them impossible is reported by the pass
  /// that looks at it alone.
  static bool schedule(SmallVectorImpl<ContractOp> &chain,
                       model::SearchMemo &memo, bool onlyIfFaster,
                       bool reducesC) {
    mlir::ScopedDiagnosticHandler silence(
        chain.front().getContext(),
        [](mlir::Diagnostic &) { return success(); });
    std::vector<model::Contraction> terms;
    for (ContractOp op : chain) {
      FailureOr<model::Contraction> term = toContraction(op);
      if (failed(term))
        return false;
      terms.push_back(std::move(*term));
    }
    const Result<model::SumSearchResult> &result =
        memo.searchSum(terms, reducesC);
    if (!result || (onlyIfFaster && result->seconds >= result->separateSeconds))
      return false;
    for (auto [op, schedule] : llvm::zip_equal(chain, result->terms))
      op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    return true;
  }
};

} // namespace
