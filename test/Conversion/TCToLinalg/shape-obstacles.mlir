// RUN: tc-opt %s --convert-tc-to-linalg=shape-obstacles -verify-diagnostics | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 -verify-diagnostics | FileCheck %s --check-prefix=PIPELINE
// RUN: not tc-opt %s --tc-gpu-pipeline="target=sm_80 strict" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: 'tc.contract' op cannot take its shape at run time: auxiliary tensor 0 is not contiguous

// What no kernel takes with any shape stays linalg, and does not keep others from
// becoming kernels.

// CHECK-LABEL: func.func @layer
// CHECK-NOT: tc.contract
// CHECK: linalg.contract
// CHECK: linalg.generic
// PIPELINE: gpu.func @contiguous
// PIPELINE: gpu.func @complex
// PIPELINE-LABEL: func.func @layer
// PIPELINE-NOT: gpu.launch_func
// PIPELINE: linalg.contract
// PIPELINE: linalg.generic
func.func @layer(%x: memref<?x784xf32>, %w: memref<784x10xf32>, %y: memref<?x10xf32>, %bias: memref<10xf32, strided<[2]>>) {
  // expected-remark @+1 {{stays linalg: no kernel takes its shape at run time, as auxiliary tensor 0 is not contiguous}}
  tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : memref<?x784xf32>, memref<784x10xf32>)
    outs(%y : memref<?x10xf32>) auxiliaries(%bias [n] : memref<10xf32, strided<[2]>>) epilogue {
  ^bb0(%sum: f32, %old: f32, %b: f32):
    %biased = arith.addf %sum, %b : f32
    tc.yield %biased : f32
  }
  return
}

// CHECK-LABEL: func.func @contiguous
// CHECK: tc.contract
// PIPELINE-LABEL: func.func @contiguous
// PIPELINE: gpu.launch_func
func.func @contiguous(%x: tensor<?x784xf32>, %w: tensor<784x10xf32>, %y: tensor<?x10xf32>, %bias: tensor<10xf32>) -> tensor<?x10xf32> {
  %z = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x784xf32>, tensor<784x10xf32>)
    outs(%y : tensor<?x10xf32>) auxiliaries(%bias [n] : tensor<10xf32>) epilogue {
  ^bb0(%sum: f32, %old: f32, %b: f32):
    %biased = arith.addf %sum, %b : f32
    tc.yield %biased : f32
  } -> tensor<?x10xf32>
  return %z : tensor<?x10xf32>
}

// CHECK-LABEL: func.func @complex
// CHECK: tc.contract
// PIPELINE-LABEL: func.func @complex
// PIPELINE: gpu.launch_func
func.func @complex(%x: tensor<?x8xcomplex<f32>>, %w: tensor<8x8xcomplex<f32>>, %y: tensor<?x8xcomplex<f32>>) -> tensor<?x8xcomplex<f32>> {
  %z = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>)
    outs(%y : tensor<?x8xcomplex<f32>>) -> tensor<?x8xcomplex<f32>>
  return %z : tensor<?x8xcomplex<f32>>
}

// CHECK-LABEL: func.func @product
// CHECK: tc.contract
// PIPELINE-LABEL: func.func @product
// PIPELINE: gpu.launch_func
func.func @product(%x: tensor<?x784xf32>, %w: tensor<784x10xf32>, %y: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %z = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x784xf32>, tensor<784x10xf32>)
    outs(%y : tensor<?x10xf32>) -> tensor<?x10xf32>
  return %z : tensor<?x10xf32>
}
