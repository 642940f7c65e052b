// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels)" -split-input-file -verify-diagnostics

// Schedules that one kernel cannot obey.

func.func @threads(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>}
    // expected-error @below {{'gpu.func' op the contraction has 8 threads, but the one before has 4}}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 1]>}
  }
  return
}

// -----

// Only the last one may sum in several steps.
func.func @steps(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  %S = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 2], k = [k: 4], register = [2, 2]>}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%S : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 2], register = [4, 2]>}
    // expected-error @below {{term 2 must have tiles that span all indices of K, as the tensor before it stays in shared memory and it is not the last one, but takes 2 steps}}
    tc.contract [m, l], [l, n] -> [m, n] ins(%S, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [4, 2]>}
  }
  return
}

// -----

func.func @same_for_each_step(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %E: memref<4x4x6xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>}
    // expected-error @below {{'tc.contract' op cannot be in one kernel with the contraction before, with which it is in a 'tc.fused': it sums over index q, which what the one before computes does not have}}
    tc.contract [m, l], [l, n, q] -> [m, n] ins(%T, %E : memref<8x4xf64>, memref<4x4x6xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4, q: 2], register = [2, 2]>}
  }
  return
}

// -----

// Each thread would have elements of rows and of columns of the softmax alike.
func.func @softmax_across(%A: memref<4xf64>, %B: memref<8x4xf64>, %E: memref<4x2xf64>, %C: memref<4x8x2xf64>) {
  %T = memref.alloc() : memref<4x8x4xf64>
  tc.fused {
    tc.contract [q], [m, l] -> [q, m, l] ins(%A, %B : memref<4xf64>, memref<8x4xf64>) outs(%T : memref<4x8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [q: 4], n = [m: 4, l: 4], k = [], register = [2, 2]>}
    linalg.softmax dimension(2) ins(%T : memref<4x8x4xf64>) outs(%T : memref<4x8x4xf64>)
    // expected-error @below {{takes a softmax along what it sums over, so the one before must have all of that in one of its inputs, and nothing else, but index m is in the other one}}
    tc.contract [q, m, l], [l, n] -> [q, m, n] ins(%T, %E : memref<4x8x4xf64>, memref<4x2xf64>) outs(%C : memref<4x8x2xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [q: 4, m: 4], n = [n: 2], k = [l: 4], register = [1, 2]>}
  }
  return
}

// -----

func.func @tiles(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>}
    // expected-error @below {{has tile 8 of index m, but the one before has 4 of m}}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 4], k = [l: 4], register = [4, 2]>}
  }
  return
}

// -----

func.func @new_index(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>}
    // expected-error @below {{must have a tile that spans index n, which the one before does not have}}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>}
  }
  return
}

// -----

func.func @stationary(%A: memref<8x4xf64>, %B: memref<4x4xf64>, %C: memref<8x4xf64>) {
  %T = memref.alloc() : memref<8x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%T : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>}
    // expected-error @below {{must neither keep an operand stationary nor split K, nor must the one before}}
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %B : memref<8x4xf64>, memref<4x4xf64>) outs(%C : memref<8x4xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2], stationary = a, tiles_per_block = 1>}
  }
  return
}
