// A package whose kernel adds two contractions up: tc-launch describes both,
// passes the inputs of both, and checks their sum.

// RUN: tc-run %s --blocks=first --ptxas=0 --save-package=%t.json | FileCheck %s --check-prefixes=CHECK,SIM
// RUN: env LD_LIBRARY_PATH=%fake-cuda tc-launch %t.json --check --beta=0.25 | FileCheck %s --check-prefixes=CHECK,LAUNCH
// RUN: tc-launch --validate %t.json | FileCheck %s --check-prefix=VALID
// VALID: valid

// CHECK: contraction {{ *}}C[x,y,z] = -1 * A[x,k,z] * B[y,k] + beta * C[x,y,z]
// CHECK: contraction 1 C[m,n,p] += 0.5 * A1[m,n,k] * B1[k,p] with m=12 n=20 k=7 p=10
// CHECK-NEXT: prologue a
// SIM-DAG: tensor A1 {{ *}}read
// SIM-DAG: tensor B1 {{ *}}read
// LAUNCH: check {{ *}}passed: all 2400 elements

// Kernels of their own.
// RUN: tc-run %s --fuse-accumulations=false --check --beta=0.25 --ptxas=0 | FileCheck %s --check-prefix=APART
// APART-COUNT-2: check {{ *}}passed: all 2400 elements

// The report for programs.
// RUN: tc-run %s --blocks=first --ptxas=0 --json | FileCheck %s --check-prefix=JSON
// JSON: "contractions": [
// JSON: "contraction": "C[m,n,p] += 0.5 * A1[m,n,k] * B1[k,p]"
// JSON: "schedule": "#tc.schedule<

func.func @sum(%a: memref<12x20x7xf64>, %b: memref<7x10xf64>, %c: memref<12x20x10xf64>,
               %e: memref<12x9x10xf64>, %f: memref<20x9xf64>, %beta: f64) {
  %one = arith.constant 1.0 : f64
  %half = arith.constant 0.5 : f64
  %minus = arith.constant -1.0 : f64
  tc.contract [m, n, k], [k, p] -> [m, n, p]
    ins(%a, %b : memref<12x20x7xf64>, memref<7x10xf64>)
    outs(%c : memref<12x20x10xf64>) alpha(%half : f64) beta(%beta : f64)
    prologue_a {
    ^bb0(%x: f64):
      %y = arith.mulf %x, %x : f64
      tc.yield %y : f64
    }
  tc.contract [x, k, z], [y, k] -> [x, y, z]
    ins(%e, %f : memref<12x9x10xf64>, memref<20x9xf64>)
    outs(%c : memref<12x20x10xf64>) alpha(%minus : f64) beta(%one : f64)
  return
}
