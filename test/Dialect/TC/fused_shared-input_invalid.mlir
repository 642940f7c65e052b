// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @yields_last(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %D = tc.fused -> tensor<4x4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %1 = tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{must yield what all contractions compute, as these have an input in common}}
    tc.fused_yield %1 : tensor<4x4xf64>
  }
  return %D : tensor<4x4xf64>
}

// -----

func.func @one_output(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>)
    // expected-error @below {{must have a C of its own, as the contractions of its 'tc.fused' have an input in common}}
    tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

func.func @feeds_another(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>) {
  %D:3 = tc.fused -> tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %1 = tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{must not use what another one of its 'tc.fused' computes, as they have an input in common}}
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %0 : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    tc.fused_yield %0, %1, %2 : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
  }
  return %D#0, %D#1, %D#2 : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#other = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [A -> A1], terms = [#other]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op must have 5 tensors for the contractions of 'tc.kernel' and their edges, but has 4 arguments}}
  gpu.func @no_output(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>, %E: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#other = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 1.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [A -> A1], terms = [#other]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have a beta of zero}}
  gpu.func @adds(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>, %E: memref<4x4xf64>, %F: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
#other = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 1.0 : f64, schedule = #s, edges = [A -> A1], terms = [#other]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op the contraction of 'tc.kernel' must not read C}}
  gpu.func @reads(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>, %E: memref<4x4xf64>, %F: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}
