//===- CommandLine.cpp - Command lines without LLVM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/CommandLine.h"

#include "tc/Support/Suggestion.h"

#include <cmath>
#include <cstdlib>
#include <getopt.h>

using namespace tc;

Result<double> tc::parseReal(std::string_view option, const char *text) {
  char *end = nullptr;
  double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(value))
    return Error{"--" + std::string(option) + ": \"" + text +
                 "\" is not a finite number"};
  return value;
}

static int argumentOf(OptionValue value) {
  switch (value) {
  case OptionValue::None:
    return no_argument;
  case OptionValue::Optional:
    return optional_argument;
  case OptionValue::Required:
    return required_argument;
  }
  return no_argument;
}

static Status unknownOption(std::string_view given,
                            const std::vector<OptionSpec> &known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const OptionSpec &spec : known)
    names.push_back(std::string("--") + spec.name);
  return Error{"unknown option " + std::string(given) +
               suggestionFor(given.substr(0, given.find('=')), names) +
               "; --help lists the options"};
}

Status tc::readCommandLine(
    int argc, char **argv, const std::vector<OptionSpec> &known,
    const std::function<Status(std::string_view, const char *)> &option,
    const std::function<Status(const char *)> &operand) {
  std::vector<::option> table;
  table.reserve(known.size() + 1);
  for (const OptionSpec &spec : known)
    table.push_back({spec.name, argumentOf(spec.value), nullptr, 0});
  table.push_back({nullptr, 0, nullptr, 0});
  // Messages are ours.
  opterr = 0;
  for (;;) {
    int position = optind;
    int index = 0;
    int result = getopt_long(argc, argv, "+:", table.data(), &index);
    if (result == -1) {
      if (optind >= argc)
        return {};
      // Operands may stand between options.
      if (Status s = operand(argv[optind++]); !s)
        return s;
      continue;
    }
    if (result == ':')
      return Error{std::string(argv[position]) + ": needs a value"};
    if (result != 0)
      return unknownOption(argv[position], known);
    if (Status s = option(known[index].name, optarg); !s)
      return s;
  }
}
