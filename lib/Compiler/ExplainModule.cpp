//===- ExplainModule.cpp - Why schedules of a module are chosen -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/ExplainModule.h"

#include "tc/Analysis/FormChoice.h"
#include "tc/Analysis/ScheduleExplanation.h"
#include "tc/Analysis/ScheduleJudge.h"
#include "tc/Analysis/TargetLookup.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Analysis/WrittenIndices.h"
#include "tc/Compiler/TunedFile.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/Pass/PassManager.h"

using namespace tc;

/// Explains all contractions that need a schedule; emits an error on failure.
static LogicalResult explainAll(ModuleOp module, const model::Target &target,
                                const ExplainOptions &options,
                                std::vector<explain::Section> &sections) {
  ScheduleAttr given;
  if (!options.schedule.empty() &&
      !(given = parseSchedule(options.schedule, module.getContext())))
    return failure();
  std::string tuned = chooseTunedFile(options.tuned);
  auto result = module.walk([&](ContractOp op) {
    if (op.hasZeroExtent())
      return mlir::WalkResult::advance();
    ScheduleAttr present = op.getScheduleAttr();
    std::string origin;
    if (!present && !given && !tuned.empty()) {
      Result<TunedSchedule<ScheduleAttr>> found =
          findTunedSchedule(op, tuned, target);
      if (!found) {
        op.emitOpError(found.error());
        return mlir::WalkResult::interrupt();
      }
      present = found->schedule;
      origin = std::move(found->origin);
    }
    std::optional<model::JudgedSchedules> judged;
    if (!present && !given && options.refine > 1) {
      FailureOr<model::Contraction> contraction = chooseForm(op, target, {});
      if (failed(contraction))
        return mlir::WalkResult::interrupt();
      FailureOr<model::JudgedSchedules> found =
          judgeSchedules(op, *contraction, target, options.refine);
      if (failed(found))
        return mlir::WalkResult::interrupt();
      judged = std::move(*found);
    }
    FailureOr<explain::Section> section =
        explainSchedule(op, target, present ? present : given,
                        options.runnersUp, {}, judged ? &*judged : nullptr,
                        !origin.empty() ? "tuned"
                        : present       ? "given"
                                        : options.scheduleName);
    if (failed(section))
      return mlir::WalkResult::interrupt();
    section->origin = std::move(origin);
    sections.push_back(std::move(*section));
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

Result<std::vector<explain::Section>>
tc::explainModule(ModuleOp module, const std::string &name,
                  const ExplainOptions &options) {
  Result<model::Target> target = lookUpTarget(module, options.target);
  if (!target)
    return Error{target.error()};
  ErrorCollector errors(*module.getContext());
  mlir::PassManager ordering(module.getContext());
  OrderPassOptions order;
  order.shares = true;
  order.target = options.target;
  order.memoryLimit = options.memoryLimit.value_or(-1);
  ordering.addPass(createOrderPass(order, options.takeOrders));
  ordering.addPass(createShareContractionsPass());
  if (options.dynamicShapes)
    ordering.addPass(createDynamicShapesPass());
  mlir::PassManager normalize(module.getContext());
  buildTCNormalize(normalize);
  std::vector<explain::Section> sections;
  if (failed(ordering.run(module)))
    return errors.get(name + ": cannot be explained");
  noteWrittenIndices(module);
  if (failed(normalize.run(module)) ||
      failed(explainAll(module, *target, options, sections)))
    return errors.get(name + ": cannot be explained");
  if (sections.empty())
    return Error{name + ": no contraction in it needs a schedule"};
  return sections;
}
