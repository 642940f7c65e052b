//===- PackageReader.cpp - Launch descriptions from JSON --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldReader.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Support/Arithmetic.h"
#include "tc/Support/FieldJson.h"
#include "tc/Support/Message.h"

#include <algorithm>

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

/// Reads a term of a sum, whose inputs are the two tensors.
static Kernel readTerm(const JsonNode &node, const Kernel &kernel,
                       std::vector<TensorArgument> inputs) {
  Kernel term;
  node.requireKeys({"output", "alpha", "precision", "schedule"},
                   {"factors", model::prologueAKey, model::prologueBKey});
  term.tensors = {std::move(inputs[0]), std::move(inputs[1]),
                  kernel.tensors[2]};
  term.tensors[2].labels = node["output"].strings(maxPackageRank);
  term.accumulatorType = kernel.accumulatorType;
  node["alpha"].requireKeys({"value"});
  term.alpha.value = readConstant(node["alpha"]["value"]);
  readValue(node["precision"], term.precision);
  if (node.has("factors"))
    readValue(node["factors"], term.factorType.emplace());
  for (auto [key, text] : prologues)
    if (node.has(key))
      term.*text = node[key].string();
  term.schedule = node["schedule"].string();
  return term;
}

/// Reads the terms of a sum. Their inputs are the last tensors.
static void readTerms(const JsonNode &node, Kernel &kernel) {
  std::vector<JsonNode> terms = node.elements(maxArguments);
  if (terms.empty())
    node.fail("expected at least one term");
  if (kernel.auxiliaries.size() < 2 * terms.size()) {
    node.fail("expected two tensors in the arguments for each term");
    return;
  }
  auto input =
      kernel.auxiliaries.end() - static_cast<ptrdiff_t>(2 * terms.size());
  auto first = input;
  for (const JsonNode &term : terms) {
    kernel.terms.push_back(readTerm(term, kernel, {input[0], input[1]}));
    input += 2;
  }
  kernel.auxiliaries.erase(first, kernel.auxiliaries.end());
}

/// What a link computes, as the next one takes it: its elements lie densely.
static TensorArgument readFed(const JsonNode &node, const Kernel &link,
                              size_t &input) {
  node.requireKeys({"input", "type", "indices"}, {"through"});
  TensorArgument fed;
  std::string name = node["input"].string();
  input = name == nameOfInput[1] ? 1 : 0;
  if (name != nameOfInput[input])
    node["input"].fail("expected \"a\" or \"b\"");
  readValue(node["type"], fed.type);
  fed.labels = node["indices"].strings(maxPackageRank);
  const std::vector<std::string> &computed = link.tensors[2].labels;
  if (fed.labels.size() != computed.size()) {
    node["indices"].fail("expected as many as the output of the link has, " +
                         std::to_string(computed.size()));
    fed.labels.resize(computed.size());
  }
  for (const std::string &label : computed) {
    int64_t extent = 0;
    for (size_t i = 0; i < 2; ++i)
      for (size_t dim = 0; dim < std::min(link.tensors[i].labels.size(),
                                          link.tensors[i].extents.size());
           ++dim)
        if (link.tensors[i].labels[dim] == label)
          extent = link.tensors[i].extents[dim];
    if (extent == 0)
      node.fail("index \"" + label +
                "\" of the link's output is in neither of "
                "its inputs");
    fed.extents.push_back(extent);
  }
  fed.strides.assign(fed.extents.size(), 1);
  for (size_t dim = fed.extents.size(); dim-- > 1;)
    fed.strides[dim - 1] =
        saturatingMultiply(fed.strides[dim], fed.extents[dim]);
  return fed;
}

/// What links of a chain and branches of a fan have: a factor, a precision,
/// fused code and a schedule.
static void readCommon(const JsonNode &node, Kernel &link) {
  const JsonNode &alpha = node["alpha"];
  alpha.requireKeys({"value"}, {"imaginary"});
  link.alpha.value = readValueOf(alpha);
  readValue(node["precision"], link.precision);
  if (node.has("factors"))
    readValue(node["factors"], link.factorType.emplace());
  for (auto [key, text] : linkCode)
    if (node.has(key))
      link.*text = node[key].string();
  for (auto [key, conjugates] : conjugations)
    if (node.has(key))
      link.*conjugates = node[key].boolean();
  link.schedule = node["schedule"].string();
}

/// Reads a link of a chain, whose inputs are the two tensors, and returns what
/// the next one takes.
static TensorArgument readLink(const JsonNode &node, Kernel &link,
                               size_t &input) {
  node.requireKeys(
      {"output", "alpha", "precision", "accumulator", "schedule", "feeds"},
      {"factors", model::prologueAKey, model::prologueBKey, model::epilogueKey,
       conjugations[0].first, conjugations[1].first});
  link.tensors[2].labels = node["output"].strings(maxPackageRank);
  readValue(node["accumulator"], link.accumulatorType);
  readCommon(node, link);
  TensorArgument fed = readFed(node["feeds"], link, input);
  std::vector<std::string> labels = std::move(link.tensors[2].labels);
  link.tensors[2] = fed;
  link.tensors[2].name = "C";
  link.tensors[2].labels = std::move(labels);
  link.tensors[2].isRead = false;
  link.tensors[2].isWritten = true;
  return fed;
}

/// Reads the links of a chain. The last tensors are an input of each.
static void readLinks(const JsonNode &node, Kernel &kernel) {
  std::vector<JsonNode> links = node.elements(maxArguments);
  if (links.empty())
    node.fail("expected at least one link");
  if (links.empty() || kernel.auxiliaries.size() < links.size()) {
    node.fail("expected a tensor in the arguments for each link");
    return;
  }
  auto first = kernel.auxiliaries.end() - static_cast<ptrdiff_t>(links.size());
  TensorArgument before;
  for (size_t i = 0; i < links.size(); ++i) {
    Kernel &link = kernel.links.emplace_back();
    link.tensors[1] = first[static_cast<ptrdiff_t>(i)];
    if (i > 0) {
      link.chainedInput = kernel.chainedInput;
      link.tensors[1 - *link.chainedInput] = first[static_cast<ptrdiff_t>(i)];
      link.tensors[*link.chainedInput] = before;
    } else {
      // Which of the kernel's own tensors it is, the last link says.
      const JsonNode &last = links.back()["feeds"]["input"];
      link.tensors[0] = kernel.tensors[last.string() == nameOfInput[1] ? 1 : 0];
    }
    size_t input = 0;
    before = readLink(links[i], link, input);
    before.name = nameOfTensor[input];
    bool isLast = i + 1 == links.size();
    if (!isLast)
      before.name += std::to_string(i + 2);
    kernel.chainedInput = input;
    const JsonNode &feeds = links[i]["feeds"];
    if (!feeds.has("through"))
      continue;
    kernel.softmax = isLast;
    if (!isLast || feeds["through"].string() != softmaxName)
      feeds["through"].fail("expected \"" + std::string(softmaxName) +
                            "\", and that of the last link only");
  }
  kernel.tensors[*kernel.chainedInput] = before;
  kernel.auxiliaries.erase(first, kernel.auxiliaries.end());
}

/// Reads a branch of a fan, with its other input and its C.
static Kernel readBranch(const JsonNode &node, Kernel &kernel,
                         const TensorArgument &input,
                         const TensorArgument &output) {
  Kernel branch;
  node.requireKeys({"shares", "accumulator", "alpha", "precision", "schedule"},
                   {"factors", model::prologueAKey, model::prologueBKey,
                    model::epilogueKey, conjugations[0].first,
                    conjugations[1].first});
  const JsonNode &shares = node["shares"];
  shares.requireKeys({"input", "as", "indices"}, {});
  auto readInput = [&](const char *key) -> size_t {
    std::string name = shares[key].string();
    if (name != nameOfInput[0] && name != nameOfInput[1])
      shares[key].fail("expected \"a\" or \"b\"");
    return name == nameOfInput[1] ? 1 : 0;
  };
  size_t shared = readInput("input"), own = readInput("as");
  if (kernel.sharedInput && kernel.sharedInput != shared)
    shares["input"].fail("expected the same for all branches");
  kernel.sharedInput = shared;
  branch.sharedInput = own;
  branch.tensors[own] = kernel.tensors[shared];
  branch.tensors[own].labels = shares["indices"].strings(maxPackageRank);
  branch.tensors[1 - own] = input;
  branch.tensors[2] = output;
  readValue(node["accumulator"], branch.accumulatorType);
  readCommon(node, branch);
  return branch;
}

/// Reads the branches of a fan. The last tensors are an input and the C of
/// each.
static void readBranches(const JsonNode &node, Kernel &kernel) {
  std::vector<JsonNode> branches = node.elements(maxArguments);
  if (branches.empty())
    node.fail("expected at least one branch");
  if (kernel.auxiliaries.size() < 2 * branches.size()) {
    node.fail("expected two tensors in the arguments for each branch");
    return;
  }
  auto first =
      kernel.auxiliaries.end() - static_cast<ptrdiff_t>(2 * branches.size());
  auto tensor = first;
  for (const JsonNode &branch : branches) {
    kernel.branches.push_back(readBranch(branch, kernel, tensor[0], tensor[1]));
    tensor += 2;
  }
  kernel.auxiliaries.erase(first, kernel.auxiliaries.end());
}

/// Whether a field is there in a version of the format under its own key. The
/// others are among the arguments, or are never written.
template <typename Value>
static bool hasKey(const Field<Kernel, Value> &field, int64_t version) {
  if constexpr (std::is_same_v<Value, std::array<TensorArgument, 3>> ||
                std::is_same_v<Value, std::vector<TensorArgument>> ||
                std::is_same_v<Value, std::optional<Workspace>> ||
                std::is_same_v<Value, std::optional<size_t>>)
    return false;
  else if constexpr (std::is_same_v<Value, bool>)
    return field.member != &Kernel::hasOtherCode &&
           field.member != &Kernel::softmax;
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
                 [](const auto &, std::vector<Kernel> &) {},
                 [](const auto &, std::optional<size_t> &) {},
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
                   if (field.member == &Kernel::reduces)
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
  if (node.has("terms"))
    readTerms(node["terms"], kernel);
  if (node.has("links"))
    readLinks(node["links"], kernel);
  if (node.has("branches"))
    readBranches(node["branches"], kernel);
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
  FirstError error;
  Package package = readPackage(JsonNode(*document, error));
  if (error)
    return *error;
  // Names that are quoted may have any character.
  if (Status status = verify(package); !status)
    return Error{inOneLine(status.error())};
  return package;
}
