//===- Suites.cpp - The contractions of benchmark suites ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "TestContractions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace tc::model::test {

namespace {

using List = std::vector<std::string>;

nlohmann::json readSuite(const std::string &file) {
  std::ifstream stream(std::string(TC_SUITES_DIR "/") + file);
  if (!stream) {
    ADD_FAILURE() << "cannot read " << file;
    return {};
  }
  return nlohmann::json::parse(stream);
}

/// Merges index `inner` into `outer` where every tensor that holds one holds
/// both, with `outer` right outside `inner`.
bool collapseOnce(Contraction &contraction) {
  std::vector<Index> &indices = contraction.indices;
  for (size_t outer = 0; outer < indices.size(); ++outer) {
    for (size_t inner = 0; inner < indices.size(); ++inner) {
      if (outer == inner || indices[outer].role != indices[inner].role ||
          !std::all_of(allTensors.begin(), allTensors.end(), [&](Tensor t) {
            return indices[outer].stride[t] ==
                   indices[inner].stride[t] * indices[inner].extent;
          }))
        continue;
      indices[outer].extent *= indices[inner].extent;
      indices[outer].stride = indices[inner].stride;
      indices[outer].label += indices[inner].label;
      indices.erase(indices.begin() + static_cast<int64_t>(inner));
      return true;
    }
  }
  return false;
}

Contraction build(List a, List b, List c, const Extents &extents,
                  ElementType type) {
  // The suites are column-major.
  for (List *list : {&a, &b, &c})
    std::reverse(list->begin(), list->end());
  Result<Contraction> result = makeContiguous({{a, b, c}}, extents, type);
  if (!result) {
    ADD_FAILURE() << result.error();
    return {};
  }
  while (collapseOnce(*result)) {
  }
  return *result;
}

} // namespace

std::vector<SuiteCase> tccgSuite(ElementType type) {
  std::vector<SuiteCase> cases;
  for (const nlohmann::json &entry : readSuite("tccg.json")) {
    std::string spec = entry["spec"];
    size_t first = spec.find('-'), second = spec.rfind('-');
    Extents extents;
    for (const auto &[label, extent] :
         entry[type == ElementType::F64 ? "sizes_dp" : "sizes_sp"].items())
      extents.emplace_back(label, extent);
    cases.push_back({std::to_string(entry["id"].get<int>()) + " " + spec,
                     build(labels(spec.substr(first + 1, second - first - 1)),
                           labels(spec.substr(second + 1)),
                           labels(spec.substr(0, first)), extents, type)});
  }
  return cases;
}

std::vector<SuiteCase> nwchemSuite() {
  nlohmann::json suite = readSuite("nwchem_ccsd_t.json");
  std::vector<SuiteCase> cases;
  for (const nlohmann::json &entry : suite["cases"]) {
    List a = entry["A"], b = entry["B"], c = entry["C"];
    Extents extents;
    for (const List &list : {a, b, c})
      for (const std::string &label : list)
        if (std::none_of(extents.begin(), extents.end(),
                         [&](const auto &pair) { return pair.first == label; }))
          extents.emplace_back(label, suite["extents_default"]);
    Contraction contraction = build(a, b, c, extents, ElementType::F64);
    contraction.readsC = true;
    cases.push_back({entry["id"], contraction});
  }
  return cases;
}

} // namespace tc::model::test
