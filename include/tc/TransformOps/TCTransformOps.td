//===- TCTransformOps.td - Transform scripts for tc --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that scripts in the transform dialect apply to contractions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMOPS_TCTRANSFORMOPS_TD
#define TC_DIALECT_TC_TRANSFORMOPS_TCTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TC/IR/TCAttributes.td"
include "tc/Dialect/TC/IR/TCCpuAttributes.td"

class TC_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "tc." # mnemonic,
         !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                     traits)> {
  let cppNamespace = "::tc";
}

/// One that does the same to each contraction of a handle.
class TC_EachContractionOp<string mnemonic>
    : TC_TransformOp<mnemonic, [TransformOpInterface, TransformEachOpTrait]> {
  code applyToOne = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::tc::ContractOp target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
  let extraClassDeclaration = applyToOne;
}

def TC_MatchContractOp : TC_TransformOp<"match_contract", [
    DeclareOpInterfaceMethods<TransformOpInterface>,
    NavigationTransformOpTrait]> {
  let summary = "finds the contractions with certain index lists";
  let description = [{
    The result has each `tc.contract` inside of `root`, in the order of the
    code, whose three index lists are the given ones up to the names of the
    indices: two dimensions have the same label here if and only if they have
    the same label there. All contractions, whatever they compute, are found
    by `transform.structured.match ops{["tc.contract"]}`. It is no error if
    there is none.

    Example:

    ```mlir
    %products = transform.tc.match_contract [m, k], [k, n] -> [m, n] in %root
      : (!transform.any_op) -> !transform.op<"tc.contract">
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$root,
                       TC_IndexListAttr:$a_indices,
                       TC_IndexListAttr:$b_indices,
                       TC_IndexListAttr:$c_indices);
  let results = (outs TransformHandleTypeInterface:$contractions);
  let assemblyFormat = [{
    custom<IndexList>($a_indices) `,` custom<IndexList>($b_indices) `->`
    custom<IndexList>($c_indices) `in` $root attr-dict
    `:` functional-type($root, $contractions)
  }];
}

def TC_ChooseScheduleOp : TC_EachContractionOp<"choose_schedule"> {
  let summary = "lets the model choose the schedule of contractions";
  let description = [{
    Writes on each contraction the schedule that the model finds best for a
    machine: `schedule` for a GPU target such as `"sm_90"`, be it built in or
    described by an enclosing module, and `cpu_schedule` for `"cpu"`, the one
    at hand. A schedule of the same kind that was there is replaced. `threads`
    and `strategy` are those of `--tc-tile-cpu`, and for `"cpu"` only.

    Fails silenceably, and leaves the contraction as it was, if the model finds
    no schedule.

    Example:

    ```mlir
    transform.tc.choose_schedule %products for "sm_90" : !transform.any_op
    transform.tc.choose_schedule %products for "cpu" {threads = 4}
      : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$machine,
                       OptionalAttr<I64Attr>:$threads,
                       OptionalAttr<StrAttr>:$strategy);
  let assemblyFormat = "$target `for` $machine attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def TC_SetScheduleOp : TC_EachContractionOp<"set_schedule"> {
  let summary = "gives contractions a schedule";
  let description = [{
    Writes a schedule, `#tc.schedule` for GPUs or `#tc.cpu_schedule` for CPUs, on
    each contraction, in place of one of the same kind that was there.

    Fails silenceably, and leaves the contraction as it was, if the schedule
    cannot be obeyed: the message says which constraint it breaks.

    Example:

    ```mlir
    transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [m: 64],
        n = [n: 64], k = [k: 16], register = [4, 4]>
      on %products : !transform.any_op
    ```
  }];
  let arguments = (ins
    TransformHandleTypeInterface:$target,
    AnyAttrOf<[TC_ScheduleAttr, TC_CpuScheduleAttr]>:$schedule);
  let assemblyFormat = "$schedule `on` $target attr-dict `:` type($target)";
}

def TC_LowerToCpuOp : TC_EachContractionOp<"lower_to_cpu"> {
  let summary = "lowers contractions to loops for a CPU";
  let description = [{
    Replaces each contraction, which works on buffers and has a
    `cpu_schedule`, by what `--tc-cpu-pipeline` makes of it after it has
    chosen the schedule. Other contractions stay as they are.

    Consumes the handle. Fails silenceably, and leaves the contraction as it was,
    if it cannot be lowered.

    Example:

    ```mlir
    transform.tc.lower_to_cpu %products : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def TC_LowerToGpuOp : TC_EachContractionOp<"lower_to_gpu"> {
  let summary = "lowers contractions to kernels for a GPU";
  let description = [{
    Replaces each contraction, which works on buffers and has a `schedule`, by
    the launch of a kernel that `--tc-to-gpu` makes of it. The kernels of a
    module meet in one `gpu.module`. The result has the `gpu.launch_func` operations. A contraction of
    which some extent is zero launches nothing.

    Consumes the handle. Fails silenceably, and leaves the contraction as it was,
    if it cannot be lowered.

    Example:

    ```mlir
    %launches = transform.tc.lower_to_gpu %products
      : (!transform.any_op) -> !transform.op<"gpu.launch_func">
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$launches);
  let assemblyFormat =
      "$target attr-dict `:` functional-type($target, $launches)";
}

#endif // TC_DIALECT_TC_TRANSFORMOPS_TCTRANSFORMOPS_TD
