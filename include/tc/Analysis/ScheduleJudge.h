//===- ScheduleJudge.h - Judge of schedules besides the model ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model orders schedules by a cost that is worked out in microseconds. A
// judge is slower and truer: it stands above the compiler, and is found through
// the dialect, to which whoever has one attaches it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SCHEDULEJUDGE_H
#define TC_ANALYSIS_SCHEDULEJUDGE_H

#include "tc/Analysis/ContractionDims.h"
#include "tc/Gpu/Search/Explanation.h"

#include "mlir/IR/DialectInterface.h"

namespace tc {

/// An interface of the tc dialect.
class ScheduleJudge : public mlir::DialectInterface::Base<ScheduleJudge> {
public:
  explicit ScheduleJudge(mlir::Dialect *dialect) : Base(dialect) {}

  /// The name of its measure: "time from machine code".
  virtual StringRef name() const = 0;
  /// An error that says what it lacks here, if it lacks anything.
  virtual Status check() const = 0;
  /// The seconds that the operation takes with a schedule for a target. The
  /// operation is left as it is.
  virtual Result<double> judge(ContractOp op, const model::Target &target,
                               const model::Schedule &schedule) const = 0;
};

/// Asks the judge about the best schedules of the search, so many of them, each
/// with another block tile or register tile. The judge's choice comes first.
/// Those that it can say nothing of come last; if it can of none, that is a
/// warning, and the model's choice stays first. Fails if there is no judge or
/// it cannot be asked.
FailureOr<model::JudgedSchedules>
judgeSchedules(ContractOp op, const model::Contraction &contraction,
               const model::Target &target, unsigned count);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEJUDGE_H
