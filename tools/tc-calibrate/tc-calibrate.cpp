//===- tc-calibrate.cpp - Measures figures of this machine's CPU ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Calibrate.h"
#include "tc/Machine/Calibration.h"
#include "tc/Machine/DetectCpu.h"
#include "tc/Support/CommandLine.h"
#include "tc/Support/Files.h"
#include "tc/Support/Tool.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

#include <unistd.h>

using namespace tc;

static const char *const usage =
    R"(OVERVIEW: measure what contractions cost on one core of this machine's CPU

USAGE: tc-calibrate [options]

Times small contractions, fits the figures of the model to them, and writes the
file that all tools and libraries find when they compile for this machine. It
takes about ten seconds; nothing else should run meanwhile.

OPTIONS:
  --output=FILE        write this file, and say where that is found by setting
                       TC_CALIBRATION; by default cpu-KIND.json in
                       $XDG_CONFIG_HOME/tc or else in ~/.config/tc
  --dry-run            write nothing
  --probes             list all contractions that are timed
  --path               print the default file's name, and measure nothing
  --help               this text
  --version            the version

ENVIRONMENT:
  TC_CALIBRATION       a file that is used in place of the default one, or off;
                       what is measured does not depend on it
)";

namespace {

struct Options {
  std::string output;
  bool dryRun = false, probes = false, path = false, help = false,
       version = false;
};

} // namespace

static Result<Options> parseOptions(int argc, char **argv) {
  Options options;
  Status status = readCommandLine(
      argc, argv,
      {{"output", OptionValue::Required},
       {"dry-run", OptionValue::None},
       {"probes", OptionValue::None},
       {"path", OptionValue::None},
       {"help", OptionValue::None},
       {"version", OptionValue::None}},
      [&](std::string_view option, const char *value) -> Status {
        if (option == "output")
          options.output = value;
        for (auto [name, flag] : {std::pair("dry-run", &options.dryRun),
                                  std::pair("probes", &options.probes),
                                  std::pair("path", &options.path),
                                  std::pair("help", &options.help),
                                  std::pair("version", &options.version)})
          *flag |= option == name;
        return {};
      },
      [](const char *operand) -> Status {
        return Error{"unexpected argument '" + std::string(operand) + "'"};
      });
  if (!status)
    return Error{status.error()};
  return options;
}

static Result<std::string> defaultFile() {
  Result<model::DetectedCpu> cpu = model::detectCpu();
  if (!cpu)
    return Error{cpu.error()};
  std::string file = model::defaultCalibrationFile(cpu->target);
  if (file.empty())
    return Error{"neither XDG_CONFIG_HOME nor HOME is a folder; name a file "
                 "with --output"};
  return file;
}

static std::string today() {
  char text[16];
  std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// Makes the folder of a file, and sees whether the file can be written: nobody
/// waits for what is then lost.
static Status prepare(const std::filesystem::path &path) {
  std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error{folder.string() + ": " + error.message()};
  if (std::filesystem::is_directory(path, error))
    return Error{path.string() + ": is a directory"};
  if (access(folder.c_str(), W_OK) != 0)
    return Error{folder.string() + ": " + std::strerror(errno)};
  return {};
}

static Status run(const Options &options) {
  std::string path = options.output;
  if (options.path || (path.empty() && !options.dryRun))
    if (Status status = assign(path, defaultFile()); !status)
      return status;
  if (options.path) {
    std::printf("%s\n", path.c_str());
    return {};
  }
  if (!options.dryRun)
    if (Status status = prepare(path); !status)
      return status;
  auto begin = std::chrono::steady_clock::now();
  Result<calibration::Calibration> result =
      calibration::calibrate([](const calibration::Probe &, double) {});
  if (!result)
    return Error{result.error()};
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  if (options.probes) {
    Result<std::string> probes = calibration::describeProbes(*result);
    if (!probes)
      return Error{probes.error()};
    std::printf("%s\n", probes->c_str());
  }
  std::printf("%s%zu contractions in %.1f s\n",
              calibration::describe(*result).c_str(), result->probes.size(),
              elapsed.count());
  if (options.dryRun)
    return {};
  if (Status status =
          replaceFile(path, calibration::writeCalibration(*result, today()));
      !status)
    return status;
  std::printf("written to %s\n", path.c_str());
  return {};
}

int main(int argc, char **argv) {
  Result<Options> options = parseOptions(argc, argv);
  Status status = options ? Status() : Status(Error{options.error()});
  if (status && options->help)
    std::fputs(usage, stdout);
  else if (status && options->version)
    std::printf("tc-calibrate %s\n", TC_VERSION);
  else if (status)
    status = run(*options);
  return status ? 0 : failTool("tc-calibrate", status.error());
}
