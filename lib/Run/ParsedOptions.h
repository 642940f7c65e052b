//===- ParsedOptions.h - The options of tc-run as LLVM has them -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_PARSEDOPTIONS_H
#define TC_LIB_RUN_PARSEDOPTIONS_H

#include "tc/Problem/Contraction.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tc::run {

namespace cl = llvm::cl;

/// The options as LLVM parses them. One object lives while the command line is
/// read; nothing else refers to it.
struct ParsedOptions {
  cl::OptionCategory category{"tc-run options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("SPEC|FILE"),
                             cl::cat(category)};
  cl::opt<std::string> extents{
      "extents",
      cl::desc("Extents of the indices, as in a=24,b=16; of MLIR, of those "
               "that types leave open"),
      cl::value_desc("list"), cl::cat(category)};
  cl::opt<std::string> shapes{
      "shapes",
      cl::desc("Shapes of the operands of an einsum specification, as in "
               "8x3x4,8x4x5"),
      cl::value_desc("list"), cl::cat(category)};
  // Options keep no copy of what describes them.
  std::string typeHelp =
      "Element type (default: f64): " + model::elementTypeNames();
  cl::opt<std::string> type{"type", cl::desc(typeHelp), cl::value_desc("type"),
                            cl::cat(category)};
  cl::opt<std::string> typeA{
      "type-a", cl::desc("Element type of A, where it has another"),
      cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> typeB{
      "type-b", cl::desc("Element type of B, where it has another"),
      cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> precision{
      "precision",
      cl::desc("Least precise arithmetic that is allowed with --type=f32: ieee "
               "(default), tf32, 3xtf32 or bf16x3"),
      cl::value_desc("precision"), cl::cat(category)};
  cl::opt<std::string> semiring{
      "semiring",
      cl::desc("What combines products, and what multiplies: plus_times "
               "(default), max_plus, min_plus, max_times, max_min, min_max, "
               "or_and or xor_and"),
      cl::value_desc("semiring"), cl::cat(category)};
  cl::opt<std::string> product{
      "product",
      cl::desc("What factors x and y become in place of x * y, as in "
               "abs(x - y), with --combine and --identity"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> combine{
      "combine",
      cl::desc("What sums x and y become in place of x + y, as in max(x, y)"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> identity{
      "identity",
      cl::desc("The number that --combine leaves others as they are with, as "
               "in -inf"),
      cl::value_desc("number"), cl::cat(category)};
  cl::opt<bool> conjugateA{
      "conjugate-a",
      cl::desc("Multiply the complex conjugates of A's elements"),
      cl::cat(category)};
  cl::opt<bool> conjugateB{
      "conjugate-b",
      cl::desc("Multiply the complex conjugates of B's elements"),
      cl::cat(category)};
  cl::opt<bool> allowThreeProducts{
      "allow-three-products",
      cl::desc("Complex products may be computed by three real ones"),
      cl::cat(category)};
  cl::opt<bool> saturate{
      "saturate",
      cl::desc("Results beyond the range of an 8-bit float become its largest "
               "number (default), and with =false infinite or NaN"),
      cl::init(true), cl::cat(category)};
  cl::opt<std::string> prologueA{
      "prologue-a",
      cl::desc("What an element x of A becomes before it is multiplied, as in "
               "relu(x)"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> prologueB{
      "prologue-b",
      cl::desc("What an element x of B becomes before it is multiplied"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("What an element x of the result becomes before it is stored, "
               "as in relu(x + bias[j]), where bias is a tensor that is drawn "
               "like the others; c is what C held there"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Which index of a list has stride one: the last (row) or the "
               "first (col); by default what the notation has"),
      cl::value_desc("row|col"), cl::cat(category)};
  cl::opt<std::string> alpha{
      "alpha", cl::desc("Factor of the product, like 0.5 or 1-2i"),
      cl::value_desc("x"), cl::cat(category)};
  cl::opt<std::string> beta{"beta", cl::desc("Factor of the old C"),
                            cl::value_desc("x"), cl::cat(category)};

  cl::opt<std::string> chip{
      "chip", cl::desc("Chip, or target of an .mlir file, to compile for"),
      cl::value_desc("sm_NN"), cl::init("sm_90"), cl::cat(category)};
  cl::opt<std::string> targetFile{
      "target-file", cl::desc("Compile for the machine that a file describes"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> targetInfo{
      "target-info",
      cl::desc("Print a target and run nothing: that of a chip or a file, or "
               "cpu for this machine's; by default the one to compile for"),
      cl::value_desc("sm_NN|cpu|file.json"), cl::ValueOptional,
      cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Schedule to obey instead of searching one, in the syntax of "
               "#tc.schedule<...>, or with --target=cpu of "
               "#tc.cpu_schedule<...>, with or without its name"),
      cl::value_desc("schedule"), cl::cat(category)};
  cl::opt<std::string> tuned{
      "tuned",
      cl::desc("Tuning database to take schedules from before any are "
               "searched, or off; by default $TC_TUNED"),
      cl::value_desc("file|off"), cl::cat(category)};
  cl::opt<std::string> refine{
      "refine",
      cl::desc("Compile the N best schedules for a GPU to machine code, and "
               "take the one that is predicted from it to be fastest (1)"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> fuseAccumulations{
      "fuse-accumulations",
      cl::desc("Let one GPU kernel add up contractions that feed one another's "
               "C, where that is predicted to be faster (true)"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> fuseChains{
      "fuse-chains",
      cl::desc(
          "Let one GPU kernel compute contractions of which each takes what "
          "the one before computes, or that have one input in common, where "
          "that is predicted to be faster (true)"),
      cl::init(true), cl::cat(category)};
  cl::alias mergeSums{"merge-sums",
                      cl::desc("Former name of --fuse-accumulations"),
                      cl::aliasopt(fuseAccumulations), cl::cat(category)};
  cl::opt<bool> reduce{
      "reduce",
      cl::desc("Add up all elements of C, after any epilogue, and store "
               "nothing but the sum, in the type of sums of products"),
      cl::cat(category)};
  cl::opt<bool> anyAlignment{
      "any-alignment",
      cl::desc("Make second versions of GPU kernels, for tensors that are "
               "aligned to their elements only; launches choose"),
      cl::cat(category)};
  cl::opt<bool> dynamicShapes{
      "dynamic-shapes",
      cl::desc("Make GPU kernels that take extents and strides as arguments, "
               "with versions for those that the first do not take; launches "
               "choose"),
      cl::cat(category)};
  cl::alias anyShape{"any-shape", cl::desc("Former name of --dynamic-shapes"),
                     cl::aliasopt(dynamicShapes), cl::cat(category)};
  cl::list<std::string> tunedFor{
      "tuned-for",
      cl::desc("Extents to tune such kernels for, instead of those of "
               "--extents; more than once for a version each"),
      cl::value_desc("a=24,b=16"), cl::cat(category)};
  cl::opt<std::string> strides{
      "strides",
      cl::desc("Strides of A, B and C to run such kernels with, by default "
               "those of contiguous tensors"),
      cl::value_desc("64,1;1,64;32,1"), cl::cat(category)};
  cl::opt<std::string> cache{
      "cache",
      cl::desc("With --target=cpu: folder of the cache of compiled code, or "
               "off; by default $TC_CACHE, else tc in the user's caches"),
      cl::value_desc("folder|off"), cl::cat(category)};
  cl::opt<std::string> cacheSize{
      "cache-size",
      cl::desc("With --target=cpu: MiB that the cache may take (256)"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("With --target=cpu: compile, for a later run to find the code "
               "in the cache, and run nothing"),
      cl::cat(category)};

  cl::opt<std::string> strategy{
      "strategy",
      cl::desc("With --target=cpu: how to compute: gett, ttgt, loop_over_gemm, "
               "direct or auto, which is as the model finds fastest (default)"),
      cl::value_desc("strategy"), cl::init("auto"), cl::cat(category)};
  cl::opt<std::string> workspaceLimit{
      "workspace-limit",
      cl::desc("With --target=cpu: most bytes that the copies of strategy ttgt "
               "may take; any number by default"),
      cl::value_desc("bytes"), cl::cat(category)};

  cl::opt<std::string> tileChains{
      "tile-chains",
      cl::desc("With --target=cpu: whether to compute contractions that feed "
               "one another in tiles that stay in the second cache: always, "
               "never or auto, which is where the model predicts a gain "
               "(default)"),
      cl::value_desc("auto|always|never"), cl::init("auto"), cl::cat(category)};

  cl::opt<std::string> memoryLimit{
      "memory-limit",
      cl::desc("Most bytes that temporaries of a product of many tensors may "
               "take at the same time, in slices where need be; any number by "
               "default"),
      cl::value_desc("bytes"), cl::cat(category)};

  cl::opt<std::string> target{
      "target",
      cl::desc("Where to run: sim, the simulator (default), cuda, a device, or "
               "cpu, this machine's"),
      cl::value_desc("sim|cuda|cpu"), cl::init("sim"), cl::cat(category)};
  cl::opt<std::string> device{"device",
                              cl::desc("With --target=cuda: number of the "
                                       "device (0)"),
                              cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> blocks{
      "blocks",
      cl::desc("With --target=sim: the thread blocks to run, a list of numbers "
               "and of first, middle, last and edge; all by default"),
      cl::value_desc("list"), cl::init("all"), cl::cat(category)};
  cl::opt<bool> leastAligned{
      "least-aligned",
      cl::desc("With --target=sim: place the tensors at addresses that are "
               "aligned as the kernel demands and no better"),
      cl::cat(category)};
  cl::opt<std::string> detect{
      "detect",
      cl::desc("With --target=sim: what to watch for, a list of uninitialized, "
               "shared-races, global-races, rewrites and unwritten, or none; "
               "all by default"),
      cl::value_desc("list"), cl::init("all"), cl::cat(category)};
  cl::opt<std::string> profile{
      "profile",
      cl::desc(
          "With --target=sim: show the loops, and the n PTX lines that are "
          "issued most (10)"),
      cl::value_desc("n"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> workers{
      "workers",
      cl::desc("Threads of the simulator, and of the host for operands and "
               "checks; by default one a core"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> threads{
      "threads",
      cl::desc("With --target=cpu: threads that a contraction may use; by "
               "default one for each core that this process may use"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> seed{
      "seed",
      cl::desc("Seed of the random operands; by default another each run"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> check{
      "check",
      cl::desc("Compare C with a reference: this many elements, 'all', or as "
               "many as take about a second"),
      cl::value_desc("samples"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> bench{
      "bench",
      cl::desc("With --target=cuda: time this many runs (20), the L2 cache "
               "flushed before each; with --target=cpu: time as many, the "
               "caches as they are"),
      cl::value_desc("repeats"), cl::ValueOptional, cl::cat(category)};

  cl::opt<std::string> timeLimit{
      "time-limit",
      cl::desc("Seconds of this machine's processor that the simulation of a "
               "block may take before the kernel counts as hung (20)"),
      cl::value_desc("seconds"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Report as one JSON object"),
                     cl::cat(category)};
  cl::opt<bool> explain{
      "explain", cl::desc("Print why the schedule is chosen, and run nothing"),
      cl::cat(category)};
  cl::opt<std::string> explainHtml{
      "explain-html", cl::desc("Write that as a page with pictures"),
      cl::value_desc("file.html"), cl::cat(category)};
  cl::opt<std::string> explainJson{
      "explain-json", cl::desc("Write that as JSON"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> runnersUp{
      "runners-up",
      cl::desc("With --explain: schedules to show beside the chosen one (5)"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> emit{
      "emit", cl::desc("Print the PTX and run nothing: --emit=ptx"),
      cl::value_desc("ptx"), cl::cat(category)};
  cl::opt<std::string> machineCode{
      "machine-code",
      cl::desc("Report what ptxas makes of the kernels and run nothing: what "
               "their loops consist of (summary), the main loops, too "
               "(listing), or all as JSON (json); with --explain, as a part "
               "of that"),
      cl::value_desc("summary|listing|json"), cl::ValueOptional,
      cl::cat(category)};
  cl::opt<std::string> time{
      "time",
      cl::desc("Predict from the machine code how long the kernels take, and "
               "run nothing: what the time is spent on, with a timeline "
               "(summary), all as JSON (json), or the timeline alone as a "
               "picture (svg)"),
      cl::value_desc("summary|json|svg"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> package{
      "save-package",
      cl::desc("Write the package for tc-launch: this file, and the PTX beside "
               "it"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> mlir{
      "save-mlir", cl::desc("Write the MLIR from which the PTX is made"),
      cl::value_desc("file.mlir"), cl::cat(category)};
  cl::opt<bool> ptxas{
      "ptxas",
      cl::desc("Ask ptxas for registers and spills, if it is installed (true)"),
      cl::init(true), cl::cat(category)};
  cl::opt<std::string> report{
      "report",
      cl::desc("Write what a report of a bug needs into a new folder: command, "
               "input, versions, machine and what the run says"),
      cl::value_desc("folder"), cl::cat(category)};
};

} // namespace tc::run

#endif // TC_LIB_RUN_PARSEDOPTIONS_H
