//===- CommandLine.cpp - The options of tc-run ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedOptions.h"

#include "tc/Run/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using namespace tc::run;
using llvm::StringRef;

static constexpr const char *overview =
    R"(compile, run and check tensor contractions

The input is a specification, as in 'abc,cd->abd' (einsum, row-major) or
'abd-abc-cd' (TCCG's C-A-B, column-major), or a file: .einsum, .tccg, .cogent,
.tensors and .octopi (programs of several statements), .mlir, or the .json of a
package or of PTX that others made.

The exit status is 0 only if all that was asked for held.
)";

/// Fails unless the options go with --target-info.
static Status verifyTargetInfo(const Options &options) {
  if (!options.input.empty())
    return Error{"--target-info: prints a target only; it goes with no "
                 "specification or file"};
  if (options.check || options.repeats || options.emit || options.profile ||
      options.machineCode || options.time || !options.package.empty() ||
      !options.mlir.empty())
    return Error{"--target-info: runs nothing, so there is nothing to check, "
                 "time, emit, profile or save"};
  if (!options.targetInfo->empty() && !options.targetFile.empty())
    return Error{"--target-file: --target-info names another target"};
  return {};
}

/// Fails unless the options go together.
static Status verify(const Options &options) {
  bool isCuda = options.machine == Machine::Cuda;
  if (options.targetInfo)
    return verifyTargetInfo(options);
  if (options.input.empty())
    return Error{"no specification or file given; --help shows the usage"};
  if (options.repeats && options.machine == Machine::Simulator)
    return Error{"--bench: times are those of a device; add --target=cuda or "
                 "--target=cpu"};
  if (options.compileOnly && (options.check || options.repeats))
    return Error{"--compile-only: runs nothing, so there is nothing to check "
                 "or time"};
  if (options.blocks != "all" && isCuda)
    return Error{"--blocks: a device runs all blocks; use --target=sim"};
  if (options.leastAligned && isCuda)
    return Error{"--least-aligned: the driver places tensors on a device; use "
                 "--target=sim"};
  if (options.profile && isCuda)
    return Error{"--profile: a device does not count instructions; use "
                 "--target=sim"};
  if (options.emit &&
      (options.check || options.repeats || options.json || options.profile))
    return Error{"--emit=ptx: prints PTX only; it goes with neither --check "
                 "nor --bench nor --json nor --profile"};
  if (options.machineCode &&
      (options.check || options.repeats || options.profile || options.emit ||
       isCuda || (options.json && !options.explains())))
    return Error{"--machine-code: runs nothing, and has a form of its own for "
                 "JSON; it goes with neither --check nor --bench nor --json "
                 "nor --profile nor --emit nor --target=cuda"};
  if (options.time &&
      (options.check || options.repeats || options.json || options.profile ||
       options.emit || options.machineCode || isCuda))
    return Error{"--time: runs nothing, and has a form of its own for JSON; it "
                 "goes with neither --check nor --bench nor --json nor "
                 "--profile nor --emit nor --machine-code nor --target=cuda"};
  return {};
}

/// Fails unless the options go with explanations.
static Status verifyExplain(const Options &options) {
  if (options.targetInfo)
    return Error{"--explain: --target-info prints a target only"};
  if (options.check || options.repeats || options.profile || options.emit ||
      options.time || !options.package.empty() || !options.mlir.empty())
    return Error{"--explain: runs nothing; it goes with neither --check nor "
                 "--bench nor --profile nor --emit nor --time nor a file to "
                 "save"};
  if (options.machineCode && *options.machineCode != MachineCodeForm::Summary)
    return Error{"--machine-code: with --explain it has the explanation's "
                 "forms, and takes no value"};
  return {};
}

static Result<Options> convert(ParsedOptions &parsed) {
  Options options;
  options.input = parsed.input;
  if (Status status = parsed.read(options); !status)
    return Error{status.error()};
  options.dynamicShapes |= !options.tunedFor.empty();
  // LLVM has options that change code. They stand in no key.
  if (parsed.isAnyOfLLVMGiven())
    options.cacheFolder = "off";
  if (Status status = parsed.checkCombination(options.machine); !status)
    return Error{status.error()};
  if (parsed.isGiven("detect") && options.machine == Machine::Cuda)
    return Error{"--detect: a device has no detectors; use --target=sim"};
  if (parsed.isGiven("runners-up") && !options.explains())
    return Error{"--runners-up: shows nothing without --explain"};
  if (Status status = verify(options); !status)
    return Error{status.error()};
  if (options.explains())
    if (Status status = verifyExplain(options); !status)
      return Error{status.error()};
  return options;
}

Result<Options> run::parseCommandLine(int argc, char **argv) {
  // LLVM's library brings an option by that name, about link-time optimisation.
  cl::getRegisteredOptions().erase("threads");
  ParsedOptions parsed;
  cl::HideUnrelatedOptions(parsed.category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "tc-run " TC_VERSION "\n"; });
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &stream)) {
    // LLVM prints what is wrong with the value of an option by itself.
    if (messages.empty())
      return Error{""};
    // The first line says what is wrong; the others make suggestions.
    auto [program, rest] = StringRef(messages).split(": ");
    StringRef first = rest.split('\n').first.rtrim();
    StringRef suggested = rest.split("Did you mean ").second.split('\n').first;
    return Error{first.str() + (suggested.empty()
                                    ? ""
                                    : "; did you mean " + suggested.str())};
  }
  Result<Options> options = convert(parsed);
  if (options)
    options->arguments.assign(argv + 1, argv + argc);
  return options;
}
