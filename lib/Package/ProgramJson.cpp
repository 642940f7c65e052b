//===- ProgramJson.cpp - Programs of packages as JSON ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldReader.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Support/FieldJson.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

using Json = nlohmann::ordered_json;

static Json parameterToJson(const ProgramParameter &parameter) {
  Json json;
  visitFields(parameter, [&](const auto &field, const auto &value) {
    if constexpr (!std::is_same_v<decltype(value), const bool &>)
      writeField(json, field, value);
  });
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
    json["workspace"] = place.offset;
    break;
  case ProgramPlace::Kind::Constant:
    writeConstant(json, "constant", place.constant);
    break;
  }
  return json;
}

static Json stepToJson(const Package &package, const Program &program,
                       const ProgramStep &step) {
  Json json;
  if (step.isFill()) {
    json["fill"] = step.bytes;
    json["type"] = model::stringify(step.type);
    writeConstant(json, "constant", step.tensors[0].constant);
    json["to"] = placeToJson(program, step.tensors[1]);
    return json;
  }
  if (!step.kernel) {
    json["copy"] = step.bytes;
    for (auto [key, number] : {std::pair("from", 0), std::pair("to", 1)})
      if (static_cast<size_t>(number) < step.tensors.size())
        json[key] = placeToJson(program, step.tensors[number]);
    return json;
  }
  json["kernel"] = *step.kernel < package.kernels.size()
                       ? package.kernels[*step.kernel].entry
                       : std::to_string(*step.kernel);
  json["tensors"] = Json::array();
  for (const ProgramPlace &place : step.tensors)
    json["tensors"].push_back(placeToJson(program, place));
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
    json["parameters"] = Json::array();
    for (const ProgramParameter &parameter : program.parameters)
      json["parameters"].push_back(parameterToJson(parameter));
    json["workspace"]["bytes"] = program.workspaceBytes;
    json["workspace"]["alignment"] = program.workspaceAlignment;
    json["steps"] = Json::array();
    for (const ProgramStep &step : program.steps)
      json["steps"].push_back(stepToJson(package, program, step));
    programs.push_back(std::move(json));
  }
  return programs;
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

static ProgramPlace readPlace(const JsonNode &node, const Program &program) {
  ProgramPlace place;
  if (node.has("constant")) {
    node.requireKeys({"constant"}, {"imaginary"});
    place.kind = ProgramPlace::Kind::Constant;
    place.constant = readNumber(node, "constant");
  } else if (node.has("parameter")) {
    node.requireKeys({"parameter"}, {"offset"});
    place.kind = ProgramPlace::Kind::Parameter;
    std::string name = node["parameter"].string();
    auto found = std::find_if(
        program.parameters.begin(), program.parameters.end(),
        [&](const ProgramParameter &other) { return other.name == name; });
    if (found == program.parameters.end())
      node["parameter"].fail("no parameter is called \"" + name + "\"");
    else
      place.parameter = static_cast<size_t>(found - program.parameters.begin());
    if (node.has("offset"))
      place.offset = node["offset"].integer(/*least=*/0);
  } else {
    node.requireKeys({"workspace"});
    place.offset = node["workspace"].integer(/*least=*/0);
  }
  return place;
}

static ProgramStep readStep(const JsonNode &node, const Package &package,
                            const Program &program) {
  ProgramStep step;
  if (node.has("copy")) {
    node.requireKeys({"copy", "from", "to"});
    step.bytes = node["copy"].integer(/*least=*/1);
    step.tensors = {readPlace(node["from"], program),
                    readPlace(node["to"], program)};
    if (step.isFill())
      node["from"].fail("expected a parameter or the workspace");
    return step;
  }
  if (node.has("fill")) {
    node.requireKeys({"fill", "type", "constant", "to"}, {"imaginary"});
    step.bytes = node["fill"].integer(/*least=*/1);
    readValue(node["type"], step.type);
    step.tensors.resize(1);
    step.tensors[0].kind = ProgramPlace::Kind::Constant;
    step.tensors[0].constant = readNumber(node, "constant");
    step.tensors.push_back(readPlace(node["to"], program));
    return step;
  }
  node.requireKeys({"kernel", "tensors"}, {"alpha", "beta", "workspace"});
  std::string entry = node["kernel"].string();
  auto found =
      std::find_if(package.kernels.begin(), package.kernels.end(),
                   [&](const Kernel &kernel) { return kernel.entry == entry; });
  if (found == package.kernels.end())
    node["kernel"].fail("no kernel is called \"" + entry + "\"");
  step.kernel = static_cast<size_t>(found - package.kernels.begin());
  for (const JsonNode &place : node["tensors"].elements())
    step.tensors.push_back(readPlace(place, program));
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
  for (const JsonNode &each : node.elements()) {
    each.requireKeys({"name", "parameters", "workspace", "steps"});
    Program &program = programs.emplace_back();
    program.name = each["name"].string();
    for (const JsonNode &parameter : each["parameters"].elements())
      program.parameters.push_back(readParameter(parameter));
    JsonNode workspace = each["workspace"];
    workspace.requireKeys({"bytes", "alignment"});
    program.workspaceBytes = workspace["bytes"].integer(/*least=*/0);
    program.workspaceAlignment = workspace["alignment"].integer(/*least=*/1);
    std::vector<JsonNode> steps = each["steps"].elements();
    if (steps.size() > maxProgramSteps) {
      each["steps"].fail("more than " + std::to_string(maxProgramSteps) +
                         " steps");
      continue;
    }
    for (const JsonNode &step : steps)
      program.steps.push_back(readStep(step, package, program));
  }
  return programs;
}
