//===- OptionList.h - The options that only tc-run has ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc/OnDemand/OptionTable.h describes the others.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_OPTIONLIST_H
#define TC_LIB_RUN_OPTIONLIST_H

#include "tc/OnDemand/OptionTable.h"
#include "tc/Run/Options.h"

namespace tc::run {

Status readFactor(const OptionInfo &info, std::string_view text,
                  std::optional<model::Constant> &factor);
Status readDetectors(const OptionInfo &info, std::string_view text,
                     sim::Detectors &detectors);
Status readSeconds(const OptionInfo &info, std::string_view text,
                   double &seconds);
Status readCheck(const OptionInfo &info, std::string_view text,
                 std::optional<Check> &check);

/// Options of the contraction and of where it runs.
constexpr auto listOptionsOfRuns() {
  return std::make_tuple(
      optionAt<&Options::extents>(
          called("extents")
              .does("Extents of the indices, as in a=24,b=16; of "
                    "MLIR, of those that types leave open")
              .takes("list")),
      optionAt<&Options::shapes>(
          called("shapes")
              .does("Shapes of the operands of an einsum "
                    "specification, as in 8x3x4,8x4x5")
              .takes("list")),
      optionAt<&Options::type>(
          called("type")
              .does("Element type")
              .byDefault("f64")
              .takes("type")
              .listedBy(options::listNames<model::allElementTypes>)),
      optionAt<&Options::typeA>(
          called("type-a")
              .does("Element type of A, where it has another")
              .takes("type")),
      optionAt<&Options::typeB>(
          called("type-b")
              .does("Element type of B, where it has another")
              .takes("type")),
      optionAt<&Options::layout>(
          called("layout")
              .does("Which index of a list has stride one: the last (row) or "
                    "the first (col); by default what the notation has")
              .takes("row|col")),
      optionAt<&Options::alpha>(alphaOption, readFactor),
      optionAt<&Options::beta>(betaOption, readFactor),
      optionAt<&Options::chip>(
          called("chip")
              .does("Chip, or target of an .mlir file, to compile for")
              .takes("sm_NN")
              .of(OptionMachine::Gpu)
              .notWith("target-file", "says what to compile for")),
      optionAt<&Options::reduces>(
          called("reduce")
              .does("Add up all elements of C, after any epilogue, "
                    "and store nothing but the sum, in the type of "
                    "sums of products")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::tunedFor>(
          called("tuned-for")
              .does("Extents to tune such kernels for, instead of those of "
                    "--extents; more than once for a version each")
              .takes("a=24,b=16")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::strides>(
          called("strides")
              .does("Strides of A, B and C to run such kernels "
                    "with, by default those of contiguous tensors")
              .takes("64,1;1,64;32,1")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::compileOnly>(
          called("compile-only")
              .does("Compile, for a later run to find the "
                    "code in the cache, and run nothing")
              .of(OptionMachine::Cpu)),
      optionAt<&Options::machine>(
          called("target")
              .does("Where to run: sim, the simulator (default), "
                    "cuda, a device, or cpu, this machine's")
              .oneOf("sim|cuda|cpu")),
      optionAt<&Options::device>(
          called("device")
              .does("With --target=cuda: number of the device (0)")
              .takes("n")
              .of(OptionMachine::Gpu)
              .from(0)),
      optionAt<&Options::blocks>(
          called("blocks")
              .does("With --target=sim: the thread blocks to run, a "
                    "list of numbers and of first, middle, last and "
                    "edge; all by default")
              .takes("list")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::leastAligned>(
          called("least-aligned")
              .does("With --target=sim: place the tensors at addresses that "
                    "are aligned as the kernel demands and no better")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::detectors>(
          called("detect")
              .does("With --target=sim: what to watch for, a list of "
                    "uninitialized, shared-races, global-races, rewrites and "
                    "unwritten, or none; all by default")
              .takes("list")
              .of(OptionMachine::Gpu),
          readDetectors),
      optionAt<&Options::profile>(
          called("profile")
              .does("With --target=sim: show the loops, and the n "
                    "PTX lines that are issued most (10)")
              .takes("n")
              .of(OptionMachine::Gpu)
              .from(1)
              .impliedly("10")),
      optionAt<&Options::workers>(
          called("workers")
              .does("Threads of the simulator, and of the host for "
                    "operands and checks; by default one a core")
              .takes("n")
              .from(1)),
      optionAt<&Options::seed>(
          called("seed")
              .does("Seed of the random operands; by default another "
                    "each run")
              .takes("n")
              .from(0)),
      optionAt<&Options::check>(
          called("check")
              .does("Compare C with a reference: this many elements, "
                    "'all', or as many as take about a second")
              .takes("samples")
              .from(1)
              .impliedly(""),
          readCheck),
      optionAt<&Options::repeats>(
          called("bench")
              .does("With --target=cuda: time this many runs (20), "
                    "the L2 cache flushed before each; with "
                    "--target=cpu: time as many, the caches as they "
                    "are")
              .takes("repeats")
              .from(1)
              .impliedly("20")),
      optionAt<&Options::secondsPerBlock>(
          called("time-limit")
              .does("Seconds of this machine's processor that the simulation "
                    "of a block may take before the kernel counts as hung "
                    "(20)")
              .takes("seconds")
              .of(OptionMachine::Gpu)
              .from(1),
          readSeconds));
}

/// Options of what is reported and written.
constexpr auto listOptionsOfReports() {
  return std::make_tuple(
      optionAt<&Options::targetInfo>(
          called("target-info")
              .does("Print a target and run nothing: that of a chip or a "
                    "file, or cpu for this machine's; by default the one to "
                    "compile for")
              .takes("sm_NN|cpu|file.json")
              .impliedly("")),
      optionAt<&Options::json>(
          called("json").does("Report as one JSON object")),
      optionAt<&Options::explain>(called("explain").does(
          "Print why the schedule is chosen, and run nothing")),
      optionAt<&Options::explainHtml>(
          called("explain-html")
              .does("Write that as a page with pictures")
              .takes("file.html")
              .of(OptionMachine::Gpu)
              .naming("file")),
      optionAt<&Options::explainJson>(called("explain-json")
                                          .does("Write that as JSON")
                                          .takes("file.json")
                                          .of(OptionMachine::Gpu)
                                          .naming("file")),
      optionAt<&Options::runnersUp>(
          called("runners-up")
              .does("With --explain: schedules to show beside "
                    "the chosen one (5)")
              .takes("n")
              .of(OptionMachine::Gpu)
              .from(0)),
      optionAt<&Options::emit>(
          called("emit")
              .does("Print the PTX and run nothing: --emit=ptx")
              .oneOf("ptx")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::machineCode>(
          called("machine-code")
              .does("Report what ptxas makes of the kernels and run nothing: "
                    "what their loops consist of (summary), the main loops, "
                    "too (listing), or all as JSON (json); with --explain, as "
                    "a part of that")
              .oneOf("summary|listing|json")
              .of(OptionMachine::Gpu)
              .impliedly("summary")),
      optionAt<&Options::time>(
          called("time")
              .does("Predict from the machine code how long the kernels take, "
                    "and run nothing: what the time is spent on, with a "
                    "timeline (summary), all as JSON (json), or the timeline "
                    "alone as a picture (svg)")
              .oneOf("summary|json|svg")
              .of(OptionMachine::Gpu)
              .impliedly("summary")),
      optionAt<&Options::package>(
          called("save-package")
              .does("Write the package for tc-launch: this "
                    "file, and the PTX beside it")
              .takes("file.json")
              .naming("file")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::mlir>(
          called("save-mlir")
              .does("Write the MLIR from which the PTX is made")
              .takes("file.mlir")
              .naming("file")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::assemble>(
          called("ptxas")
              .does("Ask ptxas for registers and spills, if it is "
                    "installed (true)")
              .of(OptionMachine::Gpu)),
      optionAt<&Options::bugReport>(
          called("report")
              .does("Write what a report of a bug needs into a new folder: "
                    "command, input, versions, machine and what the run says")
              .takes("folder")
              .naming("folder")));
}

constexpr auto optionsOf(const Options *options) {
  return std::tuple_cat(
      optionsOf(static_cast<const CompileOptions *>(options)),
      optionsOf(static_cast<const ContractionOptions *>(options)),
      optionsOf(static_cast<const CacheOptions *>(options)),
      listOptionsOfRuns(), listOptionsOfReports());
}

} // namespace tc::run

#endif // TC_LIB_RUN_OPTIONLIST_H
