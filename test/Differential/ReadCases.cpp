//===- ReadCases.cpp - Modules with options -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"

#include "llvm/ADT/StringRef.h"

using namespace tc;
using namespace tc::differential;

/// Reads "1.5", or "1.5,-2" for a complex number.
static bool readFactor(StringRef text, std::complex<double> &factor) {
  auto [realText, imaginaryText] = text.split(',');
  double real = 0, imaginary = 0;
  if (realText.getAsDouble(real) ||
      (!imaginaryText.empty() && imaginaryText.getAsDouble(imaginary)))
    return false;
  factor = {real, imaginary};
  return true;
}

static bool readOption(StringRef name, StringRef value, Case &result) {
  if (name == "seed")
    return !value.getAsInteger(10, result.seed);
  if (name == "strategy") {
    result.strategy = value.str();
    return value == "auto" || value == "gett" || value == "direct";
  }
  if (name == "threads")
    return !value.getAsInteger(10, result.threads) && result.threads > 0;
  if (name == "other-threads") {
    unsigned threads = 0;
    bool isNumber = !value.getAsInteger(10, threads) && threads > 0;
    result.otherThreads = threads;
    return isNumber;
  }
  if (name == "alpha")
    return readFactor(value, result.alpha);
  if (name == "beta")
    return readFactor(value, result.beta);
  if (name == "chip")
    result.chip = value.str();
  else if (name == "cpu-file")
    result.cpuFile = value.str();
  else if (name == "targets") {
    result.onCpu = value != "sim";
    result.onSimulator = value != "cpu";
    return value == "sim" || value == "cpu" || value == "cpu,sim";
  } else
    return false;
  return true;
}

static Result<Case> readCase(StringRef text) {
  Case result;
  auto [module, tunedModule] = text.split("\n// tuned for\n");
  result.module = module.str();
  result.tunedModule = tunedModule.str();
  auto [header, rest] = text.ltrim().split('\n');
  if (!header.consume_front("// case "))
    return Error{"a module does not begin with \"// case NAME: ...\", but \"" +
                 header.str() + "\""};
  auto [name, options] = header.split(':');
  result.name = name.trim().str();
  SmallVector<StringRef> list;
  options.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef option : list) {
    auto [key, value] = option.split('=');
    if (!readOption(key, value, result))
      return Error{"case " + result.name + ": \"" + option.str() +
                   "\" is not an option"};
  }
  return result;
}

Result<std::vector<Case>> differential::readCases(StringRef text) {
  std::vector<Case> cases;
  while (!text.trim().empty()) {
    auto [module, rest] = text.split("\n// -----\n");
    Result<Case> next = readCase(module);
    if (!next)
      return Error{next.error()};
    cases.push_back(std::move(*next));
    text = rest;
  }
  return cases;
}
