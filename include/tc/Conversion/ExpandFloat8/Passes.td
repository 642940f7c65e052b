//===- Passes.td - Arithmetic on 8-bit floats --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that leaves nothing of 8-bit floats but their bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_EXPANDFLOAT8_PASSES_TD
#define TC_CONVERSION_EXPANDFLOAT8_PASSES_TD

include "mlir/Pass/PassBase.td"

def TCExpandFloat8 : Pass<"tc-expand-float8"> {
  let summary = "Expand arithmetic on f8E4M3FN and f8E5M2, which LLVM lacks";
  let description = [{
    Replaces conversions from and to `f8E4M3FN` and `f8E5M2`, of numbers and of
    vectors, so that only loads, stores, constants and the like are left, which
    the lowering to LLVM does on bytes. All other operations of `arith` and
    `math` on such numbers are done in f32, and rounded.

    In kernels for targets of compute capability 8.9 on, conversions become
    `nvvm.convert.f8x2.to.f16x2` and `nvvm.convert.f32x2.to.f8x2`, elsewhere
    arithmetic on integers. Both round to the nearest, ties to even, once. What
    is too large, infinities included, becomes the largest finite number of that
    sign (`satfinite`), and NaN stays NaN. In a module with `tc.nonsaturating`,
    it becomes an infinity, or NaN in `f8E4M3FN`: a comparison and a selection
    behind the conversion.

    Example (test/Conversion/ExpandFloat8/expand-float8.mlir):

    ```mlir
    %y = arith.truncf %x : vector<2xf32> to vector<2xf8E5M2>
    // becomes
    %0 = vector.extract %x[0] : f32 from vector<2xf32>
    %1 = vector.extract %x[1] : f32 from vector<2xf32>
    %2 = nvvm.convert.f32x2.to.f8x2 %1, %0
           {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}
           : vector<2xi8> (f8E5M2)
    %y = arith.bitcast %2 : vector<2xi8> to vector<2xf8E5M2>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // TC_CONVERSION_EXPANDFLOAT8_PASSES_TD
