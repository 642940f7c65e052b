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

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::capi;
using llvm::StringRef;

static Status setTarget(TcOptions &options, StringRef value) {
  if (value != "cpu")
    if (Result<const model::Target *> found = model::findTarget(value.str());
        !found)
      return Error{found.error() + "; 'cpu' is this machine's"};
  options.target = value.str();
  return {};
}

/// Reads an integer from `least` to `most`.
static Result<int64_t> readInteger(StringRef value, int64_t least,
                                   int64_t most) {
  int64_t number;
  if (value.getAsInteger(10, number) || number < least || number > most)
    return Error{"'" + value.str() + "' is no integer from " +
                 std::to_string(least) + " to " + std::to_string(most)};
  return number;
}

static Status setThreads(TcOptions &options, StringRef value) {
  Result<int64_t> number = readInteger(value, 0, 1 << 16);
  if (!number)
    return Error{number.error()};
  options.host.threads.reset();
  if (*number > 0)
    options.host.threads = static_cast<unsigned>(*number);
  return {};
}

static Status setStrategy(TcOptions &options, StringRef value) {
  if (value != "auto" && !model::symbolizeStrategy(value.str()))
    return Error{"'" + value.str() +
                 "' is none of auto, gett, ttgt, loop_over_gemm and direct"};
  options.host.strategy = value.str();
  return {};
}

static Status setTileChains(TcOptions &options, StringRef value) {
  if (value != "auto" && value != "always" && value != "never")
    return Error{"'" + value.str() + "' is none of auto, always and never"};
  options.host.tileChains = value.str();
  return {};
}

static Status setWorkspaceLimit(TcOptions &options, StringRef value) {
  Result<int64_t> number =
      readInteger(value, -1, std::numeric_limits<int64_t>::max());
  if (!number)
    return Error{number.error()};
  options.host.workspaceLimit.reset();
  if (*number >= 0)
    options.host.workspaceLimit = *number;
  return {};
}

static Status setMemoryLimit(TcOptions &options, StringRef value) {
  Result<int64_t> number =
      readInteger(value, -1, std::numeric_limits<int64_t>::max());
  if (!number)
    return Error{number.error()};
  options.memoryLimit.reset();
  if (*number >= 0)
    options.memoryLimit = *number;
  return {};
}

static Status setSlices(TcOptions &options, StringRef value) {
  using model::Cutting;
  if (value == "none")
    options.cutting = Cutting::Nothing;
  else if (value == "output")
    options.cutting = Cutting::Output;
  else if (value == "all")
    options.cutting = Cutting::All;
  else
    return Error{"'" + value.str() + "' is none of none, output, all"};
  return {};
}

static Status setSpecialize(TcOptions &options, StringRef value) {
  if (value == "always")
    options.specialize = Specialize::Always;
  else if (value == "never")
    options.specialize = Specialize::Never;
  else if (value == "auto")
    options.specialize = Specialize::Auto;
  else
    return Error{"'" + value.str() + "' is none of always, never and auto"};
  return {};
}

static Status setPath(TcOptions &options, StringRef value) {
  model::ContractionPath path;
  llvm::SmallVector<StringRef> steps, positions;
  value.split(steps, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef step : steps) {
    positions.clear();
    step.split(positions, ',');
    path.emplace_back();
    for (StringRef position : positions)
      if (position.getAsInteger(10, path.back().emplace_back()))
        return Error{"step " + std::to_string(path.size() - 1) + " is '" +
                     step.str() + "', not positions with commas between them"};
  }
  options.path.reset();
  if (!path.empty())
    options.path = std::move(path);
  return {};
}

static Status setRefine(TcOptions &options, StringRef value) {
  Result<int64_t> number = readInteger(value, 1, 1 << 16);
  if (!number)
    return Error{number.error()};
  options.refine = static_cast<unsigned>(*number);
  return {};
}

static Status setPrecision(TcOptions &options, StringRef value) {
  auto precision = model::symbolizePrecision(value.str());
  if (!precision)
    return Error{"'" + value.str() + "' is none of " + model::precisionNames()};
  options.precision = *precision;
  return {};
}

static Status setSemiring(TcOptions &options, StringRef value) {
  auto semiring = model::symbolizeSemiring(value.str());
  if (!semiring)
    return Error{"'" + value.str() + "' is none of " + model::semiringNames()};
  options.semiring = *semiring;
  return {};
}

static Status setFactor(Factor &factor, StringRef value) {
  if (value.empty() || value == "argument") {
    factor = {std::nullopt, value == "argument"};
    return {};
  }
  std::optional<model::Constant> number = model::parseConstant(value);
  if (!number)
    return Error{"'" + value.str() + "' is neither a number nor 'argument'"};
  factor = {*number, false};
  return {};
}

static Status setFlag(bool &flag, StringRef value) {
  if (value != "true" && value != "false")
    return Error{"'" + value.str() + "' is neither true nor false"};
  flag = value == "true";
  return {};
}

static Status
setExpression(std::optional<model::Expression> &code,
              Result<model::Expression> (*parse)(std::string_view),
              StringRef value) {
  if (value.empty()) {
    code.reset();
    return {};
  }
  Result<model::Expression> expression = parse(value.str());
  if (!expression)
    return Error{expression.error()};
  code = std::move(*expression);
  return {};
}

static Status setText(std::optional<std::string> &text, StringRef value) {
  text.reset();
  if (!value.empty())
    text = value.str();
  return {};
}

/// Names are made longer than they are, and stand in the cache's keys.
static constexpr size_t maxNameLength = 64;

static Status setName(TcOptions &options, StringRef value) {
  bool isIdentifier =
      !value.empty() && value.size() <= maxNameLength &&
      !llvm::isDigit(value.front()) &&
      llvm::all_of(value, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    return Error{"'" + value.str() + "' is no C identifier of up to " +
                 std::to_string(maxNameLength) + " characters"};
  options.name = value.str();
  return {};
}

static Status setOffset(int64_t &offset, StringRef value) {
  Result<int64_t> number = readInteger(value, 0, 15);
  if (!number)
    return Error{number.error()};
  offset = *number;
  return {};
}

static Status setCacheSize(TcOptions &options, StringRef value) {
  Result<int64_t> number = readInteger(value, 1, 1 << 20);
  if (!number)
    return Error{number.error()};
  options.cache.maxBytes = *number << 20;
  return {};
}

static Status set(TcOptions &options, StringRef key, StringRef value) {
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
    options.schedule = value.str();
    return {};
  }
  if (key == "tuned")
    return setText(options.host.tuned, value);
  if (key == "cache") {
    options.cache.folder.reset();
    if (!value.empty())
      options.cache.folder = value.str();
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
