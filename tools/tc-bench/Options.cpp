//===- Options.cpp - The command line of tc-bench ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "tc/Support/CommandLine.h"

#include <algorithm>

using namespace tc;
using namespace tc::bench;

const char *const bench::usage =
    R"(OVERVIEW: measure a suite of compiled contractions against other libraries

USAGE: tc-bench [options] SUITE.json

OPTIONS:
  --target=cuda|sim   a CUDA device (the default), or counts of the simulator
  --only=REGEX        only cases in whose names this is found
  --time-limit=S      begin no further case after S seconds
  --output=FILE       write the results as JSON; the file grows case by case
  --resume=FILE       keep the cases that this file of results has and in which
                      tc did not fail, and write the file anew with all;
                      --output names another
  --keep-failed       with --resume: keep those in which tc failed as well
  --json              print the results as JSON instead of a table
  --progress=auto|always|never
                      a line on standard error that says how far the run is;
                      by default, where that is a terminal
  --strict            also fail for refused cases, failed or missing peers and
                      cases that the time did not suffice for
  --seed=N            seed of the random operands; without it, another each run
  --samples=N|all     elements of C to compare with sums made on the host; as
                      many as take about a second if not given

With --target=cuda:
  --device=N          number of the device (0)
  --repeats=N         timed runs of each contender on each case (20)
  --warm-ups=N        runs before those (3)
  --flush=read|write  how the L2 cache is flushed before each run (read)
  --peers=LIST        of cublas, cutensor and cutensor-best, or none (all)
  --cublas=FILE       the library, where it is not found by itself
  --cutensor=FILE     the same

With --target=sim:
  --blocks=LIST       thread blocks to run, as in tc-run
                      (first,middle,last,edge)
  --workers=N         threads of the host; by default one a core

  --help              this text
  --version           the version

The exit status is 0 only if every compiled case that was run is right and was
measured.
)";

static Status parsePeers(std::string_view list,
                         std::vector<std::string> &peers) {
  static constexpr std::string_view known[] = {"cublas", "cutensor",
                                               "cutensor-best"};
  peers.clear();
  if (list == "none")
    return {};
  for (;;) {
    size_t end = std::min(list.find(','), list.size());
    std::string name(list.substr(0, end));
    if (std::find(std::begin(known), std::end(known), name) == std::end(known))
      return Error{"--peers: \"" + name +
                   "\" is none of cublas, cutensor and cutensor-best"};
    if (std::find(peers.begin(), peers.end(), name) != peers.end())
      return Error{"--peers: \"" + name + "\" occurs twice"};
    peers.push_back(std::move(name));
    if (end == list.size())
      return {};
    list.remove_prefix(end + 1);
  }
}

static Status parseOnly(const char *text, std::optional<std::regex> &only) {
  try {
    only.emplace(text);
  } catch (const std::regex_error &) {
    return Error{std::string("--only: \"") + text +
                 "\" is not a regular expression"};
  }
  return {};
}

static Status parseSamples(const char *text, Options &options) {
  std::optional<int64_t> samples;
  if (std::string_view(text) == "all")
    samples = 0;
  else if (Status s =
               assign(samples, parseInteger<int64_t>("samples", text, 1));
           !s)
    return s;
  options.device.samples = options.simulator.samples = samples;
  return {};
}

/// Sets `to` to the value that goes with the word.
template <typename T>
static Status
parseWord(std::string_view option, std::string_view word,
          const std::vector<std::pair<std::string_view, T>> &words, T &to) {
  std::string known;
  for (const auto &[name, value] : words) {
    if (word == name) {
      to = value;
      return {};
    }
    known += (known.empty() ? "neither " : " nor ") + std::string(name);
  }
  return Error{"--" + std::string(option) + ": \"" + std::string(word) +
               "\" is " + known};
}

static Status applyOption(Options &options, std::string_view option,
                          const char *value) {
  if (option == "help")
    options.help = true;
  else if (option == "version")
    options.version = true;
  else if (option == "json")
    options.json = true;
  else if (option == "keep-failed")
    options.keepFailed = true;
  else if (option == "strict")
    options.strict = true;
  else if (option == "output")
    options.output = value;
  else if (option == "resume")
    options.resume = value;
  else if (option == "cublas")
    options.device.cublasPath = value;
  else if (option == "cutensor")
    options.device.cutensorPath = value;
  else if (option == "blocks")
    options.simulator.blocks = value;
  else if (option == "target")
    return parseWord<Machine>(
        option, value, {{"cuda", Machine::Cuda}, {"sim", Machine::Simulator}},
        options.machine);
  else if (option == "flush")
    return parseWord<Flush>(option, value,
                            {{"read", Flush::Read}, {"write", Flush::Write}},
                            options.device.flush);
  else if (option == "progress")
    return parseWord<std::optional<bool>>(
        option, value,
        {{"auto", std::nullopt}, {"always", true}, {"never", false}},
        options.progress);
  else if (option == "only")
    return parseOnly(value, options.only);
  else if (option == "peers")
    return parsePeers(value, options.device.peers);
  else if (option == "samples")
    return parseSamples(value, options);
  else if (option == "time-limit")
    return assign(options.timeLimit, parseReal(option, value));
  else if (option == "seed")
    return assign(options.seed, parseInteger<uint64_t>(option, value, 0));
  else if (option == "device")
    return assign(options.device.device, parseInteger<int>(option, value, 0));
  else if (option == "repeats")
    return assign(options.device.repeats, parseInteger<int>(option, value, 1));
  else if (option == "warm-ups")
    return assign(options.device.warmUps, parseInteger<int>(option, value, 0));
  else if (option == "workers")
    return assign(options.simulator.workers,
                  parseInteger<unsigned>(option, value, 1));
  return {};
}

/// Checks that options go together.
static Status verify(const Options &options,
                     const std::vector<std::string> &given) {
  if (options.suite.empty())
    return Error{"no suite given; --help shows the usage"};
  const std::vector<std::string> ofDevice = {
      "device", "repeats", "warm-ups", "flush", "peers", "cublas", "cutensor"};
  const std::vector<std::string> ofSimulator = {"blocks", "workers"};
  bool isCuda = options.machine == Machine::Cuda;
  for (const std::string &option : isCuda ? ofSimulator : ofDevice)
    if (std::find(given.begin(), given.end(), option) != given.end())
      return Error{"--" + option + ": goes with --target=" +
                   (isCuda ? "sim" : "cuda") + " only"};
  if (options.keepFailed && options.resume.empty())
    return Error{"--keep-failed: goes with --resume only"};
  if (options.timeLimit && *options.timeLimit <= 0)
    return Error{"--time-limit: must be more than 0"};
  return {};
}

Result<Options> bench::parseOptions(int argc, char **argv) {
  using Value = OptionValue;
  const std::vector<OptionSpec> known = {
      {"target", Value::Required},     {"only", Value::Required},
      {"time-limit", Value::Required}, {"output", Value::Required},
      {"resume", Value::Required},     {"json", Value::None},
      {"strict", Value::None},         {"keep-failed", Value::None},
      {"seed", Value::Required},       {"samples", Value::Required},
      {"device", Value::Required},     {"repeats", Value::Required},
      {"warm-ups", Value::Required},   {"flush", Value::Required},
      {"peers", Value::Required},      {"cublas", Value::Required},
      {"cutensor", Value::Required},   {"blocks", Value::Required},
      {"workers", Value::Required},    {"help", Value::None},
      {"progress", Value::Required},   {"version", Value::None}};
  Options options;
  std::vector<std::string> given;
  Status status = readCommandLine(
      argc, argv, known,
      [&](std::string_view option, const char *value) {
        given.emplace_back(option);
        return applyOption(options, option, value);
      },
      [&](const char *operand) -> Status {
        if (!options.suite.empty())
          return Error{std::string("unexpected argument \"") + operand + "\""};
        options.suite = operand;
        return {};
      });
  if (!status)
    return Error{status.error()};
  if (options.help || options.version)
    return options;
  if (Status s = verify(options, given); !s)
    return Error{s.error()};
  return options;
}
