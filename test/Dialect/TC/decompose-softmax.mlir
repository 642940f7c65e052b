// RUN: tc-opt %s --tc-decompose-softmax | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: linalg.generic
// CHECK: arith.maxnumf
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
// CHECK: return
func.func @tensors(%S: tensor<8x12xf32>, %T: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %P = linalg.softmax dimension(1) ins(%S : tensor<8x12xf32>) outs(%T : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %P : tensor<8x12xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK-SAME: %[[S:.*]]: memref<?x12xf32>, %[[P:.*]]: memref<?x12xf32>
// CHECK: bufferization.to_tensor %[[S]] restrict
// CHECK: math.exp
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[P]]
// CHECK-NOT: linalg.softmax
func.func @buffers(%S: memref<?x12xf32>, %P: memref<?x12xf32>) {
  linalg.softmax dimension(0) ins(%S : memref<?x12xf32>) outs(%P : memref<?x12xf32>)
  return
}

// A softmax in a group becomes a part of the group's kernel.
// CHECK-LABEL: func.func @group
// CHECK: linalg.softmax
func.func @group(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %D = tc.fused -> tensor<4x4xf32> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%1, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    tc.fused_yield %2 : tensor<4x4xf32>
  }
  return %D : tensor<4x4xf32>
}
