//===- TileChains.cpp - Chains of contractions, tile by tile --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model whether a CPU is faster if it computes a chain of
// contractions a tile at a time, what is between them being in the second
// cache, and how large tiles are then.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "ChainJudge.h"

#include "tc/Machine/TargetFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {
#define GEN_PASS_DEF_TILECHAINSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The factor by which tiles may be predicted to take longer. Of seven chains,
/// on one core of a Xeon of the fifth generation (2026-11-26), six gained 1.2
/// to 2 times as much as was predicted, as the prediction has no pages in it
/// whose addresses are translated, and a last cache for each process; one, of
/// matrices of 200 x 200, lost a tenth. Attention, for which up to 12 % more is
/// predicted, gained 1.75 times.
static constexpr double mostLoss = 1.15;
/// Programs have a step for each contraction of each tile.
static constexpr int64_t mostSteps = 4096;

namespace {

/// Tiles, and what they are predicted to take; less what operations take one
/// after the other, so that chains compare.
struct TileChoice {
  SmallVector<int64_t> lengths;
  double seconds = 0;
  /// The remark on them.
  std::string text;
};

struct TileChainsPass : public tc::impl::TileChainsPassBase<TileChainsPass> {
  using TileChainsPassBase::TileChainsPassBase;

  void runOnOperation() override {
    auto refuse = [&](const Twine &message) {
      emitError(getOperation()->getLoc()) << message;
      signalPassFailure();
    };
    if (when != "auto" && when != "always" && when != "never")
      return refuse("option 'when': '" + Twine(when) +
                    "' is none of auto, always and never");
    if (when == "never")
      return;
    Result<model::CpuTarget> found = model::loadCpuTarget(targetFile);
    if (!found)
      return refuse((targetFile.empty() ? "" : "option 'target-file': ") +
                    Twine(found.error()));
    target = std::move(*found);
    // The operation that ends a chain comes after all else of it. Payloads,
    // which go with their operations, are left out.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](mlir::DestinationStyleOpInterface op) {
      if (op->getNumResults() == 1 && !isa<FusedOp>(op->getParentOp()))
        ops.push_back(op);
    });
    DenseSet<Operation *> gone;
    for (Operation *op : llvm::reverse(ops))
      if (!gone.contains(op))
        tileBest(findChainsTo(op), gone);
  }

private:
  /// Bytes that a tile may take: half of a core's part of the second cache, or
  /// of the only one. The rest is for panels, and for what passes through.
  double budget() const {
    if (tileBytes > 0)
      return static_cast<double>(tileBytes);
    if (target.caches.empty())
      return 0;
    const model::CpuCache &cache =
        target.caches[std::min<size_t>(1, target.caches.size() - 1)];
    return static_cast<double>(cache.bytes) /
           static_cast<double>(std::max<int64_t>(1, cache.sharedByCores)) / 2;
  }

  /// Tiles of one of the chains, the one that gains the most.
  void tileBest(const SmallVector<OperationChain> &chains,
                DenseSet<Operation *> &gone) {
    std::optional<size_t> best;
    SmallVector<std::optional<TileChoice>> choices;
    for (auto [number, chain] : llvm::enumerate(chains)) {
      const std::optional<TileChoice> &choice =
          choices.emplace_back(choose(chain));
      if (choice && (!best || choice->seconds < choices[*best]->seconds))
        best = number;
    }
    for (auto [number, chain] : llvm::enumerate(chains))
      if (choices[number])
        describe(chain, choices[number]->text +
                            (number == best ? ": in tiles"
                                            : ": another chain gains more"));
    if (!best)
      return;
    const OperationChain &chain = chains[*best];
    gone.insert(chain.ops.begin(), chain.ops.end());
    mlir::IRRewriter rewriter(&getContext());
    tileChain(rewriter, chain, choices[*best]->lengths);
    ++numChains;
  }

  /// The best tiles, if they gain enough.
  std::optional<TileChoice> choose(const OperationChain &chain) {
    ChainJudge judge(chain, target);
    double most = budget();
    if (judge.bytesBetween() <= most) {
      describe(chain, "what is between them fits the cache");
      return std::nullopt;
    }
    mlir::ScopedDiagnosticHandler silence(
        &getContext(), [](mlir::Diagnostic &) { return success(); });
    std::optional<TileChoice> best;
    auto steps = static_cast<double>(chain.contractions().size());
    for (double part : {1.0, 0.5, 0.25}) {
      std::optional<SmallVector<int64_t>> lengths =
          judge.largestTile(most * part);
      if (!lengths || judge.countTiles(*lengths) * steps > mostSteps)
        break;
      std::string text = tileText(chain, *lengths);
      // With more between its operations, a chain gains more.
      if (when == "always")
        return TileChoice{std::move(*lengths), -judge.bytesBetween(), text};
      FailureOr<double> seconds = judge.predict(*lengths);
      if (succeeded(seconds) && (!best || *seconds < best->seconds))
        best = TileChoice{std::move(*lengths), *seconds, text};
    }
    FailureOr<double> apart = failure();
    if (best)
      apart = judge.predict(judge.shape());
    if (failed(apart)) {
      describe(chain, "no tiles of it fit the cache");
      return std::nullopt;
    }
    best->text += " are predicted to take " + timeText(best->seconds) +
                  ", one after the other " + timeText(*apart);
    if (best->seconds > mostLoss * *apart) {
      describe(chain, best->text + ": left apart");
      return std::nullopt;
    }
    best->seconds -= *apart;
    return best;
  }

  static std::string timeText(double seconds) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g us", seconds * 1e6);
    return text;
  }

  /// "tiles of e = 20", by what a contraction calls the indices.
  static std::string tileText(const OperationChain &chain,
                              ArrayRef<int64_t> lengths) {
    ContractOp named = chain.contractions().back();
    std::string text;
    for (auto [label, dim] :
         llvm::zip_equal(named.getCIndices(), chain.dims.at(named)))
      if (dim != noDim && lengths[dim] < chain.resultType().getDimSize(dim))
        text += (text.empty() ? "tiles of " : ", ") + label.str() + " = " +
                std::to_string(lengths[dim]);
    return text;
  }

  /// Names a chain by what its contractions compute: "[m, l] -> [m, n]".
  void describe(const OperationChain &chain, const Twine &text) const {
    if (!explain)
      return;
    llvm::errs() << "chain ";
    llvm::interleave(
        chain.contractions(), llvm::errs(),
        [](ContractOp op) {
          llvm::errs() << "[";
          llvm::interleaveComma(
              op.getCIndices(), llvm::errs(),
              [](StringAttr label) { llvm::errs() << label.getValue(); });
          llvm::errs() << "]";
        },
        " -> ");
    llvm::errs() << ": " << text << "\n";
  }

  model::CpuTarget target;
};

} // namespace
