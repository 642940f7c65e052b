//===- Evaluation.cpp - Evaluations of schedules --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Tuning/Evaluation.h"

#include "tc/Support/FieldJson.h"
#include "tc/Support/StrictJson.h"

#include <cmath>

using namespace tc;
using namespace tc::tuning;

std::string_view tuning::stringify(EvaluationKind kind) {
  return kind == EvaluationKind::Simulated ? "simulated" : "measured";
}

std::optional<EvaluationKind>
tuning::symbolizeEvaluationKind(std::string_view name) {
  for (EvaluationKind kind : allEvaluationKinds)
    if (stringify(kind) == name)
      return kind;
  return std::nullopt;
}

Status tuning::check(const Evaluation &evaluation) {
  for (auto [name, text] :
       {std::pair("contraction", &evaluation.key.contraction),
        {"machine", &evaluation.key.machine},
        {"schedule", &evaluation.schedule}})
    if (text->empty())
      return Error{"its " + std::string(name) + " is empty"};
  if (!std::isfinite(evaluation.seconds) || evaluation.seconds <= 0)
    return Error{"its time is no positive number of seconds"};
  return {};
}

std::string tuning::writeEvaluation(const Evaluation &evaluation) {
  nlohmann::ordered_json json;
  writeFields(json, evaluation);
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

static Result<Evaluation> readEvaluation(std::string_view line) {
  Result<nlohmann::ordered_json> document = parseStrictJson(line);
  if (!document)
    return Error{document.error()};
  FirstError error;
  JsonNode node(*document, error);
  node.requireKeys({"key", "schedule", "seconds", "kind", "date", "version",
                    "seed", "search"});
  JsonNode key = node["key"];
  key.requireKeys({"contraction", "machine", "syntax"});
  Evaluation evaluation;
  evaluation.key = {key["contraction"].string(), key["machine"].string(),
                    key["syntax"].integer(0)};
  evaluation.schedule = node["schedule"].string();
  evaluation.seconds = node["seconds"].number();
  if (auto kind = symbolizeEvaluationKind(node["kind"].string()))
    evaluation.kind = *kind;
  else
    node["kind"].fail("neither measured nor simulated");
  evaluation.date = node["date"].string();
  evaluation.version = node["version"].string();
  evaluation.seed = node["seed"].integer();
  evaluation.search = node["search"].string();
  if (error)
    return *error;
  if (Status status = check(evaluation); !status)
    return Error{status.error()};
  return evaluation;
}

Result<std::vector<Evaluation>>
tuning::readEvaluations(std::string_view text, const std::string &filename) {
  std::vector<Evaluation> evaluations;
  size_t number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    Result<Evaluation> evaluation = readEvaluation(line);
    if (!evaluation)
      return Error{filename + ":" + std::to_string(number) + ": " +
                   evaluation.error()};
    evaluations.push_back(std::move(*evaluation));
  }
  return evaluations;
}

std::string tuning::describe(const Evaluation &evaluation) {
  double number = evaluation.seconds;
  const char *unit = "s";
  for (const char *smaller : {"ms", "us", "ns"}) {
    if (number >= 1)
      break;
    number *= 1000;
    unit = smaller;
  }
  char time[64];
  std::snprintf(time, sizeof(time), "%.4g %s", number, unit);
  return std::string(stringify(evaluation.kind)) + " " + time + " by tc " +
         evaluation.version + ", search " + evaluation.search + ", " +
         evaluation.date;
}
