//===- Options.cpp - Options of the C interface ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionList.h"

#include "Error.h"

#include "tc/Machine/Target.h"

#include <algorithm>
#include <limits>
#include <string_view>

using namespace tc;
using namespace tc::capi;

Status capi::readTarget(const OptionInfo &, std::string_view value,
                        std::string &target) {
  if (value != "cpu")
    if (Result<const model::Target *> found =
            model::findTarget(std::string(value));
        !found)
      return Error{found.error() + "; 'cpu' is this machine's"};
  target = std::string(value);
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

/// Steps with blanks between them; one without any is as if nobody said.
Status capi::readPath(const OptionInfo &, std::string_view value,
                      std::optional<model::ContractionPath> &path) {
  model::ContractionPath read;
  for (std::string_view step : split(value, ' ')) {
    if (step.empty())
      continue;
    read.emplace_back();
    for (std::string_view number : split(step, ','))
      if (!readOption(OptionInfo(), number, read.back().emplace_back()))
        return Error{"step " + std::to_string(read.size() - 1) + " is '" +
                     std::string(step) +
                     "', not positions with commas between them"};
  }
  path.reset();
  if (!read.empty())
    path = std::move(read);
  return {};
}

Status capi::readFactor(const OptionInfo &, std::string_view value,
                        Factor &factor) {
  if (value.empty() || value == "argument") {
    factor = {std::nullopt, value == "argument"};
    return {};
  }
  std::optional<model::Constant> number = model::parseConstant(value);
  if (!number)
    return Error{"'" + std::string(value) +
                 "' is neither a number nor 'argument'"};
  factor = {number, false};
  return {};
}

/// Names are made longer than they are, and stand in the cache's keys.
static constexpr size_t maxNameLength = 64;

Status capi::readName(const OptionInfo &, std::string_view value,
                      std::string &name) {
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
  name = std::string(value);
  return {};
}

/// True for a text by which an option says that it has no value.
static bool saysNone(const OptionInfo &info, std::string_view value) {
  return info.none ? value == std::to_string(*info.none) : value.empty();
}

static Status set(TcOptions &options, std::string_view key,
                  std::string_view value) {
  Status status = Error{"there is no such option"};
  visitOptions<TcOptions>([&](const auto &option) {
    if (!option.info.isKey || !option.info.isCalled(key))
      return;
    auto &place = option.get(options);
    if constexpr (record::IsOptional<std::decay_t<decltype(place)>>::value)
      if (saysNone(option.info, value)) {
        place.reset();
        status = {};
        return;
      }
    OptionInfo info = option.info;
    info.least = std::min(info.least, info.none.value_or(info.least));
    status = option.read(info, value, place);
  });
  return status;
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
