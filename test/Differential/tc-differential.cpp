//===- tc-differential.cpp - Targets against the oracle -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs many modules on the CPU and in the simulator, and compares all that they
// write with the results of an interpreter of the operation.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Workers.h"

#include "tc/Support/CommandLine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace tc;
using namespace tc::differential;

static constexpr char help[] =
    R"(usage: tc-differential [FILE] [--jobs=N] [--timeout=SECONDS]

Runs modules on the CPU and in the simulator, and compares what they compute
with the definition of tc.contract. Reads them from FILE, or from the standard
input, with lines "// -----" between them. The first line of each is

  // case NAME: [seed=N] [targets=cpu|sim|cpu,sim] [chip=CHIP] [cpu-file=FILE]
                [threads=N] [strategy=auto|gett|direct] [alpha=X[,Y]]
                [beta=X[,Y]]

on one line: the seed of its operands, where it runs, what it is compiled for,
and the factors that are arguments. Prints a line for each failure, with the
module behind it, and "N passed, N failed" at the end.

  --jobs=N           processes at once (default: 1)
  --timeout=SECONDS  for one target's run of one module (default: 60)
  --help             prints this text
)";

namespace {

struct Options {
  std::string input = "-";
  WorkerOptions workers;
  bool help = false;
};

} // namespace

static Result<Options> parseCommandLine(int argc, char **argv) {
  Options options;
  auto count = [](std::string_view option, const char *text,
                  unsigned &result) -> Status {
    if (StringRef(text).getAsInteger(10, result) || result == 0)
      return Error{"--" + std::string(option) + ": \"" + text +
                   "\" is not a positive integer"};
    return {};
  };
  Status status = readCommandLine(
      argc, argv,
      {{"jobs", OptionValue::Required},
       {"timeout", OptionValue::Required},
       {"help", OptionValue::None}},
      [&](std::string_view option, const char *value) -> Status {
        if (option == "jobs")
          return count(option, value, options.workers.jobs);
        if (option == "timeout")
          return count(option, value, options.workers.seconds);
        options.help = true;
        return {};
      },
      [&](const char *operand) -> Status {
        options.input = operand;
        return {};
      });
  if (!status)
    return Error{status.error()};
  return options;
}

static Result<std::vector<Case>> readInput(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return Error{path + ": " + buffer.getError().message()};
  Result<std::vector<Case>> cases = readCases((*buffer)->getBuffer());
  if (!cases)
    return Error{path + ": " + cases.error()};
  if (cases->empty())
    return Error{path + ": no module in it"};
  return cases;
}

/// Runs all cases; how many failed.
static Result<size_t> runAll(const std::vector<Case> &cases,
                             const WorkerOptions &options) {
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  size_t failed = 0;
  auto run = [&](size_t number, const auto &enter) {
    return runCase(*context, cases[number],
                   [&](StringRef stage) { enter(std::string_view(stage)); });
  };
  auto report = [&](size_t number, const std::string &failure) {
    if (failure.empty())
      return;
    ++failed;
    llvm::outs() << "FAILED " << cases[number].name << ": " << failure << "\n"
                 << StringRef(cases[number].module).trim() << "\n\n";
    llvm::outs().flush();
  };
  if (Status status = runInWorkers(cases.size(), options, run, report); !status)
    return Error{status.error()};
  return failed;
}

static int fail(const std::string &message) {
  llvm::errs() << "tc-differential: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  Result<Options> options = parseCommandLine(argc, argv);
  if (!options)
    return fail(options.error());
  if (options->help) {
    llvm::outs() << help;
    return 0;
  }
  // Threads that wait for others would keep the cores from them.
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  Result<std::vector<Case>> cases = readInput(options->input);
  if (!cases)
    return fail(cases.error());
  auto begin = std::chrono::steady_clock::now();
  Result<size_t> failed = runAll(*cases, options->workers);
  if (!failed)
    return fail(failed.error());
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  llvm::outs() << llvm::format("%.1f s, %.1f cases a second\n", seconds,
                               static_cast<double>(cases->size()) / seconds)
               << cases->size() - *failed << " passed, " << *failed
               << " failed\n";
  return *failed == 0 ? 0 : 1;
}
