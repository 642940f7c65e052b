//===- Option.cpp - Options that are described once -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Option.h"

using namespace tc;

std::vector<std::string> options::listChoices(const OptionInfo &info) {
  if (info.names)
    return info.names();
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

std::string options::joinChoices(const OptionInfo &info,
                                 std::string_view word) {
  std::vector<std::string> choices = listChoices(info);
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0)
      text += i + 1 < choices.size() ? ", " : " " + std::string(word) + " ";
    text += choices[i];
  }
  return text;
}

std::string options::describe(const OptionInfo &info) {
  std::string text(info.help);
  if (info.names)
    text += ": " + joinChoices(info, "or");
  if (!info.unsaid.empty())
    text += "; by default " + std::string(info.unsaid);
  return text;
}

Error options::refuseChoice(const OptionInfo &info, std::string_view text) {
  bool isOne = listChoices(info).size() == 1;
  return Error{"'" + std::string(text) + "' is " +
               (isOne ? "not " : "none of ") + joinChoices(info, "and")};
}

Error options::refuseNumber(const OptionInfo &info, std::string_view text,
                            std::errc error) {
  std::string least = std::to_string(info.least);
  bool isOpen = info.most == std::numeric_limits<int64_t>::max();
  if (isOpen && error == std::errc::result_out_of_range &&
      text.substr(0, 1) != "-")
    return Error{"'" + std::string(text) + "' is too large"};
  return Error{"'" + std::string(text) + "' is " +
               (isOpen ? "not an integer of at least " + least
                       : "no integer from " + least + " to " +
                             std::to_string(info.most))};
}
