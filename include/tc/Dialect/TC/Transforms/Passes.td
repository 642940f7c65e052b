//===- Passes.td - Transforms of the tc dialect ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from the dialect to itself.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_PASSES_TD
#define TC_DIALECT_TC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ClassifyPass : Pass<"tc-classify"> {
  let summary = "Writes the role of each index on its contraction";
  let description = [{
    Sets the discardable attribute `tc.roles` on every `tc.contract`: the labels
    that are batch, M, N and K (the sets that papers on GETT and TTGT call batch,
    `I_m`, `I_n` and `I_k`), each in the order of the operation's iteration
    space. It is for people and tests to read: roles follow from the index lists,
    and passes that need them compute them.

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n] ...
           {tc.roles = {batch = [], k = ["k"], m = ["m"], n = ["n"]}} ...
    ```
  }];
}

def CollapseIndicesPass : Pass<"tc-collapse-indices"> {
  let summary = "Drops indices of extent one and merges those that move together";
  let description = [{
    An index of extent one is dropped. Indices that are adjacent, in the same
    order and contiguous in every operand that holds them are merged into one
    super-index. Neither changes or moves data: operands are reshaped by
    `tensor.collapse_shape` and `memref.collapse_shape` (or, where a memref's
    strides do not allow it, by `memref.reinterpret_cast`), results by
    `tensor.expand_shape`. A contraction of tensors of rank 20 and extent 2 ends
    as an ordinary matrix product.

    An operation that carries a schedule is left alone, because the schedule
    speaks of its indices.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def TilePass : Pass<"tc-tile"> {
  let summary = "Chooses a schedule for every contraction";
  let description = [{
    Writes the attribute `schedule` on every `tc.contract` that has none: the one
    that the search over the model of the target finds best, or the one given by
    the option `schedule`. An operation that carries a schedule keeps it.

    Every schedule, whoever wrote it, is checked against the target that it
    names. One that cannot be obeyed is an error that says which constraint it
    breaks. Operations with an index of extent zero need no schedule and get
    none; unknown extents and strides are an error.

    With `representative-extents`, a schedule is chosen, checked and explained as
    if indices whose extent is unknown at compile time had the one given there:

    ```mlir
    // tc-opt --tc-tile="representative-extents=m=4096,k=512"
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<?x?xf32>, tensor<?x256xf32>)
           outs(%C : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```

    Targets are those that an enclosing module describes in
    `dlti.target_system_spec` and those that are built in. With `target-file`, the
    target is read from a JSON file and described on the module, so that later
    passes and tools find it.

    With `explain`, why each schedule was chosen and others were not is printed
    on standard error; `explain-html` and `explain-json` write the same to files,
    one for all operations that the pass runs on. Schedules that were there or
    that `schedule` gives are explained beside what the search would choose.
  }];
  let dependentDialects = ["::mlir::DLTIDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "Name of the target to search a schedule for">,
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the target to search a schedule for, which is then "
           "described on the module">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "Schedule to write instead of searching one, in the syntax of "
           "#tc.schedule<...>, with or without its name">,
    ListOption<"representativeExtents", "representative-extents", "std::string",
           "Extents (m=4096,k=512) to choose schedules for where they are "
           "unknown at compile time">,
    Option<"explain", "explain", "bool", "false",
           "Print on standard error why each schedule was chosen">,
    Option<"explainHtml", "explain-html", "std::string", "\"\"",
           "File to write the explanations to as a page with pictures">,
    Option<"explainJson", "explain-json", "std::string", "\"\"",
           "File to write the explanations to as JSON">,
    Option<"runnersUp", "runners-up", "unsigned", "5",
           "Schedules to explain beside each chosen one">,
  ];
  let statistics = [
    Statistic<"numScheduled", "num-scheduled",
              "Number of contractions that got a schedule">,
  ];
}

def TileCpuPass : Pass<"tc-tile-cpu"> {
  let summary = "Chooses a CPU schedule for every contraction";
  let description = [{
    Writes `tc.cpu_schedule` on every `tc.contract` that has none: the schedule
    that the model finds for the CPU at hand, or for the one that `target-file`
    describes, and for up to `threads` threads, or the one given by the option
    `schedule`, which says itself for how many it is. An operation that
    carries one keeps it. Every schedule is checked; one that cannot be obeyed is
    an error that says which constraint it breaks. Operations with an index of
    extent zero get none; unknown extents and strides are an error.

    `strategy` says how contractions are computed: `gett` as they are, `ttgt` by
    transpositions and a matrix product, `log` by loops over matrix products of
    slices, `auto` as the model finds fastest. It is an error if the strategy
    cannot be used: `log` needs a matrix product that has the indices of stride
    one of all tensors, and the copies of `ttgt` may take up to `workspace-limit`
    bytes. A given schedule is held against that limit, too.
  }];
  let options = [
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with the CPU to choose schedules for">,
    Option<"strategy", "strategy", "std::string", "\"auto\"",
           "How to compute: auto, gett, ttgt or log">,
    Option<"workspaceLimit", "workspace-limit", "int64_t", "-1",
           "Most bytes that the copies of ttgt may take; -1 for any">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "Schedule to write instead of choosing one, in the syntax of "
           "#tc.cpu_schedule<...>, with or without its name">,
    Option<"threads", "threads", "int64_t", "1",
           "Threads that chosen schedules may use">,
  ];
}

#endif // TC_DIALECT_TC_TRANSFORMS_PASSES_TD
