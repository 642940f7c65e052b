//===- Suite.cpp - Lists of contractions to measure -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Suite.h"
#include "tc/Package/ConstantJson.h"
#include "tc/Package/Geometry.h"
#include "tc/Package/KernelText.h"
#include "tc/Support/Arithmetic.h"
#include "tc/Support/Files.h"

#include <algorithm>
#include <filesystem>
#include <set>

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

static constexpr std::string_view suiteFormat = "tc-suite";
static constexpr int64_t suiteVersion = 1;
static constexpr std::array<const char *, 3> tensorNames = {"A", "B", "C"};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::vector<std::pair<std::string, int64_t>>
readExtents(const JsonNode &node) {
  std::vector<std::pair<std::string, int64_t>> extents;
  for (const auto &[label, value] : node.members()) {
    if (!model::isValidLabel(label))
      value.fail("\"" + label + "\" is not an index name");
    extents.emplace_back(label, value.integer(/*least=*/1));
  }
  return extents;
}

/// Each list is free of repetition, each index has an extent and is used, and
/// C's are summed from something.
static void checkIndices(const JsonNode &node, const Case &test) {
  std::set<std::string> known, used;
  for (const auto &[label, extent] : test.extents)
    known.insert(label);
  for (size_t i = 0; i < 3; ++i) {
    std::set<std::string> seen;
    for (const std::string &label : test.indices[i]) {
      JsonNode list = node[tensorNames[i]];
      if (!known.count(label))
        list.fail("index \"" + label + "\" has no extent");
      if (!seen.insert(label).second)
        list.fail("index \"" + label + "\" occurs twice");
      if (i == 2 && !used.count(label))
        list.fail("index \"" + label + "\" is in neither A nor B");
    }
    used.insert(seen.begin(), seen.end());
  }
  for (const std::string &label : known)
    if (!used.count(label))
      node["extents"].fail("index \"" + label + "\" is in no tensor");
}

static std::string readPath(const JsonNode &node) {
  std::string text = node.string();
  std::filesystem::path path = text;
  bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (path.empty() || path.is_absolute() || climbs)
    node.fail("\"" + text + "\" is not a path below the folder of the suite");
  return text;
}

static Resources readResources(const JsonNode &node) {
  node.requireKeys({"registers", "spill_store_bytes", "spill_load_bytes"});
  return {node["registers"].integer(/*least=*/0),
          node["spill_store_bytes"].integer(/*least=*/0),
          node["spill_load_bytes"].integer(/*least=*/0)};
}

static MachineCodeFigures readMachineCode(const JsonNode &node) {
  node.requireKeys({"multiply", "instructions", "multiplies", "moves",
                    "others_per_multiply", "stall_cycles", "bank_conflicts",
                    "busy_cycles"});
  MachineCodeFigures figures;
  if (!node["multiply"].isNull())
    figures.multiply = node["multiply"].string();
  figures.instructions = node["instructions"].integer(/*least=*/0);
  figures.multiplies = node["multiplies"].integer(/*least=*/0);
  figures.moves = node["moves"].integer(/*least=*/0);
  if (!node["others_per_multiply"].isNull())
    figures.othersPerMultiply = node["others_per_multiply"].number();
  figures.stallCycles = node["stall_cycles"].integer(/*least=*/0);
  figures.bankConflicts = node["bank_conflicts"].integer(/*least=*/0);
  for (const auto &[pipe, cycles] : node["busy_cycles"].members())
    figures.busyCycles.emplace_back(pipe, cycles.number());
  return figures;
}

static PredictedTime readPredictedTime(const JsonNode &node) {
  node.requireKeys({"seconds", "launch_seconds", "limited_by"});
  PredictedTime time = {node["seconds"].number(),
                        node["launch_seconds"].number(),
                        node["limited_by"].string()};
  if (!(time.seconds > 0))
    node["seconds"].fail("expected a positive number");
  if (!(time.launchSeconds >= 0))
    node["launch_seconds"].fail("must not be negative");
  return time;
}

static model::Precision readPrecision(const JsonNode &node,
                                      const std::string &type) {
  std::string word = node.string();
  std::optional<model::Precision> precision = model::symbolizePrecision(word);
  std::optional<model::ElementType> input = model::symbolizeElementType(type);
  if (!precision)
    node.fail("expected " + model::precisionNames() + ", not \"" + word + "\"");
  else if (input && !model::appliesTo(*precision, *input))
    node.fail("\"" + word + "\" does not go with " + type);
  return precision.value_or(model::Precision::IEEE);
}

static model::Constant readFactor(const JsonNode &node,
                                  const std::string &type) {
  model::Constant factor = readConstant(node);
  std::optional<model::ElementType> input = model::symbolizeElementType(type);
  if (!input)
    return factor;
  if (Status status =
          model::checkConstant(factor, model::accumulatorTypeOf(*input));
      !status)
    node.fail(status.error());
  return factor;
}

static Case readCase(const JsonNode &node) {
  Case test;
  node.requireKeys({"name", "type", "C", "A", "B", "extents"},
                   {"alpha", "beta", "precision", "package", "cubin",
                    "resources", "machine_code", "predicted_time", "refused"});
  test.name = node["name"].string();
  if (test.name.empty())
    node["name"].fail("must not be empty");
  test.type = node["type"].string();
  for (size_t i = 0; i < 3; ++i)
    test.indices[i] = node[tensorNames[i]].strings();
  test.extents = readExtents(node["extents"]);
  if (node.has("alpha"))
    test.alpha = readFactor(node["alpha"], test.type);
  if (node.has("beta"))
    test.beta = readFactor(node["beta"], test.type);
  if (node.has("precision"))
    test.precision = readPrecision(node["precision"], test.type);
  if (node.has("package"))
    test.package = readPath(node["package"]);
  if (node.has("cubin"))
    test.cubin = readPath(node["cubin"]);
  if (node.has("resources"))
    test.resources = readResources(node["resources"]);
  if (node.has("machine_code"))
    test.machineCode = readMachineCode(node["machine_code"]);
  if (node.has("predicted_time"))
    test.predictedTime = readPredictedTime(node["predicted_time"]);
  if (node.has("refused")) {
    test.refused = node["refused"].string();
    if (test.refused.empty())
      node["refused"].fail("must not be empty");
  }
  for (const char *key :
       {"cubin", "resources", "machine_code", "predicted_time"})
    if (node.has(key) && !node.has("package"))
      node[key].fail("there is no \"package\" beside it");
  if (node.has("refused") && node.has("package"))
    node["refused"].fail("there is a \"package\" beside it");
  checkIndices(node, test);
  return test;
}

static Status checkDefinition(const Suite &suite, const Case &test,
                              const std::string &path) {
  if (!test.refused.empty() && !model::symbolizeElementType(test.type))
    return {};
  Result<Kernel> definition = definitionOf(suite, test);
  if (!definition)
    return Error{path + ": " + definition.error()};
  return {};
}

Result<Suite> bench::parseSuite(std::string_view text) {
  Result<nlohmann::ordered_json> document = parseStrictJson(text);
  if (!document)
    return Error{document.error()};
  FirstError error;
  JsonNode root(*document, error);
  root.requireFormat(suiteFormat, suiteVersion);
  if (error)
    return *error;

  Suite suite;
  root.requireKeys({"format", "version", "name", "layout", "cases"},
                   {"target"});
  suite.name = root["name"].string();
  if (root.has("target")) {
    suite.target = root["target"].string();
    if (!computeCapabilityOf(suite.target))
      root["target"].fail("\"" + suite.target +
                          "\" is not a chip, as sm_90 is");
  }
  std::string layout = root["layout"].string();
  if (layout != "row" && layout != "col")
    root["layout"].fail("expected \"row\" or \"col\"");
  suite.layout = layout == "col" ? Layout::Col : Layout::Row;

  std::set<std::string> names;
  std::vector<JsonNode> cases = root["cases"].elements();
  if (cases.empty())
    root["cases"].fail("must hold a case");
  for (size_t i = 0; i < cases.size(); ++i) {
    const JsonNode &node = cases[i];
    Case test = readCase(node);
    if (!names.insert(test.name).second)
      node["name"].fail("\"" + test.name + "\" is the name of another case");
    if (!test.package.empty() && suite.target.empty())
      node["package"].fail("the suite has no \"target\"");
    if (error)
      return *error;
    if (Status s =
            checkDefinition(suite, test, "$.cases[" + std::to_string(i) + "]");
        !s)
      return Error{s.error()};
    suite.cases.push_back(std::move(test));
  }
  if (error)
    return *error;
  return suite;
}

Result<Suite> bench::loadSuite(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return Error{text.error()};
  Result<Suite> suite = parseSuite(*text);
  if (!suite)
    return Error{path + ": " + suite.error()};
  suite->folder = std::filesystem::path(path).parent_path().string();
  return suite;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Json bench::toJson(const MachineCodeFigures &figures) {
  Json json;
  json["multiply"] = figures.multiply.empty() ? Json() : Json(figures.multiply);
  json["instructions"] = figures.instructions;
  json["multiplies"] = figures.multiplies;
  json["moves"] = figures.moves;
  json["others_per_multiply"] =
      figures.othersPerMultiply ? Json(*figures.othersPerMultiply) : Json();
  json["stall_cycles"] = figures.stallCycles;
  json["bank_conflicts"] = figures.bankConflicts;
  Json &busy = json["busy_cycles"] = Json::object();
  for (const auto &[pipe, cycles] : figures.busyCycles)
    busy[pipe] = cycles;
  return json;
}

Json bench::toJson(const PredictedTime &time) {
  return {{"seconds", time.seconds},
          {"launch_seconds", time.launchSeconds},
          {"limited_by", time.limitedBy}};
}

static Json caseToJson(const Case &test) {
  Json json;
  json["name"] = test.name;
  json["type"] = test.type;
  for (size_t i : {2, 0, 1})
    json[tensorNames[i]] = test.indices[i];
  Json &extents = json["extents"] = Json::object();
  for (const auto &[label, extent] : test.extents)
    extents[label] = extent;
  model::ElementType type =
      model::symbolizeElementType(test.type).value_or(model::ElementType::F64);
  if (test.alpha != 1)
    json["alpha"] = toJson(test.alpha, type);
  if (test.beta != 0)
    json["beta"] = toJson(test.beta, type);
  if (test.precision != model::Precision::IEEE)
    json["precision"] = model::stringify(test.precision);
  if (!test.package.empty())
    json["package"] = test.package;
  if (!test.cubin.empty())
    json["cubin"] = test.cubin;
  if (test.resources)
    json["resources"] = {{"registers", test.resources->registers},
                         {"spill_store_bytes", test.resources->spillStoreBytes},
                         {"spill_load_bytes", test.resources->spillLoadBytes}};
  if (test.machineCode)
    json["machine_code"] = bench::toJson(*test.machineCode);
  if (test.predictedTime)
    json["predicted_time"] = bench::toJson(*test.predictedTime);
  if (!test.refused.empty())
    json["refused"] = test.refused;
  return json;
}

std::string bench::toJson(const Suite &suite) {
  Json json;
  json["format"] = suiteFormat;
  json["version"] = suiteVersion;
  json["name"] = suite.name;
  if (!suite.target.empty())
    json["target"] = suite.target;
  json["layout"] = suite.layout == Layout::Row ? "row" : "col";
  json["cases"] = Json::array();
  for (const Case &test : suite.cases)
    json["cases"].push_back(caseToJson(test));
  return dump(json);
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// A tensor that is dense in the order of its labels.
static TensorArgument denseTensor(size_t number, model::ElementType type,
                                  std::vector<std::string> labels,
                                  std::vector<int64_t> extents, Layout layout,
                                  bool readsC) {
  TensorArgument tensor;
  tensor.name = tensorNames[number];
  tensor.type = type;
  tensor.labels = std::move(labels);
  tensor.extents = std::move(extents);
  tensor.strides.resize(tensor.extents.size());
  int64_t stride = 1;
  for (size_t i = 0; i < tensor.extents.size(); ++i) {
    size_t at = layout == Layout::Col ? i : tensor.extents.size() - 1 - i;
    tensor.strides[at] = stride;
    stride = saturatingMultiply(stride, tensor.extents[at]);
  }
  tensor.isRead = number != 2 || readsC;
  tensor.isWritten = number == 2;
  return tensor;
}

Result<Kernel> bench::definitionOf(const Suite &suite, const Case &test) {
  std::optional<model::ElementType> type =
      model::symbolizeElementType(test.type);
  if (!type)
    return Error{"unknown element type \"" + test.type + "\""};
  Kernel definition;
  definition.entry = test.name;
  definition.accumulatorType = model::accumulatorTypeOf(*type);
  definition.precision = test.precision;
  definition.alpha.value = test.alpha;
  definition.beta.value = test.beta;
  for (size_t i = 0; i < 3; ++i) {
    std::vector<int64_t> extents;
    for (const std::string &label : test.indices[i])
      for (const auto &[name, extent] : test.extents)
        if (name == label)
          extents.push_back(extent);
    definition.tensors[i] =
        denseTensor(i, *type, test.indices[i], std::move(extents), suite.layout,
                    test.beta != 0);
    Result<Geometry> geometry = geometryOf(definition.tensors[i]);
    if (!geometry)
      return Error{std::string("tensor ") + tensorNames[i] + ": " +
                   geometry.error()};
  }
  return definition;
}

Result<Kernel> bench::matrixProductOf(const Kernel &definition) {
  using model::Role, model::Tensor;
  model::Contraction contraction = contractionOf(definition);
  for (unsigned k : contraction.withRole(Role::K)) {
    const model::Index &index = contraction.indices[k];
    for (Tensor tensor : {Tensor::A, Tensor::B})
      if (index.stride[tensor] == 0 && index.extent > 1)
        return Error{"not a matrix product: " + index.label +
                     " is summed within one operand"};
  }
  const std::array<Role, 4> roles = {Role::M, Role::N, Role::K, Role::Batch};
  std::array<int64_t, 4> extents;
  for (size_t i = 0; i < 4; ++i)
    extents[i] = contraction.extent(roles[i]);
  auto [m, n, k, b] = extents;
  const std::array<std::vector<std::string>, 3> labels = {
      {{"m", "k", "b"}, {"k", "n", "b"}, {"m", "n", "b"}}};
  const std::array<std::vector<int64_t>, 3> sizes = {
      {{m, k, b}, {k, n, b}, {m, n, b}}};
  Kernel product = definition;
  for (size_t i = 0; i < 3; ++i)
    product.tensors[i] =
        denseTensor(i, definition.tensors[i].type, labels[i], sizes[i],
                    Layout::Col, definition.tensors[2].isRead);
  return product;
}
