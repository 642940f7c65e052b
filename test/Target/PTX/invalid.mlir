// RUN: not tc-translate %s --tc-to-ptx -split-input-file -o %t.ptx --launch-description=%t.json 2>&1 | FileCheck %s
// RUN: not ls %t.ptx
// RUN: not ls %t.json

// CHECK: error: has no gpu.func with 'tc.kernel': run --tc-tile --tc-to-gpu first
func.func @no_kernel() {
  return
}

// -----

// CHECK: error: 'gpu.func' op is no contraction kernel: it has no 'tc.kernel'
#kernel = #tc.kernel<a = [], b = [], c = [], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>
gpu.module @kernels {
  gpu.func @first(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>) kernel attributes {tc.kernel = #kernel} {
    gpu.return
  }
  gpu.func @second() kernel {
    gpu.return
  }
}

// -----

// CHECK: error: 'gpu.func' op is for sm_80, but others of its module are for sm_90
gpu.module @kernels {
  gpu.func @first(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>) kernel attributes {
      tc.kernel = #tc.kernel<a = [], b = [], c = [], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
    gpu.return
  }
  gpu.func @second(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>) kernel attributes {
      tc.kernel = #tc.kernel<a = [], b = [], c = [], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #tc.schedule<target = "sm_80", m = [], n = [], k = [], register = [1, 1]>>} {
    gpu.return
  }
}

// -----

// CHECK: error: is a second gpu.module with contraction kernels; one at a time can be translated
#kernel = #tc.kernel<a = [], b = [], c = [], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>
gpu.module @first {
  gpu.func @kernel(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>) kernel attributes {tc.kernel = #kernel} {
    gpu.return
  }
}
gpu.module @second {
  gpu.func @kernel(%A: memref<f32>, %B: memref<f32>, %C: memref<f32>) kernel attributes {tc.kernel = #kernel} {
    gpu.return
  }
}
