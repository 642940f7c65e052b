// Objects need no functions for bf16, which few libraries have, whatever the
// CPU: not to convert and to select numbers, nor for arithmetic on them.

// RUN: tc-opt %s --tc-cpu-pipeline=outline | tc-translate --tc-to-object -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s
// CHECK-NOT: bf
// CHECK: U malloc
// CHECK-NOT: bf

// The numbers are right, too.
// RUN: tc-run %s --target=cpu --check --threads=1 | FileCheck %s --check-prefix=PASS
// PASS: check        passed
// PASS: check        passed
// PASS: check        passed

func.func @select(%A: memref<11x7x3xbf16, strided<[21, 3, 0], offset: 3>>, %B: memref<1x9x2x11x9x3xbf16, strided<[18821, 63, 2, 1711, 0, 569], offset: 2>>, %C: memref<9x3x7x9x2x1xbf16>) {
  %alpha = arith.constant -1.0 : f32
  tc.contract [f, c, e], [b, g, a, f, d, e] -> [g, e, c, d, a, b]
    ins(%A, %B : memref<11x7x3xbf16, strided<[21, 3, 0], offset: 3>>, memref<1x9x2x11x9x3xbf16, strided<[18821, 63, 2, 1711, 0, 569], offset: 2>>)
    outs(%C : memref<9x3x7x9x2x1xbf16>) alpha(%alpha : f32) semiring = min_max
    prologue_b {
    ^bb0(%e: bf16):
      %v0 = arith.extf %e : bf16 to f32
      %v1 = math.absf %v0 : f32
      %stored = arith.truncf %v1 : f32 to bf16
      tc.yield %stored : bf16
    }
  return
}

func.func @arithmetic(%A: memref<11x7x3xbf16>, %B: memref<9x11x3xbf16>, %C: memref<9x3x7xbf16>) {
  tc.contract [f, c, e], [g, f, e] -> [g, e, c]
    ins(%A, %B : memref<11x7x3xbf16>, memref<9x11x3xbf16>) outs(%C : memref<9x3x7xbf16>)
    prologue_b {
    ^bb0(%e: bf16):
      %v = arith.negf %e : bf16
      %w = math.absf %v : bf16
      %f = arith.extf %w : bf16 to f32
      %g = arith.truncf %f : f32 to bf16
      tc.yield %g : bf16
    }
  return
}

func.func @round(%A: memref<50x1xf64>, %B: memref<1x50xf64>, %C: memref<50x50xf32>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<50x1xf64>, memref<1x50xf64>) outs(%C : memref<50x50xf32>)
  prologue_a {
  ^bb0(%x: f64):
    %t = arith.truncf %x : f64 to bf16
    tc.yield %t : bf16
  }
  prologue_b {
  ^bb0(%x: f64):
    %t = arith.truncf %x : f64 to bf16
    tc.yield %t : bf16
  }
  return
}
