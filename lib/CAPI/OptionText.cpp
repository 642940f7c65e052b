//===- OptionText.cpp - Table of options, in C ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionList.h"

#include "Error.h"
#include "TextBuffer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::capi;

using Json = nlohmann::ordered_json;

/// The kind of the values of a type.
template <typename T> static const char *kindOf(const OptionInfo &info) {
  if constexpr (record::IsOptional<T>::value)
    return kindOf<typename T::value_type>(info);
  else if constexpr (std::is_same_v<T, bool>)
    return "flag";
  else if constexpr (std::is_integral_v<T>)
    return "integer";
  else
    return info.isChoice ? "choice" : "text";
}

/// A default as `tcOptionsSet` takes it.
template <typename T>
static std::string write(const OptionInfo &info, const T &value) {
  if (info.names)
    return options::listChoices(info).front();
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return options::listChoices(info)[static_cast<size_t>(value)];
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(value / info.unit);
  else if constexpr (std::is_same_v<T, std::string>)
    return value;
  else
    return info.none ? std::to_string(*info.none) : "";
}

static const char *nameOf(OptionMachine machine) {
  switch (machine) {
  case OptionMachine::Any:
    return "any";
  case OptionMachine::Cpu:
    return "cpu";
  case OptionMachine::Gpu:
    return "gpu";
  }
  return "";
}

static Json listKeys() {
  Json keys = Json::array();
  const TcOptions defaults;
  visitOptions<TcOptions>([&](const auto &option) {
    const OptionInfo &info = option.info;
    if (!info.isKey)
      return;
    const auto &value = option.get(defaults);
    Json key = {{"key", info.name}};
    if (!info.formerName.empty())
      key["former_key"] = info.formerName;
    std::string kind = kindOf<std::decay_t<decltype(value)>>(info);
    key["kind"] = kind;
    key["default"] = write(info, value);
    if (kind == "choice")
      key["values"] = options::listChoices(info);
    if (kind == "integer") {
      key["least"] = std::min(info.least, info.none.value_or(info.least));
      key["most"] = info.most;
    }
    key["machine"] = nameOf(info.machine);
    key["changes_code"] = info.changesCode;
    key["help"] = options::describe(info);
    keys.push_back(std::move(key));
  });
  return keys;
}

TcError *tcOptionsDescribe(char *buffer, size_t size, size_t *length) {
  return guard([&]() -> TcError * {
    if (!length || (size > 0 && !buffer))
      return invalid("tcOptionsDescribe: an argument is NULL");
    writeText(listKeys().dump(), buffer, size, length);
    return nullptr;
  });
}
