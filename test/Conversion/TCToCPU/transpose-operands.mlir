// RUN: tc-opt %s -split-input-file -tc-transpose-operands | FileCheck %s

// A is copied, so that its rows come in the order that C has; b is merged with
// d, as they are neighbours in the copy, in the same order as in C.

// CHECK-LABEL: func.func @inputs
// CHECK-SAME: %[[A:.*]]: memref<8x6x4xf64>, %[[B:.*]]: memref<6x10xf64>, %[[C:.*]]: memref<4x8x10xf64>
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x4x8xf64>
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [8, 6, 4], strides: [24, 4, 1]
// CHECK: linalg.transpose ins(%[[VIEW]] {{.*}} outs(%[[COPY]] : memref<6x4x8xf64>) permutation = [1, 2, 0] {tc.lanes = 4 : i64}
// CHECK: %[[MATRIX:.*]] = memref.reinterpret_cast %[[COPY]] to offset: [0], sizes: [6, 32], strides: [32, 1]
// CHECK-NOT: linalg.transpose
// CHECK: tc.contract [k, db], [k, c] -> [db, c] ins(%[[MATRIX]],
// CHECK-SAME: cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [db: 32], n = [c: 10], k = [k: 6],
// CHECK: memref.dealloc %[[COPY]]
func.func @inputs(%A: memref<8x6x4xf64>, %B: memref<6x10xf64>,
                  %C: memref<4x8x10xf64>) {
  tc.contract [b, k, d], [k, c] -> [d, b, c]
    ins(%A, %B : memref<8x6x4xf64>, memref<6x10xf64>)
    outs(%C : memref<4x8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [k, d, b]], rows = n, m = [db: 32], n = [c: 10],
       k = [k: 6], order = [m, k, n], register = [8, 4], lanes = 4,
       store = cache>}
  return
}

// -----

// C is copied back, and, as beta may count, out before. Batch indices stay, and
// indices of extent one vanish.

// CHECK-LABEL: func.func @output
// CHECK-SAME: %[[ALPHA:[a-z0-9]+]]: f64, %[[BETA:[a-z0-9]+]]: f64
// CHECK: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x8x10xf64>
// CHECK: linalg.transpose {{.*}} outs(%[[COPY]] : memref<3x8x10xf64>) permutation = [0, 2, 1]
// CHECK: tc.contract [z, m, k], [z, k, n] -> [z, m, n]
// CHECK-SAME: alpha(%[[ALPHA]] : f64) beta(%[[BETA]] : f64)
// CHECK: linalg.transpose ins(%[[COPY]] : memref<3x8x10xf64>) {{.*}} permutation = [0, 2, 1]
// CHECK: memref.dealloc %[[COPY]]
func.func @output(%A: memref<3x8x1x6xf64>, %B: memref<3x6x10xf64>,
                  %C: memref<3x10x1x8xf64>, %alpha: f64, %beta: f64) {
  tc.contract [z, m, u, k], [z, k, n] -> [z, n, u, m]
    ins(%A, %B : memref<3x8x1x6xf64>, memref<3x6x10xf64>)
    outs(%C : memref<3x10x1x8xf64>) alpha(%alpha : f64) beta(%beta : f64)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [C: [z, m, n]], rows = n, m = [m: 8], n = [n: 10],
       k = [k: 6], order = [m, k, n], register = [8, 4], lanes = 4,
       store = cache>}
  return
}

// -----

// Nothing is read from C where beta is zero.

// CHECK-LABEL: func.func @written
// CHECK-COUNT-1: linalg.transpose
// CHECK-NOT: linalg.transpose
func.func @written(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                   %C: memref<10x8xf64>) {
  tc.contract [m, k], [k, n] -> [n, m]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<10x8xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [C: [m, n]], rows = n, m = [m: 8], n = [n: 10],
       k = [k: 6], order = [m, k, n], register = [8, 4], lanes = 4,
       store = cache>}
  return
}

// -----

// Other strategies are left alone.

// CHECK-LABEL: func.func @gett
// CHECK-NOT: linalg.transpose
// CHECK: tc.contract [i, j], [j, k] -> [i, k]
func.func @gett(%A: memref<28x16xf64>, %B: memref<16x40xf64>,
                %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf64>, memref<16x40xf64>)
    outs(%C : memref<28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 28],
       n = [k: 40], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache>}
  return
}
