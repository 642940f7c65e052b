//===- Passes.td - From linalg to contractions -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that finds contractions among operations of linalg.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOTC_PASSES_TD
#define TC_CONVERSION_LINALGTOTC_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToTC : Pass<"convert-linalg-to-tc"> {
  let summary = "Raise what is a contraction in linalg to tc.contract";
  let description = [{
    Replaces structured operations that compute `C += A * B` by `tc.contract`:
    `linalg.contract`, the named products (`matmul`, `batch_matmul`, `matvec`,
    `vecmat`, `dot`, `mmt4d`, ..., with any `indexing_maps`), and
    `linalg.generic`, on tensors and on memrefs. It looks at indexing maps and
    payload alone, so the name makes no difference. What is raised has

    - maps whose results are loops, each at most once in the map of C. A loop
      that C's map holds is parallel and in the map of A or B, any other is a
      reduction. A loop may be in all three maps, in one input only, or twice
      in an input, which is its diagonal;
    - a payload that adds the product of two input elements to the element of
      C, in any order, where inputs of f16, bf16 and 8-bit floats may first be
      extended to C's f32, and those of i8 to C's i32, with their sign. Instead of a sum and
      a product there may be the two operations of any `#tc.semiring`, which the
      contraction gets as its `semiring`. A and B may be the same operand;
    - element types that `tc.contract` has.

    All else stays as it is, operations whose C is also A or B included. If it
    sums over a loop, a remark says why.

    Indices are named after their roles: `m`, `n`, `k` for what is summed in A
    and B, `s` for what is summed in one input, and `b` for batches; where a
    role has several they are numbered, in the order of the loops: `m0`, `m1`.

    The old contents of C contribute, so `beta` is one. Where they are zero,
    `beta` is left out: if C is a constant zero or the result of a
    `linalg.fill` with zero, the destination becomes the fill's; if it is a
    buffer that a `linalg.fill` with zero has filled before, and nothing in
    between touches memory, the fill is removed.

    Linalg adds in the type of C, `tc.contract` in f32 where C is f16, bf16 or
    an 8-bit float, and rounds once: the result is closer to the exact one. Where C is i8, sums
    of products agree in the bits that are kept; maxima and minima of sums or
    products do not, and are not raised. Nor are `arith.maximumf` and
    `arith.minimumf`, which NaN spreads through, unless `fastmath<nnan>` says
    that there is none.
    As for all operations on buffers in linalg, C must not overlap A or B.

    Example (test/Conversion/LinalgToTC/linalg-to-tc.mlir):

    ```mlir
    %zero = arith.constant 0.0 : f32
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>)
            -> tensor<64x48xf32>
    %D = linalg.matmul ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>)
           outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
    // becomes
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>)
           outs(%empty : tensor<64x48xf32>) -> tensor<64x48xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::tc::TCDialect"
  ];
  let statistics = [
    Statistic<"numRaised", "raised", "Operations raised to contractions">
  ];
}

#endif // TC_CONVERSION_LINALGTOTC_PASSES_TD
