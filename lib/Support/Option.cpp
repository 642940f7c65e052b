//===- Option.cpp - Options that are described once -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Option.h"

using namespace tc;

std::vector<std::string> options::listChoices(const OptionInfo &info) {
  std::vector<std::string> choices;
  std::string_view rest = info.values;
  for (size_t end; (end = rest.find('|')) != std::string_view::npos;
       rest.remove_prefix(end + 1))
    choices.emplace_back(rest.substr(0, end));
  choices.emplace_back(rest);
  return choices;
}

std::optional<size_t> options::findChoice(const OptionInfo &info,
                                          std::string_view text) {
  std::vector<std::string> choices = listChoices(info);
  bool isFormer = !info.formerChoice.empty() && text == info.formerChoice;
  for (size_t i = 0; i < choices.size(); ++i)
    if (choices[i] == (isFormer ? info.presentChoice : text))
      return i;
  return std::nullopt;
}

Error options::refuseChoice(const OptionInfo &info, std::string_view text) {
  std::vector<std::string> choices = listChoices(info);
  std::string message = "'" + std::string(text) + "' is " +
                        (choices.size() == 1 ? "not " : "none of ");
  for (size_t i = 0; i < choices.size(); ++i) {
    message += i == 0 ? "" : i + 1 == choices.size() ? " and " : ", ";
    message += choices[i];
  }
  return Error{message};
}

Error options::refuseNumber(const OptionInfo &info, std::string_view text) {
  std::string least = std::to_string(info.least);
  return Error{
      "'" + std::string(text) + "' is " +
      (info.most == std::numeric_limits<int64_t>::max()
           ? "not an integer of at least " + least
           : "no integer from " + least + " to " + std::to_string(info.most))};
}
