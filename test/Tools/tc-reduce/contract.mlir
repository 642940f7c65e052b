// RUN: tc-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/has-diagonal.sh' | FileCheck %s

// Only the contraction that the script looks for is left.
// CHECK-NOT: @product
// CHECK: func @diagonal
// CHECK-NOT: tc.contract [m, k]
// CHECK: tc.contract [i, i], [] -> [i]
// CHECK-NOT: tc.contract

func.func @product(%A: memref<4x4xf32>, %C: memref<4x4xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}

func.func @diagonal(%A: memref<4x4xf32>, %C: memref<4x4xf32>, %s: memref<f32>, %v: memref<4xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  tc.contract [i, i], [] -> [i]
    ins(%A, %s : memref<4x4xf32>, memref<f32>) outs(%v : memref<4xf32>)
  return
}
