//===- StrategyReport.cpp - What is told of strategies --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/StrategyReport.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/TargetFile.h"

using namespace tc;
using model::CpuTime;
using model::StrategyChoice;
using runtime::Json;

static Json timeToJson(const CpuTime &time) {
  Json json;
  json["seconds"] = time.total();
  json["multiply_seconds"] = time.multiply;
  json["output_seconds"] = time.output;
  json["pack_seconds"] = time.pack;
  json["transpose_seconds"] = time.transpose;
  json["setup_seconds"] = time.setup;
  return json;
}

Json tc::strategiesToJson(ContractOp op, const model::Contraction &contraction,
                          const model::CpuSchedule &schedule,
                          const TCCPUPipelineOptions &options) {
  Json json;
  json["strategy"] = model::stringify(schedule.strategy);
  json["three_products"] = contraction.threeProducts.has_value();
  json["workspace_bytes"] = model::workspaceBytes(contraction, schedule);
  json["predictions"] = Json::object();
  // Without a CPU to choose schedules for, one was given.
  Result<model::CpuTarget> target = model::loadCpuTarget(options.targetFile);
  if (!target)
    return json;
  if (!target->calibration.empty())
    json["calibration"] = target->calibration;
  int64_t most = options.workspaceLimit.getValue();
  std::optional<int64_t> limit;
  if (most >= 0)
    limit = most;
  FailureOr<std::vector<model::Contraction>> forms = toCpuForms(op);
  if (failed(forms))
    return json;
  Result<std::vector<StrategyChoice>> choices =
      model::considerStrategies(*forms, *target, limit, options.threads);
  if (!choices)
    return json;
  for (const StrategyChoice &choice : *choices) {
    Json &entry = json["predictions"][choice.name()];
    if (choice.unavailable.empty()) {
      entry = timeToJson(choice.time);
      entry["workspace_bytes"] = choice.workspaceBytes;
    } else {
      entry["unavailable"] = choice.unavailable;
    }
  }
  return json;
}

static std::string microseconds(double seconds) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.4g us", seconds * 1e6);
  return buffer;
}

std::string tc::strategiesText(const Json &json) {
  std::string text = runtime::reportLine(
      "strategy",
      json["strategy"].get<std::string>() +
          (json["three_products"].get<bool>() ? " with three products" : "") +
          ", copies of " + json["workspace_bytes"].dump() + " B");
  if (json.contains("calibration"))
    text += runtime::reportLine("calibration",
                                json["calibration"].get<std::string>());
  for (const auto &[name, entry] : json["predictions"].items())
    text += runtime::reportLine(
        "predicted",
        entry.contains("unavailable")
            ? name + " unavailable: " + entry["unavailable"].get<std::string>()
            : name + " " + microseconds(entry["seconds"].get<double>()));
  return text;
}
