//===- Run.cpp - Compile, run and check contractions ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Run/Run.h"

#include "BugReport.h"
#include "Execute.h"
#include "Explain.h"
#include "MachineCodeReport.h"
#include "RunForeign.h"
#include "RunOnHost.h"
#include "TargetInfo.h"
#include "TimeReport.h"

#include "tc/Support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace tc;
using namespace tc::run;

/// Adds the description at `path` and the code beside it.
static Status addPackage(const CompiledProgram &program,
                         const std::string &path, OutputFiles &outputs) {
  if (program.loaded.package.kernels.empty())
    return Error{"--save-package: there is no kernel to save"};
  llvm::SmallString<128> codePath(path);
  llvm::StringRef extension =
      program.loaded.package.codeKind == runtime::CodeKind::PTX ? "ptx"
                                                                : "cubin";
  llvm::sys::path::replace_extension(codePath, extension);
  if (codePath == path)
    return Error{"--save-package: " + path +
                 " is where the code goes; choose a name that ends in .json"};
  runtime::Package package = program.loaded.package;
  package.codeFile = llvm::sys::path::filename(codePath).str();
  if (Status status = runtime::verify(package); !status)
    return Error{path + ": " + status.error()};

  outputs.add(path, runtime::toJson(package));
  outputs.add(codePath.str().str(), program.loaded.code);
  return {};
}

/// Writes all that the options ask for besides the report, or nothing.
static Status saveOutputs(const CompiledProgram &program,
                          const Options &options) {
  OutputFiles outputs;
  if (!options.mlir.empty()) {
    if (!program.listing)
      return Error{"--save-mlir: there is no kernel to save"};
    outputs.add(options.mlir, program.listing->text);
  }
  if (!options.package.empty())
    if (Status status = addPackage(program, options.package, outputs); !status)
      return status;
  return outputs.commit();
}

/// Outcome that is only reported, with nothing that may fail once it is.
static Result<Outcome> outcomeOf(Result<std::string> text) {
  if (!text)
    return Error{text.error()};
  return Outcome{std::move(*text), ""};
}

static Outcome outcomeOf(Report &report, const Options &options) {
  return {report.render(options.json), report.failure};
}

static Result<Outcome> runProgram(const CompiledProgram &program,
                                  const Options &options, const Warn &warn,
                                  const Progress &progress) {
  if (options.machineCode)
    return outcomeOf(reportMachineCode(program, options));
  if (options.time)
    return outcomeOf(reportTime(program, options));
  if (options.emit) {
    if (program.loaded.package.kernels.empty())
      return Error{"--emit=ptx: " + options.input + " needs no kernel"};
    if (program.loaded.package.codeKind != runtime::CodeKind::PTX)
      return Error{"--emit=ptx: " + options.input + " holds a cubin"};
    return Outcome{program.loaded.code, ""};
  }
  Report report;
  if (Status status = execute(program, options, warn, progress, report);
      !status)
    return Error{status.error()};
  return outcomeOf(report, options);
}

static Result<Outcome> runInput(const Options &options, const Warn &warn,
                                const Progress &progress) {
  if (options.targetInfo)
    return outcomeOf(describeTarget(options));
  Report report;
  Result<std::optional<foreign::LoadedDescription>> loaded =
      loadForeign(options);
  if (!loaded)
    return Error{loaded.error()};
  if (*loaded) {
    if (options.time)
      return outcomeOf(reportForeignTime(**loaded, options));
    if (Status status = runForeign(**loaded, options, progress, report);
        !status)
      return Error{status.error()};
    return outcomeOf(report, options);
  }
  if (options.machine == Machine::Cpu) {
    if (Status status = runOnHost(options, warn, progress, report); !status)
      return Error{status.error()};
    return outcomeOf(report, options);
  }
  if (options.explains())
    return outcomeOf(explainInput(options));
  Result<CompiledProgram> program = loadProgram(options);
  if (!program)
    return Error{program.error()};
  Result<Outcome> outcome = runProgram(*program, options, warn, progress);
  if (!outcome || !outcome->failure.empty())
    return outcome;
  if (Status status = saveOutputs(*program, options); !status)
    return Error{status.error()};
  return outcome;
}

Result<Outcome> run::run(const Options &options, const Warn &warn,
                         const Progress &progress) {
  if (options.bugReport.empty())
    return runInput(options, warn, progress);
  BugReport report(options);
  if (Status status = report.begin(); !status)
    return Error{status.error()};
  auto noted = [&report](const auto &tell) {
    return [&](const std::string &line) {
      report.note(line);
      tell(line);
    };
  };
  Result<Outcome> outcome = runInput(options, noted(warn), noted(progress));
  if (Status status = report.end(outcome); !status)
    return Error{status.error()};
  progress("wrote " + options.bugReport + " for a report of a bug");
  return outcome;
}
