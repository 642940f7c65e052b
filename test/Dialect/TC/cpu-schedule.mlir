// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK-LABEL: func.func @scheduled
// CHECK: cpu_schedule = #tc.cpu_schedule<target = "host", rows = m, m = [a: 24, b: 2], n = [c: 8], k = [d: 16], order = [n, k, m], register = [24, 8], lanes = 8, store = stream>
func.func @scheduled(%A: memref<4x24x16xf64>, %B: memref<16x8xf64>,
                     %C: memref<24x4x8xf64>) {
  tc.contract [b, a, d], [d, c] -> [a, b, c]
    ins(%A, %B : memref<4x24x16xf64>, memref<16x8xf64>)
    outs(%C : memref<24x4x8xf64>)
    {cpu_schedule = #tc.cpu_schedule<store = stream, target = "host",
       rows = m, m = [a: 24, b: 2], n = [c: 8], k = [d: 16],
       order = [n, k, m], register = [24, 8], lanes = 8>}
  return
}

// A role that is not listed has one thread.
// CHECK-LABEL: func.func @threads
// CHECK: store = cache, threads = [batch: 2, n: 3]>
func.func @threads() attributes {
  s = #tc.cpu_schedule<threads = [n: 3, m: 1, batch: 2], target = "x",
        rows = n, m = [], n = [], k = [], order = [m, k, n],
        register = [4, 4], lanes = 4, store = cache>} {
  return
}

// CHECK-LABEL: func.func @one_thread
// CHECK: store = cache>
func.func @one_thread() attributes {
  s = #tc.cpu_schedule<threads = [], target = "x", rows = n, m = [], n = [],
        k = [], order = [m, k, n], register = [4, 4], lanes = 4,
        store = cache>} {
  return
}

// CHECK-LABEL: func.func @empty_lists
// CHECK: rows = n, m = [], n = [], k = [], order = [m, k, n], register = [4, 4], lanes = 4, store = cache>
func.func @empty_lists() attributes {
  s = #tc.cpu_schedule<target = "x", rows = n, m = [], n = [], k = [],
        order = [m, k, n], register = [4, 4], lanes = 4, store = cache>} {
  return
}

// CHECK-LABEL: func.func @transposed
// CHECK: #tc.cpu_schedule<target = "x", strategy = ttgt, transpose = [A: [i, j, k], C: [i, l]], rows = n, m = [], n = [], k = [],
func.func @transposed() attributes {
  s = #tc.cpu_schedule<target = "x", rows = n, m = [], n = [], k = [],
        transpose = [C: [i, l], A: [i, j, k]], order = [m, k, n],
        register = [4, 4], lanes = 4, store = cache, strategy = ttgt>} {
  return
}

// CHECK-LABEL: func.func @looped
// CHECK: #tc.cpu_schedule<target = "x", strategy = loop_over_gemm, loops = [j, i], rows = n, m = [], n = [], k = [],
func.func @looped() attributes {
  s = #tc.cpu_schedule<target = "x", rows = n, m = [], n = [], k = [],
        loops = [j, i], order = [m, k, n], register = [4, 4], lanes = 4,
        store = cache, strategy = loop_over_gemm>} {
  return
}

// CHECK-LABEL: func.func @by_default
// CHECK: #tc.cpu_schedule<target = "x", rows = n,
func.func @by_default() attributes {
  s = #tc.cpu_schedule<target = "x", rows = n, m = [], n = [], k = [],
        loops = [], transpose = [], order = [m, k, n], register = [4, 4],
        lanes = 4, store = cache, strategy = gett>} {
  return
}

// The library decides all but how many threads it may have.
// CHECK-LABEL: func.func @library
// CHECK: #tc.cpu_schedule<target = "x", strategy = library, threads = [batch: 3]>
func.func @library() attributes {
  s = #tc.cpu_schedule<threads = [batch: 3], strategy = library, target = "x">} {
  return
}
