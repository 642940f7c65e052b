// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc | FileCheck %s

// Zeros that a fill or a constant puts into C need not be added.

// CHECK-LABEL: func.func @filled(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x16xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK-NOT: linalg
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<8x16xf32>) outs(%[[EMPTY]] : tensor<4x16xf32>) -> tensor<4x16xf32>
func.func @filled(%A: tensor<4x8xf32>, %B: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %D = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<8x16xf32>)
                     outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %D : tensor<4x16xf32>
}

// -----

// CHECK-LABEL: func.func @constant_zero(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<4x16xf64>
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: outs(%[[EMPTY]] : tensor<4x16xf64>) ->
func.func @constant_zero(%A: tensor<4x8xf64>, %B: tensor<8x16xf64>) -> tensor<4x16xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x16xf64>
  %D = linalg.matmul ins(%A, %B : tensor<4x8xf64>, tensor<8x16xf64>)
                     outs(%zeros : tensor<4x16xf64>) -> tensor<4x16xf64>
  return %D : tensor<4x16xf64>
}

// -----

// A fill with other uses stays for them; one with another value contributes.

// CHECK-LABEL: func.func @fills(
// CHECK-SAME: %[[C:[^:]*]]: tensor<4x4xf64>)
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%{{.*}} : f64) outs(%[[C]]
// CHECK: %[[ONES:.*]] = linalg.fill
// CHECK: tc.contract {{.*}} outs(%[[C]] : tensor<4x4xf64>) ->
// CHECK: tc.contract {{.*}} outs(%[[ONES]] : tensor<4x4xf64>) beta(%{{.*}} : f64) ->
// CHECK: return %{{.*}}, %{{.*}}, %[[ZEROS]]
func.func @fills(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>)
    -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %zeros = linalg.fill ins(%zero : f64) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
  %ones = linalg.fill ins(%one : f64) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
  %D = linalg.matmul ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>)
                     outs(%zeros : tensor<4x4xf64>) -> tensor<4x4xf64>
  %E = linalg.matmul ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>)
                     outs(%ones : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %D, %E, %zeros : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
}

// -----

// On buffers a fill counts if nothing in between touches memory.

// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf64>, %[[B:.*]]: memref<8x4xf64>, %[[C:.*]]: memref<4x4xf64, strided<[8, 1], offset: ?>>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: tc.contract {{.*}} outs(%[[C]] : memref<4x4xf64, strided<[8, 1], offset: ?>>) beta(%[[ONE]] : f64)
// CHECK-NOT: linalg.fill
// CHECK: tc.contract {{.*}} outs(%[[C]] : memref<4x4xf64, strided<[8, 1], offset: ?>>)
// CHECK-NOT: beta
// CHECK: linalg.fill
// CHECK: memref.store
// CHECK: tc.contract {{.*}} beta(
func.func @buffers(%A: memref<4x8xf64>, %B: memref<8x4xf64>,
                   %C: memref<4x4xf64, strided<[8, 1], offset: ?>>) {
  linalg.matmul ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>)
                outs(%C : memref<4x4xf64, strided<[8, 1], offset: ?>>)
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%C : memref<4x4xf64, strided<[8, 1], offset: ?>>)
  %two = arith.constant 2.0 : f64
  linalg.matmul ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>)
                outs(%C : memref<4x4xf64, strided<[8, 1], offset: ?>>)
  linalg.fill ins(%zero : f64) outs(%C : memref<4x4xf64, strided<[8, 1], offset: ?>>)
  %i = arith.constant 0 : index
  memref.store %two, %C[%i, %i] : memref<4x4xf64, strided<[8, 1], offset: ?>>
  linalg.matmul ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>)
                outs(%C : memref<4x4xf64, strided<[8, 1], offset: ?>>)
  return
}

// -----

// A fill of another buffer does not count.

// CHECK-LABEL: func.func @other_buffer(
// CHECK: linalg.fill
// CHECK: tc.contract {{.*}} beta(
func.func @other_buffer(%A: memref<4x4xf64>, %B: memref<4x4xf64>,
                        %C: memref<4x4xf64>, %D: memref<4x4xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%D : memref<4x4xf64>)
  linalg.matmul ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  return
}

// -----

// Named products, with maps of their own or without; extents may be unknown.

// CHECK-LABEL: func.func @named(
// CHECK: tc.contract [b, m, k], [b, k, n] -> [b, m, n]
// CHECK: tc.contract [m, k], [k] -> [m]
// CHECK: tc.contract [k], [k, n] -> [n]
// CHECK: tc.contract [b, m, k], [b, k] -> [b, m]
// CHECK: tc.contract [b, k], [b, k, n] -> [b, n]
// CHECK: tc.contract [k], [k] -> []
// CHECK: tc.contract [k0, m, k1], [k0, k1, n] -> [m, n]
// CHECK: tc.contract [k, m], [n, k] -> [m, n]
// CHECK: tc.contract [m0, k0, m1, k1], [n0, k0, n1, k1] -> [m0, n0, m1, n1]
#ta = affine_map<(m, n, k) -> (k, m)>
#tb = affine_map<(m, n, k) -> (n, k)>
#tc = affine_map<(m, n, k) -> (m, n)>
func.func @named(%m: memref<?x?xf32>, %v: memref<?xf32>, %w: memref<?xf32>,
                 %t: memref<?x?x?xf32>, %u: memref<?x?x?xf32>,
                 %r: memref<?x?x?xf32>, %s: memref<f32>, %p: memref<?x?xf32>,
                 %q: memref<?x?xf32>, %f: memref<?x?x?x?xf32>,
                 %g: memref<?x?x?x?xf32>, %h: memref<?x?x?x?xf32>) {
  linalg.batch_matmul ins(%t, %u : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%r : memref<?x?x?xf32>)
  linalg.matvec ins(%m, %v : memref<?x?xf32>, memref<?xf32>) outs(%w : memref<?xf32>)
  linalg.vecmat ins(%v, %m : memref<?xf32>, memref<?x?xf32>) outs(%w : memref<?xf32>)
  linalg.batch_matvec ins(%t, %m : memref<?x?x?xf32>, memref<?x?xf32>) outs(%p : memref<?x?xf32>)
  linalg.batch_vecmat ins(%m, %t : memref<?x?xf32>, memref<?x?x?xf32>) outs(%p : memref<?x?xf32>)
  linalg.dot ins(%v, %w : memref<?xf32>, memref<?xf32>) outs(%s : memref<f32>)
  linalg.batch_reduce_matmul ins(%t, %u : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%p : memref<?x?xf32>)
  linalg.matmul indexing_maps = [#ta, #tb, #tc]
    ins(%m, %p : memref<?x?xf32>, memref<?x?xf32>) outs(%q : memref<?x?xf32>)
  linalg.mmt4d ins(%f, %g : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%h : memref<?x?x?x?xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @contract(
// CHECK: tc.contract [m1, k, b, m0], [n, k, b] -> [m0, m1, n, b]
#a = affine_map<(i, j, l, z, k) -> (j, k, z, i)>
#b = affine_map<(i, j, l, z, k) -> (l, k, z)>
#c = affine_map<(i, j, l, z, k) -> (i, j, l, z)>
func.func @contract(%A: tensor<3x4x5x6xf64>, %B: tensor<7x4x5xf64>,
                    %C: tensor<6x3x7x5xf64>) -> tensor<6x3x7x5xf64> {
  %D = linalg.contract indexing_maps = [#a, #b, #c]
    ins(%A, %B : tensor<3x4x5x6xf64>, tensor<7x4x5xf64>)
    outs(%C : tensor<6x3x7x5xf64>) -> tensor<6x3x7x5xf64>
  return %D : tensor<6x3x7x5xf64>
}

// -----

// Inputs of f16 and bf16 are extended to C's f32, or all have one type.

// CHECK-LABEL: func.func @narrow(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%arg0, %arg0 : tensor<4x4xf16>, tensor<4x4xf16>) outs(%{{.*}} : tensor<4x4xf32>) beta(%{{.*}} : f32)
// CHECK: tc.contract {{.*}} outs(%{{.*}} : tensor<4x4xbf16>) beta(%{{.*}} : f32)
func.func @narrow(%A: tensor<4x4xf16>, %B: tensor<4x4xbf16>,
                  %C: tensor<4x4xf32>, %D: tensor<4x4xbf16>)
    -> (tensor<4x4xf32>, tensor<4x4xbf16>) {
  %E = linalg.matmul ins(%A, %A : tensor<4x4xf16>, tensor<4x4xf16>)
                     outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %F = linalg.matmul ins(%B, %B : tensor<4x4xbf16>, tensor<4x4xbf16>)
                     outs(%D : tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %E, %F : tensor<4x4xf32>, tensor<4x4xbf16>
}
