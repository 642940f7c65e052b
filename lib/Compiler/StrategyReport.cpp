//===- StrategyReport.cpp - Reports of strategies -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/StrategyReport.h"

#include "tc/Analysis/CpuStrategies.h"
#include "tc/Analysis/TunedSchedule.h"
#include "tc/Cpu/CpuMovement.h"
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

static Json bytesToJson(const model::PerTensor<double> &bytes) {
  using model::Tensor;
  return {{"A", bytes[Tensor::A]},
          {"B", bytes[Tensor::B]},
          {"C", bytes[Tensor::C]}};
}

static Json levelsToJson(const std::vector<model::CpuLevelUse> &uses) {
  Json levels = Json::array();
  for (const model::CpuLevelUse &use : uses) {
    Json level;
    level["level"] = use.name;
    level["capacity_bytes"] = use.capacityBytes;
    level["tile_bytes"] = bytesToJson(use.tile);
    level["moved_bytes"] = bytesToJson(use.moved);
    level["seconds"] = use.seconds;
    levels.push_back(std::move(level));
  }
  return levels;
}

Json tc::strategiesToJson(ContractOp op, const model::Contraction &contraction,
                          const model::CpuSchedule &schedule,
                          const TCCPUPipelineOptions &options,
                          const std::vector<StrategyChoice> *known) {
  Json json;
  json["strategy"] = model::stringify(schedule.strategy);
  json["three_products"] = contraction.threeProducts.has_value();
  json["workspace_bytes"] = model::workspaceBytes(contraction, schedule);
  json["predictions"] = Json::object();
  json["levels"] = Json::array();
  // Without a CPU to choose schedules for, one was given.
  Result<model::CpuTarget> target = model::loadCpuTarget(options.targetFile);
  if (!target)
    return json;
  if (!target->calibration.empty())
    json["calibration"] = target->calibration;
  if (Result<std::vector<model::CpuLevelUse>> uses =
          model::levelUses(contraction, schedule, *target))
    json["levels"] = levelsToJson(*uses);
  int64_t most = options.workspaceLimit.getValue();
  std::optional<int64_t> limit;
  if (most >= 0)
    limit = most;
  std::vector<StrategyChoice> considered;
  if (!known) {
    FailureOr<Result<std::vector<StrategyChoice>>> choices = considerStrategies(
        op, *target,
        {limit, options.threads, options.libraryCalls == "always",
         options.targetFile.empty()});
    if (failed(choices) || !*choices)
      return json;
    considered = std::move(**choices);
    known = &considered;
  }
  if (!options.tuned.empty() && options.schedule.empty())
    if (Result<TunedSchedule<CpuScheduleAttr>> tuned = findTunedSchedule(
            op, options.tuned, *target, options.threads,
            {model::symbolizeStrategy(options.strategy.getValue()), limit,
             options.libraryCalls == "always"}))
      json["tuned"] = tuned->origin;
  for (const StrategyChoice &choice : *known) {
    Json &entry = json["predictions"][choice.name()];
    if (choice.unavailable.empty()) {
      entry = timeToJson(choice.time);
      entry["workspace_bytes"] = choice.workspaceBytes;
      if (!choice.objection.empty())
        entry["not_chosen"] = choice.objection;
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
  if (json.contains("tuned"))
    text += runtime::reportLine("tuned", json["tuned"].get<std::string>());
  if (json.contains("calibration"))
    text += runtime::reportLine("calibration",
                                json["calibration"].get<std::string>());
  for (const auto &[name, entry] : json["predictions"].items())
    text += runtime::reportLine(
        "predicted",
        entry.contains("unavailable")
            ? name + " unavailable: " + entry["unavailable"].get<std::string>()
            : name + " " + microseconds(entry["seconds"].get<double>()) +
                  (entry.contains("not_chosen")
                       ? ", if asked for: " +
                             entry["not_chosen"].get<std::string>()
                       : ""));
  return text;
}

/// Three digits of a number of bytes.
static std::string bytesText(double bytes) {
  const char *unit = "B";
  for (const char *next : {"kB", "MB", "GB", "TB"}) {
    if (bytes < 1000)
      break;
    bytes /= 1000;
    unit = next;
  }
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.3g %s", bytes, unit);
  return buffer;
}

static std::string bytesText(const Json &tensors) {
  std::string text;
  for (const auto &[name, bytes] : tensors.items())
    text += (text.empty() ? "" : ", ") + name + " " +
            bytesText(bytes.get<double>());
  return text;
}

std::string tc::cpuExplanationText(const Json &json) {
  std::string text;
  if (std::string origins = json["origins"].get<std::string>();
      !origins.empty())
    text += runtime::reportLine("indices", origins);
  for (const auto &[name, entry] : json["predictions"].items()) {
    if (entry.contains("unavailable"))
      continue;
    std::string parts;
    for (const char *part :
         {"multiply", "output", "pack", "transpose", "setup"})
      parts +=
          (parts.empty() ? "" : ", ") + std::string(part) + " " +
          microseconds(entry[std::string(part) + "_seconds"].get<double>());
    text += runtime::reportLine("time, " + name, parts);
  }
  for (const Json &level : json["levels"]) {
    std::string name = level["level"].get<std::string>();
    text +=
        runtime::reportLine(
            name + " holds",
            bytesText(level["tile_bytes"]) + " of " +
                bytesText(level["capacity_bytes"].get<double>())) +
        runtime::reportLine(name + " gets",
                            bytesText(level["moved_bytes"]) + ", in " +
                                microseconds(level["seconds"].get<double>()));
  }
  return text;
}
