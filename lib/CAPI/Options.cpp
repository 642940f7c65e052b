//===- Options.cpp - Options of the C interface ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Error.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/Target.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

using namespace tc;
using namespace tc::capi;

static Status setTarget(TcOptions &options, std::string_view value) {
  if (value != "cpu")
    if (Result<const model::Target *> found =
            model::findTarget(std::string(value));
        !found)
      return Error{found.error() + "; 'cpu' is this machine's"};
  options.target = std::string(value);
  return {};
}

/// Reads a decimal number; whether all of the text is one of that type.
template <typename T> static bool readNumber(std::string_view text, T &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Reads an integer from `least` to `most`.
static Result<int64_t> readInteger(std::string_view value, int64_t least,
                                   int64_t most) {
  int64_t number = 0;
  if (!readNumber(value, number) || number < least || number > most)
    return Error{"'" + std::string(value) + "' is no integer from " +
                 std::to_string(least) + " to " + std::to_string(most)};
  return number;
}

static Status setThreads(TcOptions &options, std::string_view value) {
  Result<int64_t> number = readInteger(value, 0, 1 << 16);
  if (!number)
    return Error{number.error()};
  options.host.threads.reset();
  if (*number > 0)
    options.host.threads = static_cast<unsigned>(*number);
  return {};
}

static Status setStrategy(TcOptions &options, std::string_view value) {
  if (value != "auto" && !model::symbolizeStrategy(std::string(value)))
    return Error{"'" + std::string(value) +
                 "' is none of auto, gett, ttgt, loop_over_gemm and direct"};
  options.host.strategy = std::string(value);
  return {};
}

static Status setTileChains(TcOptions &options, std::string_view value) {
  if (value != "auto" && value != "always" && value != "never")
    return Error{"'" + std::string(value) +
                 "' is none of auto, always and never"};
  options.host.tileChains = std::string(value);
  return {};
}

static Status setWorkspaceLimit(TcOptions &options, std::string_view value) {
  Result<int64_t> number =
      readInteger(value, -1, std::numeric_limits<int64_t>::max());
  if (!number)
    return Error{number.error()};
  options.host.workspaceLimit.reset();
  if (*number >= 0)
    options.host.workspaceLimit = *number;
  return {};
}

static Status setMemoryLimit(TcOptions &options, std::string_view value) {
  Result<int64_t> number =
      readInteger(value, -1, std::numeric_limits<int64_t>::max());
  if (!number)
    return Error{number.error()};
  options.memoryLimit.reset();
  if (*number >= 0)
    options.memoryLimit = *number;
  return {};
}

static Status setSlices(TcOptions &options, std::string_view value) {
  using model::Cutting;
  if (value == "none")
    options.cutting = Cutting::Nothing;
  else if (value == "output")
    options.cutting = Cutting::Output;
  else if (value == "all")
    options.cutting = Cutting::All;
  else
    return Error{"'" + std::string(value) + "' is none of none, output, all"};
  return {};
}

static Status setSpecialize(TcOptions &options, std::string_view value) {
  if (value == "always")
    options.specialize = Specialize::Always;
  else if (value == "never")
    options.specialize = Specialize::Never;
  else if (value == "auto")
    options.specialize = Specialize::Auto;
  else
    return Error{"'" + std::string(value) +
                 "' is none of always, never and auto"};
  return {};
}

/// The parts of a text between separators, of which there is one at least.
static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

static Status setPath(TcOptions &options, std::string_view value) {
  model::ContractionPath path;
  for (std::string_view step : split(value, ' ')) {
    if (step.empty())
      continue;
    path.emplace_back();
    for (std::string_view position : split(step, ','))
      if (!readNumber(position, path.back().emplace_back()))
        return Error{"step " + std::to_string(path.size() - 1) + " is '" +
                     std::string(step) +
                     "', not positions with commas between them"};
  }
  options.path.reset();
  if (!path.empty())
    options.path = std::move(path);
  return {};
}

static Status setRefine(TcOptions &options, std::string_view value) {
  Result<int64_t> number = readInteger(value, 1, 1 << 16);
  if (!number)
    return Error{number.error()};
  options.refine = static_cast<unsigned>(*number);
  return {};
}

static Status setPrecision(TcOptions &options, std::string_view value) {
  auto precision = model::symbolizePrecision(std::string(value));
  if (!precision)
    return Error{"'" + std::string(value) + "' is none of " +
                 model::precisionNames()};
  options.precision = *precision;
  return {};
}

static Status setSemiring(TcOptions &options, std::string_view value) {
  auto semiring = model::symbolizeSemiring(std::string(value));
  if (!semiring)
    return Error{"'" + std::string(value) + "' is none of " +
                 model::semiringNames()};
  options.semiring = *semiring;
  return {};
}

static Status setFactor(Factor &factor, std::string_view value) {
  if (value.empty() || value == "argument") {
    factor = {std::nullopt, value == "argument"};
    return {};
  }
  std::optional<model::Constant> number = model::parseConstant(value);
  if (!number)
    return Error{"'" + std::string(value) +
                 "' is neither a number nor 'argument'"};
  factor = {*number, false};
  return {};
}

static Status setFlag(bool &flag, std::string_view value) {
  if (value != "true" && value != "false")
    return Error{"'" + std::string(value) + "' is neither true nor false"};
  flag = value == "true";
  return {};
}

static Status
setExpression(std::optional<model::Expression> &code,
              Result<model::Expression> (*parse)(std::string_view),
              std::string_view value) {
  if (value.empty()) {
    code.reset();
    return {};
  }
  Result<model::Expression> expression = parse(std::string(value));
  if (!expression)
    return Error{expression.error()};
  code = std::move(*expression);
  return {};
}

static Status setText(std::optional<std::string> &text,
                      std::string_view value) {
  text.reset();
  if (!value.empty())
    text = std::string(value);
  return {};
}

/// Names are made longer than they are, and stand in the cache's keys.
static constexpr size_t maxNameLength = 64;

static Status setName(TcOptions &options, std::string_view value) {
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  bool isIdentifier = !value.empty() && value.size() <= maxNameLength &&
                      !isDigit(value.front()) &&
                      std::all_of(value.begin(), value.end(), [&](char c) {
                        return isDigit(c) || (c >= 'a' && c <= 'z') ||
                               (c >= 'A' && c <= 'Z') || c == '_';
                      });
  if (!isIdentifier)
    return Error{"'" + std::string(value) + "' is no C identifier of up to " +
                 std::to_string(maxNameLength) + " characters"};
  options.name = std::string(value);
  return {};
}

static Status setOffset(int64_t &offset, std::string_view value) {
  Result<int64_t> number = readInteger(value, 0, 15);
  if (!number)
    return Error{number.error()};
  offset = *number;
  return {};
}

static Status setCacheSize(TcOptions &options, std::string_view value) {
  Result<int64_t> number = readInteger(value, 1, 1 << 20);
  if (!number)
    return Error{number.error()};
  options.cache.maxBytes = *number << 20;
  return {};
}

static Status set(TcOptions &options, std::string_view key,
                  std::string_view value) {
  if (key == "target")
    return setTarget(options, value);
  if (key == "threads")
    return setThreads(options, value);
  if (key == "strategy")
    return setStrategy(options, value);
  if (key == "workspace-limit")
    return setWorkspaceLimit(options, value);
  if (key == "specialize")
    return setSpecialize(options, value);
  if (key == "background")
    return setFlag(options.inBackground, value);
  if (key == "memory-limit")
    return setMemoryLimit(options, value);
  if (key == "tile-chains")
    return setTileChains(options, value);
  if (key == "slices")
    return setSlices(options, value);
  if (key == "path")
    return setPath(options, value);
  if (key == "refine")
    return setRefine(options, value);
  if (key == "precision")
    return setPrecision(options, value);
  if (key == "semiring")
    return setSemiring(options, value);
  if (key == "prologue-a")
    return setExpression(options.fused.prologueA, model::parsePrologue, value);
  if (key == "prologue-b")
    return setExpression(options.fused.prologueB, model::parsePrologue, value);
  if (key == "epilogue")
    return setExpression(options.fused.epilogue, model::parseEpilogue, value);
  if (key == "product")
    return setText(options.userSemiring.product, value);
  if (key == "combine")
    return setText(options.userSemiring.combine, value);
  if (key == "identity")
    return setText(options.userSemiring.identity, value);
  if (key == "alpha")
    return setFactor(options.alpha, value);
  if (key == "beta")
    return setFactor(options.beta, value);
  if (key == "conjugate-a")
    return setFlag(options.conjugatesA, value);
  if (key == "conjugate-b")
    return setFlag(options.conjugatesB, value);
  if (key == "allow-three-products")
    return setFlag(options.allowsThreeProducts, value);
  if (key == "saturate")
    return setFlag(options.saturates, value);
  // The latter is its former name.
  if (key == "dynamic-shapes" || key == "any-shape")
    return setFlag(options.dynamicShapes, value);
  if (key == "name")
    return setName(options, value);
  if (key == "cache-size")
    return setCacheSize(options, value);
  for (auto [name, tensor] : {std::pair("offset-a", model::Tensor::A),
                              std::pair("offset-b", model::Tensor::B),
                              std::pair("offset-c", model::Tensor::C)})
    if (key == name)
      return setOffset(options.offsets[tensor], value);
  if (key == "schedule") {
    options.schedule = std::string(value);
    return {};
  }
  if (key == "tuned")
    return setText(options.host.tuned, value);
  if (key == "cache") {
    options.cache.folder.reset();
    if (!value.empty())
      options.cache.folder = std::string(value);
    return {};
  }
  return Error{"there is no such option"};
}

Result<TensorDescription> capi::copy(const TcTensor &tensor) {
  if (tensor.rank < 0 || tensor.rank > static_cast<int64_t>(notation::maxRank))
    return Error{"its rank is " + std::to_string(tensor.rank) +
                 ", but must be from 0 to " +
                 std::to_string(notation::maxRank)};
  if (tensor.rank > 0 && !tensor.extents)
    return Error{"its extents are NULL"};
  TensorDescription copied;
  copied.type = tensor.type;
  copied.extents.assign(tensor.extents, tensor.extents + tensor.rank);
  if (tensor.strides)
    copied.strides.emplace(tensor.strides, tensor.strides + tensor.rank);
  return copied;
}

TcError *tcOptionsSetAuxiliary(TcOptions *options, const char *name,
                               const TcTensor *tensor) {
  return guard([&]() -> TcError * {
    if (!options || !name)
      return invalid("tcOptionsSetAuxiliary: an argument is NULL");
    if (!tensor) {
      options->auxiliaries.erase(name);
      return nullptr;
    }
    Result<TensorDescription> copied = copy(*tensor);
    if (!copied)
      return invalid(nameOfAuxiliary(name) + ": " + copied.error());
    options->auxiliaries[name] = std::move(*copied);
    return nullptr;
  });
}

TcError *tcOptionsCreate(TcOptions **options) {
  return guard([&]() -> TcError * {
    if (!options)
      return invalid("tcOptionsCreate: options is NULL");
    *options = new TcOptions();
    return nullptr;
  });
}

void tcOptionsDestroy(TcOptions *options) { delete options; }

TcError *tcOptionsSet(TcOptions *options, const char *key, const char *value) {
  return guard([&]() -> TcError * {
    if (!options || !key || !value)
      return invalid("tcOptionsSet: an argument is NULL");
    Status status = set(*options, key, value);
    return status ? nullptr
                  : invalid("option '" + std::string(key) +
                            "': " + status.error());
  });
}
