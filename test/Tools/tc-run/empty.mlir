// An extent of zero: the result is beta * C, and nothing is launched.
//
// RUN: tc-run 'ik,kj->ij' --extents=i=5,k=0,j=7 --check \
// RUN:   | FileCheck --check-prefix=SUM %s
// SUM:      nothing launched
// SUM-NEXT:   result       C[i,j] = beta * C[i,j], because the extent of k is 0
// RUN: tc-run 'ik,kj->ij' --extents=i=0,k=3,j=7 --json \
// RUN:   | FileCheck --check-prefix=JSON %s
// JSON:      "kernels": [],
// JSON:        "result": "beta * C[i,j]",
// JSON-NEXT:   "empty_index": "i"
// JSON:      "passed": true
//
// Others in the same module run.
// RUN: tc-run %s --check --ptxas=false | FileCheck %s
// CHECK:      nothing launched
// CHECK-NEXT:   result       C[] = beta * C[], because the extent of k is 0
// CHECK:      kernel whole
// CHECK:        check        passed: all 4 elements
//
// There is nothing to print or to save.
// RUN: not tc-run 'ik,kj->ij' --extents=i=5,k=0,j=7 --emit=ptx 2>&1 \
// RUN:   | FileCheck --check-prefix=EMIT %s
// EMIT: tc-run: --emit=ptx: ik,kj->ij needs no kernel
// RUN: not tc-run 'ik,kj->ij' --extents=i=5,k=0,j=7 --save-package=%t.json \
// RUN:   2>&1 | FileCheck --check-prefix=SAVE %s
// SAVE: tc-run: --save-package: there is no kernel to save

func.func @empty(%A: memref<0xf64>, %B: memref<0xf64>, %C: memref<f64>) {
  %beta = arith.constant 2.0 : f64
  tc.contract [k], [k] -> []
    ins(%A, %B : memref<0xf64>, memref<0xf64>)
    outs(%C : memref<f64>) beta(%beta : f64)
  return
}

func.func @whole(%A: memref<4x2xf64>, %B: memref<2xf64>, %C: memref<4xf64>) {
  tc.contract [i, k], [k] -> [i]
    ins(%A, %B : memref<4x2xf64>, memref<2xf64>) outs(%C : memref<4xf64>)
  return
}
