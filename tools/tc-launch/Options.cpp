//===- Options.cpp - The command line of tc-launch --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "tc/Import/Notations.h"
#include "tc/Support/CommandLine.h"

using namespace tc;
using namespace tc::launch;

const char *const launch::usage =
    R"(OVERVIEW: run, check and time a compiled package on a CUDA device

USAGE: tc-launch [options] PACKAGE.json

OPTIONS:
  --check[=SAMPLES]  compare C with sums made on the host: SAMPLES elements,
                     "all" of them, or as many as take about a second
  --bench[=REPEATS]  time the kernels (20 times); the L2 cache is flushed
                     before each run
  --seed=N           seed of the random operands; without it, another each run
  --kernel=NAME      only the kernel of that name
  --extents=a=1,b=2  extents to run with, for kernels that take them as
                     arguments, and contiguous tensors, or of the steps of a
                     program that takes such; by default those that they are
                     tuned for
  --alpha=X          alpha, for kernels that take it as an argument (1)
  --beta=X           beta, for kernels that take it as an argument (0)
  --device=N         number of the device (0)
  --validate         only read the package and check its description against
                     itself and its code; needs no device
  --json             report as one JSON object
  --help             this text
  --version          the version

Without --check, --bench and --validate each kernel runs once. The exit status
is 0 only if all that was asked for held.
)";

static Result<model::Constant> parseFactor(std::string_view option,
                                           const char *text) {
  std::optional<model::Constant> value = model::parseConstant(text);
  if (!value)
    return Error{"--" + std::string(option) + ": \"" + text +
                 "\" is not a finite number"};
  return *value;
}

static Status applyOption(Options &options, std::string_view option,
                          const char *value) {
  if (option == "help") {
    options.help = true;
  } else if (option == "version") {
    options.version = true;
  } else if (option == "validate") {
    options.validate = true;
  } else if (option == "json") {
    options.json = true;
  } else if (option == "kernel") {
    options.kernel = value;
  } else if (option == "extents") {
    notation::Diagnostic diagnostic;
    auto extents = notation::parseExtents(value, "--extents", diagnostic);
    if (!extents)
      return Error{diagnostic.str()};
    for (const notation::Extent &extent : *extents)
      options.extents[extent.label] = extent.extent;
  } else if (option == "check") {
    options.check = true;
    if (!value)
      return {};
    if (std::string_view(value) == "all") {
      options.samples = 0;
      return {};
    }
    return assign(options.samples, parseInteger<int64_t>(option, value, 1));
  } else if (option == "bench") {
    options.repeats = 20;
    if (value)
      return assign(options.repeats, parseInteger<int>(option, value, 1));
  } else if (option == "seed") {
    return assign(options.seed, parseInteger<uint64_t>(option, value, 0));
  } else if (option == "device") {
    return assign(options.device, parseInteger<int>(option, value, 0));
  } else if (option == "alpha") {
    return assign(options.alpha, parseFactor(option, value));
  } else if (option == "beta") {
    return assign(options.beta, parseFactor(option, value));
  }
  return {};
}

Result<Options> launch::parseOptions(int argc, char **argv) {
  const std::vector<OptionSpec> known = {
      {"check", OptionValue::Optional},  {"bench", OptionValue::Optional},
      {"seed", OptionValue::Required},   {"kernel", OptionValue::Required},
      {"alpha", OptionValue::Required},  {"beta", OptionValue::Required},
      {"device", OptionValue::Required}, {"validate", OptionValue::None},
      {"json", OptionValue::None},       {"help", OptionValue::None},
      {"version", OptionValue::None},    {"extents", OptionValue::Required}};
  Options options;
  Status status = readCommandLine(
      argc, argv, known,
      [&](std::string_view option, const char *value) {
        return applyOption(options, option, value);
      },
      [&](const char *operand) -> Status {
        if (!options.package.empty())
          return Error{std::string("unexpected argument \"") + operand + "\""};
        options.package = operand;
        return {};
      });
  if (!status)
    return Error{status.error()};
  if (options.help || options.version)
    return options;
  if (options.package.empty())
    return Error{"no package given; --help shows the usage"};
  if (options.validate && (options.check || options.repeats))
    return Error{"--validate runs nothing, so it goes with neither --check nor "
                 "--bench"};
  return options;
}
