// RUN: tc-opt %s --tc-outline-kernels -split-input-file -verify-diagnostics

#first = #tc.schedule<target = "sm_90", m = [m: 2], n = [n: 4], k = [k: 4], register = [1, 2]>
#second = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
func.func @other_tiles(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %C: memref<8x3xf64>, %F: memref<8x3xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%F : memref<8x3xf64>) {schedule = #first}
    // expected-error @below {{'gpu.func' op term 1 has 4 blocks, but the kernel's own has 2}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%C : memref<8x3xf64>) {schedule = #second}
  }
  return
}

// -----

// The columns are those of the other inputs.
#across = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 4], k = [k: 4], register = [2, 2]>
func.func @columns(%A: memref<8x4xf64>, %B: memref<4x8xf64>, %C: memref<8x8xf64>, %F: memref<8x8xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x8xf64>) outs(%F : memref<8x8xf64>) {schedule = #across}
    // expected-error @below {{'gpu.func' op term 1 must have a tile that spans index n, which the output of the kernel's own does not have from the input that both take}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x8xf64>) outs(%C : memref<8x8xf64>) {schedule = #across}
  }
  return
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>
func.func @adds(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %C: memref<8x3xf64>, %F: memref<8x3xf64>, %beta: f64) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%F : memref<8x3xf64>) beta(%beta : f64) {schedule = #s}
    // expected-error @below {{cannot be in one kernel with the contraction before, with which it is in a 'tc.fused': one of them uses what its C held}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%C : memref<8x3xf64>) {schedule = #s}
  }
  return
}
