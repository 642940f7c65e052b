//===- CommandLine.h - Command lines without LLVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line of the tools that need no LLVM: "--name", "--name=value" (or
// "--name value" where a value is required) and operands, in any order.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_COMMANDLINE_H
#define TC_SUPPORT_COMMANDLINE_H

#include "tc/Support/Result.h"

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tc {

enum class OptionValue { None, Optional, Required };

struct OptionSpec {
  const char *name;
  OptionValue value;
};

/// Calls `option(name, value)` for each option, the value null if there is
/// none, and `operand(text)` for each operand. Stops at the first error, its
/// own or theirs.
Status readCommandLine(
    int argc, char **argv, const std::vector<OptionSpec> &known,
    const std::function<Status(std::string_view, const char *)> &option,
    const std::function<Status(const char *)> &operand);

/// The value of an option as an integer of at least `least`.
template <typename T>
Result<T> parseInteger(std::string_view option, std::string_view text,
                       T least) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    return Error{"--" + std::string(option) + ": \"" + std::string(text) +
                 "\" is not an integer of at least " + std::to_string(least)};
  return value;
}

/// The value of an option as a finite number.
Result<double> parseReal(std::string_view option, const char *text);

/// Stores a parsed value; the error otherwise.
template <typename To, typename From>
Status assign(To &to, const Result<From> &from) {
  if (!from)
    return Error{from.error()};
  to = *from;
  return {};
}

} // namespace tc

#endif // TC_SUPPORT_COMMANDLINE_H
