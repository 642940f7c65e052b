//===- Results.cpp - Results of a benchmark ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Results.h"
#include "tc/Bench/Statistics.h"
#include "tc/Support/StrictJson.h"

#include <ctime>
#include <set>

using namespace tc;
using namespace tc::bench;

static constexpr std::string_view resultsFormat = "tc-bench";
static constexpr int64_t resultsVersion = 1;

bool CaseResult::passed() const {
  for (const Outcome &outcome : outcomes)
    if (!outcome.error.empty())
      return false;
  return refused.empty();
}

CaseResult bench::describeCase(const Suite &suite, const Case &test) {
  CaseResult result;
  result.name = test.name;
  result.type = test.type;
  result.extents = test.extents;
  result.refused = test.refused;
  if (Result<runtime::Kernel> definition = definitionOf(suite, test)) {
    result.contraction = runtime::formulaOf(*definition);
    result.work = runtime::workOf(*definition);
  }
  return result;
}

const Outcome *CaseResult::find(std::string_view contender) const {
  for (const Outcome &outcome : outcomes)
    if (outcome.contender == contender)
      return &outcome;
  return nullptr;
}

const CaseResult *Results::find(std::string_view name) const {
  for (const CaseResult &result : cases)
    if (result.name == name)
      return &result;
  return nullptr;
}

std::string bench::currentDate() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json verdictToJson(const Verdict &verdict) {
  return {{"passed", verdict.passed},
          {"relative_error", verdict.relativeError},
          {"tolerance", verdict.tolerance},
          {"summary", verdict.summary}};
}

static Json outcomeToJson(const Outcome &outcome, const CaseResult &result) {
  Json json;
  json["contender"] = outcome.contender;
  if (!outcome.error.empty())
    json["error"] = outcome.error;
  if (outcome.verdict)
    json["check"] = verdictToJson(*outcome.verdict);
  if (outcome.difference)
    json["difference"] = *outcome.difference;
  if (!outcome.samples.empty()) {
    Summary summary = summarize(outcome.samples);
    json["median_seconds"] = summary.median;
    json["quartiles_seconds"] = {summary.lowerQuartile, summary.upperQuartile};
    json["flops_per_second"] = result.work.flops / summary.median;
    json["bytes_per_second"] = result.work.bytes / summary.median;
    if (result.floor)
      json["fraction_of_floor"] = result.floor->seconds / summary.median;
    json["samples_seconds"] = outcome.samples;
  }
  json["details"] = outcome.details;
  return json;
}

static Json caseToJson(const CaseResult &result) {
  Json json;
  json["name"] = result.name;
  json["contraction"] = result.contraction;
  json["type"] = result.type;
  Json &extents = json["extents"] = Json::object();
  for (const auto &[label, extent] : result.extents)
    extents[label] = extent;
  json["flops"] = result.work.flops;
  json["bytes"] = result.work.bytes;
  if (!result.refused.empty())
    json["refused"] = result.refused;
  if (result.floor) {
    json["floor_seconds"] = result.floor->seconds;
    json["bound"] = result.floor->isMemoryBound ? "memory" : "arithmetic";
  }
  json["conditions"] = result.conditions;
  json["outcomes"] = Json::array();
  for (const Outcome &outcome : result.outcomes)
    json["outcomes"].push_back(outcomeToJson(outcome, result));
  json["simulation"] = result.simulation;
  return json;
}

std::string bench::toJson(const Results &results) {
  Json json;
  json["format"] = resultsFormat;
  json["version"] = resultsVersion;
  json["suite"] = results.suite;
  json["machine"] = results.machine;
  json["date"] = results.date;
  json["options"] = results.options;
  json["device"] = results.device;
  json["versions"] = results.versions;
  json["ceilings"] = results.ceilings;
  Json &unavailable = json["unavailable"] = Json::object();
  for (const auto &[contender, reason] : results.unavailable)
    unavailable[contender] = reason;
  json["complete"] = results.notRun.empty();
  json["not_run"] = results.notRun;
  json["cases"] = Json::array();
  for (const CaseResult &result : results.cases)
    json["cases"].push_back(caseToJson(result));
  return runtime::dump(json);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Json readObject(const JsonNode &node) {
  Json value = node.json();
  if (!value.is_object())
    node.fail("expected an object");
  return value;
}

static Json readObjectOrNull(const JsonNode &node) {
  return node.isNull() ? Json() : readObject(node);
}

static double readPositive(const JsonNode &node) {
  double value = node.number();
  if (!(value > 0))
    node.fail("expected a positive number");
  return value;
}

static Verdict readVerdict(const JsonNode &node) {
  node.requireKeys({"passed", "relative_error", "tolerance", "summary"});
  Verdict verdict;
  verdict.passed = node["passed"].boolean();
  // Numbers that are not finite are written as null.
  if (!node["relative_error"].isNull())
    verdict.relativeError = node["relative_error"].number();
  verdict.tolerance = node["tolerance"].number();
  verdict.summary = node["summary"].string();
  return verdict;
}

static Outcome readOutcome(const JsonNode &node) {
  node.requireKeys({"contender", "details"},
                   {"error", "check", "difference", "median_seconds",
                    "quartiles_seconds", "flops_per_second", "bytes_per_second",
                    "fraction_of_floor", "samples_seconds"});
  Outcome outcome;
  outcome.contender = node["contender"].string();
  if (node.has("error"))
    outcome.error = node["error"].string();
  if (node.has("check"))
    outcome.verdict = readVerdict(node["check"]);
  if (node.has("difference") && !node["difference"].isNull())
    outcome.difference = node["difference"].number();
  if (node.has("samples_seconds"))
    for (const JsonNode &sample : node["samples_seconds"].elements())
      outcome.samples.push_back(readPositive(sample));
  if (outcome.error.empty() == outcome.samples.empty())
    node.fail("expected either \"error\" or \"samples_seconds\"");
  outcome.details = readObject(node["details"]);
  return outcome;
}

static CaseResult readCaseResult(const JsonNode &node) {
  node.requireKeys({"name", "contraction", "type", "extents", "flops", "bytes",
                    "conditions", "outcomes", "simulation"},
                   {"refused", "floor_seconds", "bound"});
  CaseResult result;
  result.name = node["name"].string();
  result.contraction = node["contraction"].string();
  result.type = node["type"].string();
  for (const auto &[label, extent] : node["extents"].members())
    result.extents.emplace_back(label, extent.integer(/*least=*/1));
  result.work = {node["flops"].number(), node["bytes"].number()};
  if (node.has("refused"))
    result.refused = node["refused"].string();
  if (node.has("floor_seconds")) {
    std::string bound = node["bound"].string();
    if (bound != "memory" && bound != "arithmetic")
      node["bound"].fail("expected \"memory\" or \"arithmetic\"");
    result.floor = {readPositive(node["floor_seconds"]), bound == "memory"};
  }
  result.conditions = readObjectOrNull(node["conditions"]);
  std::set<std::string> contenders;
  for (const JsonNode &outcome : node["outcomes"].elements()) {
    result.outcomes.push_back(readOutcome(outcome));
    const std::string &contender = result.outcomes.back().contender;
    if (!contenders.insert(contender).second)
      outcome["contender"].fail("\"" + contender + "\" occurs twice");
  }
  result.simulation = readObjectOrNull(node["simulation"]);
  return result;
}

Result<Results> bench::parseResults(std::string_view text) {
  Result<Json> document = parseStrictJson(text);
  if (!document)
    return Error{document.error()};
  FirstError error;
  JsonNode root(*document, error);
  root.requireFormat(resultsFormat, resultsVersion);
  if (error)
    return *error;

  root.requireKeys({"format", "version", "suite", "machine", "date", "options",
                    "device", "versions", "ceilings", "unavailable", "complete",
                    "not_run", "cases"});
  Results results;
  results.suite = root["suite"].string();
  results.machine = root["machine"].string();
  if (results.machine != "cuda" && results.machine != "sim")
    root["machine"].fail("expected \"cuda\" or \"sim\"");
  results.date = root["date"].string();
  results.options = readObject(root["options"]);
  results.device = readObject(root["device"]);
  results.versions = readObject(root["versions"]);
  results.ceilings = readObject(root["ceilings"]);
  for (const auto &[contender, reason] : root["unavailable"].members())
    results.unavailable.emplace_back(contender, reason.string());
  results.notRun = root["not_run"].strings();
  if (root["complete"].boolean() != results.notRun.empty())
    root["complete"].fail("contradicts \"not_run\"");
  std::set<std::string> names;
  for (const JsonNode &node : root["cases"].elements()) {
    results.cases.push_back(readCaseResult(node));
    if (!names.insert(results.cases.back().name).second)
      node["name"].fail("\"" + results.cases.back().name + "\" occurs twice");
  }
  if (error)
    return *error;
  return results;
}
