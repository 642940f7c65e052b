//===- TCFusedOps.td - Contractions for one kernel ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of contractions, and what ends their region.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCFUSEDOPS_TD
#define TC_DIALECT_TC_IR_TCFUSEDOPS_TD

include "tc/Dialect/TC/IR/TCOps.td"

def TC_FusedOp : TC_Op<"fused", [
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "getAliasingOpOperands", "resolveConflicts", "bufferize"]>,
    NoRegionArguments, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"FusedYieldOp">
  ]> {
  let summary = "contractions that become one kernel";
  let description = [{
    Does what the operations of its region do, one after the other, and says
    that they are one kernel: what a contraction computes for the next one stays
    on the chip. The contractions are a sum, a chain or products of one input. In a sum, each but the first
    adds to the C that the one before has computed:


    $$ D_i = \alpha_i \sum A_i\, B_i + \beta_i\, D_{i-1}, \qquad
       D_0 = C, \quad D = D_n $$

    With $\beta_2 = \dots = \beta_n = 1$, the only ones of which a kernel is made
    today, that is $D = \sum_i \alpha_i A_i B_i + \beta_1 C$. A kernel rounds
    to C's type once, at the end, where contractions by themselves round each
    $D_i$.

    In a chain, what each but the last computes is A or B of the next one:

    $$ D_1 = \alpha_1 \sum A_1\, B_1, \qquad
       D_i = \alpha_i \sum D_{i-1}\, B_i \quad (i = 2, \dots, n), \qquad
       D = D_n + \beta\, C $$

    A kernel keeps the tile of each $D_i$ in shared memory, with the elements' type.
    It needs tiles that hold all that the next contraction sums over, but for the last
    contraction, which may take what it sums over in steps.

    Before the last contraction, there may be a `linalg.softmax` of what the one before
    computes, along the one index that the last one sums over:

    $$ D_n = \alpha_n \sum_k S_{..k..}\, B_n, \qquad
       S_{..k..} = \frac{\exp D_{n-1, ..k..}}{\sum_j \exp D_{n-1, ..j..}} $$

    which is what attention does with its scores. A kernel carries each row's maximum
    and sum along, and has neither scores nor softmax in memory.

    Products of one input share it, and each computes an output of its own:

    $$ D_i = \alpha_i \sum A\, B_i \quad (i = 1, \dots, n) $$

    A kernel reads the tile of $A$ from memory once, and then from the second cache.

    The region uses values from around it. On tensors, what a contraction of a sum or a
    chain computes is C, A or B of the next one and nothing else, and
    `tc.fused_yield` yields what the last one computes, the result of the operation; of
    products of one input, it yields what all compute. On memrefs, C is the
    same for all in a sum, an input of the next one in a chain, and another for each
    product of one input, and there is no result. As a kernel's blocks do not wait for one another,
    no C is an input that another contraction reads; where tensors become buffers, such a
    C gets one of its own. Beside contractions there may be operations that touch no memory.


    At the end there may be a reduction, a `linalg.reduce` or a `linalg.generic`
    like it, which adds all elements of what the last contraction computes to one
    number, and whose result the group yields then:

    $$ r = r_0 + \sum_{I_C} D_{I_C} $$

    Nothing else may use the elements, which a kernel does not store then. It adds
    in the type of sums, in an order that is not specified. One is made if $r_0$ is
    zero, $C$ is not read, and its buffer is there for nothing else; otherwise $D$
    is stored, and the reduction is left behind.

    The index lists of the contractions of a sum may differ in how they call the indices
    of C, and in which of these are M and which are N. Schedules stand on the
    contractions. `--tc-fuse-accumulations` and `--tc-fuse-chains` make such operations where the model
    predicts a gain, and gives schedules to those that it finds;
    `--tc-outline-kernels` makes a kernel of each. Code for CPUs is made of the
    contractions one by one (`--tc-inline-fused`), or tile by tile (`--tc-tile-chains`).

    Passes that make groups by themselves call them `dissolvable`, since one kernel is
    not asked for, but predicted to be faster. Where tensors have become buffers that
    more than the group uses, `--tc-dissolve-groups` takes these apart; one without
    the word is an error then.

    A group of one contraction without a reduction, or of none, is what it holds,
    and canonicalisation replaces it by that.

    Example (test/Dialect/TC/fused.mlir), two terms of one sum:

    ```mlir
    %D = tc.fused -> tensor<64x64xf64> {
      %0 = tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
        outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
      %1 = tc.contract [x, k], [k, y] -> [y, x]
        ins(%E, %F : tensor<64x24xf64>, tensor<24x64xf64>)
        outs(%0 : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
      tc.fused_yield %1 : tensor<64x64xf64>
    }
    ```

    Example, the same on buffers:

    ```mlir
    tc.fused {
      tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<64x32xf64>, memref<32x64xf64>)
        outs(%C : memref<64x64xf64>)
      tc.contract [x, k], [k, y] -> [y, x]
        ins(%E, %F : memref<64x24xf64>, memref<24x64xf64>)
        outs(%C : memref<64x64xf64>) beta(%one : f64)
    }
    ```

        Example, a chain, whose intermediate tensor stays on the chip:

    ```mlir
    %D = tc.fused -> tensor<512x16xf64> {
      %0 = tc.contract [m, k], [k, l] -> [m, l]
        ins(%A, %B : tensor<512x32xf64>, tensor<32x24xf64>)
        outs(%T : tensor<512x24xf64>) -> tensor<512x24xf64>
      %1 = tc.contract [m, l], [l, n] -> [m, n]
        ins(%0, %E : tensor<512x24xf64>, tensor<24x16xf64>)
        outs(%C : tensor<512x16xf64>) -> tensor<512x16xf64>
      tc.fused_yield %1 : tensor<512x16xf64>
    }
    ```

    Example, two products of one input:

    ```mlir
    %D:2 = tc.fused -> tensor<512x24xf64>, tensor<512x16xf64> {
      %0 = tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : tensor<512x32xf64>, tensor<32x24xf64>)
        outs(%C : tensor<512x24xf64>) -> tensor<512x24xf64>
      %1 = tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %E : tensor<512x32xf64>, tensor<32x16xf64>)
        outs(%F : tensor<512x16xf64>) -> tensor<512x16xf64>
      tc.fused_yield %0, %1 : tensor<512x24xf64>, tensor<512x16xf64>
    }
    ```

    Example, attention of one head:

    ```mlir
    %O = tc.fused -> tensor<512x64xf32> {
      %0 = tc.contract [q, d], [k, d] -> [q, k]
        ins(%Q, %K : tensor<512x64xf16>, tensor<384x64xf16>)
        outs(%T : tensor<512x384xf32>) alpha(%scale : f32) -> tensor<512x384xf32>
      %1 = linalg.softmax dimension(1) ins(%0 : tensor<512x384xf32>)
        outs(%T : tensor<512x384xf32>) -> tensor<512x384xf32>
      %2 = tc.contract [q, k], [k, d] -> [q, d]
        ins(%1, %V : tensor<512x384xf32>, tensor<384x64xf16>)
        outs(%C : tensor<512x64xf32>)
        prologue_a {
        ^bb0(%p: f32):
          %rounded = arith.truncf %p : f32 to f16
          tc.yield %rounded : f16
        } -> tensor<512x64xf32>
      tc.fused_yield %2 : tensor<512x64xf32>
    }
    ```

    Example, the sum of all elements of a product:


    ```mlir
    %sum = tc.fused -> tensor<f64> {
      %0 = tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
        outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
      %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x64xf64>)
        outs(%zero : tensor<f64>) dimensions = [0, 1]
      tc.fused_yield %1 : tensor<f64>
    }
    ```
  }];
  let arguments = (ins UnitAttr:$dissolvable);
  let regions = (region SizedRegion<1>:$region);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  // The region comes last: of one that is parsed, operations before it may use
  // values, which upstream's parser forgets where it fails after that.
  let assemblyFormat =
      "(`dissolvable` $dissolvable^)? (`->` type($results)^)? "
      "attr-dict-with-keyword $region";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results)>];
  let extraClassDeclaration = [{
    /// The contractions, in their order.
    ::llvm::SmallVector<::tc::ContractOp> getContractions();

    /// The contractions as a graph, whose edges say how they belong together.
    ::tc::model::Group getGroup();

    /// The softmax between the last two contractions, null if there is none.
    ::mlir::Operation *getSoftmax();

    ::tc::FusedYieldOp getYield();


    /// The operation at the end that adds up what the last contraction computes,
    /// null if none does.
    ::mlir::Operation *getReduction();

    /// Puts what the region holds in place of the operation.
    void dissolve(::mlir::RewriterBase &rewriter);
  }];
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
}

def TC_FusedYieldOp : TC_Op<"fused_yield", [
    DeclareOpInterfaceMethods<BufferizableOpInterface, [
      "bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues",
      "mustBufferizeInPlace", "bufferize"]>,
    HasParent<"::tc::FusedOp">, Pure, ReturnLike, Terminator
  ]> {
  let summary = "ends the region of a group of contractions";
  let description = [{
    Yields the results of `tc.fused`: on tensors what its last contraction
    computes, or all products of one input; on memrefs nothing.

    Example:

    ```mlir
    tc.fused_yield %1 : tensor<64x64xf64>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TC_DIALECT_TC_IR_TCFUSEDOPS_TD
