//===- PackageReader.cpp - Launch descriptions from JSON --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageFormat.h"

#include "tc/Runtime/ConstantJson.h"

#include <algorithm>

using namespace tc;
using namespace tc::runtime;

static model::ElementType readElementType(const JsonNode &node) {
  std::string name = node.string();
  std::optional<model::ElementType> type = model::symbolizeElementType(name);
  if (!type)
    node.fail("unknown element type \"" + name + "\"");
  return type.value_or(model::ElementType::F64);
}

static model::Precision readPrecision(const JsonNode &node) {
  std::string name = node.string();
  std::optional<model::Precision> precision = model::symbolizePrecision(name);
  if (!precision)
    node.fail("expected " + model::precisionNames() + ", not \"" + name + "\"");
  return precision.value_or(model::Precision::IEEE);
}

static model::Semiring readSemiring(const JsonNode &node) {
  std::string name = node.string();
  constexpr auto userDefined = model::Semiring::UserDefined;
  if (name == model::stringify(userDefined))
    return userDefined;
  std::optional<model::Semiring> semiring = model::symbolizeSemiring(name);
  if (!semiring)
    node.fail("expected " + model::semiringNames() + " or " +
              std::string(model::stringify(userDefined)) + ", not \"" + name +
              "\"");
  return semiring.value_or(model::Semiring::PlusTimes);
}

static Dim3 readDim3(const JsonNode &node) {
  std::vector<int64_t> values = node.integers(/*least=*/1);
  if (values.size() != 3) {
    node.fail("expected three integers");
    return {1, 1, 1};
  }
  return {values[0], values[1], values[2]};
}

static TensorArgument readTensor(const JsonNode &node) {
  TensorArgument tensor;
  node.requireKeys({"kind", "name", "type", "indices", "extents", "strides",
                    "offset", "alignment", "access"});
  if (node["kind"].string() != "tensor")
    node["kind"].fail("the first three arguments must be tensors");
  tensor.name = node["name"].string();
  tensor.type = readElementType(node["type"]);
  tensor.labels = node["indices"].strings();
  tensor.extents = node["extents"].integers(/*least=*/1);
  tensor.strides = node["strides"].integers();
  tensor.offset = node["offset"].integer(/*least=*/0);
  tensor.alignment = node["alignment"].integer(/*least=*/1);

  JsonNode access = node["access"];
  std::string word = access.string();
  if (word != "read" && word != "write" && word != "read_write")
    access.fail("expected \"read\", \"write\" or \"read_write\"");
  tensor.isRead = word != "write";
  tensor.isWritten = word != "read";
  return tensor;
}

/// Reads alpha or beta. An argument must be the next one that no other scalar
/// has claimed.
static Scalar readScalar(const JsonNode &node, const std::string &name,
                         const std::vector<JsonNode> &arguments,
                         model::ElementType type, size_t &next) {
  Scalar scalar;
  node.requireKeys({}, {"value", "imaginary", "argument"});
  if (node.has("value") == node.has("argument")) {
    node.fail("expected either \"value\" or \"argument\"");
    return scalar;
  }
  if (node.has("value")) {
    scalar.value = readConstant(node["value"]);
    if (node.has("imaginary"))
      scalar.value = {scalar.value.real(), node["imaginary"].number()};
    return scalar;
  }
  if (node.has("imaginary"))
    node["imaginary"].fail("belongs to a \"value\"");
  scalar.isArgument = true;
  int64_t position = node["argument"].integer(/*least=*/0);
  if (position != static_cast<int64_t>(next) || next >= arguments.size()) {
    node["argument"].fail("expected the position of \"" + name +
                          "\" in the arguments, which are the tensors, then "
                          "alpha, then beta");
    return scalar;
  }
  const JsonNode &argument = arguments[next++];
  argument.requireKeys({"kind", "name", "type"});
  if (argument["kind"].string() != "scalar")
    argument["kind"].fail("expected \"scalar\"");
  if (argument["name"].string() != name)
    argument["name"].fail("expected \"" + name + "\"");
  if (readElementType(argument["type"]) != type)
    argument["type"].fail("expected the type of the accumulator, \"" +
                          std::string(model::stringify(type)) + "\"");
  return scalar;
}

static model::GridMapping readMapping(const JsonNode &node) {
  model::GridMapping mapping;
  node.requireKeys({"raster_m", "stationary", "walk", "split_k"});
  mapping.rasterM = node["raster_m"].integer(/*least=*/0);
  mapping.walk = node["walk"].integer(/*least=*/1);
  mapping.splitK = node["split_k"].integer(/*least=*/1);
  std::string stationary = node["stationary"].string();
  for (model::Stationary known :
       {model::Stationary::Output, model::Stationary::A, model::Stationary::B})
    if (stationary == nameOf(known)) {
      mapping.stationary = known;
      return mapping;
    }
  node["stationary"].fail("expected \"output\", \"a\" or \"b\"");
  return mapping;
}

static Workspace readWorkspace(const JsonNode &node) {
  Workspace workspace;
  node.requireKeys({"kind", "bytes", "zeroed_bytes", "alignment"});
  workspace.bytes = node["bytes"].integer(/*least=*/1);
  workspace.zeroedBytes = node["zeroed_bytes"].integer(/*least=*/0);
  workspace.alignment = node["alignment"].integer(/*least=*/1);
  return workspace;
}

static ShapeArgument readShapeArgument(const JsonNode &node) {
  ShapeArgument argument;
  node.requireKeys({"kind", "quantity", "bytes"},
                   {"index", "tensor", "reciprocal"});
  std::string name = node["quantity"].string();
  std::optional<model::RunTimeQuantity> quantity =
      model::symbolizeRunTimeQuantity(name);
  if (!quantity)
    node["quantity"].fail("unknown quantity \"" + name + "\"");
  argument.quantity = quantity.value_or(model::RunTimeQuantity::Extent);
  if (node.has("index"))
    argument.label = node["index"].string();
  if (node.has("tensor") != isOfTensor(argument.quantity))
    node.fail("expected \"tensor\" for a stride or an offset, and for nothing "
              "else");
  if (node.has("tensor")) {
    auto found = std::find(nameOfTensor.begin(), nameOfTensor.end(),
                           node["tensor"].string());
    if (found == nameOfTensor.end())
      node["tensor"].fail("expected \"A\", \"B\" or \"C\"");
    argument.tensor = static_cast<size_t>(found - nameOfTensor.begin());
  }
  if (node.has("reciprocal"))
    argument.isReciprocal = node["reciprocal"].boolean();
  argument.bytes = node["bytes"].integer(/*least=*/1);
  return argument;
}

/// Reads all but the arguments.
static RunTimeShape readRunTimeShape(const JsonNode &node) {
  RunTimeShape shape;
  node.requireKeys({"indices", "tensors", "offset_bits"});
  for (const JsonNode &element : node["indices"].elements()) {
    element.requireKeys({"index", "tile", "multiple"});
    shape.indices.push_back({element["index"].string(),
                             element["tile"].integer(/*least=*/1),
                             element["multiple"].integer(/*least=*/1)});
  }
  std::vector<JsonNode> tensors = node["tensors"].elements();
  if (tensors.size() != shape.tensors.size())
    node["tensors"].fail("expected one element each for A, B and C");
  for (size_t i = 0; i < std::min(tensors.size(), shape.tensors.size()); ++i) {
    tensors[i].requireKeys({"multiple"}, {"stride_one"});
    shape.tensors[i].multiple = tensors[i]["multiple"].integer(/*least=*/1);
    if (tensors[i].has("stride_one"))
      shape.tensors[i].strideOne = tensors[i]["stride_one"].string();
  }
  shape.offsetBits = node["offset_bits"].integer();
  return shape;
}

/// Reads a term of a sum, whose inputs are the two tensors.
static Kernel readTerm(const JsonNode &node, const Kernel &kernel,
                       std::vector<TensorArgument> inputs) {
  Kernel term;
  node.requireKeys({"output", "alpha", "precision", "schedule"},
                   {"factors", model::prologueAKey, model::prologueBKey});
  term.tensors = {std::move(inputs[0]), std::move(inputs[1]),
                  kernel.tensors[2]};
  term.tensors[2].labels = node["output"].strings();
  term.accumulatorType = kernel.accumulatorType;
  node["alpha"].requireKeys({"value"});
  term.alpha.value = readConstant(node["alpha"]["value"]);
  term.precision = readPrecision(node["precision"]);
  if (node.has("factors"))
    term.factorType = readElementType(node["factors"]);
  for (auto [key, text] : prologues)
    if (node.has(key))
      term.*text = node[key].string();
  term.schedule = node["schedule"].string();
  return term;
}

/// Reads the terms of a sum. Their inputs are the last tensors.
static void readTerms(const JsonNode &node, Kernel &kernel) {
  std::vector<JsonNode> terms = node.elements();
  if (terms.empty())
    node.fail("expected at least one term");
  if (kernel.sides.size() < 2 * terms.size()) {
    node.fail("expected two tensors in the arguments for each term");
    return;
  }
  auto input = kernel.sides.end() - static_cast<ptrdiff_t>(2 * terms.size());
  auto first = input;
  for (const JsonNode &term : terms) {
    kernel.terms.push_back(readTerm(term, kernel, {input[0], input[1]}));
    input += 2;
  }
  kernel.sides.erase(first, kernel.sides.end());
}

static Kernel readKernel(const JsonNode &node, int64_t version) {
  Kernel kernel;
  std::vector<std::string_view> keys = {"entry",
                                        "grid",
                                        "block",
                                        "static_shared_bytes",
                                        "dynamic_shared_bytes",
                                        "arguments",
                                        "accumulator",
                                        "alpha",
                                        "beta",
                                        "grid_dims",
                                        "schedule"};
  if (version > 1)
    keys.insert(keys.end(), {"precision", "mapping"});
  std::vector<std::string_view> optional = {
      "semiring", "identity", "conjugate_a", "conjugate_b",    "factors",
      "terms",    "reduce",   "version_of",  "run_time_shape", "symbol"};
  for (auto [key, text] : fusedCode)
    optional.push_back(key);
  node.requireKeys(keys, optional);
  kernel.entry = node["entry"].string();
  if (node.has("symbol"))
    kernel.symbol = node["symbol"].string();
  if (node.has("version_of"))
    kernel.versionOf = node["version_of"].string();
  kernel.grid = readDim3(node["grid"]);
  kernel.block = readDim3(node["block"]);
  kernel.staticSharedBytes = node["static_shared_bytes"].integer(/*least=*/0);
  kernel.dynamicSharedBytes = node["dynamic_shared_bytes"].integer(/*least=*/0);

  std::vector<JsonNode> arguments = node["arguments"].elements();
  if (arguments.size() < 3) {
    node["arguments"].fail("expected the tensors A, B and C");
    return kernel;
  }
  for (size_t i = 0; i < 3; ++i)
    kernel.tensors[i] = readTensor(arguments[i]);
  kernel.accumulatorType = readElementType(node["accumulator"]);
  if (version > 1)
    kernel.precision = readPrecision(node["precision"]);
  if (node.has("semiring"))
    kernel.semiring = readSemiring(node["semiring"]);
  if ((kernel.semiring == model::Semiring::UserDefined) != node.has("identity"))
    node.fail("expected \"identity\" where the semiring is user_defined, and "
              "nowhere else");
  if (node.has("identity"))
    kernel.identity = readConstant(node["identity"]);
  for (auto [key, conjugates] : {std::pair("conjugate_a", &kernel.conjugatesA),
                                 std::pair("conjugate_b", &kernel.conjugatesB)})
    if (node.has(key))
      *conjugates = node[key].boolean();
  if (node.has("factors"))
    kernel.factorType = readElementType(node["factors"]);
  for (auto [key, text] : fusedCode)
    if (node.has(key))
      kernel.*text = node[key].string();
  if (node.has("reduce")) {
    kernel.reduces = true;
    if (node["reduce"].string() != additionName)
      node["reduce"].fail("expected \"" + std::string(additionName) + "\"");
  }

  size_t next = 3;
  for (; next < arguments.size() && arguments[next].has("kind") &&
         arguments[next]["kind"].string() == "tensor";
       ++next)
    kernel.sides.push_back(readTensor(arguments[next]));
  if (node.has("terms"))
    readTerms(node["terms"], kernel);
  model::ElementType scalarType = kernel.accumulatorType;
  kernel.alpha =
      readScalar(node["alpha"], "alpha", arguments, scalarType, next);
  kernel.beta = readScalar(node["beta"], "beta", arguments, scalarType, next);
  if (node.has("run_time_shape")) {
    kernel.runTimeShape = readRunTimeShape(node["run_time_shape"]);
    for (; next < arguments.size() && arguments[next].has("kind") &&
           arguments[next]["kind"].string() == "shape";
         ++next)
      kernel.runTimeShape->arguments.push_back(
          readShapeArgument(arguments[next]));
  }
  if (version > 1 && next + 1 == arguments.size() &&
      arguments[next]["kind"].string() == "workspace")
    kernel.workspace = readWorkspace(arguments[next++]);
  if (next < arguments.size())
    arguments[next].fail("argument that neither alpha nor beta refers to");

  for (const JsonNode &element : node["grid_dims"].elements()) {
    element.requireKeys({"index", "extent", "tile"});
    GridDim dim;
    dim.label = element["index"].string();
    dim.extent = element["extent"].integer(/*least=*/1);
    dim.tile = element["tile"].integer(/*least=*/1);
    kernel.gridDims.push_back(std::move(dim));
  }
  if (version > 1)
    kernel.mapping = readMapping(node["mapping"]);
  kernel.schedule = node["schedule"].string();
  return kernel;
}

static Package readPackage(const JsonNode &root) {
  Package package;
  // Which keys there are depends on format and version, so these come first.
  std::string format = root["format"].string();
  if (format != packageFormat)
    root["format"].fail("expected \"" + std::string(packageFormat) +
                        "\", not \"" + format + "\"");
  int64_t version = root["version"].integer();
  if (version < oldestPackageVersion || version > packageVersion)
    root["version"].fail("unknown version " + std::to_string(version) +
                         "; this program reads versions " +
                         std::to_string(oldestPackageVersion) + " to " +
                         std::to_string(packageVersion));

  root.requireKeys({"format", "version", "name", "target", "code", "kernels"});
  package.name = root["name"].string();
  package.target = root["target"].string();
  JsonNode code = root["code"];
  code.requireKeys({"kind", "file"});
  std::string kind = code["kind"].string();
  if (kind != stringify(CodeKind::PTX) && kind != stringify(CodeKind::Cubin))
    code["kind"].fail("expected \"ptx\" or \"cubin\"");
  package.codeKind =
      kind == stringify(CodeKind::Cubin) ? CodeKind::Cubin : CodeKind::PTX;
  package.codeFile = code["file"].string();
  for (const JsonNode &kernel : root["kernels"].elements())
    package.kernels.push_back(readKernel(kernel, version));
  return package;
}

Result<Package> tc::runtime::fromJson(std::string_view text) {
  Result<nlohmann::ordered_json> document = parseStrictJson(text);
  if (!document)
    return Error{document.error()};
  FirstError error;
  Package package = readPackage(JsonNode(*document, error));
  if (error)
    return *error;
  if (Status status = verify(package); !status)
    return Error{status.error()};
  return package;
}
