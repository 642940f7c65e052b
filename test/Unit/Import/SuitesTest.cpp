//===- SuitesTest.cpp - The benchmark suites through the importers --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 48 contractions of TCCG and the 27 kernels of NWChem, each read from a
// notation and compared with the suite's own description.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

using namespace tc;
using namespace tc::notation;
using namespace tc::notation::test;
using model::Role;
using nlohmann::json;

static std::string read(const std::string &name) {
  std::ifstream file(TC_SUITES "/" + name);
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The labels with that role.
static std::set<std::string> labels(const model::Contraction &contraction,
                                    Role role) {
  std::set<std::string> result;
  for (unsigned i : contraction.withRole(role))
    result.insert(contraction.indices[i].label);
  return result;
}

static std::string equation(const std::string &spec, const json &sizes) {
  std::istringstream lists(spec);
  std::string text;
  for (std::string_view prefix : {"C[", " = A[", " * B["}) {
    std::string list;
    std::getline(lists, list, '-');
    text += prefix;
    for (size_t i = 0; i < list.size(); ++i)
      text += (i ? "," : "") + list.substr(i, 1);
    text += "]";
  }
  for (const auto &[label, extent] : sizes.items())
    text += "\n" + label + " = " + std::to_string(extent.get<int64_t>());
  return text;
}

TEST(Suites, TCCG) {
  json suite = json::parse(read("tccg.json"));
  ASSERT_EQ(suite.size(), 48u);
  for (const json &problem : suite) {
    std::string spec = problem["spec"];
    SCOPED_TRACE(spec);
    for (std::string precision : {"_dp", "_sp"}) {
      const json &sizes = problem["sizes" + precision];
      std::string extents;
      for (const auto &[label, extent] : sizes.items())
        extents += label + "=" + extent.dump() + ",";
      ParsedContraction parsed =
          parseValid(Notation::TCCG, spec, extents).front();
      ParsedContraction fromFile =
          parseValid(Notation::TCCG, equation(spec, sizes)).front();
      for (Tensor t : model::allTensors)
        EXPECT_EQ(labelsOf(parsed, t), labelsOf(fromFile, t));
      EXPECT_EQ(extentsOf(parsed), extentsOf(fromFile));

      // The suite says M, N and K of the equivalent matrix product. The first
      // index of a list has stride one.
      model::Contraction contraction = model::contractionOf(parsed.record);
      std::vector<int64_t> mnk = problem["mnk" + precision];
      EXPECT_EQ(contraction.extent(Role::M), mnk[0]);
      EXPECT_EQ(contraction.extent(Role::N), mnk[1]);
      EXPECT_EQ(contraction.extent(Role::K), mnk[2]);
      EXPECT_EQ(contraction.extent(Role::Batch), 1);
      for (Tensor t : model::allTensors)
        EXPECT_EQ(contraction.find(columnMajorLabelsOf(parsed, t).front()),
                  contraction.strideOneIndex(t));
    }
  }
}

TEST(Suites, NWChem) {
  json suite = json::parse(read("nwchem_ccsd_t.json"));
  Contractions parsed =
      parseValid(Notation::Cogent, read("nwchem_ccsd_t.cogent"));
  const json &cases = suite["cases"];
  ASSERT_EQ(parsed.size(), 27u);
  ASSERT_EQ(cases.size(), parsed.size());
  for (size_t i = 0; i < parsed.size(); ++i) {
    const json &kernel = cases[i];
    SCOPED_TRACE(parsed[i].name);
    EXPECT_EQ(kernel["id"], parsed[i].name);
    EXPECT_EQ(kernel["A"], json(columnMajorLabelsOf(parsed[i], Tensor::A)));
    EXPECT_EQ(kernel["B"], json(columnMajorLabelsOf(parsed[i], Tensor::B)));
    EXPECT_EQ(kernel["C"], json(columnMajorLabelsOf(parsed[i], Tensor::C)));
    EXPECT_EQ(kernel["sign"],
              parsed[i].record.alpha.value.real() < 0 ? "-" : "+");
    EXPECT_EQ(std::abs(parsed[i].record.alpha.value.real()), 1.0);
    EXPECT_EQ(parsed[i].record.beta.value, 1.0);

    // M comes from A, N from B, and indices that C lacks are summed.
    auto asSet = [](const List &list) {
      return std::set<std::string>(list.begin(), list.end());
    };
    std::set<std::string> a = asSet(columnMajorLabelsOf(parsed[i], Tensor::A));
    std::set<std::string> b = asSet(columnMajorLabelsOf(parsed[i], Tensor::B));
    std::set<std::string> k;
    for (const std::string &label : a)
      if (b.count(label))
        k.insert(label);
    for (const std::string &label : k) {
      a.erase(label);
      b.erase(label);
    }
    model::Contraction contraction = model::contractionOf(parsed[i].record);
    EXPECT_EQ(labels(contraction, Role::M), a);
    EXPECT_EQ(labels(contraction, Role::N), b);
    EXPECT_EQ(labels(contraction, Role::K), k);
    EXPECT_EQ(k.size(), parsed[i].name[5] == 's' ? 0u : 1u);
    for (const model::Index &index : contraction.indices)
      EXPECT_EQ(index.extent, suite["extents_default"].get<int64_t>());
  }
}
