// RUN: tc-opt %s -convert-tc-to-linalg -convert-linalg-to-tc | FileCheck %s

// A contraction that is lowered to one structured operation is raised again,
// with indices named after their roles.

// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[A:.*]]: tensor<2x8x4xf16>, %[[B:.*]]: tensor<8x5x2xf16>, %[[C:.*]]: tensor<4x5x2xf32>
// CHECK: %[[D:.*]] = tc.contract [b, k, m], [k, n, b] -> [m, n, b] ins(%[[A]], %[[B]] : tensor<2x8x4xf16>, tensor<8x5x2xf16>) outs(%[[C]] : tensor<4x5x2xf32>) -> tensor<4x5x2xf32>
// CHECK: %[[E:.*]] = tc.contract [b, k, m], [k, n, b] -> [m, n, b] {{.*}} outs(%[[D]] : tensor<4x5x2xf32>) beta(%{{.*}} : f32) ->
// CHECK: return %[[E]]
func.func @tensors(%A: tensor<2x8x4xf16>, %B: tensor<8x5x2xf16>, %C: tensor<4x5x2xf32>)
    -> tensor<4x5x2xf32> {
  %one = arith.constant 1.0 : f32
  %D = tc.contract [z, h, x], [h, y, z] -> [x, y, z]
    ins(%A, %B : tensor<2x8x4xf16>, tensor<8x5x2xf16>)
    outs(%C : tensor<4x5x2xf32>) -> tensor<4x5x2xf32>
  %E = tc.contract [z, h, x], [h, y, z] -> [x, y, z]
    ins(%A, %B : tensor<2x8x4xf16>, tensor<8x5x2xf16>)
    outs(%D : tensor<4x5x2xf32>) beta(%one : f32) -> tensor<4x5x2xf32>
  return %E : tensor<4x5x2xf32>
}

// CHECK-LABEL: func.func @buffers(
// CHECK-NOT: linalg
// CHECK: tc.contract [b, s0, b], [b, s1] -> [b] ins(%{{.*}} : memref<3x2x3xf64>, memref<3x4xf64>) outs(%{{.*}} : memref<3xf64>){{$}}
// CHECK-NOT: linalg
// CHECK: return
func.func @buffers(%A: memref<3x2x3xf64>, %B: memref<3x4xf64>, %C: memref<3xf64>) {
  tc.contract [i, r, i], [i, s] -> [i]
    ins(%A, %B : memref<3x2x3xf64>, memref<3x4xf64>) outs(%C : memref<3xf64>)
  return
}

// CHECK-LABEL: func.func @outer(
// CHECK: tc.contract [m], [n] -> [m, n]
func.func @outer(%A: memref<3xf64>, %B: memref<4xf64>, %C: memref<3x4xf64>) {
  tc.contract [p], [q] -> [p, q]
    ins(%A, %B : memref<3xf64>, memref<4xf64>) outs(%C : memref<3x4xf64>)
  return
}
