// RUN: tc-opt %s --convert-tc-to-linalg=shape-obstacles -verify-diagnostics | FileCheck %s
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 -verify-diagnostics | FileCheck %s --check-prefix=PIPELINE
// RUN: not tc-opt %s --tc-gpu-pipeline="target=sm_80 strict" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: 'tc.contract' op cannot take its shape at run time: it has auxiliary tensors

// What no kernel takes with any shape stays linalg, and does not keep others from
// becoming kernels.

// CHECK-LABEL: func.func @layer
// CHECK-NOT: tc.contract
// CHECK: linalg.contract
// CHECK: linalg.generic
// PIPELINE: gpu.func @product
// PIPELINE-LABEL: func.func @layer
// PIPELINE-NOT: gpu.launch_func
// PIPELINE: linalg.contract
// PIPELINE: linalg.generic
func.func @layer(%x: tensor<?x784xf32>, %w: tensor<784x10xf32>, %y: tensor<?x10xf32>, %bias: tensor<10xf32>) -> tensor<?x10xf32> {
  // expected-remark @+1 {{stays linalg: no kernel takes its shape at run time, as it has auxiliary tensors}}
  %z = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x784xf32>, tensor<784x10xf32>)
    outs(%y : tensor<?x10xf32>) auxiliaries(%bias [n] : tensor<10xf32>) epilogue {
  ^bb0(%sum: f32, %old: f32, %b: f32):
    %biased = arith.addf %sum, %b : f32
    tc.yield %biased : f32
  } -> tensor<?x10xf32>
  return %z : tensor<?x10xf32>
}

// CHECK-LABEL: func.func @complex
// CHECK: linalg.contract
func.func @complex(%x: tensor<?x8xcomplex<f32>>, %w: tensor<8x8xcomplex<f32>>, %y: tensor<?x8xcomplex<f32>>) -> tensor<?x8xcomplex<f32>> {
  // expected-remark @+1 {{stays linalg: no kernel takes its shape at run time, as its elements are complex}}
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
