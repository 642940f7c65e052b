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

#include "tc/Runtime/Package.h"
#include "PackageFormat.h"

#include "tc/Runtime/ConstantJson.h"

#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::runtime;

using Json = nlohmann::ordered_json;

std::vector<const TensorArgument *>
tc::runtime::tensorsOf(const Kernel &kernel) {
  std::vector<const TensorArgument *> tensors;
  for (const TensorArgument &tensor : kernel.tensors)
    tensors.push_back(&tensor);
  for (const TensorArgument &side : kernel.sides)
    tensors.push_back(&side);
  for (const Kernel &term : kernel.terms)
    for (size_t input = 0; input < 2; ++input)
      tensors.push_back(&term.tensors[input]);
  return tensors;
}

std::string_view tc::runtime::accessOf(const TensorArgument &tensor) {
  if (tensor.isRead && tensor.isWritten)
    return "read_write";
  return tensor.isWritten ? "write" : "read";
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
  json["name"] = tensor.name;
  json["type"] = model::stringify(tensor.type);
  json["indices"] = tensor.labels;
  json["extents"] = tensor.extents;
  json["strides"] = tensor.strides;
  json["offset"] = tensor.offset;
  json["alignment"] = tensor.alignment;
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

static Json mappingToJson(const model::GridMapping &mapping) {
  Json json;
  json["raster_m"] = mapping.rasterM;
  json["stationary"] = nameOf(mapping.stationary);
  json["walk"] = mapping.walk;
  json["split_k"] = mapping.splitK;
  return json;
}

static Json workspaceToJson(const Workspace &workspace) {
  Json json;
  json["kind"] = "workspace";
  json["bytes"] = workspace.bytes;
  json["zeroed_bytes"] = workspace.zeroedBytes;
  json["alignment"] = workspace.alignment;
  return json;
}

/// What a term of a sum has besides its inputs.
static Json termToJson(const Kernel &term) {
  Json none = Json::array(), json;
  json["output"] = term.tensors[2].labels;
  json["alpha"] = scalarToJson("alpha", term.alpha, term.accumulatorType, none);
  json["precision"] = model::stringify(term.precision);
  if (term.factorType)
    json["factors"] = model::stringify(*term.factorType);
  for (auto [key, text] : prologues)
    if (!(term.*text).empty())
      json[key] = term.*text;
  json["schedule"] = term.schedule;
  return json;
}

static Json shapeArgumentToJson(const ShapeArgument &argument) {
  Json json;
  json["kind"] = "shape";
  json["quantity"] = model::stringify(argument.quantity);
  if (!argument.label.empty())
    json["index"] = argument.label;
  if (isOfTensor(argument.quantity))
    json["tensor"] = nameOfTensor[argument.tensor];
  if (argument.isReciprocal)
    json["reciprocal"] = true;
  json["bytes"] = argument.bytes;
  return json;
}

static Json runTimeShapeToJson(const RunTimeShape &shape) {
  Json indices = Json::array(), tensors = Json::array();
  for (const RunTimeShape::Index &index : shape.indices) {
    Json json;
    json["index"] = index.label;
    json["tile"] = index.tile;
    json["multiple"] = index.multiple;
    indices.push_back(std::move(json));
  }
  for (const RunTimeShape::Tensor &tensor : shape.tensors) {
    Json json;
    json["multiple"] = tensor.multiple;
    if (!tensor.strideOne.empty())
      json["stride_one"] = tensor.strideOne;
    tensors.push_back(std::move(json));
  }
  Json json;
  json["indices"] = std::move(indices);
  json["tensors"] = std::move(tensors);
  json["offset_bits"] = shape.offsetBits;
  return json;
}

static Json kernelToJson(const Kernel &kernel) {
  Json arguments = Json::array();
  for (const TensorArgument *tensor : tensorsOf(kernel))
    arguments.push_back(tensorToJson(*tensor));
  Json alpha =
      scalarToJson("alpha", kernel.alpha, kernel.accumulatorType, arguments);
  Json beta =
      scalarToJson("beta", kernel.beta, kernel.accumulatorType, arguments);
  if (kernel.runTimeShape)
    for (const ShapeArgument &argument : kernel.runTimeShape->arguments)
      arguments.push_back(shapeArgumentToJson(argument));
  if (kernel.workspace)
    arguments.push_back(workspaceToJson(*kernel.workspace));

  Json gridDims = Json::array();
  for (const GridDim &dim : kernel.gridDims) {
    Json json;
    json["index"] = dim.label;
    json["extent"] = dim.extent;
    json["tile"] = dim.tile;
    gridDims.push_back(std::move(json));
  }

  Json json;
  json["entry"] = kernel.entry;
  if (!kernel.symbol.empty())
    json["symbol"] = kernel.symbol;
  if (!kernel.versionOf.empty())
    json["version_of"] = kernel.versionOf;
  json["grid"] = kernel.grid;
  json["block"] = kernel.block;
  json["static_shared_bytes"] = kernel.staticSharedBytes;
  json["dynamic_shared_bytes"] = kernel.dynamicSharedBytes;
  json["arguments"] = std::move(arguments);
  json["accumulator"] = model::stringify(kernel.accumulatorType);
  json["precision"] = model::stringify(kernel.precision);
  if (kernel.semiring != model::Semiring::PlusTimes)
    json["semiring"] = model::stringify(kernel.semiring);
  if (kernel.semiring == model::Semiring::UserDefined)
    json["identity"] = toJson(kernel.identity, kernel.accumulatorType);
  if (kernel.conjugatesA)
    json["conjugate_a"] = true;
  if (kernel.conjugatesB)
    json["conjugate_b"] = true;
  if (kernel.factorType)
    json["factors"] = model::stringify(*kernel.factorType);
  for (auto [key, text] : fusedCode)
    if (!(kernel.*text).empty())
      json[key] = kernel.*text;
  if (kernel.reduces)
    json["reduce"] = additionName;
  json["alpha"] = std::move(alpha);
  json["beta"] = std::move(beta);
  json["grid_dims"] = std::move(gridDims);
  json["mapping"] = mappingToJson(kernel.mapping);
  json["schedule"] = kernel.schedule;
  if (kernel.runTimeShape)
    json["run_time_shape"] = runTimeShapeToJson(*kernel.runTimeShape);
  for (const Kernel &term : kernel.terms)
    json["terms"].push_back(termToJson(term));
  return json;
}

std::string tc::runtime::toJson(const Package &package) {
  Json kernels = Json::array();
  for (const Kernel &kernel : package.kernels)
    kernels.push_back(kernelToJson(kernel));

  Json json;
  json["format"] = packageFormat;
  json["version"] = packageVersion;
  json["name"] = package.name;
  json["target"] = package.target;
  json["code"]["kind"] = stringify(package.codeKind);
  json["code"]["file"] = package.codeFile;
  json["kernels"] = std::move(kernels);
  // Names that are not UTF-8 must not end the program.
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

std::string_view tc::runtime::stringify(CodeKind kind) {
  return kind == CodeKind::PTX ? "ptx" : "cubin";
}
