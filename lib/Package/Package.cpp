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

std::vector<const TensorArgument *>
tc::runtime::tensorsOf(const Kernel &kernel) {
  std::vector<const TensorArgument *> tensors;
  for (const TensorArgument &tensor : kernel.tensors)
    tensors.push_back(&tensor);
  if (!kernel.links.empty() && kernel.chainedInput)
    tensors[*kernel.chainedInput] = &kernel.links.front().tensors[0];
  for (const TensorArgument &auxiliary : kernel.auxiliaries)
    tensors.push_back(&auxiliary);
  for (const Kernel &term : kernel.terms)
    for (size_t input = 0; input < 2; ++input)
      tensors.push_back(&term.tensors[input]);
  for (const Kernel &link : kernel.links)
    tensors.push_back(&link.tensors[otherInputOf(link)]);
  for (const Kernel &branch : kernel.branches) {
    tensors.push_back(&branch.tensors[1 - branch.sharedInput.value_or(0)]);
    tensors.push_back(&branch.tensors[2]);
  }
  return tensors;
}

std::vector<size_t> tc::runtime::outputsOf(const Kernel &kernel) {
  std::vector<size_t> places = {2};
  for (size_t branch = 0; branch < kernel.branches.size(); ++branch)
    places.push_back(placesOfBranch(kernel, branch)[2]);
  return places;
}

std::array<size_t, 3> tc::runtime::placesOfBranch(const Kernel &kernel,
                                                  size_t branch) {
  size_t shared = kernel.branches[branch].sharedInput.value_or(0);
  size_t own = 3 + kernel.auxiliaries.size() + 2 * branch;
  std::array<size_t, 3> places{own, own, own + 1};
  places[shared] = kernel.sharedInput.value_or(0);
  return places;
}

Kernel tc::runtime::branchOf(const Kernel &kernel, size_t number) {
  Kernel branch = kernel.branches[number];
  branch.entry = kernel.entry;
  branch.grid = kernel.grid;
  branch.nonsaturating = kernel.nonsaturating;
  const std::vector<std::string> &here =
      kernel.tensors[kernel.sharedInput.value_or(0)].labels;
  const std::vector<std::string> &there =
      branch.tensors[branch.sharedInput.value_or(0)].labels;
  branch.gridDims.clear();
  // What has several tiles is an index of the input that both have.
  for (const GridDim &dim : kernel.gridDims) {
    auto found = std::find(here.begin(), here.end(), dim.label);
    if (dim.tiles() > 1 && found != here.end())
      branch.gridDims.push_back(
          {there[static_cast<size_t>(found - here.begin())], dim.extent,
           dim.tile});
  }
  branch.sharedInput.reset();
  return branch;
}

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

/// What a term of a sum, or a link of a chain, has besides its inputs.
template <typename Texts>
static Json termToJson(const Kernel &term, const Texts &texts) {
  Json none = Json::array(), json;
  json["output"] = term.tensors[2].labels;
  json["alpha"] = scalarToJson("alpha", term.alpha, term.accumulatorType, none);
  json["precision"] = model::stringify(term.precision);
  if (term.factorType)
    json["factors"] = model::stringify(*term.factorType);
  for (auto [key, text] : texts)
    if (!(term.*text).empty())
      json[key] = term.*text;
  json["schedule"] = term.schedule;
  return json;
}

/// The same of a link, and what the next one makes of its output.
static Json linkToJson(const Kernel &link, const Kernel &next) {
  Json json = termToJson(link, linkCode);
  for (auto [key, conjugates] : conjugations)
    if (link.*conjugates)
      json[key] = true;
  json["accumulator"] = model::stringify(link.accumulatorType);
  // Those of a faulty chain are told, too.
  size_t input = next.chainedInput.value_or(0);
  const TensorArgument &taken = next.tensors[input];
  json["feeds"]["input"] = nameOfInput[input];
  json["feeds"]["type"] = model::stringify(taken.type);
  json["feeds"]["indices"] = taken.labels;
  if (next.softmax)
    json["feeds"]["through"] = softmaxName;
  return json;
}

static Json linksToJson(const Kernel &kernel) {
  Json links = Json::array();
  for (size_t i = 0; i < kernel.links.size(); ++i)
    links.push_back(linkToJson(kernel.links[i], i + 1 < kernel.links.size()
                                                    ? kernel.links[i + 1]
                                                    : kernel));
  return links;
}

/// A branch of a fan: what it has besides its tensors, and how it takes the
/// input that it has in common with the kernel.
static Json branchToJson(const Kernel &branch, const Kernel &kernel) {
  Json json;
  size_t own = branch.sharedInput.value_or(0);
  json["shares"]["input"] = nameOfInput[kernel.sharedInput.value_or(0)];
  json["shares"]["as"] = nameOfInput[own];
  json["shares"]["indices"] = branch.tensors[own].labels;
  json["accumulator"] = model::stringify(branch.accumulatorType);
  Json rest = termToJson(branch, linkCode);
  // C has them.
  rest.erase("output");
  json.update(rest);
  for (auto [key, conjugates] : conjugations)
    if (branch.*conjugates)
      json[key] = true;
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
            if (field.member == &Kernel::reduces && value)
              json[std::string(field.name)] = additionName;
            else if (field.member != &Kernel::hasOtherCode &&
                     field.member != &Kernel::softmax)
              writeField(json, field, value);
          },
          [&](const auto &field, const model::GridMapping &mapping) {
            json[std::string(field.name)] = mappingToJson(mapping);
          },
          [&](const auto &field, const std::optional<DynamicShape> &shape) {
            if (shape)
              json[std::string(field.name)] = dynamicShapeToJson(*shape);
          },
          [&](const auto &field, const std::vector<Kernel> &others) {
            if (field.member == &Kernel::links && !others.empty())
              json[std::string(field.name)] = linksToJson(kernel);
            else if (field.member == &Kernel::branches)
              for (const Kernel &branch : others)
                json[std::string(field.name)].push_back(
                    branchToJson(branch, kernel));
            else
              for (const Kernel &term : others)
                json[std::string(field.name)].push_back(
                    termToJson(term, prologues));
          },
          // Links and branches say it.
          [](const auto &, const std::optional<size_t> &) {},
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
