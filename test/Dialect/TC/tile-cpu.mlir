// RUN: tc-opt %s "-tc-tile-cpu=target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=gett" | FileCheck %s
// RUN: tc-opt %s "-tc-tile-cpu=target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" | FileCheck %s --check-prefix=AUTO
// RUN: not tc-opt %s "-tc-tile-cpu=target-file=%S/missing.json" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tc-opt %s "-tc-tile-cpu=schedule={lanes = 3}" 2>&1 | FileCheck %s --check-prefix=TEXT

// RUN: not tc-opt %s "-tc-tile-cpu=threads=0" 2>&1 | FileCheck %s --check-prefix=THREADS

// THREADS: error: option 'threads': must be 1 at least, but is 0
// RUN: not tc-opt %s "-tc-tile-cpu=strategy=blas" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not tc-opt %s "-tc-tile-cpu=strategy=loop_over_gemm schedule={target=\"x\", rows=n, m=[], n=[], k=[], order=[m,k,n], register=[4,4], lanes=4, store=cache}" 2>&1 | FileCheck %s --check-prefix=BOTH

// STRATEGY: error: option 'strategy': 'blas' is none of auto, gett, ttgt, loop_over_gemm, direct and library
// BOTH: error: option 'strategy': the schedule that is given has one already
// RUN: tc-run --target-info=sm_90 --json > %t.gpu.json
// RUN: not tc-opt %s "-tc-tile-cpu=target-file=%t.gpu.json" 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: option 'target-file': {{.*}}.gpu.json: describes a GPU; expected a CPU

// MISSING: error: option 'target-file': {{.*}}missing.json
// TEXT: key 'target' is missing from the schedule

// Vectors lie along C's index of stride one, whichever input holds it.
// Small tensors are not packed.
// CHECK-LABEL: func.func @columns_of_b
// AUTO-LABEL: func.func @columns_of_b
// AUTO: strategy = direct, loops = [{{[ijk, ]+}}], vector = k, columns = i, register
// CHECK: rows = n, m = [i: 16], n = [k: 48], k = [j: 32], order = [m, k, n], inner = columns, register = [12, 4], lanes = 4, store = cache>
func.func @columns_of_b(%A: memref<64x32xf64>, %B: memref<32x48xf64>,
                        %C: memref<64x48xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>)
    outs(%C : memref<64x48xf64>)
  return
}

// CHECK-LABEL: func.func @rows_of_a
// CHECK: rows = m, m = [i: 16], n = [k: 48], k = [j: 32], order = [n, k, m], inner = columns, register = [8, 8], lanes = 8, store = cache>
func.func @rows_of_a(%A: memref<64x32xf32>, %B: memref<32x48xf32>,
                     %C: memref<48x64xf32>) {
  tc.contract [i, j], [j, k] -> [k, i]
    ins(%A, %B : memref<64x32xf32>, memref<32x48xf32>)
    outs(%C : memref<48x64xf32>)
  return
}

// Few columns, and rows that C has side by side where A has them far apart:
// blocks of K are short, so that those of rows hold long runs of A (half of b),
// and are the innermost, so that their block of C stays in a cache.
// CHECK-LABEL: func.func @long_runs
// CHECK: rows = m, m = [b: 160, a: 16], n = [c: 12], k = [d: {{[0-9]+}}], order = [n, m, k], inner = columns
func.func @long_runs(%A: memref<312x312x312xf32>, %B: memref<312x12xf32>,
                     %C: memref<12x312x312xf32>) {
  tc.contract [a, d, b], [d, c] -> [c, b, a]
    ins(%A, %B : memref<312x312x312xf32>, memref<312x12xf32>)
    outs(%C : memref<12x312x312xf32>)
  return
}

// A contraction without products needs no schedule.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: cpu_schedule
func.func @empty(%A: memref<64x0xf64>, %B: memref<0x48xf64>,
                 %C: memref<64x48xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<64x0xf64>, memref<0x48xf64>)
    outs(%C : memref<64x48xf64>)
  return
}
