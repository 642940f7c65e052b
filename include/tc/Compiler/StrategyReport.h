//===- StrategyReport.h - Reports of strategies -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy by which a CPU computes a contraction, beside those that it
// might have been.
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_STRATEGYREPORT_H
#define TC_COMPILER_STRATEGYREPORT_H

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Package/KernelText.h"
#include "tc/Pipelines/Pipelines.h"

#include <nlohmann/json.hpp>

namespace tc {

/// "strategy", "three_products" (whether these stand for those of complex
/// numbers), "workspace_bytes", and "predictions", which has for each
/// strategy its times in seconds on the machine to compile for, or why it is
/// unavailable; twice for GETT where complex numbers may be multiplied by three
/// real products; and "levels", what each cache holds under the schedule and
/// what enters it, in bytes of each tensor, and the seconds that this takes by
/// itself. The contraction is in the form of the schedule. `known` is what was
/// considered when the schedule was chosen; null if it was given, and then the
/// strategies are considered here.
runtime::Json strategiesToJson(ContractOp op,
                               const model::Contraction &contraction,
                               const model::CpuSchedule &schedule,
                               const TCCPUPipelineOptions &options,
                               const std::vector<model::StrategyChoice> *known);

/// The same as lines of a report.
std::string strategiesText(const runtime::Json &json);

/// Explanation of strategies: "origins", how the schedule's indices come from
/// the user's (explain::originsText), the parts of the predicted times, and the
/// levels.
std::string cpuExplanationText(const runtime::Json &json);

} // namespace tc

#endif // TC_COMPILER_STRATEGYREPORT_H
