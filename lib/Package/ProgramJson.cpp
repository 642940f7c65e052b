//===- ProgramJson.cpp - Programs of packages as JSON ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldReader.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Package/KernelText.h"
#include "tc/Support/FieldJson.h"

#include <map>

using namespace tc;
using namespace tc::runtime;

/// A number, or the name of an extent that runs say.
static Json extentToJson(const Program &program, int64_t extent) {
  auto place = static_cast<size_t>(-1 - extent);
  if (extent >= 0 || place >= program.extents.size())
    return extent;
  return program.extents[place].name;
}

static Json parameterToJson(const Program &program,
                            const ProgramParameter &parameter) {
  Json json;
  visitFields(parameter, [&](const auto &field, const auto &value) {
    if constexpr (!std::is_same_v<decltype(value), const bool &>)
      writeField(json, field, value);
  });
  if (!program.extents.empty()) {
    json["extents"] = Json::array();
    for (int64_t extent : parameter.extents)
      json["extents"].push_back(extentToJson(program, extent));
    json.erase("strides");
    json.erase("offset");
  }
  json["access"] = accessOf(parameter.isRead, parameter.isWritten);
  return json;
}

static void writeConstant(Json &json, const char *key,
                          const model::Constant &constant) {
  // As of integers, if it is one.
  json[key] = toJson(constant, model::ElementType::I64);
  if (constant.imag() != 0)
    json["imaginary"] = toJson(constant.imag(), model::ElementType::F64);
}

static Json placeToJson(const Program &program, const ProgramPlace &place) {
  Json json;
  switch (place.kind) {
  case ProgramPlace::Kind::Parameter:
    // Numbers of faulty places are told, too.
    json["parameter"] = place.parameter < program.parameters.size()
                            ? program.parameters[place.parameter].name
                            : std::to_string(place.parameter);
    if (place.offset != 0)
      json["offset"] = place.offset;
    break;
  case ProgramPlace::Kind::Workspace:
    if (program.extents.empty())
      json["workspace"] = place.offset;
    else
      json["slot"] = place.slot;
    break;
  case ProgramPlace::Kind::Constant:
    writeConstant(json, "constant", place.constant);
    break;
  }
  return json;
}

/// The extents of what a copy writes.
static void writeCopied(Json &json, const Program &program,
                        const ProgramStep &step) {
  if (program.extents.empty())
    return;
  json["extents"] = Json::array();
  for (const ProgramIndex &index : step.extents)
    json["extents"].push_back(extentToJson(program, index.extent));
}

static Json stepToJson(const Package &package, const Program &program,
                       const ProgramStep &step) {
  Json json;
  if (step.isFill()) {
    json["fill"] = step.bytes;
    json["type"] = model::stringify(step.type);
    writeConstant(json, "constant", step.tensors[0].constant);
    json["to"] = placeToJson(program, step.tensors[1]);
    writeCopied(json, program, step);
    return json;
  }
  if (!step.kernel) {
    json["copy"] = step.bytes;
    for (auto [key, number] : {std::pair("from", 0), std::pair("to", 1)})
      if (static_cast<size_t>(number) < step.tensors.size())
        json[key] = placeToJson(program, step.tensors[number]);
    writeCopied(json, program, step);
    return json;
  }
  json["kernel"] = *step.kernel < package.kernels.size()
                       ? package.kernels[*step.kernel].entry
                       : std::to_string(*step.kernel);
  json["tensors"] = Json::array();
  for (const ProgramPlace &place : step.tensors)
    json["tensors"].push_back(placeToJson(program, place));
  if (!program.extents.empty()) {
    json["extents"] = Json::object();
    for (const auto &[label, extent] : step.extents)
      json["extents"][label] = extentToJson(program, extent);
  }
  for (auto [key, factor] :
       {std::pair("alpha", &step.alpha), std::pair("beta", &step.beta)})
    if (*factor)
      writeConstant(json[key], "value", **factor);
  if (step.workspace)
    json["workspace"] = *step.workspace;
  return json;
}

Json tc::runtime::programsToJson(const Package &package) {
  Json programs = Json::array();
  for (const Program &program : package.programs) {
    Json json;
    json["name"] = program.name;
    for (const ProgramExtent &extent : program.extents)
      json["extents"].push_back(
          {{"name", extent.name}, {"representative", extent.representative}});
    json["parameters"] = Json::array();
    for (const ProgramParameter &parameter : program.parameters)
      json["parameters"].push_back(parameterToJson(program, parameter));
    if (program.extents.empty())
      json["workspace"]["bytes"] = program.workspaceBytes;
    json["workspace"]["alignment"] = program.workspaceAlignment;
    json["steps"] = Json::array();
    for (const ProgramStep &step : program.steps)
      json["steps"].push_back(stepToJson(package, program, step));
    programs.push_back(std::move(json));
  }
  return programs;
}

namespace {

/// Places of things of one kind, by their names: of equal ones, the first.
class Places {
public:
  void add(const std::string &name) { places.emplace(name, count++); }
  std::optional<size_t> find(const std::string &name) const {
    auto found = places.find(name);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }

private:
  std::map<std::string, size_t> places;
  size_t count = 0;
};

/// Names in steps of a program.
struct Names {
  const Places &kernels;
  Places extents = {}, parameters = {};
  /// True if each run says extents.
  bool isOpen = false;
};

} // namespace

/// The extents of a program that each run says, which are called by their
/// names.
static int64_t readExtent(const JsonNode &node, const Names &names) {
  if (node.isNumber())
    return node.integer(/*least=*/1);
  std::string name = node.string();
  if (std::optional<size_t> place = names.extents.find(name))
    return -1 - static_cast<int64_t>(*place);
  node.fail("no extent of the program is called \"" + name + "\"");
  return 1;
}

/// A parameter of a program that takes extents.
static ProgramParameter readOpenParameter(const JsonNode &node,
                                          const Names &names) {
  ProgramParameter parameter;
  node.requireKeys({"name", "type", "extents", "alignment", "access"});
  parameter.name = node["name"].string();
  readValue(node["type"], parameter.type);
  for (const JsonNode &extent : node["extents"].elements(maxPackageRank))
    parameter.extents.push_back(readExtent(extent, names));
  parameter.strides.resize(parameter.extents.size());
  parameter.alignment = node["alignment"].integer(/*least=*/1);
  readAccess(node["access"], parameter.isRead, parameter.isWritten);
  return parameter;
}

static ProgramParameter readParameter(const JsonNode &node) {
  ProgramParameter parameter;
  requireKeysWithout<bool>(node, parameter, {"access"});
  visitFields(parameter, [&](const auto &field, auto &value) {
    if constexpr (!std::is_same_v<decltype(value), bool &>)
      readField(node, field, value);
  });
  readAccess(node["access"], parameter.isRead, parameter.isWritten);
  return parameter;
}

static model::Constant readNumber(const JsonNode &node, const char *key) {
  model::Constant constant = readConstant(node[key]);
  if (node.has("imaginary"))
    constant = {constant.real(), node["imaginary"].number()};
  return constant;
}

static ProgramPlace readPlace(const JsonNode &node, const Names &names) {
  ProgramPlace place;
  if (node.has("constant")) {
    node.requireKeys({"constant"}, {"imaginary"});
    place.kind = ProgramPlace::Kind::Constant;
    place.constant = readNumber(node, "constant");
  } else if (node.has("parameter")) {
    node.requireKeys({"parameter"}, {"offset"});
    place.kind = ProgramPlace::Kind::Parameter;
    std::string name = node["parameter"].string();
    if (std::optional<size_t> found = names.parameters.find(name))
      place.parameter = *found;
    else
      node["parameter"].fail("no parameter is called \"" + name + "\"");
    if (node.has("offset"))
      place.offset = node["offset"].integer(/*least=*/0);
  } else if (names.isOpen) {
    node.requireKeys({"slot"});
    place.slot = static_cast<size_t>(node["slot"].integer(/*least=*/0));
  } else {
    node.requireKeys({"workspace"});
    place.offset = node["workspace"].integer(/*least=*/0);
  }
  return place;
}

static ProgramStep readStep(const JsonNode &node, const Names &names) {
  ProgramStep step;
  auto requireKeys = [&](std::vector<std::string_view> keys,
                         const std::vector<std::string_view> &optional) {
    if (names.isOpen)
      keys.push_back("extents");
    node.requireKeys(keys, optional);
  };
  auto readCopied = [&] {
    if (names.isOpen)
      for (const JsonNode &extent : node["extents"].elements(maxPackageRank))
        step.extents.push_back({"", readExtent(extent, names)});
  };
  if (node.has("copy")) {
    requireKeys({"copy", "from", "to"}, {});
    readCopied();
    step.bytes = node["copy"].integer(/*least=*/1);
    step.tensors = {readPlace(node["from"], names),
                    readPlace(node["to"], names)};
    if (step.isFill())
      node["from"].fail("expected a parameter or the workspace");
    return step;
  }
  if (node.has("fill")) {
    requireKeys({"fill", "type", "constant", "to"}, {"imaginary"});
    readCopied();
    step.bytes = node["fill"].integer(/*least=*/1);
    readValue(node["type"], step.type);
    step.tensors.resize(1);
    step.tensors[0].kind = ProgramPlace::Kind::Constant;
    step.tensors[0].constant = readNumber(node, "constant");
    step.tensors.push_back(readPlace(node["to"], names));
    return step;
  }
  requireKeys({"kernel", "tensors"}, {"alpha", "beta", "workspace"});
  std::string entry = node["kernel"].string();
  step.kernel = names.kernels.find(entry);
  if (!step.kernel)
    node["kernel"].fail("no kernel is called \"" + entry + "\"");
  for (const JsonNode &place : node["tensors"].elements(maxArguments))
    step.tensors.push_back(readPlace(place, names));
  if (names.isOpen)
    for (const auto &[label, extent] : node["extents"].members())
      step.extents.push_back({label, readExtent(extent, names)});
  for (auto [key, factor] :
       {std::pair("alpha", &step.alpha), std::pair("beta", &step.beta)})
    if (node.has(key)) {
      node[key].requireKeys({"value"}, {"imaginary"});
      *factor = readNumber(node[key], "value");
    }
  if (node.has("workspace"))
    step.workspace = node["workspace"].integer(/*least=*/0);
  return step;
}

std::vector<Program> tc::runtime::readPrograms(const JsonNode &node,
                                               const Package &package) {
  std::vector<Program> programs;
  Places kernels;
  for (const Kernel &kernel : package.kernels)
    kernels.add(kernel.entry);
  for (const JsonNode &each : node.elements(maxPrograms)) {
    each.requireKeys({"name", "parameters", "workspace", "steps"}, {"extents"});
    Program &program = programs.emplace_back();
    program.name = each["name"].string();
    Names names = {kernels};
    if (each.has("extents")) {
      for (const JsonNode &extent : each["extents"].elements(maxArguments)) {
        extent.requireKeys({"name", "representative"});
        program.extents.push_back(
            {extent["name"].string(),
             extent["representative"].integer(/*least=*/1)});
        names.extents.add(program.extents.back().name);
      }
      if (program.extents.empty())
        each["extents"].fail("expected at least one extent");
    }
    names.isOpen = !program.extents.empty();
    for (const JsonNode &parameter : each["parameters"].elements()) {
      program.parameters.push_back(names.isOpen
                                       ? readOpenParameter(parameter, names)
                                       : readParameter(parameter));
      names.parameters.add(program.parameters.back().name);
    }
    JsonNode workspace = each["workspace"];
    if (names.isOpen) {
      workspace.requireKeys({"alignment"});
    } else {
      workspace.requireKeys({"bytes", "alignment"});
      program.workspaceBytes = workspace["bytes"].integer(/*least=*/0);
    }
    program.workspaceAlignment = workspace["alignment"].integer(/*least=*/1);
    std::vector<JsonNode> steps = each["steps"].elements();
    if (steps.size() > maxProgramSteps) {
      each["steps"].fail("more than " + std::to_string(maxProgramSteps) +
                         " steps");
      continue;
    }
    for (const JsonNode &step : steps)
      program.steps.push_back(readStep(step, names));
  }
  return programs;
}
