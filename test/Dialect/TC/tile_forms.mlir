// RUN: tc-opt %s --tc-tile | FileCheck %s

// Every set of roles may be empty. Batch indices have no tiles.

// CHECK-LABEL: @forms
// CHECK: tc.contract [m, k], [k] -> [m] {{.*}} m = [m: {{[0-9]+}}], n = [], k = [k: {{[0-9]+}}]
// CHECK: tc.contract [i], [j] -> [i, j] {{.*}} m = [i: {{[0-9]+}}], n = [j: {{[0-9]+}}], k = []
// CHECK: tc.contract [k, l], [l, k] -> [] {{.*}} m = [], n = [], k = [
// CHECK: tc.contract [b, m], [m, b] -> [b, m] {{.*}} m = [], n = [], k = []
// CHECK: tc.contract [], [] -> [] {{.*}} m = [], n = [], k = []
// CHECK: tc.contract [i, p], [j, j] -> [j, i] {{.*}} m = [i: {{[0-9]+}}], n = [j: {{[0-9]+}}], k = [p: {{[0-9]+}}]
func.func @forms(%s: memref<f32>, %v: memref<64xf32>, %w: memref<64xf32>, %m: memref<64x64xf32>, %d: memref<64x64xf32>) {
  tc.contract [m, k], [k] -> [m] ins(%m, %v : memref<64x64xf32>, memref<64xf32>) outs(%w : memref<64xf32>)
  tc.contract [i], [j] -> [i, j] ins(%v, %w : memref<64xf32>, memref<64xf32>) outs(%d : memref<64x64xf32>)
  tc.contract [k, l], [l, k] -> [] ins(%m, %m : memref<64x64xf32>, memref<64x64xf32>) outs(%s : memref<f32>)
  tc.contract [b, m], [m, b] -> [b, m] ins(%m, %m : memref<64x64xf32>, memref<64x64xf32>) outs(%d : memref<64x64xf32>)
  tc.contract [], [] -> [] ins(%s, %s : memref<f32>, memref<f32>) outs(%s : memref<f32>)
  tc.contract [i, p], [j, j] -> [j, i] ins(%m, %m : memref<64x64xf32>, memref<64x64xf32>) outs(%d : memref<64x64xf32>)
  return
}
