//===- Passes.td - From contractions to linalg -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that gives contractions back to linalg.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOLINALG_PASSES_TD
#define TC_CONVERSION_TCTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTCToLinalg : Pass<"convert-tc-to-linalg"> {
  let summary = "Lower tc.contract to structured operations of linalg";
  let description = [{
    Replaces each `tc.contract` by a `linalg.contract`, or by a `linalg.generic`
    where the former has no word for it: if an input holds a label twice or is
    summed on its own, if nothing is summed, if there are prologues, or if the
    semiring is another than `plus_times`. Any extents, strides and layouts will
    do, on tensors and on memrefs. Schedules and `precision` are dropped: linalg
    computes in IEEE arithmetic.

    Linalg adds products to what is in its destination, in the destination's
    type. So

    - without `beta`, C is filled with zeros, those of the semiring, first;
    - with a `beta` of one, products are added to C;
    - in all other cases, and where the sums have another type than C, `alpha`
      is not one, or there is an epilogue, the sums go to a new tensor or buffer
      of their type, and a `linalg.generic` computes `alpha * sum + beta * C`
      and the epilogue of it, rounded once.

    The results are those of `tc.contract` but for the order of summation; the
    pass serves as a reference, and as a way to targets that the project does
    not know.

    Example (test/Conversion/TCToLinalg/tc-to-linalg.mlir):

    ```mlir
    %D = tc.contract [m, k], [k, n] -> [m, n]
           ins(%A, %B : tensor<64x32xf64>, tensor<32x48xf64>)
           outs(%C : tensor<64x48xf64>) -> tensor<64x48xf64>
    // becomes
    %zero = arith.constant 0.0 : f64
    %init = linalg.fill ins(%zero : f64) outs(%C : tensor<64x48xf64>)
            -> tensor<64x48xf64>
    %D = linalg.contract
           indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>,
                            affine_map<(d0, d1, d2) -> (d2, d1)>,
                            affine_map<(d0, d1, d2) -> (d0, d1)>]
           ins(%A, %B : tensor<64x32xf64>, tensor<32x48xf64>)
           outs(%init : tensor<64x48xf64>) -> tensor<64x48xf64>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // TC_CONVERSION_TCTOLINALG_PASSES_TD
