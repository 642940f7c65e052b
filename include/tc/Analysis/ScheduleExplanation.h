//===- ScheduleExplanation.h - Operations' schedules explained --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a tc.contract to the model's explanation of its schedule, and from
// explanations to files.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SCHEDULEEXPLANATION_H
#define TC_ANALYSIS_SCHEDULEEXPLANATION_H

#include "tc/Analysis/ContractionDims.h"
#include "tc/Explain/Explain.h"

namespace tc {

/// Explains the schedule that the search would choose for the target, or, if
/// one is given, that one on the target that it names, beside the search's
/// choice there, as `givenName`. The candidates' schedules come as text. Emits
/// an error if the operation is none for the model (`toContraction`), if no
/// schedule is feasible, and if the given one cannot be obeyed.
FailureOr<explain::Section>
explainSchedule(ContractOp op, const model::Target &target, ScheduleAttr given,
                unsigned runnersUp,
                const RepresentativeExtents &representatives = {},
                const model::JudgedSchedules *judged = nullptr,
                const std::string &givenName = "given");

/// Files to write explanations to; those without a name are left out.
struct ExplanationFiles {
  std::string html, json;
};

/// Writes all sections into each file: all files are written whole, or none is.
Status writeExplanations(const std::vector<explain::Section> &sections,
                         const ExplanationFiles &files);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEEXPLANATION_H
