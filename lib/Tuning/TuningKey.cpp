//===- TuningKey.cpp - Keys of tuned schedules ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Tuning/TuningKey.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/ContractionRecord.h"
#include "tc/Support/FieldJson.h"

using namespace tc;
using namespace tc::tuning;
using model::Contraction;
using model::CpuSchedule;
using model::Schedule;
using model::TileExtent;
using Json = nlohmann::ordered_json;

namespace tc::model {
/// For keys: packages and texts have their own words for tensors.
static std::string_view stringify(Tensor tensor) {
  return std::string_view("ABC").substr(static_cast<size_t>(tensor), 1);
}
} // namespace tc::model

Contraction tuning::withCanonicalNames(Contraction contraction) {
  for (size_t i = 0; i < contraction.indices.size(); ++i)
    contraction.indices[i].label = "i" + std::to_string(i);
  return contraction;
}

/// The text of fused code with the names of indices that the key has. The texts
/// in brackets are lists of indices.
static std::string renameInBrackets(const std::string &text,
                                    const Contraction &contraction) {
  std::string renamed, label;
  bool isInside = false;
  for (char c : text) {
    bool isName = c != '[' && c != ']' && c != ',' && c != ' ';
    if (isInside && isName) {
      label += c;
      continue;
    }
    if (!label.empty()) {
      std::optional<unsigned> index = contraction.find(label);
      renamed += index ? "i" + std::to_string(*index) : label;
      label.clear();
    }
    renamed += c;
    isInside = c == '[' || (isInside && c != ']');
  }
  return renamed + label;
}

std::string tuning::describeForGpu(const Contraction &contraction,
                                   const ContractionCode &code) {
  Json json;
  json["contraction"] = valueToJson(withCanonicalNames(contraction));
  json["allow_three_products"] = code.allowsThreeProducts;
  for (auto [name, text] : {std::pair("prologue_a", &code.prologueA),
                            {"prologue_b", &code.prologueB},
                            {"product", &code.product},
                            {"combine", &code.combine},
                            {"epilogue", &code.epilogue}})
    if (!text->empty())
      json[name] = renameInBrackets(*text, contraction);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tuning::describeForCpu(Contraction contraction,
                                   const ContractionCode &code) {
  contraction.offset = contraction.baseAlignment = {};
  return describeForGpu(contraction, code);
}

std::string tuning::describeMachine(const model::Target &target) {
  return target.name;
}

std::string tuning::describeMachine(const model::CpuTarget &target,
                                    int64_t threads) {
  std::string text = target.name + ", " + target.product + ", " +
                     std::to_string(target.cores) + " cores, " +
                     std::to_string(target.vectorRegisters) + " registers of " +
                     std::to_string(target.vectorBytes) + " B";
  for (const model::CpuCache &cache : target.caches)
    text += ", " + cache.name + " " + std::to_string(cache.bytes) + " B, " +
            std::to_string(cache.ways) + " ways, for " +
            std::to_string(cache.sharedByCores);
  return text + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

/// Gives an index the name that the one at its place has in another
/// contraction.
static Status rename(std::string &label, const Contraction &from,
                     const Contraction &to) {
  std::optional<unsigned> index = from.find(label);
  if (!index || *index >= to.indices.size())
    return Error{"the contraction has no index '" + label + "'"};
  label = to.indices[*index].label;
  return {};
}

static Status rename(std::vector<TileExtent> &tiles, const Contraction &from,
                     const Contraction &to) {
  for (TileExtent &tile : tiles)
    if (Status status = rename(tile.label, from, to); !status)
      return status;
  return {};
}

Result<Schedule> tuning::renameIndices(const Schedule &schedule,
                                       const Contraction &from,
                                       const Contraction &to) {
  model::ComplexForm form = model::formOf(from, schedule.k);
  Contraction before = model::toForm(form, from);
  Contraction after = model::toForm(form, to);
  Schedule renamed = schedule;
  for (auto *tiles : {&renamed.m, &renamed.n, &renamed.k})
    if (Status status = rename(*tiles, before, after); !status)
      return Error{status.error()};
  return renamed;
}

Result<CpuSchedule> tuning::renameIndices(const CpuSchedule &schedule,
                                          const Contraction &from,
                                          const Contraction &to) {
  model::ComplexForm form = model::formOf(from, schedule.k);
  Contraction before = model::joinParts(model::toForm(form, from));
  Contraction after = model::joinParts(model::toForm(form, to));
  CpuSchedule renamed = schedule;
  for (std::vector<std::string> &labels : renamed.transpose)
    for (std::string &label : labels)
      if (Status status = rename(label, before, after); !status)
        return Error{status.error()};
  for (std::string &label : renamed.loops)
    if (Status status = rename(label, before, after); !status)
      return Error{status.error()};
  for (std::string *label : {&renamed.vectorIndex, &renamed.columnIndex})
    if (!label->empty())
      if (Status status = rename(*label, before, after); !status)
        return Error{status.error()};
  // The tiles are those of the product, whose indices may be merged ones.
  Result<Contraction> productBefore = model::productOf(before, schedule),
                      productAfter = model::productOf(after, renamed);
  for (const Result<Contraction> *product : {&productBefore, &productAfter})
    if (!*product)
      return Error{product->error()};
  for (auto *tiles : {&renamed.m, &renamed.n, &renamed.k})
    if (Status status = rename(*tiles, *productBefore, *productAfter); !status)
      return Error{status.error()};
  return renamed;
}
