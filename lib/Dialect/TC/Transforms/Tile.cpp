//===- Tile.cpp - Chooses a schedule for every contraction ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for schedules and holds every schedule against its target.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Tile.h"

#include "tc/Analysis/FormChoice.h"
#include "tc/Analysis/ScheduleExplanation.h"
#include "tc/Analysis/ScheduleJudge.h"
#include "tc/Analysis/SumTerms.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Gpu/Search/SearchMemo.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/raw_ostream.h"

namespace tc {
#define GEN_PASS_DEF_TILEPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Columns of explanations on standard error.
static constexpr unsigned columns = 120;

/// Checks that the schedule can be obeyed on the target that it names.
static LogicalResult checkSchedule(ContractOp op,
                                   const model::Contraction &contraction,
                                   ScheduleAttr schedule) {
  Result<model::Target> target = lookUpTarget(op, schedule.getValue().target);
  if (!target)
    return op.emitOpError("schedule: ") << target.error();
  Result<model::KernelLayout> layout =
      model::layOut(contraction, schedule.getValue(), *target);
  if (!layout)
    return op.emitOpError(layout.error());
  return success();
}

namespace {

struct TilePass : public tc::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  TilePass(const TilePassOptions &options, ScheduleListener listener)
      : TilePassBase(options), listener(std::move(listener)) {}

  void runOnOperation() override {
    Result<model::Target> found =
        lookUpTargetOptions(getOperation(), target, targetFile);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    FailureOr<RepresentativeExtents> extents =
        readRepresentatives([&] { return emitError(getOperation()->getLoc()); },
                            representativeExtents);
    if (failed(extents))
      return signalPassFailure();
    representatives = std::move(*extents);
    if (refine < 1) {
      emitError(getOperation()->getLoc())
          << "option 'refine': must be 1 at least";
      return signalPassFailure();
    }
    ScheduleAttr given = schedule.empty()
                             ? ScheduleAttr()
                             : parseSchedule(schedule, &getContext());
    if (!schedule.empty() && !given)
      return signalPassFailure();
    // Later operations are looked at even if one fails: all errors show at
    // once.
    bool anyFailed = false;
    explanations.clear();
    model::SearchMemo memo(*found);
    searches = &memo;
    getOperation()->walk([&](ContractOp op) {
      anyFailed |= failed(scheduleOp(op, *found, given));
    });
    if (anyFailed || failed(tellExplanations()))
      signalPassFailure();
  }

  bool explains() const {
    return listener.take || explain || !explainHtml.empty() ||
           !explainJson.empty();
  }

  /// Prints and writes what was explained, once there is no other error.
  LogicalResult tellExplanations() {
    if (!explains())
      return success();
    if (listener.take) {
      listener.take(std::move(explanations));
      return success();
    }
    if (Status status = writeExplanations(
            explanations, {explainHtml.getValue(), explainJson.getValue()});
        !status)
      return emitError(getOperation()->getLoc())
             << "explanation: " << status.error();
    if (explain)
      for (const explain::Section &section : explanations)
        llvm::errs() << explain::renderText(section, columns) << "\n";
    return success();
  }

  LogicalResult scheduleOp(ContractOp op, const model::Target &target,
                           ScheduleAttr given) {
    if (op.hasZeroExtent())
      return success();
    ScheduleAttr present = op.getScheduleAttr();
    if (present)
      given = present;
    std::string origin;
    if (!given && !tuned.empty()) {
      Result<TunedSchedule<ScheduleAttr>> found =
          findTunedSchedule(op, tuned, target, representatives);
      if (!found)
        return op.emitOpError("option 'tuned': ") << found.error();
      given = found->schedule;
      origin = std::move(found->origin);
      op.emitRemark(tunedRemark) << origin;
    }
    FailureOr<model::Contraction> contraction =
        given ? toContraction(op, representatives, given.getValue())
              : chooseForm(op, *searches, representatives);
    if (failed(contraction))
      return failure();
    if (given && failed(checkSchedule(op, *contraction, given)))
      return failure();
    std::optional<model::JudgedSchedules> judged;
    if (!given && refine > 1) {
      FailureOr<model::JudgedSchedules> found =
          judgeSchedules(op, *contraction, target, refine);
      if (failed(found))
        return failure();
      judged = std::move(*found);
    }
    if (explains()) {
      FailureOr<explain::Section> section =
          explainSchedule(op, target, given, runnersUp, representatives,
                          judged ? &*judged : nullptr,
                          nameOfGiven(op, present != nullptr, !origin.empty()));
      if (failed(section))
        return failure();
      section->kernel = kernelOf(op);
      section->origin = origin;
      if (!given)
        given = ScheduleAttr::get(
            op.getContext(), section->explanation.candidates.front().schedule);
      explanations.push_back(std::move(*section));
    }
    if (present)
      return success();
    if (!given) {
      Result<model::Schedule> best =
          judged ? Result<model::Schedule>(judged->schedules.front())
                 : searchOnce(*contraction);
      if (!best)
        return op.emitOpError("no schedule for ")
               << target.name << ": " << best.error();
      given = ScheduleAttr::get(op.getContext(), *best);
    }
    op.setScheduleAttr(given);
    ++numScheduled;
    return success();
  }

private:
  /// The name in reports of a schedule that is not the search's.
  std::string nameOfGiven(ContractOp op, bool isPresent, bool isTuned) const {
    if (isTuned)
      return "tuned";
    if (isPresent)
      return kernelOf(op) ? "fused" : "given";
    return listener.givenName;
  }

  /// The number of the contraction among those that are to be one kernel, if it
  /// is not the only one.
  static std::optional<explain::KernelPart> kernelOf(ContractOp op) {
    FusedOp group = getGroup(op);
    if (!group)
      return std::nullopt;
    SmallVector<ContractOp> parts = group.getContractions();
    if (parts.size() < 2)
      return std::nullopt;
    auto *found = llvm::find(parts, op);
    return explain::KernelPart{static_cast<size_t>(found - parts.begin()) + 1,
                               parts.size()};
  }

  Result<model::Schedule> searchOnce(const model::Contraction &contraction) {
    const Result<model::SearchResult> &found = searches->search(contraction);
    if (!found)
      return Error{found.error()};
    return found->candidates.front().schedule;
  }

  ScheduleListener listener;
  RepresentativeExtents representatives;
  /// Of one run.
  model::SearchMemo *searches = nullptr;
  /// Of what was scheduled so far.
  std::vector<explain::Section> explanations;
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createTilePass(const TilePassOptions &options,
                                               ScheduleListener listener) {
  return std::make_unique<TilePass>(options, std::move(listener));
}
