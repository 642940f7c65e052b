//===- Json.cpp - An explanation for programs -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "tc/Gpu/Cost/CostFields.h"
#include "tc/Gpu/Layout/ScheduleFields.h"
#include "tc/MachineCode/Report.h"
#include "tc/Support/FieldJson.h"

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

using Json = nlohmann::ordered_json;

namespace {

/// To be raised when a member changes its meaning or goes away.
constexpr int formatVersion = 1;

Json perTensor(const PerTensor<double> &figures) {
  Json json = Json::object();
  for (Tensor tensor : allTensors)
    json[std::string(nameOf(tensor))] = figures[tensor];
  return json;
}

/// Origins of an index: itself, if nothing was done to it.
Json originToJson(const IndexOrigins &origins, const std::string &label) {
  for (const IndexOrigin &origin : origins.indices)
    if (origin.label == label)
      return origin.from;
  return {label};
}

Json contractionToJson(const Section &section) {
  const Contraction &contraction = section.explanation.contraction;
  Json json;
  json["formula"] = formulaText(contraction);
  Json &indices = json["indices"] = Json::array();
  for (const Index &index : contraction.indices) {
    Json entry = {{"label", index.label},
                  {"role", stringify(index.role)},
                  {"extent", index.extent}};
    for (Tensor tensor : allTensors)
      entry["strides"][std::string(nameOf(tensor))] = index.stride[tensor];
    entry["from"] = originToJson(section.indices, index.label);
    indices.push_back(std::move(entry));
  }
  json["origins"] = originsText(section.indices);
  Json &extents = json["extents"] = Json::object();
  for (Role role : allRoles)
    extents[std::string(stringify(role))] = contraction.extent(role);
  Json &types = json["types"] = Json::object();
  for (Tensor tensor : allTensors)
    types[std::string(nameOf(tensor))] =
        stringify(contraction.elementType[tensor]);
  types["accumulator"] = stringify(contraction.accumulatorType);
  json["precision"] = stringify(contraction.precision);
  json["reads_c"] = contraction.readsC;
  json["fused_multiply_adds"] = contraction.fusedMultiplyAdds();
  return json;
}

Json rateToJson(const Explanation &explanation, Level level) {
  std::optional<double> rate = rateOf(explanation, level);
  return rate ? Json(*rate) : Json();
}

Json targetToJson(const Explanation &explanation) {
  const Target &target = explanation.target;
  Json json = {{"name", target.name},
               {"product", target.product},
               {"multiprocessors", target.multiprocessors},
               {"clock_hertz", target.clockHertz}};
  Json &rates = json["rates"] = Json::array();
  for (Level level : allLevels)
    rates.push_back({{"level", stringify(level)},
                     {"unit", unitOf(level)},
                     {"per_second", rateToJson(explanation, level)}});
  return json;
}

Json levelToJson(const Cost &cost, Level level) {
  const LevelCost &figures = cost[level];
  return {{"level", stringify(level)},
          {"unit", unitOf(level)},
          {"work", figures.work},
          {"bytes", countsBytes(level) ? perTensor(figures.bytes) : Json()},
          {"seconds", figures.seconds}};
}

Json candidateToJson(const Section &section, size_t i) {
  const Explanation &explanation = section.explanation;
  const ExplainedCandidate &candidate = explanation.candidates[i];
  const Schedule &schedule = candidate.schedule;
  const KernelLayout &layout = candidate.layout;
  const Cost &cost = candidate.cost;
  Json json;
  json["name"] = candidateName(section, i);
  json["schedule"] =
      i < section.schedules.size() ? Json(section.schedules[i]) : Json();
  json["tiles"] = {{"m", valueToJson(schedule.m)},
                   {"n", valueToJson(schedule.n)},
                   {"k", valueToJson(schedule.k)}};
  json["block_tile"] = {
      {"m", layout.blockM}, {"n", layout.blockN}, {"k", layout.blockK}};
  json["register_tile"] = {{"m", layout.registerM}, {"n", layout.registerN}};
  json["instruction"] = stringify(schedule.instruction);
  json["stages"] = schedule.stages;
  json["mapping"] = valueToJson(schedule.mapping);
  json["useful_fraction"] = usefulFraction(explanation.contraction, layout);
  json["threads"] = layout.threads;
  json["registers_per_thread"] = layout.registers;
  json["shared_bytes"] = layout.sharedBytes;
  json["steps"] = layout.steps;
  json["blocks"] = layout.blocks;
  json["occupancy"] = valueToJson(cost.occupancy);
  Json &levels = json["levels"] = Json::array();
  for (Level level : allLevels)
    levels.push_back(levelToJson(cost, level));
  json["execution_seconds"] = cost.executionSeconds;
  json["seconds"] = cost.seconds();
  json["judged_seconds"] =
      candidate.judgedSeconds ? Json(*candidate.judgedSeconds) : Json();
  json["limit"] = cost.limit();
  json["compulsory_ratio"] = compulsoryRatio(explanation, cost);
  json["flops_per_dram_byte"] = intensityOf(explanation, cost);
  json["flops_per_second"] = flops(explanation.contraction) / cost.seconds();
  json["roofline_fraction"] = rooflineFraction(explanation, cost);
  json["reason"] = candidate.reason;
  return json;
}

Json sectionToJson(const Section &section) {
  const Explanation &explanation = section.explanation;
  const SearchStatistics &statistics = explanation.statistics;
  Json json;
  json["place"] = section.place;
  if (!section.origin.empty())
    json["tuned"] = section.origin;
  if (section.kernel)
    json["kernel"] = {{"contraction", section.kernel->number},
                      {"contractions", section.kernel->count}};
  json["contraction"] = contractionToJson(section);
  json["target"] = targetToJson(explanation);
  json["compulsory_bytes"] = perTensor(explanation.compulsoryBytes);
  json["roofline_seconds"] = explanation.rooflineSeconds;
  json["judge"] = explanation.judge.empty() ? "model" : explanation.judge;
  Json &candidates = json["candidates"] = Json::array();
  for (size_t i = 0; i < explanation.candidates.size(); ++i)
    candidates.push_back(candidateToJson(section, i));
  json["search"] = {{"branches", statistics.branches},
                    {"expanded", statistics.expanded},
                    {"evaluated", statistics.evaluated},
                    {"is_cut", statistics.isCut},
                    {"seconds", explanation.searchSeconds}};
  if (section.code) {
    json["architecture"] = section.code->architecture;
    json["machine_code"] =
        sass::toJson(section.code->counts, section.code->function);
  }
  return json;
}

} // namespace

std::string explain::renderJson(const std::vector<Section> &sections) {
  Json json;
  json["format"] = "tc-explanation";
  json["version"] = formatVersion;
  Json &explanations = json["explanations"] = Json::array();
  for (const Section &section : sections)
    explanations.push_back(sectionToJson(section));
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}
