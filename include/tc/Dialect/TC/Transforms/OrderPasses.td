//===- OrderPasses.td - Passes for products of tensors -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that make contractions of products of many tensors, of sums of one
// tensor, and one of equal ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_ORDERPASSES_TD
#define TC_DIALECT_TC_TRANSFORMS_ORDERPASSES_TD

include "mlir/Pass/PassBase.td"

def SumOperandsPass : Pass<"tc-sum-operands"> {
  let summary = "Sums operands of contractions before they are multiplied";
  let description = [{
    A summed index that one operand has alone, neither the other one nor C,
    multiplies the products with the other operand: `ij,kl->` has as many as both
    tensors' elements together, multiplied. Where the model of the target
    predicts that to be faster, launches included, such indices are summed first,
    of A, of B or of both: by a contraction of the operand and a tensor without
    dimensions, which holds the semiring's one. The product of what is left keeps
    `alpha`, `beta`, the precision, auxiliaries, the epilogue and attributes.

    Sums are of the type of sums, those of a real operand real. The prologue of
    an operand comes before its sum. Sums of some elements may be larger than all
    products are, and exceed the type's range where these do not.

    Left alone is what multiplies no element of an operand several times; what is
    in a `tc.fused`, carries a schedule or has an unknown extent or stride; and
    what has a semiring in which a product does not distribute over a sum, to the
    bit where it is a maximum or a minimum: `max_times`, a user-defined one,
    `max_plus` and `min_plus` of integers, which wrap around, `max_min` and
    `min_max` of floating-point numbers, of which sums leave NaN out. On memrefs,
    sums are buffers that are freed behind the product.

    Example (test/Dialect/TC/sum-operands.mlir):

    ```mlir
    %D = tc.contract [i, j], [k, l] -> [i, k]
      ins(%A, %B : tensor<200x300xf64>, tensor<400x500xf64>)
      outs(%C : tensor<200x400xf64>) -> tensor<200x400xf64>
    // becomes
    %one = arith.constant dense<1.0> : tensor<f64>
    %a = tensor.empty() : tensor<200xf64>
    %s = tc.contract [i, j], [] -> [i] ins(%A, %one : tensor<200x300xf64>, tensor<f64>)
      outs(%a : tensor<200xf64>) -> tensor<200xf64>
    %b = tensor.empty() : tensor<400xf64>
    %t = tc.contract [k, l], [] -> [k] ins(%B, %one : tensor<400x500xf64>, tensor<f64>)
      outs(%b : tensor<400xf64>) -> tensor<400xf64>
    %D = tc.contract [i], [k] -> [i, k] ins(%s, %t : tensor<200xf64>, tensor<400xf64>)
      outs(%C : tensor<200x400xf64>) -> tensor<200x400xf64>
    ```

    The target is as in `tc-order`, with one thread of a CPU. With `explain`, it
    is printed on standard error what both ways are predicted to take.
  }];
  let dependentDialects = [
    "::tc::TCDialect", "::mlir::DLTIDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "Name of the target whose times decide, or cpu">,
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with that target">,
    Option<"explain", "explain", "bool", "false",
           "Print on standard error what is predicted of each contraction">,
  ];
  let statistics = [
    Statistic<"numSplit", "split", "Contractions whose operands are summed first">
  ];
}

def OrderPass : Pass<"tc-order"> {
  let summary = "Makes trees of contractions of two of those of many tensors";
  let description = [{
    Replaces every `tc.einsum` by a tree of `tc.contract`s, each of which
    multiplies two operands, in the order that takes the least time by the model
    of the target, launches included: not that of the fewest multiplications. Up
    to 14 inputs, all trees are considered, by dynamic programming over subsets
    of the inputs, which lower bounds prune; beyond, the pair that shrinks the
    most comes first, and simulated annealing changes the tree. An operation with
    a `path` is computed in that order. The indices of every temporary are put
    into the order with which the step that makes it and the step that uses it
    take the least time.

    ```mlir
    %y = tc.einsum [i, j], [j, k], [k] -> [i]
           ins(%A, %B, %x : tensor<300x400xf64>, tensor<400x500xf64>, tensor<500xf64>)
           outs(%out : tensor<300xf64>) -> tensor<300xf64>
    // becomes
    %e = tensor.empty() : tensor<400xf64>
    %t = tc.contract [j, k], [k] -> [j]
           ins(%B, %x : tensor<400x500xf64>, tensor<500xf64>)
           outs(%e : tensor<400xf64>) -> tensor<400xf64>
    %y = tc.contract [i, j], [j] -> [i]
           ins(%A, %t : tensor<300x400xf64>, tensor<400xf64>)
           outs(%out : tensor<300xf64>) -> tensor<300xf64>
    ```

    On memrefs, all temporaries of an operation are views of one allocation of
    bytes, whose size is known at compile time and in which those that do not
    live at the same time share their places. `memory-limit` is the most bytes
    that temporaries may take at the same time. Where those of the fastest tree do
    not fit, indices are cut into parts, unless a tree that fits is faster: loops
    compute the tree slice by slice.

    ```mlir
    %y = tc.einsum [i, j], [j, k], [k] -> [i] ...
    // in slices of [i] becomes
    %y = scf.for %at = %c0 to %c300 step %c60 iter_args(%all = %out) -> (tensor<300xf64>) {
      %a = tensor.extract_slice %A[%at, 0] [60, 400] [1, 1] : tensor<300x400xf64> to tensor<60x400xf64>
      %part = tensor.extract_slice %all[%at] [60] [1] : tensor<300xf64> to tensor<60xf64>
      %t = tc.contract [i, j], [j, k] -> [i, k] ins(%a, %B : ...) outs(%e : ...) -> tensor<60x500xf64>
      %s = tc.contract [i, k], [k] -> [i] ins(%t, %x : ...) outs(%part : ...) -> tensor<60xf64>
      %with = tensor.insert_slice %s into %all[%at] [60] [1] : tensor<60xf64> into tensor<300xf64>
      scf.yield %with : tensor<300xf64>
    }
    ```

    A shorter last part has code of its own behind the loop. Slices along a summed
    index add to the output: `beta` is that of the operation in the first one, and
    the semiring's one in the others. Not cut are summed indices where the output's
    type is narrower than that of sums, or where `alpha` cannot be multiplied with
    parts of a sum, as in `max_times`. If the temporaries of slices of one element do
    not fit, it is an error. `factors` and `semiring` of the operation hold for the tree: alpha
    and beta are those of the last step.

    With `share`, the trees of operations on tensors in one block, which have
    neither a path nor a limit of memory, may become others, so that parts which
    occur in several, up to the names of indices, are the same steps in each:
    wherever all steps take less time then, if `tc-share-contractions` computes
    equal ones once.

    ```mlir
    %y = tc.einsum [i, j], [j, k], [k, l] -> [i, l] ins(%A, %B, %C : ...) ...
    %z = tc.einsum [i, j], [j, k], [k, l] -> [i, l] ins(%A, %B, %D : ...) ...
    // may begin with this step for each of both
    %t = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : ...) ...
    ```

    The target is one of those of `tc-tile`, or `cpu`, which is the CPU at hand,
    with up to `threads` threads, or that which `target-file` describes. With
    `explain`, each tree is drawn on standard error with the time and the bytes of
    its steps, and with the best trees that end otherwise. Where extents are unknown,
    which is an error on memrefs, the order is that of the ones that the attribute `tc.representative_extents` of the
    operation gives by index, as in `{i = 300 : i64}`, or of 128; what has a zero extent is computed in
    any order. An operation with one input becomes a contraction of that and a
    tensor without dimensions that holds the semiring's one.
  }];
  let dependentDialects = [
    "::tc::TCDialect", "::mlir::DLTIDialect", "::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90\"",
           "Name of the target whose times decide, or cpu">,
    Option<"targetFile", "target-file", "std::string", "\"\"",
           "JSON file with that target">,
    Option<"threads", "threads", "int64_t", "1",
           "Threads that contractions may use on a CPU">,
    Option<"memoryLimit", "memory-limit", "int64_t", "-1",
           "Bytes that temporaries of an operation may take at the same time; "
           "any number if it is negative">,
    Option<"searchMilliseconds", "search-milliseconds", "int64_t", "-1",
           "About how long to search for an order; a share of what it is "
           "predicted to take if it is negative">,
    Option<"shares", "share", "bool", "false",
           "Let what several operations need decide about their orders">,
    Option<"explain", "explain", "bool", "false",
           "Print on standard error which tree was chosen, and what others take">,
  ];
  let statistics = [
    Statistic<"numOrdered", "num-ordered",
              "Number of operations that became trees">,
  ];
}

def ShareContractionsPass : Pass<"tc-share-contractions"> {
  let summary = "Computes contractions that are equal once";
  let description = [{
    Lets a `tc.contract` on tensors be the result of an earlier one that
    multiplies the same tensors and sums over the same indices, whatever these
    are called and in whatever order the operands stand. Where the results'
    indices are in another order, either the uses of the one or those of the
    other must be inputs of contractions, which name them; their index lists
    change then.

    ```mlir
    %t = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : ...) ...
    %u = tc.contract [b, c], [a, b] -> [c, a] ins(%B, %A : ...) ...
    %v = tc.contract [c, a], [c] -> [a] ins(%u, %x : ...) ...
    // becomes
    %t = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : ...) ...
    %v = tc.contract [a, c], [c] -> [a] ins(%t, %x : ...) ...
    ```

    Contractions that read C, have regions or carry a schedule stay as they are,
    as do those on memrefs, and those of a `tc.fused`. Both pipelines do this
    after `--tc-order`, of whose trees equal subtrees become one
    (test/Dialect/TC/share-contractions.mlir).
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numShared", "num-shared",
              "Contractions that were replaced by earlier ones">
  ];
}

#endif // TC_DIALECT_TC_TRANSFORMS_ORDERPASSES_TD
