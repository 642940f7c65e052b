// Passes, options and keys that have other names now still work under the old
// ones (docs/glossary.md).

// RUN: tc-opt %s --tc-run-time-shapes --tc-add-versions | FileCheck %s --check-prefix=VERSIONS
// RUN: tc-opt %s --tc-run-time-shapes=representative-extents=m=96 | FileCheck %s --check-prefix=OPTION
// RUN: tc-opt %S/../Dialect/TC/dynamic-shapes.mlir --tc-gpu-pipeline="run-time-shapes merge-sums=false" | FileCheck %s --check-prefix=PIPELINE
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-merge-sums,tc-dispatch-shapes,gpu.module(tc-lower-multiply-panels,tc-lower-hand-over-sums))" | FileCheck %s
// RUN: tc-opt %s --tc-tile-cpu=strategy=log | FileCheck %s --check-prefix=STRATEGY
// RUN: tc-run 'ik,kj->ij' --extents=i=16,k=16,j=16 --any-shape --merge-sums=0 --emit=ptx | FileCheck %s --check-prefix=PTX

// VERSIONS: func.func @f
// VERSIONS: func.func @f_unaligned
// VERSIONS: func.func @f_dynamic_shapes
// OPTION: #tc.dynamic_shape<
// PIPELINE: gpu.func @f_dynamic_shapes
// CHECK: tiles_per_block = 2
// CHECK-NOT: walk
// STRATEGY: strategy = loop_over_gemm
// PTX: contract_dynamic_shapes
func.func @f(%A: memref<32x8xf64>, %B: memref<8x64xf64>, %C: memref<32x64xf64>) {
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %B : memref<32x8xf64>, memref<8x64xf64>)
    outs(%C : memref<32x64xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [i: 16], n = [j: 16],
                             k = [k: 8], register = [2, 2],
                             stationary = a, walk = 2>}
  return
}
