//===- TileCpu.cpp - Chooses CPU schedules for contractions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/TileCpu.h"

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Analysis/CpuStrategies.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Machine/TargetFile.h"

namespace tc {
#define GEN_PASS_DEF_TILECPUPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

struct TileCpuPass : public tc::impl::TileCpuPassBase<TileCpuPass> {
  using TileCpuPassBase::TileCpuPassBase;

  TileCpuPass(const TileCpuPassOptions &options, TakeStrategies take)
      : TileCpuPassBase(options), take(std::move(take)) {}

  void runOnOperation() override {
    Result<model::CpuTarget> target = model::loadCpuTarget(targetFile);
    if (!target) {
      emitError(getOperation()->getLoc())
          << (targetFile.empty() ? "" : "option 'target-file': ")
          << target.error();
      return signalPassFailure();
    }
    if (threads < 1) {
      emitError(getOperation()->getLoc())
          << "option 'threads': must be 1 at least, but is "
          << threads.getValue();
      return signalPassFailure();
    }
    CpuScheduleAttr given = schedule.empty()
                                ? CpuScheduleAttr()
                                : parseCpuSchedule(schedule, &getContext());
    if (!schedule.empty() && !given)
      return signalPassFailure();
    std::optional<model::Strategy> forced = model::symbolizeStrategy(strategy);
    if (!forced && strategy != "auto") {
      emitError(getOperation()->getLoc())
          << "option 'strategy': '" << strategy
          << "' is none of auto, gett, ttgt, loop_over_gemm, direct and "
             "library";
      return signalPassFailure();
    }
    if (forced && given) {
      emitError(getOperation()->getLoc())
          << "option 'strategy': the schedule that is given has one already";
      return signalPassFailure();
    }
    bool anyFailed = false;
    getOperation()->walk([&](ContractOp op) {
      anyFailed |= failed(scheduleOp(op, *target, given, forced));
    });
    if (anyFailed)
      signalPassFailure();
  }

  std::optional<int64_t> limit() const {
    if (workspaceLimit < 0)
      return std::nullopt;
    return workspaceLimit;
  }

  LogicalResult scheduleOp(ContractOp op, const model::CpuTarget &target,
                           CpuScheduleAttr given,
                           std::optional<model::Strategy> forced) {
    // Contractions that multiply nothing, and those that --tc-call-runtime
    // takes.
    if (op.hasZeroExtent() || hasUnknownShape(op))
      return success();
    if (CpuScheduleAttr present = op.getCpuScheduleAttr())
      given = present;
    if (!given && !tuned.empty()) {
      Result<TunedSchedule<CpuScheduleAttr>> found = findTunedSchedule(
          op, tuned, target, threads, {forced, limit(), libraryCalls});
      if (!found)
        return op.emitOpError("option 'tuned': ") << found.error();
      given = found->schedule;
      op.emitRemark(tunedRemark) << found->origin;
    }
    if (given) {
      FailureOr<model::Contraction> contraction =
          toContraction(op, given.getValue());
      if (failed(contraction))
        return failure();
      Result<model::CpuLayout> layout =
          model::layOut(*contraction, given.getValue());
      if (!layout)
        return op.emitOpError(layout.error());
      if (layout->callsLibrary)
        if (Status status = checkLibraryComputes(op); !status)
          return op.emitOpError("strategy library: ") << status.error();
      if (Status status =
              model::checkWorkspace(*contraction, given.getValue(), limit());
          !status)
        return op.emitOpError("strategy ttgt: ") << status.error();
    } else {
      FailureOr<Result<std::vector<model::StrategyChoice>>> considered =
          considerStrategies(
              op, target, {limit(), threads, libraryCalls, targetFile.empty()});
      if (failed(considered))
        return failure();
      Result<std::vector<model::StrategyChoice>> &choices = *considered;
      if (!choices)
        return op.emitOpError("no CPU schedule: ") << choices.error();
      const model::StrategyChoice &choice =
          forced ? model::fastestStrategy(*choices, *forced)
                 : model::fastestStrategy(*choices);
      if (!choice.unavailable.empty())
        return op.emitOpError("strategy ") << model::stringify(choice.strategy)
                                           << ": " << choice.unavailable;
      given = CpuScheduleAttr::get(op.getContext(), choice.schedule);
      if (take)
        take(op, std::move(*choices));
    }
    op.setCpuScheduleAttr(given);
    return success();
  }

  TakeStrategies take;
};

} // namespace

std::unique_ptr<mlir::Pass>
tc::createTileCpuPass(const TileCpuPassOptions &options, TakeStrategies take) {
  return std::make_unique<TileCpuPass>(options, std::move(take));
}
