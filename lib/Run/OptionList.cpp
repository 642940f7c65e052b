//===- OptionList.cpp - Values of options that only tc-run has ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionList.h"

using namespace tc;
using namespace tc::run;

Status run::readFactor(const OptionInfo &, std::string_view text,
                       std::optional<model::Constant> &factor) {
  factor = model::parseConstant(text);
  if (!factor)
    return Error{"'" + std::string(text) + "' is not a finite number"};
  return {};
}

Status run::readDetectors(const OptionInfo &, std::string_view text,
                          sim::Detectors &detectors) {
  Result<sim::Detectors> parsed = sim::Detectors::parse(text);
  if (!parsed)
    return Error{parsed.error()};
  detectors = *parsed;
  return {};
}

Status run::readSeconds(const OptionInfo &info, std::string_view text,
                        double &seconds) {
  int whole = 0;
  Status status = readOption(info, text, whole);
  if (status)
    seconds = whole;
  return status;
}

Status run::readCheck(const OptionInfo &info, std::string_view text,
                      std::optional<Check> &check) {
  check.emplace();
  if (text == "all")
    check->samples = 0;
  else if (!text.empty())
    return readOption(info, text, check->samples);
  return {};
}
