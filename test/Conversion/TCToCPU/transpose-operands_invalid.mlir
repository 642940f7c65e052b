// RUN: tc-opt %s -split-input-file -verify-diagnostics -tc-transpose-operands

func.func @other_index(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                 %C: memref<8x10xf64>) {
  // expected-error@+1 {{cpu_schedule: 'transpose' names 'n', which is no index of A with an extent above one}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [k, n]], rows = n, m = [m: 8], n = [n: 10], k = [k: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @twice(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                 %C: memref<8x10xf64>) {
  // expected-error@+1 {{cpu_schedule: 'transpose' names index 'k' of B twice}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [B: [k, n, k]], rows = n, m = [m: 8], n = [n: 10], k = [k: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @missing(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                 %C: memref<8x10xf64>) {
  // expected-error@+1 {{cpu_schedule: 'transpose' does not name index 'm' of C}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [C: [n]], rows = n, m = [m: 8], n = [n: 10], k = [k: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @loops(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                 %C: memref<8x10xf64>) {
  // expected-error@+1 {{cpu_schedule: 'loops' needs strategy = loop_over_gemm}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [k, m]], loops = [k], rows = n, m = [m: 8], n = [n: 10], k = [k: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @tile(%A: memref<8x6xf64>, %B: memref<6x10xf64>,
                 %C: memref<8x10xf64>) {
  // expected-error@+1 {{cpu_schedule: 'm' names 'a', which is no index of M}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x6xf64>, memref<6x10xf64>) outs(%C : memref<8x10xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [k, m]], rows = n, m = [a: 8], n = [n: 10], k = [k: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @tensors(%A: tensor<4x4xf64>) -> tensor<4x4xf64> {
  // expected-error@+1 {{works on tensors: bufferize it first}}
  %D = tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>)
    outs(%A : tensor<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [j, i]], rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
    -> tensor<4x4xf64>
  return %D : tensor<4x4xf64>
}
