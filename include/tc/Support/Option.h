//===- Option.h - Options that are described once ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside a struct of options, a function `optionsOf` lists them: what each is
// called, what it takes and what it does. Command lines, interfaces with keys
// and values, and keys of caches follow from the list.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_OPTION_H
#define TC_SUPPORT_OPTION_H

#include "tc/Support/Record.h"
#include "tc/Support/Result.h"

#include <charconv>

namespace tc {

/// The machines whose code an option is about.
enum class OptionMachine { Any, Cpu, Gpu };

/// All that is said of an option besides its value.
struct OptionInfo {
  std::string_view name = {};
  /// A sentence for --help.
  std::string_view help = {};
  /// The name of its value there. If it `isChoice`, all values, with '|'
  /// between them, and those of an enumeration in its order.
  std::string_view values = {};
  bool isChoice = false;
  /// All values, where their type has a list of them.
  std::vector<std::string> (*names)() = nullptr;
  OptionMachine machine = OptionMachine::Any;
  /// Another value makes other code.
  bool changesCode = true;
  /// The C interface has it as a key.
  bool isKey = true;
  /// The range of an integer, in units.
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
  int64_t unit = 1;
  /// The default, if --help is to say it: "any number"; and the integer that
  /// stands for it in interfaces whose options have values always.
  std::string_view unsaid = {};
  std::optional<int64_t> none = {};
  /// Stands for the value where a command line gives none, if it need not.
  std::optional<std::string_view> implied = {};
  /// The thing that the value names, if it may not be empty.
  std::string_view thing = {};
  std::string_view formerName = {};
  /// A former name of a choice, and the present one.
  std::string_view formerChoice = {};
  std::string_view presentChoice = {};
  /// An option that it does not go with, and why: "says which one".
  std::string_view other = {};
  std::string_view reason = {};

  constexpr OptionInfo &does(std::string_view what) {
    help = what;
    return *this;
  }
  constexpr OptionInfo &takes(std::string_view what) {
    values = what;
    return *this;
  }
  constexpr OptionInfo &oneOf(std::string_view choices) {
    values = choices;
    isChoice = true;
    return *this;
  }
  constexpr OptionInfo &oneOf(std::vector<std::string> (*list)()) {
    isChoice = true;
    return listedBy(list);
  }
  constexpr OptionInfo &listedBy(std::vector<std::string> (*list)()) {
    names = list;
    return *this;
  }
  constexpr OptionInfo &of(OptionMachine which) {
    machine = which;
    return *this;
  }
  constexpr OptionInfo &keepsCode() {
    changesCode = false;
    return *this;
  }
  constexpr OptionInfo &isNoKey() {
    isKey = false;
    return *this;
  }
  constexpr OptionInfo &
  from(int64_t first, int64_t last = std::numeric_limits<int64_t>::max()) {
    least = first;
    most = last;
    return *this;
  }
  constexpr OptionInfo &inUnitsOf(int64_t size) {
    unit = size;
    return *this;
  }
  constexpr OptionInfo &byDefault(std::string_view what) {
    unsaid = what;
    return *this;
  }
  constexpr OptionInfo &orNone(int64_t number) {
    none = number;
    return *this;
  }
  constexpr OptionInfo &impliedly(std::string_view value) {
    implied = value;
    return *this;
  }
  constexpr OptionInfo &naming(std::string_view what) {
    thing = what;
    return *this;
  }
  constexpr OptionInfo &formerly(std::string_view former) {
    formerName = former;
    return *this;
  }
  constexpr OptionInfo &choiceFormerly(std::string_view choice,
                                       std::string_view former) {
    presentChoice = choice;
    formerChoice = former;
    return *this;
  }
  constexpr OptionInfo &notWith(std::string_view option, std::string_view why) {
    other = option;
    reason = why;
    return *this;
  }

  bool isCalled(std::string_view key) const {
    return key == name || (!formerName.empty() && key == formerName);
  }
  /// True if code for a machine, which is not `Any`, may depend on it.
  bool isAbout(OptionMachine one) const {
    return changesCode && (machine == OptionMachine::Any || machine == one);
  }
};

/// Begins the description of an option.
constexpr OptionInfo called(std::string_view name) {
  OptionInfo info;
  info.name = name;
  return info;
}

namespace options {

template <typename T> struct MemberOf;
template <typename OwnerT, typename ValueT> struct MemberOf<ValueT OwnerT::*> {
  using Owner = OwnerT;
};
template <auto first, auto...> struct FirstOf {
  using Owner = typename MemberOf<decltype(first)>::Owner;
};

/// The names of an enumeration, of which `all` has the values in their order.
template <const auto &all> std::vector<std::string> listNames() {
  std::vector<std::string> names;
  for (auto value : all)
    names.emplace_back(stringify(value));
  return names;
}

std::vector<std::string> listChoices(const OptionInfo &info);

/// "a, b or c", with that word.
std::string joinChoices(const OptionInfo &info, std::string_view word);

/// The sentence for --help, with the values where a type lists them, and the
/// default.
std::string describe(const OptionInfo &info);

/// The number of a choice.
std::optional<size_t> findChoice(const OptionInfo &info, std::string_view text);

/// "'x' is none of a, b and c".
Error refuseChoice(const OptionInfo &info, std::string_view text);

/// "'x' is not an integer of at least 1", "'x' is no integer from 1 to 9" or,
/// if no upper end is known but that of the type, "'x' is too large".
Error refuseNumber(const OptionInfo &info, std::string_view text,
                   std::errc error);

/// True for an integer in the range, of which one end may be beyond its type.
template <typename T> bool isInRange(const OptionInfo &info, T number) {
  if constexpr (std::is_unsigned_v<T>)
    return (info.least <= 0 || number >= static_cast<uint64_t>(info.least)) &&
           (info.most == std::numeric_limits<int64_t>::max() ||
            number <= static_cast<uint64_t>(info.most));
  else
    return number >= info.least && number <= info.most;
}

} // namespace options

/// Reads the value of an option from a text, as its type has it.
template <typename T>
Status readOption(const OptionInfo &info, std::string_view text, T &value) {
  if constexpr (record::IsOptional<T>::value) {
    typename T::value_type known{};
    Status status = readOption(info, text, known);
    if (status)
      value = std::move(known);
    return status;
  } else if constexpr (record::IsVector<T>::value) {
    return readOption(info, text, value.emplace_back());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false")
      return Error{"'" + std::string(text) + "' is neither true nor false"};
    value = text == "true";
  } else if constexpr (std::is_enum_v<T>) {
    std::optional<size_t> choice = options::findChoice(info, text);
    if (!choice)
      return options::refuseChoice(info, text);
    value = static_cast<T>(*choice);
  } else if constexpr (std::is_integral_v<T>) {
    T number{};
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() ||
        !options::isInRange(info, number))
      return options::refuseNumber(info, text, error);
    value = static_cast<T>(number * info.unit);
  } else {
    static_assert(std::is_same_v<T, std::string>, "no reader of such a value");
    if (text.empty() && !info.thing.empty())
      return Error{"no " + std::string(info.thing) + " is named"};
    std::optional<size_t> choice;
    if (info.isChoice) {
      choice = options::findChoice(info, text);
      if (!choice)
        return options::refuseChoice(info, text);
    }
    value = choice ? options::listChoices(info)[*choice] : std::string(text);
  }
  return {};
}

/// An option of a struct: a member of it, or a member of a member.
template <auto... members> struct Option {
  using Owner = typename options::FirstOf<members...>::Owner;
  using Value = std::decay_t<decltype((std::declval<Owner &>().*....*members))>;

  OptionInfo info;
  Status (*read)(const OptionInfo &, std::string_view, Value &);

  static Value &get(Owner &owner) { return (owner.*....*members); }
  static const Value &get(const Owner &owner) { return (owner.*....*members); }
};

/// @param read  in place of `readOption`
template <auto... members>
constexpr Option<members...>
optionAt(const OptionInfo &info,
         decltype(Option<members...>::read) read =
             &readOption<typename Option<members...>::Value>) {
  return {info, read};
}

/// Calls `visit` for each option of a struct, in the order of its list.
template <typename Options, typename Visitor>
void visitOptions(Visitor &&visit) {
  std::apply([&](const auto &...each) { (visit(each), ...); },
             optionsOf(static_cast<const Options *>(nullptr)));
}

/// Appends a text that no other options have of which code for a machine
/// depends. The list has all members.
template <typename Options>
void appendOptionsKey(std::string &key, const Options &options,
                      OptionMachine machine) {
  using List = decltype(optionsOf(static_cast<const Options *>(nullptr)));
  static_assert(std::tuple_size_v<List> == record::countMembers<Options>(),
                "optionsOf() lists each member of what keys are made of");
  visitOptions<Options>([&](const auto &option) {
    if (!option.info.isAbout(machine))
      return;
    key += option.info.name;
    key += '=';
    appendKey(key, option.get(options));
  });
}

} // namespace tc

#endif // TC_SUPPORT_OPTION_H
