//===- Passes.td - From contractions to code for CPUs ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that take a scheduled contraction to loops over packed
// panels in the scf, vector and memref dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOCPU_PASSES_TD
#define TC_CONVERSION_TCTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def TCOutlineContractions
    : Pass<"tc-outline-contractions", "::mlir::ModuleOp"> {
  let summary = "Move contractions into functions of their own";
  let description = [{
    Replaces each `tc.contract` on buffers by a call of a new function that holds
    it: its arguments are A, B and C, then `alpha` and `beta` where they are no
    constants. The function is named after the one that it was taken from, and
    carries what it computes as `tc.contraction` and the names of its arguments
    as `tc.contraction.arguments`. Contractions with an extent of zero, which multiply
    nothing, stay where they are.

    Errors: a contraction on tensors (bufferize first).

    Example (test/Conversion/TCToCPU/outline-contractions.mlir):

    ```mlir
    func.func @matmul_contraction(%a: memref<64x32xf64>,
        %b: memref<32x48xf64>, %c: memref<64x48xf64>) attributes {
          tc.contraction = "C[m,n] = A[m,k] * B[k,n]",
          tc.contraction.arguments = ["A", "B", "C"]}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"
  ];
}

def TCToCPU : Pass<"tc-to-cpu"> {
  let summary = "Lower scheduled contractions to loops over packed panels";
  let description = [{
    Replaces each `tc.contract` on buffers by what its `#tc.cpu_schedule`
    denotes: loops over cache blocks, copies of blocks of A and B into panels,
    and a micro-kernel in the vector dialect that updates C in place. There is no
    other memory than the panels and the tables that say where rows and columns
    lie in C. With a schedule for several threads, all that stands in an
    `omp.parallel`, and the loop that is shared out is an `omp.wsloop`.

    A contraction of which some extent is zero multiplies nothing: what remains
    of it, `C = beta * C`, is done in place.

    Errors: a contraction on tensors (bufferize first), without a schedule, with
    run-time extents or strides, of different element types, or with a schedule
    that cannot be obeyed.

    Example (test/Conversion/TCToCPU/tc-to-cpu.mlir):

    ```mlir
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>)
        outs(%C : memref<64x48xf64>) {tc.cpu_schedule = #tc.cpu_schedule<...>}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::omp::OpenMPDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TC_CONVERSION_TCTOCPU_PASSES_TD
