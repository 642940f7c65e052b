//===- ScheduleJudge.cpp - Judge of schedules besides the model -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ScheduleJudge.h"

#include "tc/Dialect/TC/IR/TCDialect.h"

#include <limits>
#include <numeric>

using namespace tc;

FailureOr<model::JudgedSchedules>
tc::judgeSchedules(ContractOp op, const model::Contraction &contraction,
                   const model::Target &target, unsigned count) {
  const auto *judge = op->getDialect()->getRegisteredInterface<ScheduleJudge>();
  if (!judge)
    return op.emitOpError("option 'refine': nothing here judges schedules");
  if (Status status = judge->check(); !status)
    return op.emitOpError("option 'refine': ")
           << judge->name() << ": " << status.error();
  model::SearchOptions options;
  options.runnersUp = count - 1;
  options.distinguishesRegisterTiles = true;
  Result<model::SearchResult> found =
      model::search(contraction, target, options);
  if (!found)
    return op.emitOpError("no schedule for ")
           << target.name << ": " << found.error();

  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> seconds;
  std::string complaint;
  for (const model::Candidate &candidate : found->candidates) {
    Result<double> judged = judge->judge(op, target, candidate.schedule);
    seconds.push_back(judged ? *judged : never);
    if (!judged && complaint.empty())
      complaint = judged.error();
  }
  std::vector<size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), size_t(0));
  // Of those that are as fast, the model's order decides.
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(seconds[a], a) < std::pair(seconds[b], b);
  });
  if (seconds[order.front()] == never)
    op.emitWarning("option 'refine': the model's choice stays: ") << complaint;

  model::JudgedSchedules result;
  result.judge = judge->name().str();
  for (size_t i : order) {
    result.schedules.push_back(found->candidates[i].schedule);
    result.seconds.push_back(seconds[i] == never ? std::nullopt
                                                 : std::optional(seconds[i]));
  }
  return result;
}
