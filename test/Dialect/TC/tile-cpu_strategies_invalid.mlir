// RUN: tc-opt %s -tc-tile-cpu="strategy=loop_over_gemm workspace-limit=100" -split-input-file -verify-diagnostics

func.func @same_role(%A: memref<4x6x5xf64>, %B: memref<6x7xf64>,
                     %C: memref<5x7x4xf64>) {
  // expected-error@+1 {{strategy loop_over_gemm: 'c' and 'a' have stride one and are both indices of M, of which a matrix product has but one}}
  tc.contract [a, b, c], [b, d] -> [c, d, a]
    ins(%A, %B : memref<4x6x5xf64>, memref<6x7xf64>)
    outs(%C : memref<5x7x4xf64>)
  return
}

// -----

func.func @batch(%A: memref<4x6x5xf64>, %B: memref<6x7x5xf64>,
                 %C: memref<5x4x7xf64>) {
  // expected-error@+1 {{strategy loop_over_gemm: the index of stride one of A, 'z', is a batch index, so that no slice of it is a matrix}}
  tc.contract [a, b, z], [b, c, z] -> [z, a, c]
    ins(%A, %B : memref<4x6x5xf64>, memref<6x7x5xf64>)
    outs(%C : memref<5x4x7xf64>)
  return
}

// -----

// A given schedule is held against the limit, too.

func.func @given(%A: memref<4x6xf64>, %B: memref<6x7xf64>, %C: memref<4x7xf64>) {
  // expected-error@+1 {{strategy ttgt: transposed copies take 192 B, more than the limit of 100 B}}
  tc.contract [a, b], [b, c] -> [a, c]
    ins(%A, %B : memref<4x6xf64>, memref<6x7xf64>) outs(%C : memref<4x7xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [b, a]], rows = n, m = [a: 4], n = [c: 7], k = [b: 6],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}
