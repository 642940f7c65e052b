//===- FuseChains.cpp - One kernel for a chain ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for schedules with which one kernel computes contractions in a
// chain, or that have an input in common.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/FuseChains.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/GroupObstacles.h"
#include "tc/Analysis/ProducerConsumer.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Gpu/Search/SearchMemo.h"

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

/// A group of contractions as the model sees it.
static FailureOr<model::ContractionGroup> toGroup(ArrayRef<ContractOp> ops) {
  model::ContractionGroup group;
  auto opOf = [&](unsigned node) {
    return ops[node == 0 ? ops.size() - 1 : node - 1];
  };
  for (unsigned node = 0; node < ops.size(); ++node) {
    FailureOr<model::Contraction> contraction = toContraction(opOf(node));
    if (failed(contraction))
      return failure();
    group.contractions.push_back(std::move(*contraction));
  }
  for (const model::GroupEdge &edge : groupOf(ops).edges)
    group.edges.push_back(model::indexEdge(
        edge, group.contractions[edge.from], group.contractions[edge.to],
        [&](const model::GroupTensor &tensor) {
          return labelsOf(opOf(tensor.node), tensor.tensor);
        }));
  return group;
}

/// Returns true if no operation uses what others of these compute before the
/// last of them, where all of them would be.
static bool mayStandAtLast(ArrayRef<ContractOp> products) {
  ContractOp last = products.back();
  return llvm::all_of(products, [&](ContractOp op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      Operation *inBlock = last->getBlock()->findAncestorOpInBlock(*user);
      return !inBlock || last->isBeforeInBlock(inBlock);
    });
  });
}

namespace {

struct FuseChainsPass : public tc::impl::FuseChainsPassBase<FuseChainsPass> {
  using FuseChainsPassBase::FuseChainsPassBase;

  FuseChainsPass(const FuseChainsPassOptions &options, TakeFusions take)
      : FuseChainsPassBase(options), take(std::move(take)) {}

  void runOnOperation() override {
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    model::SearchMemo memo(*found);
    bool anyFailed = false;
    getOperation()->walk([&](FusedOp group) {
      anyFailed |= failed(scheduleGroup(group, memo));
    });
    if (anyFailed)
      return signalPassFailure();
    if (find) {
      findChains(memo);
      findProductsOfInput(memo);
    }
  }

private:
  static bool isFree(ContractOp op) {
    return !op.getScheduleAttr() && !getGroup(op);
  }

  /// Gives the contractions of a group schedules, if they have none.
  LogicalResult scheduleGroup(FusedOp fused, model::SearchMemo &memo) {
    SmallVector<ContractOp> ops = fused.getContractions();
    model::Group edges = fused.getGroup();
    // Sums are scheduled where they are fused; factors of two types are widened
    // first.
    if (edges.edges.empty() || edges.has(model::EdgeKind::Accumulate) ||
        llvm::any_of(ops, [](ContractOp op) {
          return op.getScheduleAttr() || !op.hasEqualFactors();
        }))
      return success();
    // Buffers between contractions are looked at where kernels are made.
    if (failed(checkGroup(fused)))
      return failure();
    FailureOr<model::ContractionGroup> group = toGroup(ops);
    if (failed(group))
      return failure();
    const Result<model::GroupSearchResult> &result = memo.searchGroup(*group);
    if (!result)
      return fused.emitOpError() << result.error();
    describe(ops, *result, "a group says so");
    setSchedules(ops, *result);
    return success();
  }

  /// Tells what is said of a group, which is named by what its contractions
  /// compute: "[m, l] -> [m, n]" where one is the producer of the other, and
  /// "[m, l], [m, n]" where they share an input.
  void tell(ArrayRef<ContractOp> ops, const llvm::Twine &said) const {
    std::string line;
    llvm::raw_string_ostream os(line);
    bool isChain = groupOf(ops).has(model::EdgeKind::Feed);
    os << (isChain ? "chain " : "products of one input ");
    for (auto [number, each] : llvm::enumerate(ops)) {
      ContractOp op = each;
      os << (number == 0 ? "[" : isChain ? " -> [" : ", [");
      llvm::interleaveComma(op.getCIndices(), os,
                            [&](StringAttr label) { os << label.getValue(); });
      os << "]";
    }
    os << ": " << said;
    if (take)
      take(line);
    else
      llvm::errs() << line << "\n";
  }

  bool explains() const { return explain || take; }

  void describe(ArrayRef<ContractOp> ops,
                const model::GroupSearchResult &result,
                StringRef decision) const {
    if (!explains())
      return;
    auto text = [](double seconds) {
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.4g us", seconds * 1e6);
      return text;
    };
    tell(ops, "one kernel is predicted to take " + text(result.seconds) +
                  ", one for each " + text(result.separateSeconds) + ": " +
                  decision);
  }

  void describeObstacle(ArrayRef<ContractOp> ops, StringRef obstacle) const {
    if (explains())
      tell(ops, "no kernel, " + obstacle);
  }

  static void setSchedules(ArrayRef<ContractOp> ops,
                           const model::GroupSearchResult &result) {
    for (auto [each, schedule] : llvm::zip_equal(ops, result.schedules)) {
      ContractOp op = each;
      op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    }
  }

  /// A contraction and those that follow on it, each on the one before, as far
  /// as they have been looked at.
  struct Followers {
    SmallVector<ContractOp> chain;
    /// The one that cannot be in a kernel with them, and why.
    ContractOp excluded;
    std::string obstacle;

    /// Looks at followers until there are so many contractions, if there are.
    void extend(size_t length) {
      while (chain.size() < length && !excluded) {
        ContractOp next = getConsumer(chain.back());
        if (!next)
          return;
        std::optional<std::string> found =
            isFree(next) ? findChainObstacle(chain.back(), next)
                         : "as it has a schedule or is in a group";
        if (found) {
          excluded = next;
          obstacle = std::move(*found);
          return;
        }
        chain.push_back(next);
      }
    }
  };

  /// Groups what follows on one another as long as that is faster.
  void findChains(model::SearchMemo &memo) {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    llvm::SmallPtrSet<Operation *, 16> seen;
    for (ContractOp op : ops) {
      if (!isFree(op) || !seen.insert(op).second)
        continue;
      Followers followers;
      followers.chain.push_back(op);
      std::optional<model::GroupSearchResult> best;
      size_t longest = findLongest(followers, best, memo);
      auto chain = ArrayRef<ContractOp>(followers.chain).take_front(longest);
      if (followers.excluded && longest == followers.chain.size()) {
        SmallVector<ContractOp> excluding(chain);
        excluding.push_back(followers.excluded);
        describeObstacle(excluding, followers.obstacle);
      }
      seen.insert(chain.begin(), chain.end());
      if (!best)
        continue;
      setSchedules(chain, *best);
      groupContractions(chain);
      ++numChains;
    }
  }

  /// The length of the longest chain that is faster than its contractions
  /// apart, and its schedules. Each search takes a time that grows with the
  /// chain, so that lengths above four are tried in larger steps, and then
  /// between them.
  size_t findLongest(Followers &followers,
                     std::optional<model::GroupSearchResult> &best,
                     model::SearchMemo &memo) const {
    size_t longest = 1, refused = 0;
    while (true) {
      size_t length = refused       ? (longest + refused) / 2
                      : longest < 4 ? longest + 1
                                    : longest + longest / 2;
      followers.extend(length);
      length = std::min(length, followers.chain.size());
      if (length <= longest)
        return longest;
      std::optional<model::GroupSearchResult> longer = tryChain(
          ArrayRef<ContractOp>(followers.chain).take_front(length), memo);
      if (longer) {
        best = std::move(longer);
        longest = length;
      } else {
        refused = length;
      }
    }
  }

  /// Schedules if one kernel is possible and faster.
  std::optional<model::GroupSearchResult>
  tryChain(ArrayRef<ContractOp> chain, model::SearchMemo &memo) const {
    ContractOp first = chain.front();
    mlir::ScopedDiagnosticHandler silence(
        first.getContext(), [](mlir::Diagnostic &) { return success(); });
    FailureOr<model::ContractionGroup> group = toGroup(chain);
    if (failed(group))
      return std::nullopt;
    const Result<model::GroupSearchResult> &result = memo.searchGroup(*group);
    if (!result) {
      describeObstacle(chain, result.error());
      return std::nullopt;
    }
    bool isFaster = result->seconds < result->separateSeconds;
    describe(chain, *result, isFaster ? "fused" : "left apart");
    if (!isFaster)
      return std::nullopt;
    return *result;
  }

  /// Groups what takes one tensor, where one kernel is possible and faster.
  void findProductsOfInput(model::SearchMemo &memo) {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    for (ContractOp op : ops)
      for (Value shared : {op.getA(), op.getB()})
        if (isFree(op) && !op.hasBuffers())
          tryProducts(productsOf(op, shared), shared, memo);
  }

  /// The contractions from that one on, in its block, that could be in one
  /// kernel and take the tensor.
  static SmallVector<ContractOp> productsOf(ContractOp op, Value shared) {
    SmallVector<ContractOp> products;
    if (findSharingObstacle(op, op) || !op.hasEqualFactors())
      return products;
    products.push_back(op);
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (auto other = dyn_cast<ContractOp>(next);
          other && isFree(other) && getInputThatIs(other, shared) &&
          other.hasEqualFactors() && !findSharingObstacle(op, other))
        products.push_back(other);
    return products;
  }

  /// Of two tensors that all have, a group is one of products of the larger, or
  /// of the first one's A.
  static bool isLargest(ArrayRef<ContractOp> products, Value shared) {
    ContractOp first = products.front();
    bool isA = first.getA() == shared;
    Value other = isA ? first.getB() : first.getA();
    int64_t size = cast<ShapedType>(shared.getType()).getNumElements();
    int64_t others = cast<ShapedType>(other.getType()).getNumElements();
    return size > others || (isA && size == others) ||
           !llvm::all_of(products, [&](ContractOp op) {
             return getInputThatIs(op, other).has_value();
           });
  }

  /// Contractions of which one kernel is possible.
  struct Products {
    SmallVector<ContractOp> ops;
    model::GroupSearchResult result;

    double saved() const { return result.separateSeconds - result.seconds; }
  };

  std::optional<Products> searchProducts(ArrayRef<ContractOp> ops, Value shared,
                                         model::SearchMemo &memo) const {
    if (!mayStandAtLast(ops) || !isLargest(ops, shared))
      return std::nullopt;
    FailureOr<model::ContractionGroup> group = toGroup(ops);
    if (failed(group))
      return std::nullopt;
    const Result<model::GroupSearchResult> &result = memo.searchGroup(*group);
    if (!result) {
      describeObstacle(ops, result.error());
      return std::nullopt;
    }
    return Products{SmallVector<ContractOp>(ops), *result};
  }

  /// The most contractions that one is tried with, each time with a search.
  static constexpr size_t maxTried = 8;

  /// Groups all, or, if that saves more, the first one and each of the next
  /// that makes the group save more. One that needs another tile than the
  /// others, or whose result is used too early, is no reason to read the tensor
  /// anew for all.
  void tryProducts(ArrayRef<ContractOp> all, Value shared,
                   model::SearchMemo &memo) {
    if (all.size() < 2)
      return;
    mlir::ScopedDiagnosticHandler silence(
        &getContext(), [](mlir::Diagnostic &) { return success(); });
    std::vector<Products> found;
    auto savedBy = [&](ArrayRef<ContractOp> ops) {
      std::optional<Products> next = searchProducts(ops, shared, memo);
      return next ? found.emplace_back(std::move(*next)).saved() : 0;
    };
    savedBy(all);
    SmallVector<ContractOp> grown(all.take_front());
    double saved = 0;
    for (ContractOp op : all.drop_front().take_front(maxTried)) {
      grown.push_back(op);
      double more = grown.size() < all.size() ? savedBy(grown) : 0;
      if (more <= saved)
        grown.pop_back();
      saved = std::max(saved, more);
    }
    auto best =
        llvm::max_element(found, [](const Products &a, const Products &b) {
          return a.saved() < b.saved();
        });
    bool isFaster = best != found.end() && best->saved() > 0;
    for (const Products &each : found)
      describe(each.ops, each.result,
               isFaster && &each == &*best ? "fused" : "left apart");
    if (!isFaster)
      return;
    setSchedules(best->ops, best->result);
    groupProductsOfInput(best->ops);
    ++numSharedInputs;
  }

  TakeFusions take;
};

} // namespace

std::unique_ptr<mlir::Pass>
tc::createFuseChainsPass(const FuseChainsPassOptions &options,
                         TakeFusions take) {
  return std::make_unique<FuseChainsPass>(options, std::move(take));
}
