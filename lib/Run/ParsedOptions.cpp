//===- ParsedOptions.cpp - The options of tc-run as LLVM has them ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedOptions.h"
#include "OptionList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tc;
using namespace tc::run;
using llvm::StringRef;

static std::string helpOf(const OptionInfo &info) {
  std::string help = options::describe(info);
  if (info.machine != OptionMachine::Cpu)
    return help;
  help.front() = llvm::toLower(help.front());
  return "With --target=cpu: " + help;
}

ParsedOptions::ParsedOptions() {
  visitOptions<Options>([&](const auto &option) {
    Entry &entry = entries.emplace_back();
    entry.info = option.info;
    entry.help = helpOf(option.info);
    auto make = [&](auto *unmade) {
      auto *made = new std::remove_pointer_t<decltype(unmade)>(
          StringRef(option.info.name), cl::desc(entry.help),
          cl::value_desc(option.info.values), cl::cat(category));
      entry.option.reset(made);
      return made;
    };
    using Value = typename std::decay_t<decltype(option)>::Value;
    if constexpr (std::is_same_v<Value, bool>) {
      auto *flag = make(static_cast<cl::opt<bool> *>(nullptr));
      entry.read = [option, flag](Options &options) -> Status {
        option.get(options) = *flag;
        return {};
      };
    } else if constexpr (record::IsVector<Value>::value) {
      auto *texts = make(static_cast<cl::list<std::string> *>(nullptr));
      entry.read = [option, texts](Options &options) -> Status {
        for (const std::string &text : *texts)
          if (Status status =
                  option.read(option.info, text, option.get(options));
              !status)
            return status;
        return {};
      };
    } else {
      auto *text = make(static_cast<cl::opt<std::string> *>(nullptr));
      if (option.info.implied)
        text->setValueExpectedFlag(cl::ValueOptional);
      entry.read = [option, text](Options &options) {
        std::string_view value = text->getValue();
        return option.read(option.info,
                           value.empty() ? option.info.implied.value_or("")
                                         : value,
                           option.get(options));
      };
    }
    if (!option.info.formerName.empty()) {
      entry.formerHelp = "Former name of --" + std::string(option.info.name);
      entry.formerName = std::make_unique<cl::alias>(
          StringRef(option.info.formerName), cl::desc(entry.formerHelp),
          cl::aliasopt(*entry.option), cl::cat(category));
    }
  });
}

Status ParsedOptions::read(Options &options) const {
  for (const Entry &entry : entries)
    if (entry.isGiven())
      if (Status status = entry.read(options); !status)
        return Error{"--" + std::string(entry.info.name) + ": " +
                     status.error()};
  return {};
}

Status ParsedOptions::checkCombination(Machine machine) const {
  for (const Entry &entry : entries) {
    if (!entry.isGiven())
      continue;
    const OptionInfo &info = entry.info;
    std::string name = "--" + std::string(info.name) + ": ";
    if (info.machine == OptionMachine::Gpu && machine == Machine::Cpu)
      return Error{name + "is about GPU kernels; it does not go with "
                          "--target=cpu"};
    if (info.machine == OptionMachine::Cpu && machine != Machine::Cpu)
      return Error{name + "is about native code; it goes with --target=cpu"};
    if (!info.other.empty() && isGiven(info.other))
      return Error{name + "--" + std::string(info.other) + " " +
                   std::string(info.reason)};
  }
  return {};
}

bool ParsedOptions::isGiven(std::string_view name) const {
  return llvm::any_of(entries, [&](const Entry &entry) {
    return entry.info.name == name && entry.isGiven();
  });
}

bool ParsedOptions::isAnyOfLLVMGiven() {
  return llvm::any_of(cl::getRegisteredOptions(), [&](const auto &entry) {
    const cl::Option *option = entry.second;
    return option->getNumOccurrences() > 0 &&
           !llvm::is_contained(option->Categories, &category);
  });
}
