//===- FuseChains.cpp - One kernel for a chain ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for schedules with which one kernel computes contractions that
// feed one another.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ChainLinks.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Gpu/Search/ChainSearch.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {
#define GEN_PASS_DEF_FUSECHAINSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::Tensor;

/// The labels of a tensor's dimensions.
static std::vector<std::string> labelsOf(ContractOp op, Tensor tensor) {
  std::vector<std::string> labels;
  for (StringAttr label : op.getIndices(tensor))
    labels.push_back(label.str());
  return labels;
}

/// The chain as the model sees it.
static FailureOr<std::vector<model::ChainLink>>
toLinks(ArrayRef<ContractOp> chain) {
  std::vector<model::ChainLink> links;
  for (auto [number, op] : llvm::enumerate(chain)) {
    FailureOr<model::Contraction> contraction = toContraction(op);
    if (failed(contraction))
      return failure();
    model::ChainLink link{std::move(*contraction), std::nullopt};
    if (number > 0) {
      ContractOp before = chain[number - 1];
      model::Handover &handover = link.handover.emplace();
      handover.fed = *getFedInput(before, op);
      handover.linked = model::linkIndices(
          links.back().contraction, labelsOf(before, Tensor::C),
          link.contraction, labelsOf(op, handover.fed), handover.fed);
      handover.softmax = getSoftmaxBetween(before, op) != nullptr;
      handover.isLast = number + 1 == chain.size();
    }
    links.push_back(std::move(link));
  }
  return links;
}

namespace {

struct FuseChainsPass : public tc::impl::FuseChainsPassBase<FuseChainsPass> {
  using FuseChainsPassBase::FuseChainsPassBase;

  void runOnOperation() override {
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    bool anyFailed = false;
    getOperation()->walk([&](FusedOp group) {
      anyFailed |= failed(scheduleGroup(group, *found));
    });
    if (anyFailed)
      return signalPassFailure();
    if (find)
      findChains(*found);
  }

private:
  static bool isFree(ContractOp op) {
    return !op.getScheduleAttr() && !getGroup(op);
  }

  /// Gives the contractions of a group schedules, if they have none.
  LogicalResult scheduleGroup(FusedOp group, const model::Target &target) {
    if (!group.isChain())
      return success();
    SmallVector<ContractOp> chain = group.getContractions();
    // Factors of two types are widened first.
    if (llvm::any_of(chain, [](ContractOp op) {
          return op.getScheduleAttr() || !op.hasEqualFactors();
        }))
      return success();
    // Buffers of what is handed over are looked at where kernels are made.
    for (auto [number, next] : llvm::enumerate(ArrayRef(chain).drop_front()))
      if (std::optional<std::string> obstacle =
              findChainObstacle(chain[number], next)) {
        ContractOp op = next;
        return op.emitOpError("cannot be in one kernel with the contraction "
                              "before, with which it is in a 'tc.fused': ")
               << *obstacle;
      }
    FailureOr<std::vector<model::ChainLink>> links = toLinks(chain);
    if (failed(links))
      return failure();
    Result<model::ChainSearchResult> result =
        model::searchChain(*links, target);
    if (!result)
      return group.emitOpError() << result.error();
    describe(chain, *result, "a group says so");
    setSchedules(chain, *result);
    return success();
  }

  /// Names a chain by what its contractions compute: "[m, l] -> [m, n]".
  static void printChain(ArrayRef<ContractOp> chain) {
    llvm::errs() << "chain ";
    for (auto [number, each] : llvm::enumerate(chain)) {
      ContractOp op = each;
      llvm::errs() << (number > 0 ? " -> [" : "[");
      llvm::interleaveComma(
          op.getCIndices(), llvm::errs(),
          [](StringAttr label) { llvm::errs() << label.getValue(); });
      llvm::errs() << "]";
    }
  }

  void describe(ArrayRef<ContractOp> chain,
                const model::ChainSearchResult &result,
                StringRef decision) const {
    if (!explain)
      return;
    printChain(chain);
    auto text = [](double seconds) {
      return llvm::format("%.4g us", seconds * 1e6);
    };
    llvm::errs() << ": one kernel is predicted to take " << text(result.seconds)
                 << ", one for each " << text(result.separateSeconds) << ": "
                 << decision << "\n";
  }

  void describeObstacle(ArrayRef<ContractOp> chain, StringRef obstacle) const {
    if (!explain)
      return;
    printChain(chain);
    llvm::errs() << ": no kernel, " << obstacle << "\n";
  }

  static void setSchedules(ArrayRef<ContractOp> chain,
                           const model::ChainSearchResult &result) {
    for (auto [each, schedule] : llvm::zip_equal(chain, result.links)) {
      ContractOp op = each;
      op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    }
  }

  /// Groups what follows on one another as long as that is faster.
  void findChains(const model::Target &target) {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> seen;
    for (ContractOp op : ops) {
      if (!isFree(op) || !seen.insert(op).second)
        continue;
      SmallVector<ContractOp> chain = {op};
      std::optional<model::ChainSearchResult> best;
      while (ContractOp next = getNextLink(chain.back())) {
        std::optional<std::string> obstacle =
            isFree(next) ? findChainObstacle(chain.back(), next)
                         : "as it has a schedule or is in a group";
        chain.push_back(next);
        if (obstacle) {
          describeObstacle(chain, *obstacle);
          chain.pop_back();
          break;
        }
        std::optional<model::ChainSearchResult> longer =
            tryChain(chain, target);
        if (!longer) {
          chain.pop_back();
          break;
        }
        seen.insert(next);
        best = std::move(longer);
      }
      if (!best)
        continue;
      setSchedules(chain, *best);
      groupContractions(chain);
      ++numChains;
    }
  }

  /// Schedules if one kernel is possible and faster.
  std::optional<model::ChainSearchResult>
  tryChain(ArrayRef<ContractOp> chain, const model::Target &target) const {
    ContractOp first = chain.front();
    mlir::ScopedDiagnosticHandler silence(
        first.getContext(), [](mlir::Diagnostic &) { return success(); });
    FailureOr<std::vector<model::ChainLink>> links = toLinks(chain);
    if (failed(links))
      return std::nullopt;
    Result<model::ChainSearchResult> result =
        model::searchChain(*links, target);
    if (!result) {
      describeObstacle(chain, result.error());
      return std::nullopt;
    }
    bool isFaster = result->seconds < result->separateSeconds;
    describe(chain, *result, isFaster ? "fused" : "left apart");
    if (!isFaster)
      return std::nullopt;
    return std::move(*result);
  }
};

} // namespace
