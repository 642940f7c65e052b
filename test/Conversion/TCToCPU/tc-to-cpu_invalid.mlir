// RUN: tc-opt %s -split-input-file -verify-diagnostics -tc-to-cpu

func.func @tensors(%A: tensor<4x4xf64>) -> tensor<4x4xf64> {
  // expected-error@+1 {{works on tensors: bufferize it first}}
  %D = tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>)
    outs(%A : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %D : tensor<4x4xf64>
}

// -----

func.func @unscheduled(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{has no 'cpu_schedule': run --tc-tile-cpu first}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  return
}

// -----

func.func @tile(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: the tile of index 'i' must be from 1 to its extent 4, but is 8}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 8],
       n = [k: 4], k = [j: 4], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache>}
  return
}

// -----

func.func @trips(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'threads' shares 'm' out in 2 ways, but its loop makes 1 trip}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [j: 4], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache, threads = [m: 2]>}
  return
}

// -----

func.func @halves(%A: memref<4x4xf16>, %C: memref<4x4xf16>) {
  // expected-error@+1 {{cpu_schedule: 'order' must end with k, or one block must span all of K, as C cannot hold sums of a part of the products}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf16>, memref<4x4xf16>) outs(%C : memref<4x4xf16>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [j: 2], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache>}
  return
}

// -----

func.func @residual(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'order' must end with k, or one block must span all of K, as C cannot hold sums of a part of the products}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    epilogue {
    ^bb0(%sum: f64, %old: f64):
      %x = arith.addf %sum, %old : f64
      tc.yield %x : f64
    }
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [j: 2], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache>}
  return
}

// -----

func.func @negative(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %alpha: f64) {
  // expected-error@+1 {{cpu_schedule: 'order' must end with k, or one block must span all of K, as C cannot hold sums of a part of the products}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    alpha(%alpha : f64) semiring = max_times
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [j: 2], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache>}
  return
}

// -----

func.func @side(%A: memref<4x4xf64>, %C: memref<4x4xf64>,
                %bias: memref<4xf64, strided<[?]>>) {
  // expected-error@+1 {{extents and strides of auxiliary tensor 0 must be known at compile time, but its type is 'memref<4xf64, strided<[?]>>'}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    auxiliaries(%bias [k] : memref<4xf64, strided<[?]>>)
    epilogue {
    ^bb0(%sum: f64, %old: f64, %b: f64):
      %x = arith.addf %sum, %b : f64
      tc.yield %x : f64
    }
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [j: 4], order = [m, k, n], register = [4, 4], lanes = 4,
       store = cache>}
  return
}

// -----

func.func @copies(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: strategy = ttgt has no epilogue}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    epilogue {
    ^bb0(%sum: f64, %old: f64):
      %x = arith.negf %sum : f64
      tc.yield %x : f64
    }
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [j, i]], rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @ttgt(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{has strategy ttgt: run --tc-transpose-operands first}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = ttgt,
       transpose = [A: [j, i]], rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @transpose(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'transpose' needs strategy = ttgt}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", transpose = [A: [j, i]],
       rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @loops(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'loops' needs strategy = loop_over_gemm}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", loops = [j],
       rows = n, m = [i: 4], n = [k: 4], k = [],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @loop_of_nothing(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'loops' names 'x', which is no index of M, N or K}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = loop_over_gemm,
       loops = [x], rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @loop_twice(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'loops' names index 'j' twice}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = loop_over_gemm,
       loops = [j, j], rows = n, m = [i: 4], n = [k: 4], k = [],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @loop_and_tile(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: index 'j' is in 'loops' and in 'k'}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = loop_over_gemm,
       loops = [j], rows = n, m = [i: 4], n = [k: 4], k = [j: 4],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @no_tile(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{cpu_schedule: 'm' has no tile for index 'i'}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = loop_over_gemm,
       loops = [j], rows = n, m = [], n = [k: 4], k = [],
       order = [m, k, n], register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @not_allowed(%A: memref<4x4xcomplex<f64>>, %C: memref<4x4xcomplex<f64>>) {
  // expected-error@+1 {{cpu_schedule: 're_im_3m' needs allow_three_products}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xcomplex<f64>>, memref<4x4xcomplex<f64>>)
    outs(%C : memref<4x4xcomplex<f64>>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [re_im_3m: 3, j: 4], order = [m, k, n],
       register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @one_product(%A: memref<4x4xcomplex<f64>>, %C: memref<4x4xcomplex<f64>>) {
  // expected-error@+1 {{cpu_schedule: index 're_im_3m', over products of parts of complex numbers, must be the first of 'k', with a tile of 3}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xcomplex<f64>>, memref<4x4xcomplex<f64>>)
    outs(%C : memref<4x4xcomplex<f64>>) allow_three_products
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [k: 4], k = [re_im_3m: 1, j: 4], order = [m, k, n],
       register = [4, 4], lanes = 4, store = cache>}
  return
}

// -----

func.func @library(%A: memref<4xf64>, %C: memref<f64>) {
  // expected-error@+1 {{has strategy library: run --tc-call-runtime first}}
  tc.contract [k], [k] -> [] ins(%A, %A : memref<4xf64>, memref<4xf64>) outs(%C : memref<f64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = library>}
  return
}
