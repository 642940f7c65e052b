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

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Model/ScheduleSearch.h"

namespace tc {
#define GEN_PASS_DEF_TILEPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Checks that the schedule can be obeyed on the target that it names.
static LogicalResult checkSchedule(ContractOp op,
                                   const model::Contraction &contraction,
                                   ScheduleAttr schedule) {
  Result<const model::Target *> target =
      model::findTarget(schedule.getValue().target);
  if (!target)
    return op.emitOpError("schedule: ") << target.error();
  Result<model::KernelLayout> layout =
      model::layOut(contraction, schedule.getValue(), **target);
  if (!layout)
    return op.emitOpError(layout.error());
  return success();
}

namespace {

struct TilePass : public tc::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    Result<const model::Target *> found = model::findTarget(target);
    if (!found) {
      emitError(getOperation()->getLoc())
          << "option 'target': " << found.error();
      return signalPassFailure();
    }
    ScheduleAttr given;
    if (!schedule.empty() && !(given = parseSchedule(schedule, &getContext())))
      return signalPassFailure();
    // Later operations are looked at even if one fails: all errors show at
    // once.
    bool anyFailed = false;
    getOperation()->walk([&](ContractOp op) {
      anyFailed |= failed(scheduleOp(op, **found, given));
    });
    if (anyFailed)
      signalPassFailure();
  }

  LogicalResult scheduleOp(ContractOp op, const model::Target &target,
                           ScheduleAttr given) {
    if (op.hasZeroExtent())
      return success();
    FailureOr<model::Contraction> contraction = toContraction(op);
    if (failed(contraction))
      return failure();
    if (ScheduleAttr present = op.getScheduleAttr())
      return checkSchedule(op, *contraction, present);
    if (given) {
      if (failed(checkSchedule(op, *contraction, given)))
        return failure();
    } else {
      Result<model::Schedule> best =
          model::searchSchedule(*contraction, target);
      if (!best)
        return op.emitOpError("no schedule for ")
               << target.name << ": " << best.error();
      given = ScheduleAttr::get(op.getContext(), *best);
    }
    op.setScheduleAttr(given);
    ++numScheduled;
    return success();
  }
};

} // namespace
