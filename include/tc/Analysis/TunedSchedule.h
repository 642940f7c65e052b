//===- TunedSchedule.h - Schedules out of a tuning database -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The best that searches which evaluated schedules have found for an operation.
// docs/tuning.md explains the database.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TUNEDSCHEDULE_H
#define TC_ANALYSIS_TUNEDSCHEDULE_H

#include "tc/Analysis/ContractionDims.h"
#include "tc/Machine/CpuTarget.h"
#include "tc/Tuning/TuningDatabase.h"

namespace tc::model {
struct Target;
} // namespace tc::model

namespace tc {

/// The database's entry for one operation.
template <typename ScheduleAttrT> struct TunedSchedule {
  /// With the operation's names of indices; null if there is none, or none that
  /// can be obeyed.
  ScheduleAttrT schedule;
  /// The place it comes from, or the reason why there is none: "from t.sqlite:
  /// measured ...", "searched, as it is not in t.sqlite".
  std::string origin;
};

/// The beginning of remarks about what was found in the database; the origin of
/// that follows.
inline constexpr llvm::StringLiteral tunedRemark = "schedule: ";

/// An operation's key in the database, and a text of a schedule of it as the
/// database has it.
Result<tuning::TuningKey>
tuningKeyOf(ContractOp op, const model::Target &target,
            const RepresentativeExtents &representatives = {});
Result<tuning::TuningKey>
tuningKeyOf(ContractOp op, const model::CpuTarget &target, int64_t threads);
Result<std::string>
storedScheduleOf(ContractOp op, ScheduleAttr schedule,
                 const RepresentativeExtents &representatives = {});
Result<std::string> storedScheduleOf(ContractOp op, CpuScheduleAttr schedule);

/// Looks an operation up. Fails if the database at that path cannot be read.
Result<TunedSchedule<ScheduleAttr>>
findTunedSchedule(ContractOp op, const std::string &path,
                  const model::Target &target,
                  const RepresentativeExtents &representatives = {});

/// The same for a CPU. A schedule of another strategy than the one that is
/// asked for, if one is, whose copies take more than the limit in bytes, or
/// that calls the library where code may not, cannot be obeyed.
struct CpuTuningLimits {
  std::optional<model::Strategy> strategy;
  std::optional<int64_t> workspaceLimit;
  bool callsLibrary = false;
};
Result<TunedSchedule<CpuScheduleAttr>>
findTunedSchedule(ContractOp op, const std::string &path,
                  const model::CpuTarget &target, int64_t threads,
                  const CpuTuningLimits &limits);

} // namespace tc

#endif // TC_ANALYSIS_TUNEDSCHEDULE_H
