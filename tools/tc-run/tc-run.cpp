//===- tc-run.cpp - Compile, run and check contractions ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole way from a specification or a file to checked numbers, in the
// simulator, on a CUDA device or on this machine's CPU.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Execute.h"
#include "Explain.h"
#include "MachineCodeReport.h"
#include "RunForeign.h"
#include "RunOnHost.h"
#include "TargetInfo.h"
#include "TimeReport.h"

#include "tc/Support/Files.h"
#include "tc/Support/Message.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace tc;
using namespace tc::run;

/// Adds the description at `path` and the code beside it.
static Status addPackage(const Program &program, const std::string &path,
                         OutputFiles &outputs) {
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
static Status saveOutputs(const Program &program, const Options &options) {
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

static Status runForeignInput(const foreign::LoadedDescription &loaded,
                              const Options &options, std::string &output,
                              std::string &failure) {
  if (options.time) {
    Result<std::string> text = reportForeignTime(loaded, options);
    if (!text)
      return Error{text.error()};
    output = std::move(*text);
    return {};
  }
  Report report;
  if (Status status = runForeign(loaded, options, report); !status)
    return status;
  report.json["passed"] = report.failure.empty();
  output = options.json ? runtime::dump(report.json) : report.text;
  failure = report.failure;
  return {};
}

static Status runTool(const Options &options, std::string &output,
                      std::string &failure) {
  if (options.targetInfo) {
    Result<std::string> text = describeTarget(options);
    if (!text)
      return Error{text.error()};
    output = std::move(*text);
    return {};
  }
  Result<std::optional<foreign::LoadedDescription>> loaded =
      loadForeign(options);
  if (!loaded)
    return Error{loaded.error()};
  if (*loaded)
    return runForeignInput(**loaded, options, output, failure);
  if (options.explains() && options.machine != Machine::Cpu) {
    Result<std::string> text = explainInput(options);
    if (!text)
      return Error{text.error()};
    output = std::move(*text);
    return {};
  }
  if (options.machine == Machine::Cpu) {
    Report report;
    if (Status status = runOnHost(options, report); !status)
      return status;
    report.json["passed"] = report.failure.empty();
    output = options.json ? runtime::dump(report.json) : report.text;
    failure = report.failure;
    return {};
  }
  Result<Program> program = loadProgram(options);
  if (!program)
    return Error{program.error()};
  if (options.emitPTX) {
    if (program->loaded.package.kernels.empty())
      return Error{"--emit=ptx: " + options.input + " needs no kernel"};
    if (program->loaded.package.codeKind != runtime::CodeKind::PTX)
      return Error{"--emit=ptx: " + options.input + " holds a cubin"};
    output = program->loaded.code;
  } else if (options.machineCode) {
    Result<std::string> text = reportMachineCode(*program, options);
    if (!text)
      return Error{text.error()};
    output = std::move(*text);
  } else if (options.time) {
    Result<std::string> text = reportTime(*program, options);
    if (!text)
      return Error{text.error()};
    output = std::move(*text);
  } else {
    Report report;
    if (Status status = execute(*program, options, report); !status)
      return status;
    report.json["passed"] = report.failure.empty();
    output = options.json ? runtime::dump(report.json) : report.text;
    failure = report.failure;
  }
  if (!failure.empty())
    return {};
  return saveOutputs(*program, options);
}

static int fail(const std::string &message) {
  llvm::errs() << "tc-run: " << cutMessage(message) << "\n";
  return 1;
}

/// Ends the program where the compiler, or what holds tensors, finds no memory.
[[noreturn]] static void failForMemory() {
  // Printing into a buffer would ask for some.
  static constexpr char message[] = "tc-run: out of memory\n";
  std::fputs(message, stderr);
  std::_Exit(1);
}

int main(int argc, char **argv) {
  std::set_new_handler(failForMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { failForMemory(); });
  Result<Options> options = parseCommandLine(argc, argv);
  if (!options)
    return fail(options.error());
  std::string output, failure;
  if (Status status = runTool(*options, output, failure); !status)
    return fail(status.error());
  llvm::outs() << output;
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::outs().clear_error();
    return fail("cannot write the report");
  }
  return failure.empty() ? 0 : fail(failure);
}
