//===- Package.cpp - Launch descriptions as JSON ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes packages. PackageReader.cpp is the other direction.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Package.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Package/KernelText.h"
#include "tc/Package/PackageFields.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Support/FieldJson.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;

std::string_view tc::runtime::accessOf(bool isRead, bool isWritten) {
  if (isRead && isWritten)
    return "read_write";
  return isWritten ? "write" : "read";
}

std::string_view tc::runtime::nameOf(model::Stationary stationary) {
  switch (stationary) {
  case model::Stationary::A:
    return "a";
  case model::Stationary::B:
    return "b";
  case model::Stationary::Output:
    break;
  }
  return "output";
}

static Json tensorToJson(const TensorArgument &tensor) {
  Json json;
  json["kind"] = "tensor";
  visitFields(tensor, [&](const auto &field, const auto &value) {
    if constexpr (!std::is_same_v<decltype(value), const bool &>)
      writeField(json, field, value);
  });
  json["access"] = accessOf(tensor);
  return json;
}

/// The value of alpha or beta, or its place in `arguments`, to which it is
/// appended if it has one.
static Json scalarToJson(const char *name, const Scalar &scalar,
                         model::ElementType type, Json &arguments) {
  if (!scalar.isArgument) {
    Json json = {{"value", toJson(scalar.value, type)}};
    if (scalar.value.imag() != 0)
      json["imaginary"] = toJson(scalar.value.imag(), type);
    return json;
  }
  Json argument;
  argument["kind"] = "scalar";
  argument["name"] = name;
  argument["type"] = model::stringify(type);
  arguments.push_back(std::move(argument));
  return {{"argument", arguments.size() - 1}};
}

/// A contraction of a group without its tensors.
static Json contractionToJson(const KernelContraction &contraction) {
  Json none = Json::array(), json;
  visitFields(
      contraction,
      Overloaded{// Operands are arguments, and edges say what the others are.
                 [](const auto &, const std::array<TensorArgument, 3> &) {},
                 [&](const auto &field, const Scalar &factor) {
                   // Beta is zero.
                   if (field.name == "alpha")
                     json[std::string(field.name)] = scalarToJson(
                         "alpha", factor, contraction.accumulatorType, none);
                 },
                 [](const auto &, const model::Constant &) {},
                 [&](const auto &field, const bool &value) {
                   if (field.name != "other_code")
                     writeField(json, field, value);
                 },
                 [&](const auto &field, const auto &value) {
                   writeField(json, field, value);
                 }});
  return json;
}

static const TensorArgument &tensorOf(const Kernel &kernel,
                                      const model::GroupTensor &tensor) {
  return contractionAt(kernel, tensor.node)
      .tensors[static_cast<size_t>(tensor.tensor)];
}

/// An edge, and what is to be known of its tensors that are no operands. Those
/// of faulty groups are told, too.
static Json edgeToJson(const Kernel &kernel, const model::GroupEdge &edge) {
  Json json;
  model::Group group = groupOf(kernel);
  for (auto [key, tensor] :
       {std::pair(edgeKeys[0], model::GroupTensor{edge.from, edge.source}),
        std::pair(edgeKeys[1], model::GroupTensor{edge.to, edge.sink})}) {
    json[key.tensor] = model::nameOf(tensor);
    if (tensor.node >= group.size)
      continue;
    if (!group.isOperand(tensor))
      json[key.labels] = tensorOf(kernel, tensor).labels;
  }
  if (model::isOnChip(edge) && edge.to < group.size)
    json["type"] =
        model::stringify(tensorOf(kernel, {edge.to, edge.sink}).type);
  if (edge.through != model::EdgeFunction::Identity)
    json[throughKey] = model::stringify(edge.through);
  return json;
}

static Json shapeArgumentToJson(const ShapeArgument &argument,
                                const Kernel &kernel) {
  Json json;
  json["kind"] = "shape";
  visitFields(argument, [&](const auto &field, const auto &value) {
    if constexpr (!std::is_same_v<decltype(value), const size_t &>)
      writeField(json, field, value);
    else if (isOfTensor(argument.quantity))
      json[std::string(field.name)] = tensorsOf(kernel)[value]->name;
  });
  return json;
}

static Json workspaceToJson(const Workspace &workspace) {
  Json json;
  json["kind"] = "workspace";
  writeFields(json, workspace);
  return json;
}

/// A mapping, whose operands packages call by small letters.
static Json mappingToJson(const model::GridMapping &mapping) {
  Json json;
  visitFields(mapping,
              Overloaded{[&](const auto &field, model::Stationary stationary) {
                           json[std::string(field.name)] = nameOf(stationary);
                         },
                         [&](const auto &field, const auto &value) {
                           writeField(json, field, value);
                         }});
  return json;
}

/// A shape without its arguments, which stand among those of the kernel.
static Json dynamicShapeToJson(const DynamicShape &shape) {
  Json json;
  visitFields(
      shape, Overloaded{[](const auto &, const std::vector<ShapeArgument> &) {},
                        [&](const auto &field, const auto &value) {
                          writeField(json, field, value);
                        }});
  return json;
}

static Json packageKernelToJson(const Kernel &kernel) {
  Json arguments = Json::array();
  for (const TensorArgument *tensor : tensorsOf(kernel))
    arguments.push_back(tensorToJson(*tensor));
  Json factors;
  for (auto [name, factor] :
       {std::pair("alpha", &kernel.alpha), std::pair("beta", &kernel.beta)})
    factors[name] =
        scalarToJson(name, *factor, kernel.accumulatorType, arguments);
  if (kernel.dynamicShape)
    for (const ShapeArgument &argument : kernel.dynamicShape->arguments)
      arguments.push_back(shapeArgumentToJson(argument, kernel));
  if (kernel.workspace)
    arguments.push_back(workspaceToJson(*kernel.workspace));

  Json json;
  visitFields(
      kernel,
      Overloaded{
          [&](const auto &, const std::array<TensorArgument, 3> &) {
            json["arguments"] = std::move(arguments);
          },
          // These are among the arguments.
          [](const auto &, const std::vector<TensorArgument> &) {},
          [](const auto &, const std::optional<Workspace> &) {},
          [&](const auto &field, const Scalar &) {
            std::string name(field.name);
            json[name] = std::move(factors[name]);
          },
          [&](const auto &field, const model::Constant &identity) {
            if (kernel.semiring == model::Semiring::UserDefined)
              json[std::string(field.name)] =
                  toJson(identity, kernel.accumulatorType);
          },
          [&](const auto &field, const bool &value) {
            if (field.name == "reduce" && value)
              json[std::string(field.name)] = additionName;
            else if (field.name != "other_code")
              writeField(json, field, value);
          },
          [&](const auto &field, const model::GridMapping &mapping) {
            json[std::string(field.name)] = mappingToJson(mapping);
          },
          [&](const auto &field, const std::optional<DynamicShape> &shape) {
            if (shape)
              json[std::string(field.name)] = dynamicShapeToJson(*shape);
          },
          [&](const auto &field, const std::vector<KernelContraction> &others) {
            for (const KernelContraction &other : others)
              json[std::string(field.name)].push_back(contractionToJson(other));
          },
          [&](const auto &field, const std::vector<model::GroupEdge> &edges) {
            for (const model::GroupEdge &edge : edges)
              json[std::string(field.name)].push_back(edgeToJson(kernel, edge));
          },
          [&](const auto &field, const auto &value) {
            writeField(json, field, value);
          }});
  return json;
}

std::string tc::runtime::toJson(const Package &package) {
  Json kernels = Json::array();
  for (const Kernel &kernel : package.kernels)
    kernels.push_back(packageKernelToJson(kernel));

  Json json;
  json["format"] = packageFormat;
  json["version"] = packageVersion;
  json["name"] = package.name;
  json["target"] = package.target;
  json["code"]["kind"] = stringify(package.codeKind);
  json["code"]["file"] = package.codeFile;
  json["kernels"] = std::move(kernels);
  if (!package.programs.empty())
    json["programs"] = programsToJson(package);
  // Names that are not UTF-8 must not end the program.
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

std::string_view tc::runtime::stringify(CodeKind kind) {
  return kind == CodeKind::PTX ? "ptx" : "cubin";
}
