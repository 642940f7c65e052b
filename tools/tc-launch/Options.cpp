//===- Options.cpp - The command line of tc-launch --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <getopt.h>
#include <limits>
#include <string_view>

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

namespace {

template <typename T>
Result<T> parseNumber(const char *option, std::string_view text, T least) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least)
    return Error{std::string("--") + option + ": \"" + std::string(text) +
                 "\" is not an integer of at least " + std::to_string(least)};
  return value;
}

Result<double> parseReal(const char *option, const char *text) {
  char *end = nullptr;
  double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(value))
    return Error{std::string("--") + option + ": \"" + text +
                 "\" is not a finite number"};
  return value;
}

/// Stores a parsed value; the error otherwise.
template <typename To, typename From>
Status assign(To &to, const Result<From> &from) {
  if (!from)
    return Error{from.error()};
  to = *from;
  return {};
}

} // namespace

static Status applyOption(Options &options, const char *name,
                          const char *value) {
  std::string_view option = name;
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
  } else if (option == "check") {
    options.check = true;
    if (!value)
      return {};
    if (std::string_view(value) == "all") {
      options.samples = 0;
      return {};
    }
    return assign(options.samples, parseNumber<int64_t>(name, value, 1));
  } else if (option == "bench") {
    options.repeats = 20;
    if (value)
      return assign(options.repeats, parseNumber<int>(name, value, 1));
  } else if (option == "seed") {
    return assign(options.seed, parseNumber<uint64_t>(name, value, 0));
  } else if (option == "device") {
    return assign(options.device, parseNumber<int>(name, value, 0));
  } else if (option == "alpha") {
    return assign(options.alpha, parseReal(name, value));
  } else if (option == "beta") {
    return assign(options.beta, parseReal(name, value));
  }
  return {};
}

Result<Options> launch::parseOptions(int argc, char **argv) {
  static const option known[] = {{"check", optional_argument, nullptr, 0},
                                 {"bench", optional_argument, nullptr, 0},
                                 {"seed", required_argument, nullptr, 0},
                                 {"kernel", required_argument, nullptr, 0},
                                 {"alpha", required_argument, nullptr, 0},
                                 {"beta", required_argument, nullptr, 0},
                                 {"device", required_argument, nullptr, 0},
                                 {"validate", no_argument, nullptr, 0},
                                 {"json", no_argument, nullptr, 0},
                                 {"help", no_argument, nullptr, 0},
                                 {"version", no_argument, nullptr, 0},
                                 {nullptr, 0, nullptr, 0}};
  Options options;
  // Messages are ours.
  opterr = 0;
  for (;;) {
    int position = optind;
    int index = 0;
    int result = getopt_long(argc, argv, "+:", known, &index);
    if (result == -1) {
      if (optind >= argc)
        break;
      // Operands may stand between options.
      if (!options.package.empty())
        return Error{std::string("unexpected argument \"") + argv[optind] +
                     "\""};
      options.package = argv[optind++];
      continue;
    }
    if (result == ':')
      return Error{std::string(argv[position]) + ": needs a value"};
    if (result != 0)
      return Error{std::string("unknown option ") + argv[position] +
                   "; --help lists the options"};
    if (Status s = applyOption(options, known[index].name, optarg); !s)
      return Error{s.error()};
  }
  if (options.help || options.version)
    return options;
  if (options.package.empty())
    return Error{"no package given; --help shows the usage"};
  if (options.validate && (options.check || options.repeats))
    return Error{"--validate runs nothing, so it goes with neither --check nor "
                 "--bench"};
  return options;
}
