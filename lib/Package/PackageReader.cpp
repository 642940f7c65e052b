//===- PackageReader.cpp - Launch descriptions from JSON --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldReader.h"
#include "OldGroups.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Support/Arithmetic.h"
#include "tc/Support/FieldJson.h"
#include "tc/Support/Message.h"

#include <algorithm>
#include <numeric>

using namespace tc;
using namespace tc::runtime;

void tc::runtime::readValue(const JsonNode &node, model::ElementType &type) {
  std::string name = node.string();
  std::optional<model::ElementType> known = model::symbolizeElementType(name);
  if (!known)
    node.fail("unknown element type \"" + name + "\"");
  type = known.value_or(model::ElementType::F64);
}

void tc::runtime::readValue(const JsonNode &node, model::Precision &precision) {
  std::string name = node.string();
  std::optional<model::Precision> known = model::symbolizePrecision(name);
  if (!known)
    node.fail("expected " + model::precisionNames() + ", not \"" + name + "\"");
  precision = known.value_or(model::Precision::IEEE);
}

void tc::runtime::readValue(const JsonNode &node, model::Semiring &semiring) {
  std::string name = node.string();
  semiring = model::Semiring::UserDefined;
  if (name == model::stringify(semiring))
    return;
  std::optional<model::Semiring> known = model::symbolizeSemiring(name);
  if (!known)
    node.fail("expected " + model::semiringNames() + " or " +
              std::string(model::stringify(semiring)) + ", not \"" + name +
              "\"");
  semiring = known.value_or(model::Semiring::PlusTimes);
}

void tc::runtime::readValue(const JsonNode &node,
                            model::Stationary &stationary) {
  std::string name = node.string();
  for (model::Stationary known :
       {model::Stationary::Output, model::Stationary::A, model::Stationary::B})
    if (name == nameOf(known)) {
      stationary = known;
      return;
    }
  node.fail("expected \"output\", \"a\" or \"b\"");
}

void tc::runtime::readValue(const JsonNode &node,
                            model::RunTimeQuantity &quantity) {
  std::string name = node.string();
  std::optional<model::RunTimeQuantity> known =
      model::symbolizeRunTimeQuantity(name);
  if (!known)
    node.fail("unknown quantity \"" + name + "\"");
  quantity = known.value_or(model::RunTimeQuantity::Extent);
}

void tc::runtime::readAccess(const JsonNode &node, bool &isRead,
                             bool &isWritten) {
  std::string word = node.string();
  if (word != "read" && word != "write" && word != "read_write")
    node.fail("expected \"read\", \"write\" or \"read_write\"");
  isRead = word != "write";
  isWritten = word != "read";
}

static TensorArgument readTensor(const JsonNode &node) {
  TensorArgument tensor;
  requireKeysWithout<bool>(node, tensor, {"kind", "access"});
  if (node["kind"].string() != "tensor")
    node["kind"].fail("the first three arguments must be tensors");
  visitFields(tensor, [&](const auto &field, auto &value) {
    if constexpr (!std::is_same_v<decltype(value), bool &>)
      readField(node, field, value);
  });
  readAccess(node["access"], tensor.isRead, tensor.isWritten);
  return tensor;
}

/// The value of alpha or beta, which may be complex.
static model::Constant readValueOf(const JsonNode &node) {
  model::Constant value = readConstant(node["value"]);
  if (node.has("imaginary"))
    value = {value.real(), node["imaginary"].number()};
  return value;
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
    scalar.value = readValueOf(node);
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
  model::ElementType found = type;
  readValue(argument["type"], found);
  if (found != type)
    argument["type"].fail("expected the type of the accumulator, \"" +
                          std::string(model::stringify(type)) + "\"");
  return scalar;
}

static Workspace readWorkspace(const JsonNode &node) {
  Workspace workspace;
  Keys keys = keysOf(node, workspace);
  keys.required.push_back("kind");
  keys.require(node);
  visitFields(workspace, [&](const auto &field, auto &value) {
    readField(node, field, value);
  });
  return workspace;
}

static ShapeArgument readShapeArgument(const JsonNode &node,
                                       const Kernel &kernel) {
  ShapeArgument argument;
  Keys keys = keysOf(node, argument);
  keys.required.push_back("kind");
  keys.require(node);
  visitFields(
      argument,
      Overloaded{[&](const auto &field, size_t &tensor) {
                   // The quantity is read before.
                   bool has = node.has(field.name);
                   if (has != isOfTensor(argument.quantity))
                     node.fail("expected \"tensor\" for a stride or an offset, "
                               "and for nothing else");
                   if (!has)
                     return;
                   std::vector<const TensorArgument *> all = tensorsOf(kernel);
                   auto found = std::find_if(
                       all.begin(), all.end(), [&](const TensorArgument *each) {
                         return each->name == node[field.name].string();
                       });
                   if (found == all.end())
                     node[field.name].fail("expected the name of a tensor");
                   tensor = static_cast<size_t>(found - all.begin());
                 },
                 [&](const auto &field, auto &value) {
                   readField(node, field, value);
                 }});
  return argument;
}

/// Reads all but the arguments.
static DynamicShape readDynamicShape(const JsonNode &node) {
  DynamicShape shape;
  requireKeysWithout<std::vector<ShapeArgument>>(node, shape, {});
  visitFields(shape,
              Overloaded{[](const auto &, std::vector<ShapeArgument> &) {},
                         [&](const auto &field, auto &value) {
                           readField(node, field, value);
                         }});
  return shape;
}

/// Reads a contraction of a group but its tensors.
static KernelContraction readContraction(const JsonNode &node) {
  KernelContraction contraction;
  node.requireKeys({"accumulator", "alpha", "precision", "schedule"},
                   {"factors", model::prologueAKey, model::prologueBKey,
                    model::epilogueKey, "conjugate_a", "conjugate_b"});
  visitFields(contraction,
              Overloaded{[](const auto &, std::array<TensorArgument, 3> &) {},
                         [](const auto &, model::Constant &) {},
                         [](const auto &, model::Semiring &) {},
                         [&](const auto &field, Scalar &factor) {
                           if (field.name != "alpha")
                             return;
                           const JsonNode &value = node[field.name];
                           value.requireKeys({"value"}, {"imaginary"});
                           factor.value = readValueOf(value);
                         },
                         [&](const auto &field, auto &value) {
                           if (node.has(field.name))
                             readField(node, field, value);
                         }});
  return contraction;
}

static std::optional<model::GroupTensor> readGroupTensor(const JsonNode &node) {
  std::optional<model::GroupTensor> tensor =
      model::symbolizeGroupTensor(node.string());
  if (!tensor)
    node.fail("expected the name of a tensor, as \"A\", \"B1\" or \"C2\"");
  return tensor;
}

/// "softmax" in quotes, and other such names.
static std::string edgeFunctionNames() {
  std::string names;
  for (model::EdgeFunction function : model::edgeFunctions)
    names += (names.empty() ? "\"" : ", \"") +
             std::string(model::stringify(function)) + "\"";
  return names;
}

static model::GroupEdge readEdge(const JsonNode &node) {
  node.requireKeys(
      {edgeKeys[0].tensor, edgeKeys[1].tensor},
      {edgeKeys[0].labels, edgeKeys[1].labels, "type", throughKey});
  model::GroupEdge edge;
  if (auto tensor = readGroupTensor(node[edgeKeys[0].tensor])) {
    edge.from = tensor->node;
    edge.source = tensor->tensor;
  }
  if (auto tensor = readGroupTensor(node[edgeKeys[1].tensor])) {
    edge.to = tensor->node;
    edge.sink = tensor->tensor;
  }
  if (node.has(throughKey)) {
    std::optional<model::EdgeFunction> function =
        model::symbolizeEdgeFunction(node[throughKey].string());
    if (!function)
      node[throughKey].fail("expected " + edgeFunctionNames());
    edge.through = function.value_or(edge.through);
  }
  return edge;
}

/// The extents of labels of an output, as the inputs have them.
static std::vector<int64_t>
outputExtents(const JsonNode &node, const KernelContraction &contraction,
              const std::vector<std::string> &labels) {
  std::vector<int64_t> extents;
  for (const std::string &label : labels) {
    int64_t extent = 0;
    for (size_t input = 0; input < 2; ++input) {
      const TensorArgument &tensor = contraction.tensors[input];
      size_t rank = std::min(tensor.labels.size(), tensor.extents.size());
      for (size_t dim = 0; dim < rank; ++dim)
        if (tensor.labels[dim] == label)
          extent = tensor.extents[dim];
    }
    if (extent == 0)
      node.fail("index \"" + label +
                "\" is in neither input of the "
                "contraction that computes it");
    extents.push_back(std::max<int64_t>(extent, 1));
  }
  return extents;
}

/// Letters of the names of A, B and C at most, with the number of their
/// contraction.
static constexpr size_t maxNameLength = 16;

namespace {

/// Gives the contractions of a kernel their tensors: operands from the
/// arguments, the others by the edges.
class TensorReader {
public:
  TensorReader(const JsonNode &edges, Kernel &kernel)
      : nodes(edges.elements(maxContractions)), kernel(kernel),
        group(groupOf(kernel)) {}

  /// Takes the operands after the third from the last of the arguments.
  bool readOperands(const JsonNode &arguments);
  void readOthers();

private:
  void readOutput(const JsonNode &node, const model::GroupEdge &edge);
  void readProduced(const JsonNode &node, const model::GroupEdge &edge);
  void readInput(const JsonNode &node, const model::GroupEdge &edge);
  std::vector<std::string> readLabels(const JsonNode &node, const char *key,
                                      size_t rank) const;
  TensorArgument &tensorOf(const model::GroupTensor &tensor) {
    return contractionAt(kernel, tensor.node)
        .tensors[static_cast<size_t>(tensor.tensor)];
  }

  std::vector<JsonNode> nodes;
  Kernel &kernel;
  model::Group group;
};

} // namespace

bool TensorReader::readOperands(const JsonNode &arguments) {
  std::vector<model::GroupTensor> operands = group.operands();
  size_t last = operands.size() - 3;
  if (kernel.auxiliaries.size() < last) {
    arguments.fail("expected " + std::to_string(operands.size()) +
                   " tensors for the contractions and their edges");
    return false;
  }
  auto next = kernel.auxiliaries.end() - static_cast<ptrdiff_t>(last);
  std::array<TensorArgument, 3> first = std::move(kernel.tensors);
  for (size_t i = 0; i < 3; ++i)
    tensorOf(operands[i]) = std::move(first[i]);
  for (size_t i = 3; i < operands.size(); ++i)
    tensorOf(operands[i]) = std::move(*next++);
  kernel.auxiliaries.resize(kernel.auxiliaries.size() - last);
  return true;
}

std::vector<std::string> TensorReader::readLabels(const JsonNode &node,
                                                  const char *key,
                                                  size_t rank) const {
  std::vector<std::string> labels = node[key].strings(maxPackageRank);
  if (labels.size() != rank)
    node[key].fail("expected as many as the tensor has that it is, " +
                   std::to_string(rank));
  labels.resize(rank);
  return labels;
}

/// Has each key where its tensor is no operand, and nowhere else.
static void requireEdgeKeys(const JsonNode &node, bool from, bool to,
                            bool type) {
  for (auto [key, isNeeded] :
       {std::pair(edgeKeys[0].labels, from), std::pair(edgeKeys[1].labels, to),
        std::pair("type", type)})
    if (node.has(key) != isNeeded)
      node.fail(isNeeded ? "missing key \"" + std::string(key) + "\""
                         : "unexpected key \"" + std::string(key) + "\"");
}

/// Makes a tensor another one, but for the indices. Copies of long names would
/// take much more memory than the text of the package.
static void takeShape(TensorArgument &tensor, const TensorArgument &other) {
  tensor.name = other.name.substr(0, maxNameLength);
  tensor.type = other.type;
  tensor.extents = other.extents;
  tensor.strides = other.strides;
  tensor.offset = other.offset;
  tensor.alignment = other.alignment;
  tensor.isRead = other.isRead;
  tensor.isWritten = other.isWritten;
}

void TensorReader::readOutput(const JsonNode &node,
                              const model::GroupEdge &edge) {
  requireEdgeKeys(node, true, false, false);
  const TensorArgument &whole = tensorOf({edge.to, edge.sink});
  TensorArgument &output = tensorOf({edge.from, edge.source});
  takeShape(output, whole);
  output.labels = readLabels(node, edgeKeys[0].labels, whole.labels.size());
  output.isRead = false;
}

/// The elements of a producer's output lie densely.
void TensorReader::readProduced(const JsonNode &node,
                                const model::GroupEdge &edge) {
  requireEdgeKeys(node, true, true, true);
  TensorArgument &output = tensorOf({edge.from, edge.source});
  output = {};
  output.name = model::nameOf({edge.to, edge.sink});
  readValue(node["type"], output.type);
  output.labels = node[edgeKeys[0].labels].strings(maxPackageRank);
  output.extents =
      outputExtents(node, contractionAt(kernel, edge.from), output.labels);
  output.strides.assign(output.extents.size(), 1);
  for (size_t dim = output.extents.size(); dim-- > 1;)
    output.strides[dim - 1] =
        saturatingMultiply(output.strides[dim], output.extents[dim]);
  TensorArgument &input = tensorOf({edge.to, edge.sink});
  input = output;
  input.labels = readLabels(node, edgeKeys[1].labels, output.labels.size());
  output.isRead = false;
  output.isWritten = true;
}

void TensorReader::readInput(const JsonNode &node,
                             const model::GroupEdge &edge) {
  requireEdgeKeys(node, false, true, false);
  const TensorArgument &shared = tensorOf({edge.from, edge.source});
  TensorArgument &input = tensorOf({edge.to, edge.sink});
  takeShape(input, shared);
  input.labels = readLabels(node, edgeKeys[1].labels, shared.labels.size());
}

void TensorReader::readOthers() {
  // The inputs of a contraction are known before it.
  std::vector<size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return kernel.edges[a].from < kernel.edges[b].from;
  });
  for (size_t i : order) {
    const model::GroupEdge &edge = kernel.edges[i];
    switch (model::traitsOf(edge).memory) {
    case model::EdgeMemory::Sink:
      readOutput(nodes[i], edge);
      break;
    case model::EdgeMemory::Chip:
      readProduced(nodes[i], edge);
      break;
    case model::EdgeMemory::Source:
      readInput(nodes[i], edge);
      break;
    }
  }
}

/// Reads the contractions of a kernel after its own one, and their edges.
static void readGroup(const JsonNode &node, Kernel &kernel) {
  for (const JsonNode &each : node["contractions"].elements(maxContractions))
    kernel.others.push_back(readContraction(each));
  for (const JsonNode &each : node["edges"].elements(maxContractions))
    kernel.edges.push_back(readEdge(each));
  std::optional<model::GroupFault> fault = model::findFault(groupOf(kernel));
  if (kernel.others.empty())
    node["contractions"].fail("expected at least one");
  if (fault)
    node["edges"].fail("contraction " + std::to_string(fault->node) + " " +
                       fault->message);
  if (fault || kernel.others.empty()) {
    // Nothing may be asked of such a group.
    kernel.others.clear();
    kernel.edges.clear();
    return;
  }
  TensorReader tensors(node["edges"], kernel);
  if (tensors.readOperands(node["arguments"]))
    tensors.readOthers();
}

/// True if a field is there in a version of the format under its own key. The
/// others are among the arguments, or are never written.
template <typename Owner, typename Value>
static bool hasKey(const Field<Owner, Value> &field, int64_t version) {
  if constexpr (std::is_same_v<Value, std::array<TensorArgument, 3>> ||
                std::is_same_v<Value, std::vector<TensorArgument>> ||
                std::is_same_v<Value, std::optional<Workspace>>)
    return false;
  else if constexpr (std::is_same_v<Value, bool>)
    return field.name != "other_code";
  else
    return version > 1 || !(std::is_same_v<Value, model::Precision> ||
                            std::is_same_v<Value, model::GridMapping>);
}

static Kernel readKernel(const JsonNode &node, int64_t version) {
  Kernel kernel;
  Keys keys;
  keys.required = {"arguments"};
  visitFields(kernel, [&](const auto &field, const auto &) {
    if (hasKey(field, version))
      keys.add(node, field);
  });
  keys.require(node);
  visitFields(
      kernel,
      Overloaded{// The arguments are read below, with what refers to them.
                 [](const auto &, std::array<TensorArgument, 3> &) {},
                 [](const auto &, std::vector<TensorArgument> &) {},
                 [](const auto &, std::optional<Workspace> &) {},
                 [](const auto &, Scalar &) {},
                 [](const auto &, std::vector<KernelContraction> &) {},
                 [](const auto &, std::vector<model::GroupEdge> &) {},
                 [](const auto &, std::optional<DynamicShape> &) {},
                 [&](const auto &field, model::Constant &identity) {
                   bool isNeeded =
                       kernel.semiring == model::Semiring::UserDefined;
                   if (isNeeded != node.has(field.name))
                     node.fail("expected \"identity\" where the semiring is "
                               "user_defined, and nowhere else");
                   if (node.has(field.name))
                     identity = readConstant(node[field.name]);
                 },
                 [&](const auto &field, bool &value) {
                   if (field.name == "reduce")
                     value = node.has(field.name);
                   else if (hasKey(field, version))
                     return readField(node, field, value);
                   if (value && node[field.name].string() != additionName)
                     node[field.name].fail("expected \"" +
                                           std::string(additionName) + "\"");
                 },
                 [&](const auto &field, auto &value) {
                   if (hasKey(field, version))
                     readField(node, field, value);
                 }});

  std::vector<JsonNode> arguments = node["arguments"].elements(maxArguments);
  if (arguments.size() < 3) {
    node["arguments"].fail("expected the tensors A, B and C");
    return kernel;
  }
  for (size_t i = 0; i < 3; ++i)
    kernel.tensors[i] = readTensor(arguments[i]);

  size_t next = 3;
  for (; next < arguments.size() && arguments[next].has("kind") &&
         arguments[next]["kind"].string() == "tensor";
       ++next)
    kernel.auxiliaries.push_back(readTensor(arguments[next]));
  if (node.has("contractions") || node.has("edges"))
    readGroup(node, kernel);
  model::ElementType scalarType = kernel.accumulatorType;
  kernel.alpha =
      readScalar(node["alpha"], "alpha", arguments, scalarType, next);
  kernel.beta = readScalar(node["beta"], "beta", arguments, scalarType, next);
  for (std::string_view name : {"dynamic_shape", "run_time_shape"})
    if (node.has(name))
      kernel.dynamicShape = readDynamicShape(node[name]);
  if (kernel.dynamicShape) {
    for (; next < arguments.size() && arguments[next].has("kind") &&
           arguments[next]["kind"].string() == "shape";
         ++next)
      kernel.dynamicShape->arguments.push_back(
          readShapeArgument(arguments[next], kernel));
  }
  if (version > 1 && next + 1 == arguments.size() &&
      arguments[next]["kind"].string() == "workspace")
    kernel.workspace = readWorkspace(arguments[next++]);
  if (next < arguments.size())
    arguments[next].fail("argument that neither alpha nor beta refers to");
  return kernel;
}

static Package readPackage(const JsonNode &root) {
  Package package;
  // The set of keys depends on format and version, so these come first.
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

  std::vector<std::string_view> optional;
  if (version >= firstVersionWithPrograms)
    optional.emplace_back("programs");
  root.requireKeys({"format", "version", "name", "target", "code", "kernels"},
                   optional);
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
  for (const JsonNode &kernel : root["kernels"].elements(maxKernels))
    package.kernels.push_back(readKernel(kernel, version));
  if (version >= firstVersionWithPrograms && root.has("programs"))
    package.programs = readPrograms(root["programs"], package);
  return package;
}

Result<Package> tc::runtime::fromJson(std::string_view text) {
  Result<nlohmann::ordered_json> document = parseStrictJson(text);
  if (!document)
    return Error{document.error()};
  if (Status status = upgradeGroups(*document); !status)
    return Error{status.error()};
  FirstError error;
  Package package = readPackage(JsonNode(*document, error));
  if (error)
    return *error;
  // Names that are quoted may have any character.
  if (Status status = verify(package); !status)
    return Error{inOneLine(status.error())};
  return package;
}
