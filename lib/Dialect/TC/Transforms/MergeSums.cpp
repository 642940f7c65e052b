//===- MergeSums.cpp - One kernel for a sum of contractions ---------------===//
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
#include "tc/Analysis/Reductions.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Model/SumSearch.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tc {
#define GEN_PASS_DEF_MERGESUMSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

struct MergeSumsPass : public tc::impl::MergeSumsPassBase<MergeSumsPass> {
  using MergeSumsPassBase::MergeSumsPassBase;

  void runOnOperation() override {
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    if (mostTerms == 0) {
      emitError(getOperation()->getLoc())
          << "option 'most-terms': must be at least 1";
      return signalPassFailure();
    }
    int64_t next = 0;
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      ops.push_back(op);
      auto number = op->getAttrOfType<mlir::IntegerAttr>(sumAttrName);
      if (number && number.getType().isSignlessInteger(64))
        next = std::max(next, saturatingAdd(number.getInt(), 1));
    });
    llvm::SmallPtrSet<Operation *, 16> seen;
    for (ContractOp op : ops) {
      if (!seen.insert(op).second)
        continue;
      SmallVector<ContractOp> chain = chainFrom(op);
      seen.insert(chain.begin(), chain.end());
      if (chain.size() > 1 && schedule(chain, *found)) {
        mark(chain, next++);
        ++numSums;
        numTerms += chain.size();
      }
    }
  }

private:
  static bool isFree(ContractOp op) {
    return !op.getScheduleAttr() && !op->hasAttr(sumAttrName) &&
           !op->hasAttr(RunTimeShapeAttr::attrName) &&
           op.getTypeOf(model::Tensor::C).hasStaticShape();
  }

  /// As many terms as follow on one another from a contraction on.
  SmallVector<ContractOp> chainFrom(ContractOp op) const {
    SmallVector<ContractOp> chain = {op};
    if (!isFree(op))
      return chain;
    while (chain.size() < mostTerms) {
      ContractOp next = getNextTerm(chain.back());
      if (!next || !isFree(next) || findSumObstacle(chain.back(), next))
        break;
      chain.push_back(next);
    }
    return chain;
  }

  /// Gives all terms schedules if one kernel is faster. Whatever makes one of
  /// them impossible is told by the pass that looks at it alone.
  static bool schedule(SmallVectorImpl<ContractOp> &chain,
                       const model::Target &target) {
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
    bool reducesC = !chain.front().hasBuffers() && !chain.front().readsC() &&
                    findReduction(chain.back(), /*addsTerms=*/true);
    Result<model::SumSearchResult> result =
        model::searchSum(terms, target, reducesC);
    if (!result || result->seconds >= result->separateSeconds)
      return false;
    for (auto [op, schedule] : llvm::zip_equal(chain, result->terms))
      op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    return true;
  }

  static void mark(SmallVectorImpl<ContractOp> &chain, int64_t number) {
    mlir::Builder builder(chain.front().getContext());
    for (size_t i = chain.size(); i-- > 0;) {
      chain[i]->setAttr(sumAttrName, builder.getI64IntegerAttr(number));
      // On buffers, only what touches no memory is in between.
      if (i + 1 < chain.size() && !chain[i].hasBuffers())
        chain[i]->moveBefore(chain[i + 1]);
    }
  }
};

} // namespace
