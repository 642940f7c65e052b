// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --tc-inline-fused | FileCheck %s --check-prefix=INLINE
// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefix=BUFFERS

// Two products of one matrix, each with a result of its own.

// CHECK-LABEL: func.func @tensors
// CHECK: %[[D:.*]]:2 = tc.fused -> tensor<8x3xf64>, tensor<8x2xf64> {
// CHECK: %[[X:.*]] = tc.contract
// CHECK: %[[Y:.*]] = tc.contract
// CHECK: tc.fused_yield %[[X]], %[[Y]] : tensor<8x3xf64>, tensor<8x2xf64>
// CHECK: return %[[D]]#0, %[[D]]#1
// INLINE-LABEL: func.func @tensors
// INLINE-NOT: tc.fused
// INLINE: %[[X:.*]] = tc.contract
// INLINE: %[[Y:.*]] = tc.contract
// INLINE: return %[[X]], %[[Y]]
// BUFFERS-LABEL: func.func @tensors
// BUFFERS: tc.fused {
// BUFFERS: tc.contract {{.*}} outs(%[[X:.*]] : memref<8x3xf64>)
// BUFFERS: tc.contract {{.*}} outs(%[[Y:.*]] : memref<8x2xf64>)
// BUFFERS: return %[[X]], %[[Y]]
func.func @tensors(%A: tensor<8x4xf64>, %B: tensor<4x3xf64>, %E: tensor<2x4xf64>) -> (tensor<8x3xf64>, tensor<8x2xf64>) {
  %c = tensor.empty() : tensor<8x3xf64>
  %f = tensor.empty() : tensor<8x2xf64>
  %D:2 = tc.fused -> tensor<8x3xf64>, tensor<8x2xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x3xf64>) outs(%c : tensor<8x3xf64>) -> tensor<8x3xf64>
    %1 = tc.contract [n, k], [m, k] -> [m, n] ins(%E, %A : tensor<2x4xf64>, tensor<8x4xf64>) outs(%f : tensor<8x2xf64>) -> tensor<8x2xf64>
    tc.fused_yield %0, %1 : tensor<8x3xf64>, tensor<8x2xf64>
  }
  return %D#0, %D#1 : tensor<8x3xf64>, tensor<8x2xf64>
}

// CHECK-LABEL: func.func @memrefs
// CHECK: tc.fused {
// CHECK-COUNT-2: tc.contract
func.func @memrefs(%A: memref<8x4xf64>, %B: memref<4x3xf64>, %C: memref<8x3xf64>, %F: memref<8x3xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%C : memref<8x3xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x3xf64>) outs(%F : memref<8x3xf64>)
  }
  return
}
