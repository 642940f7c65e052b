//===- Description.cpp - Descriptions of foreign PTX from JSON ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Foreign/Description.h"

#include "tc/Buffers/NarrowFloat.h"
#include "tc/Package/Geometry.h"
#include "tc/Support/Files.h"
#include "tc/Support/StrictJson.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

using namespace tc;
using namespace tc::foreign;
using runtime::TensorArgument;

/// The most elements of a list, and bytes of one parameter: those of hardware
/// are 4096 or 32764 in all.
static constexpr size_t maxBuffers = 1024, maxLaunches = 1024;
static constexpr size_t maxArguments = 4096, maxParameterBytes = 32764;
static constexpr size_t maxVariables = 1024;
static constexpr size_t maxVariableBytes = size_t(64) << 20;
/// Buffers begin at multiples of this many bytes.
static constexpr int64_t greatestAlignment = 512;

namespace {

/// Reads one document. Every function may be called after a failure: the first
/// one is reported.
class Reader {
public:
  Reader(const nlohmann::ordered_json &document, FirstError &error)
      : root(document, error), error(error) {}

  Description read();

private:
  void readBuffers();
  Buffer readBuffer(const JsonNode &node);
  Fill readFill(const JsonNode &node, model::ElementType type);
  Variable readVariable(const JsonNode &node);
  Launch readLaunch(const JsonNode &node);
  Argument readArgument(const JsonNode &node);
  void readPointers(const JsonNode &node, Argument &argument);
  Pointer readPointer(const JsonNode &node,
                      const std::vector<std::string_view> &keys);
  size_t readBufferName(const JsonNode &node);
  Check readCheck(const JsonNode &node);
  ContractionCheck readContraction(const JsonNode &node, size_t output);
  FileCheck readReference(const JsonNode &node, size_t output);

  JsonNode root;
  FirstError &error;
  Description description;
  std::map<std::string, size_t> numbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static model::ElementType readElementType(const JsonNode &node) {
  std::string name = node.string();
  std::optional<model::ElementType> type = model::symbolizeElementType(name);
  if (!type)
    node.fail("unknown element type \"" + name + "\"; expected " +
              model::elementTypeNames());
  return type.value_or(model::ElementType::F64);
}

static std::string readPath(const JsonNode &node) {
  std::string path = node.string();
  if (path.empty())
    node.fail("no file is named");
  return path;
}

Fill Reader::readFill(const JsonNode &node, model::ElementType type) {
  if (node.json().is_string()) {
    if (node.string() != "random")
      node.fail("expected \"random\" or an object");
    return RandomFill();
  }
  node.requireKeys({}, {"integers", "constant", "file"});
  if (node.members().size() != 1)
    node.fail("expected one of \"integers\", \"constant\" and \"file\"");
  if (node.has("file"))
    return FileFill{readPath(node["file"])};
  if (node.has("constant")) {
    double value = node["constant"].number();
    if (model::isInteger(type) && value != std::floor(value))
      node["constant"].fail("is no integer");
    return ConstantFill{value};
  }
  if (!node.has("integers"))
    return RandomFill();
  JsonNode range = node["integers"];
  std::vector<int64_t> ends = range.integers();
  // Beyond that, not every float of 64 bits is one of them.
  constexpr int64_t most = int64_t(1) << 53;
  if (ends.size() != 2 || ends[0] > ends[1] || ends[0] < -most ||
      ends[1] > most) {
    range.fail("expected two integers of at most 2^53, the lesser first");
    return RandomFill();
  }
  return IntegerFill{ends[0], ends[1]};
}

/// Returns true if elements share no byte, so that each can have a value of its
/// own.
static bool isNested(const TensorArgument &tensor) {
  Result<runtime::Geometry> geometry = runtime::geometryOf(tensor);
  return geometry && geometry->isNested();
}

Buffer Reader::readBuffer(const JsonNode &node) {
  node.requireKeys({"name", "type", "extents", "access"},
                   {"strides", "offset", "alignment", "fill", "write_once"});
  Buffer buffer;
  TensorArgument &tensor = buffer.tensor;
  tensor.name = node["name"].string();
  if (tensor.name.empty())
    node["name"].fail("is empty");
  tensor.type = readElementType(node["type"]);
  tensor.extents = node["extents"].integers(/*least=*/1);
  for (size_t i = 0; i < tensor.extents.size(); ++i)
    tensor.labels.push_back("d" + std::to_string(i));
  if (node.has("strides")) {
    tensor.strides = node["strides"].integers();
    if (tensor.strides.size() != tensor.extents.size())
      node["strides"].fail("expected one for each of the " +
                           std::to_string(tensor.extents.size()) + " extents");
  } else {
    tensor.strides.resize(tensor.extents.size());
    int64_t stride = 1;
    for (size_t i = tensor.extents.size(); i-- > 0;) {
      tensor.strides[i] = stride;
      if (__builtin_mul_overflow(stride, tensor.extents[i], &stride)) {
        node["extents"].fail("the buffer has more than 2^63 - 1 elements");
        stride = 1;
      }
    }
  }
  tensor.strides.resize(tensor.extents.size());
  tensor.offset = node.has("offset") ? node["offset"].integer(/*least=*/0) : 0;
  tensor.alignment =
      node.has("alignment") ? node["alignment"].integer(/*least=*/1) : 256;
  if ((tensor.alignment & (tensor.alignment - 1)) != 0 ||
      tensor.alignment > greatestAlignment)
    node["alignment"].fail("expected a power of two of at most " +
                           std::to_string(greatestAlignment));
  std::string access = node["access"].string();
  if (access != "read" && access != "write" && access != "read_write")
    node["access"].fail("expected \"read\", \"write\" or \"read_write\"");
  tensor.isRead = access != "write";
  tensor.isWritten = access != "read";
  if (node.has("fill")) {
    if (!tensor.isRead)
      node["fill"].fail("nothing may be read that was there before");
    buffer.fill = readFill(node["fill"], tensor.type);
  }
  buffer.isWrittenOnce = node.has("write_once") && node["write_once"].boolean();
  if (error)
    return buffer;
  if (Result<runtime::Geometry> geometry = runtime::geometryOf(tensor);
      !geometry)
    node.fail(geometry.error());
  else if (!std::holds_alternative<RandomFill>(buffer.fill) &&
           !isNested(tensor))
    node["fill"].fail("elements share memory, so they can only be random");
  return buffer;
}

void Reader::readBuffers() {
  JsonNode list = root["buffers"];
  std::vector<JsonNode> nodes = list.elements();
  if (nodes.size() > maxBuffers)
    list.fail("more than " + std::to_string(maxBuffers) + " buffers");
  for (const JsonNode &node : nodes) {
    Buffer buffer = readBuffer(node);
    if (error)
      return;
    if (!numbers.emplace(buffer.tensor.name, description.buffers.size()).second)
      node["name"].fail("another buffer is called \"" + buffer.tensor.name +
                        "\"");
    description.buffers.push_back(std::move(buffer));
  }
}

size_t Reader::readBufferName(const JsonNode &node) {
  std::string name = node.string();
  auto found = numbers.find(name);
  if (found == numbers.end())
    node.fail("there is no buffer \"" + name + "\"");
  return found == numbers.end() ? 0 : found->second;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static runtime::Dim3 readDim3(const JsonNode &node) {
  std::vector<int64_t> values = node.integers(/*least=*/1);
  if (values.size() != 3) {
    node.fail("expected three integers");
    return {1, 1, 1};
  }
  for (int64_t value : values)
    if (value > 0x7fffffff)
      node.fail("expected integers of at most 2^31 - 1");
  return {values[0], values[1], values[2]};
}

template <typename T> static std::vector<std::byte> bytesOf(T value) {
  const auto *begin = reinterpret_cast<const std::byte *>(&value);
  return {begin, begin + sizeof(T)};
}

template <typename T>
static std::vector<std::byte> integerBytes(const JsonNode &node) {
  using Limits = std::numeric_limits<T>;
  nlohmann::ordered_json json = node.json();
  // Integers of 64 bits without a sign are beyond those with one.
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() <= uint64_t(Limits::max()))
    return bytesOf(static_cast<T>(json.get<uint64_t>()));
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::is_signed_v<T> && json.get<int64_t>() >= int64_t(Limits::min()))
    return bytesOf(static_cast<T>(json.get<int64_t>()));
  node.fail("expected an integer from " + std::to_string(Limits::min()) +
            " to " + std::to_string(Limits::max()));
  return bytesOf(T());
}

/// A value of a type that is called as in PTX.
static std::vector<std::byte> readScalar(const JsonNode &node) {
  const std::pair<std::string_view,
                  std::vector<std::byte> (*)(const JsonNode &)>
      integers[] = {
          {"s8", integerBytes<int8_t>},   {"u8", integerBytes<uint8_t>},
          {"s16", integerBytes<int16_t>}, {"u16", integerBytes<uint16_t>},
          {"s32", integerBytes<int32_t>}, {"u32", integerBytes<uint32_t>},
          {"s64", integerBytes<int64_t>}, {"u64", integerBytes<uint64_t>}};
  std::string type = node["type"].string();
  JsonNode value = node["value"];
  for (const auto &[name, read] : integers)
    if (type == name)
      return read(value);
  if (type == "f16")
    return bytesOf(runtime::Float16(value.number()));
  if (type == "bf16")
    return bytesOf(runtime::BFloat16(value.number()));
  if (type == "f32")
    return bytesOf(static_cast<float>(value.number()));
  if (type == "f64")
    return bytesOf(value.number());
  node["type"].fail("unknown type \"" + type +
                    "\"; expected s8, u8, s16, u16, s32, u32, s64, u64, f16, "
                    "bf16, f32 or f64");
  return {};
}

static std::vector<std::byte> readHexadecimal(const JsonNode &node,
                                              size_t most) {
  std::string text = node.string();
  std::vector<std::byte> bytes;
  if (text.size() % 2 != 0 || text.size() / 2 > most)
    node.fail("expected two digits for each of at most " +
              std::to_string(most) + " bytes");
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const char *begin = text.data() + i;
    auto [end, code] = std::from_chars(begin, begin + 2, value, 16);
    if (code != std::errc() || end != begin + 2) {
      node.fail("\"" + text.substr(i, 2) + "\" is not a byte");
      break;
    }
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

Pointer Reader::readPointer(const JsonNode &node,
                            const std::vector<std::string_view> &keys) {
  node.requireKeys(keys, {"offset_bytes"});
  Pointer pointer;
  pointer.buffer = readBufferName(node["buffer"]);
  if (node.has("offset_bytes"))
    pointer.offset = uint64_t(node["offset_bytes"].integer(/*least=*/0));
  return pointer;
}

void Reader::readPointers(const JsonNode &node, Argument &argument) {
  std::vector<bool> taken(argument.bytes.size());
  for (const JsonNode &element : node.elements()) {
    Pointer pointer = readPointer(element, {"at", "buffer"});
    pointer.at = size_t(element["at"].integer(/*least=*/0));
    if (error)
      return;
    if (taken.size() < sizeof(uint64_t) ||
        pointer.at > taken.size() - sizeof(uint64_t))
      return element["at"].fail("8 bytes from " + std::to_string(pointer.at) +
                                " are outside the " +
                                std::to_string(taken.size()) + " of \"bytes\"");
    for (size_t i = 0; i < sizeof(uint64_t); ++i) {
      if (taken[pointer.at + i])
        return element["at"].fail("two pointers overlap");
      taken[pointer.at + i] = true;
      argument.bytes[pointer.at + i] = std::byte(0);
    }
    argument.pointers.push_back(pointer);
  }
}

Argument Reader::readArgument(const JsonNode &node) {
  Argument argument;
  if (node.has("buffer")) {
    argument.bytes.resize(sizeof(uint64_t));
    argument.pointers.push_back(readPointer(node, {"buffer"}));
  } else if (node.has("bytes")) {
    node.requireKeys({"bytes"}, {"pointers"});
    argument.bytes = readHexadecimal(node["bytes"], maxParameterBytes);
    if (node.has("pointers"))
      readPointers(node["pointers"], argument);
  } else {
    node.requireKeys({"type", "value"});
    argument.bytes = readScalar(node);
  }
  return argument;
}

Variable Reader::readVariable(const JsonNode &node) {
  node.requireKeys({"name", "bytes"}, {"pointers"});
  Variable variable;
  variable.name = node["name"].string();
  for (const Variable &other : description.variables)
    if (other.name == variable.name)
      node["name"].fail("variable \"" + variable.name + "\" is set twice");
  variable.contents.bytes = readHexadecimal(node["bytes"], maxVariableBytes);
  if (node.has("pointers"))
    readPointers(node["pointers"], variable.contents);
  return variable;
}

Launch Reader::readLaunch(const JsonNode &node) {
  node.requireKeys({"entry", "grid", "block", "arguments"},
                   {"dynamic_shared_bytes"});
  Launch launch;
  launch.entry = node["entry"].string();
  launch.grid = readDim3(node["grid"]);
  launch.block = readDim3(node["block"]);
  if (node.has("dynamic_shared_bytes"))
    launch.dynamicSharedBytes =
        node["dynamic_shared_bytes"].integer(/*least=*/0);
  std::vector<JsonNode> arguments = node["arguments"].elements();
  if (arguments.size() > maxArguments)
    node["arguments"].fail("more than " + std::to_string(maxArguments) +
                           " arguments");
  for (const JsonNode &argument : arguments) {
    launch.arguments.push_back(readArgument(argument));
    if (error)
      break;
  }
  return launch;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The labels of "ik,kj->ij": one letter for each dimension.
static std::vector<std::vector<std::string>>
readSubscripts(const JsonNode &node) {
  std::string text = node.string();
  size_t arrow = text.find("->");
  std::vector<std::vector<std::string>> lists;
  if (arrow == text.npos) {
    node.fail("expected subscripts as in \"ik,kj->ij\"");
    return lists;
  }
  text.replace(arrow, 2, ",");
  lists.emplace_back();
  for (char letter : text) {
    if (letter == ',')
      lists.emplace_back();
    else if ((letter >= 'a' && letter <= 'z') ||
             (letter >= 'A' && letter <= 'Z'))
      lists.back().push_back(std::string(1, letter));
    else
      node.fail("expected letters, commas and \"->\" only");
  }
  return lists;
}

ContractionCheck Reader::readContraction(const JsonNode &node, size_t output) {
  node.requireKeys({"einsum", "inputs"},
                   {"alpha", "beta", "sums", "precision"});
  ContractionCheck check;
  JsonNode subscripts = node["einsum"];
  std::vector<std::vector<std::string>> labels = readSubscripts(subscripts);
  std::vector<JsonNode> inputs = node["inputs"].elements();
  if (inputs.empty() || inputs.size() > 2)
    node["inputs"].fail("expected one or two buffers");
  if (labels.size() != inputs.size() + 1)
    subscripts.fail("expected a list for each input and one for the output");
  if (error)
    return check;

  std::map<std::string, int64_t> extents;
  auto take = [&](const std::vector<std::string> &list, size_t number) {
    const TensorArgument &tensor = description.buffers[number].tensor;
    if (list.size() != tensor.extents.size())
      return subscripts.fail("buffer \"" + tensor.name + "\" has " +
                             std::to_string(tensor.extents.size()) +
                             " dimensions, not " + std::to_string(list.size()));
    for (size_t i = 0; i < list.size(); ++i) {
      auto [known, isNew] = extents.emplace(list[i], tensor.extents[i]);
      if (!isNew && known->second != tensor.extents[i])
        subscripts.fail("index " + list[i] + " has the extents " +
                        std::to_string(known->second) + " and " +
                        std::to_string(tensor.extents[i]));
    }
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    check.inputs.push_back(readBufferName(inputs[i]));
    take(labels[i], check.inputs.back());
  }
  for (size_t i = 0; i < labels.back().size(); ++i) {
    const std::string &label = labels.back()[i];
    if (!extents.count(label))
      subscripts.fail("index " + label + " is in no input");
    for (size_t j = 0; j < i; ++j)
      if (labels.back()[j] == label)
        subscripts.fail("index " + label + " is twice in the output");
  }
  take(labels.back(), output);
  if (error)
    return check;

  TensorArgument &result = description.buffers[output].tensor;
  model::ElementType type = description.buffers[check.inputs[0]].tensor.type;
  for (size_t input : check.inputs) {
    const TensorArgument &tensor = description.buffers[input].tensor;
    if (tensor.type != type)
      node["inputs"].fail("the inputs differ in type");
    if (!tensor.isRead)
      node["inputs"].fail("buffer \"" + tensor.name +
                          "\" holds nothing before the launch");
  }
  check.sums = model::accumulatorTypeOf(type);
  if (node.has("sums"))
    check.sums = readElementType(node["sums"]);
  auto sameKind = [&](model::ElementType other) {
    return model::isInteger(other) == model::isInteger(type) &&
           model::isComplex(other) == model::isComplex(type);
  };
  if (!sameKind(check.sums))
    node["sums"].fail("is not of the kind of the inputs");
  if (!sameKind(result.type))
    node.fail("output \"" + result.name +
              "\" is not of the kind of the inputs");
  if (node.has("precision")) {
    std::string name = node["precision"].string();
    std::optional<model::Precision> precision = model::symbolizePrecision(name);
    if (!precision)
      node["precision"].fail("expected " + model::precisionNames() +
                             ", not \"" + name + "\"");
    check.precision = precision.value_or(check.precision);
  }
  check.alpha = node.has("alpha") ? node["alpha"].number() : 1;
  check.beta = node.has("beta") ? node["beta"].number() : 0;
  for (auto [key, value] :
       {std::pair("alpha", check.alpha), std::pair("beta", check.beta)}) {
    if (!std::isfinite(value))
      node[key].fail("is not finite");
    if (model::isInteger(type) && value != std::floor(value))
      node[key].fail("is no integer");
  }
  if (check.beta != 0 && !result.isRead)
    node["beta"].fail("output \"" + result.name +
                      "\" holds nothing before the launch");
  result.labels = labels.back();
  labels.pop_back();
  check.labels = std::move(labels);
  return check;
}

FileCheck Reader::readReference(const JsonNode &node, size_t output) {
  FileCheck check;
  check.path = readPath(node["file"]);
  bool isInteger = model::isInteger(description.buffers[output].tensor.type);
  if (node.has("tolerance"))
    check.tolerance = node["tolerance"].number();
  else if (!isInteger)
    node.fail("missing key \"tolerance\"");
  if (!(check.tolerance >= 0))
    node["tolerance"].fail("is negative");
  return check;
}

Check Reader::readCheck(const JsonNode &node) {
  node.requireKeys({"output"}, {"contraction", "file", "tolerance"});
  Check check;
  check.output = readBufferName(node["output"]);
  if (error)
    return check;
  const Buffer &output = description.buffers[check.output];
  if (!output.tensor.isWritten)
    node["output"].fail("buffer \"" + output.tensor.name + "\" is not written");
  else if (!isNested(output.tensor))
    node["output"].fail("elements of buffer \"" + output.tensor.name +
                        "\" share memory");
  for (const Check &other : description.checks)
    if (other.output == check.output)
      node["output"].fail("buffer \"" + output.tensor.name +
                          "\" is checked twice");
  if (node.has("contraction") == node.has("file"))
    node.fail("expected one of \"contraction\" and \"file\"");
  else if (node.has("file"))
    check.reference = readReference(node, check.output);
  else if (node.has("tolerance"))
    node["tolerance"].fail("a contraction's follows from its sums");
  else
    check.reference = readContraction(node["contraction"], check.output);
  return check;
}

//===----------------------------------------------------------------------===//
// Documents and files
//===----------------------------------------------------------------------===//

Description Reader::read() {
  root.requireFormat(descriptionFormat, /*version=*/1);
  root.requireKeys({"format", "version", "name", "code", "buffers", "launches"},
                   {"checks", "variables"});
  description.name = root["name"].string();
  description.codeFile = readPath(root["code"]);
  if (!error)
    readBuffers();
  if (!error && root.has("variables")) {
    std::vector<JsonNode> variables = root["variables"].elements();
    if (variables.size() > maxVariables)
      root["variables"].fail("more than " + std::to_string(maxVariables));
    for (const JsonNode &variable : variables)
      if (!error)
        description.variables.push_back(readVariable(variable));
  }
  std::vector<JsonNode> launches = root["launches"].elements();
  if (launches.empty() || launches.size() > maxLaunches)
    root["launches"].fail("expected 1 to " + std::to_string(maxLaunches));
  for (const JsonNode &launch : launches)
    if (!error)
      description.launches.push_back(readLaunch(launch));
  if (!error && root.has("checks"))
    for (const JsonNode &check : root["checks"].elements())
      if (!error)
        description.checks.push_back(readCheck(check));
  return std::move(description);
}

Result<Description> tc::foreign::fromJson(std::string_view text) {
  Result<nlohmann::ordered_json> document = parseStrictJson(text);
  if (!document)
    return Error{document.error()};
  FirstError error;
  Description description = Reader(*document, error).read();
  if (error)
    return *error;
  return description;
}

bool tc::foreign::isDescription(std::string_view text) {
  Result<nlohmann::ordered_json> document = parseStrictJson(text);
  if (!document || !document->is_object())
    return false;
  auto format = document->find("format");
  return format != document->end() && *format == std::string(descriptionFormat);
}

Result<LoadedDescription> tc::foreign::load(std::string_view text,
                                            const std::string &path) {
  Result<Description> description = fromJson(text);
  if (!description)
    return Error{path + ": " + description.error()};
  LoadedDescription loaded;
  loaded.folder = std::filesystem::path(path).parent_path().string();
  loaded.codePath =
      (std::filesystem::path(loaded.folder) / description->codeFile).string();
  // A description that was copied from elsewhere reads no files of this
  // machine.
  Result<std::string> code =
      readFileBeneath(loaded.folder, description->codeFile);
  if (!code)
    return Error{path + ": $.code: " + code.error()};
  loaded.code = std::move(*code);
  loaded.description = std::move(*description);
  return loaded;
}
