//===- OptionTable.h - The options of all front doors -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of contractions and of their compilation, as users give them,
// described once. tc-run's command line, the keys of the C interface and the
// key of cached code follow from it (docs/record.md).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_OPTIONTABLE_H
#define TC_ONDEMAND_OPTIONTABLE_H

#include "tc/OnDemand/CompileOptions.h"
#include "tc/OnDemand/ContractionOptions.h"
#include "tc/Support/Option.h"

namespace tc {

/// An hour.
inline constexpr int64_t mostSearchMilliseconds = 3600000;

constexpr auto optionsOf(const CompileOptions *) {
  return std::make_tuple(
      optionAt<&CompileOptions::targetFile>(
          called("target-file")
              .does("Compile for the machine that a file describes")
              .takes("file.json")
              .naming("file")
              .isNoKey()),
      optionAt<&CompileOptions::schedule>(
          called("schedule")
              .does("Schedule to obey instead of searching one, in the "
                    "syntax of #tc.schedule<...>, or for a CPU of "
                    "#tc.cpu_schedule<...>, with or without its name")
              .takes("schedule")),
      optionAt<&CompileOptions::tuned>(
          called("tuned")
              .does("Tuning database to take schedules from before any are "
                    "searched, or off")
              .byDefault("$TC_TUNED")
              .takes("file|off")
              .naming("file")
              .notWith("schedule", "says which schedule to take")),
      optionAt<&CompileOptions::memoryLimit>(
          called("memory-limit")
              .does("Most bytes that temporaries of a product of many tensors "
                    "may take at the same time, in slices where need be")
              .byDefault("any number")
              .takes("bytes")
              .from(0)
              .orNone(-1)),
      optionAt<&CompileOptions::searchMilliseconds>(
          called("search-milliseconds")
              .does("About how long to search for the order of a product of "
                    "many tensors")
              .byDefault("a quarter of what the product is predicted to take, "
                         "from 100 to 2000")
              .takes("n")
              .from(0, mostSearchMilliseconds)
              .orNone(-1)),
      optionAt<&CompileOptions::sumsOperands>(
          called("sum-operands")
              .does("Let indices that one operand of a contraction has alone "
                    "be summed before products are made, by code of their own, "
                    "where that is predicted to be faster (true)")
              .isNoKey()),
      optionAt<&CompileOptions::threads>(
          called("threads")
              .does("Threads that a contraction may use")
              .byDefault(
                  "TC_NUM_THREADS or OMP_NUM_THREADS, or one for each core "
                  "that this process may use")
              .takes("n")
              .of(OptionMachine::Cpu)
              .from(1, 1 << 16)
              .orNone(0)
              .notWith("schedule", "says for how many threads it is")),
      optionAt<&CompileOptions::strategy>(
          called("strategy")
              .does("How to compute, where auto is as the model finds fastest")
              .byDefault("auto")
              .oneOf("auto|gett|ttgt|loop_over_gemm|direct|library")
              .choiceFormerly("loop_over_gemm", "log")
              .of(OptionMachine::Cpu)
              .notWith("schedule", "has one already")),
      optionAt<&CompileOptions::workspaceLimit>(
          called("workspace-limit")
              .does("Most bytes that the copies of strategy ttgt may take")
              .byDefault("any number")
              .takes("bytes")
              .of(OptionMachine::Cpu)
              .from(0)
              .orNone(-1)),
      optionAt<&CompileOptions::tileChains>(
          called("tile-chains")
              .does("Whether to compute contractions that feed one another in "
                    "tiles that stay in the second cache, where auto is where "
                    "the model predicts a gain")
              .byDefault("auto")
              .oneOf("auto|always|never")
              .of(OptionMachine::Cpu)),
      optionAt<&CompileOptions::libraryCalls>(
          called("library-calls")
              .does("Whether code may call libtc_cpu_runtime where that is "
                    "predicted to be faster, where auto is in code that stays "
                    "in the process")
              .byDefault("auto")
              .oneOf("auto|always|never")
              .of(OptionMachine::Cpu)),
      optionAt<&CompileOptions::refine>(
          called("refine")
              .does("Compile the N best schedules for a GPU to machine code, "
                    "and take the one that is predicted from it to be fastest "
                    "(1)")
              .takes("N")
              .of(OptionMachine::Gpu)
              .from(1, 1 << 16)
              .notWith("schedule", "says which schedule to take")),
      optionAt<&CompileOptions::mergesSums>(
          called("fuse-accumulations")
              .does("Let one GPU kernel add up contractions that feed one "
                    "another's C, where that is predicted to be faster (true)")
              .of(OptionMachine::Gpu)
              .formerly("merge-sums")
              .isNoKey()),
      optionAt<&CompileOptions::fusesChains>(
          called("fuse-chains")
              .does("Let one GPU kernel compute contractions of which each "
                    "takes what the one before computes, or that have one "
                    "input in common, where that is predicted to be faster "
                    "(true)")
              .of(OptionMachine::Gpu)
              .isNoKey()),
      optionAt<&CompileOptions::anyAlignment>(
          called("any-alignment")
              .does("Make second versions of GPU kernels, for tensors that "
                    "are aligned to their elements only; launches choose")
              .of(OptionMachine::Gpu)
              .isNoKey()),
      optionAt<&CompileOptions::dynamicShapes>(
          called("dynamic-shapes")
              .does("Make GPU kernels that take extents and strides as "
                    "arguments, with versions for those that the first do not "
                    "take; launches choose")
              .of(OptionMachine::Gpu)
              .formerly("any-shape")));
}

constexpr auto optionsOf(const CacheOptions *) {
  return std::make_tuple(
      optionAt<&CacheOptions::cacheFolder>(
          called("cache")
              .does("Folder of the cache of compiled code, or off")
              .byDefault("$TC_CACHE, else tc in the user's caches")
              .takes("folder|off")
              .naming("folder")
              .of(OptionMachine::Cpu)
              .keepsCode()),
      optionAt<&CacheOptions::cacheBytes>(
          called("cache-size")
              .does("Size in MiB that the cache may take (256)")
              .takes("n")
              .of(OptionMachine::Cpu)
              .keepsCode()
              .from(1, 1 << 20)
              .inUnitsOf(1 << 20)));
}

Status readPrologue(const OptionInfo &info, std::string_view text,
                    std::optional<model::Expression> &code);
Status readEpilogue(const OptionInfo &info, std::string_view text,
                    std::optional<model::Expression> &code);

constexpr auto optionsOf(const ContractionOptions *) {
  using Options = ContractionOptions;
  using notation::FusedExpressions;
  using notation::SemiringTexts;
  return std::make_tuple(
      optionAt<&Options::precision>(
          called("precision")
              .does("Least precise arithmetic that is allowed for factors of "
                    "f32")
              .byDefault("ieee")
              .takes("precision")
              .oneOf(options::listNames<model::allPrecisions>)),
      optionAt<&Options::semiring>(
          called("semiring")
              .does("What combines products, and what multiplies")
              .byDefault("plus_times")
              .takes("semiring")
              .oneOf(options::listNames<model::allSemirings>)),
      optionAt<&Options::userSemiring, &SemiringTexts::product>(
          called("product")
              .does("What factors x and y become in place of x * y, as in "
                    "abs(x - y), with combine and identity")
              .takes("expression")),
      optionAt<&Options::userSemiring, &SemiringTexts::combine>(
          called("combine")
              .does("What sums x and y become in place of x + y, "
                    "as in max(x, y)")
              .takes("expression")),
      optionAt<&Options::userSemiring, &SemiringTexts::identity>(
          called("identity")
              .does("The number that combine leaves others as "
                    "they are with, as in -inf")
              .takes("number")),
      optionAt<&Options::conjugatesA>(
          called("conjugate-a")
              .does("Multiply the complex conjugates of A's elements")),
      optionAt<&Options::conjugatesB>(
          called("conjugate-b")
              .does("Multiply the complex conjugates of B's elements")),
      optionAt<&Options::allowsThreeProducts>(
          called("allow-three-products")
              .does("Complex products may be computed by three real ones")),
      optionAt<&Options::saturates>(
          called("saturate")
              .does("Results beyond the range of an 8-bit float become its "
                    "largest number (default), and with =false infinite or "
                    "NaN")),
      optionAt<&Options::fused, &FusedExpressions::prologueA>(
          called("prologue-a")
              .does("What an element x of A becomes before it is multiplied, "
                    "as in relu(x)")
              .takes("expression"),
          readPrologue),
      optionAt<&Options::fused, &FusedExpressions::prologueB>(
          called("prologue-b")
              .does("What an element x of B becomes before it is multiplied")
              .takes("expression"),
          readPrologue),
      optionAt<&Options::fused, &FusedExpressions::epilogue>(
          called("epilogue")
              .does("What an element x of the result becomes before it is "
                    "stored, as in relu(x + bias[j]), where bias is an "
                    "auxiliary tensor; c is what C held there")
              .takes("expression"),
          readEpilogue));
}

/// Factors, which front doors keep in different forms.
inline constexpr OptionInfo alphaOption =
    called("alpha").does("Factor of the product, like 0.5 or 1-2i").takes("x");
inline constexpr OptionInfo betaOption =
    called("beta").does("Factor of the old C").takes("x");

} // namespace tc

#endif // TC_ONDEMAND_OPTIONTABLE_H
