// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc | FileCheck %s

// Requirements on a linalg.generic to be raised: a contraction's maps and
// payload.

// Factors and summands in any order; an outer product sums nothing.

// CHECK-LABEL: func.func @outer(
// CHECK-SAME: %[[A:.*]]: memref<3xf64>, %[[B:.*]]: memref<5xf64>
// CHECK: tc.contract [m], [n] -> [n, m] ins(%[[A]], %[[B]] :
func.func @outer(%A: memref<3xf64>, %B: memref<5xf64>, %C: memref<5x3xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%A, %B : memref<3xf64>, memref<5xf64>) outs(%C : memref<5x3xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %product = arith.mulf %b, %a : f64
    %sum = arith.addf %product, %c : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// Sums in one input each, two batches, and a diagonal.

// CHECK-LABEL: func.func @sums(
// CHECK: tc.contract [s0, b0, b1, b0], [s1, b1, b0] -> [b1, b0]
func.func @sums(%A: tensor<2x3x4x3xf32>, %B: tensor<6x4x3xf32>, %C: tensor<4x3xf32>)
    -> tensor<4x3xf32> {
  %D = linalg.generic {
    indexing_maps = [affine_map<(r, i, j, s) -> (r, i, j, i)>,
                     affine_map<(r, i, j, s) -> (s, j, i)>,
                     affine_map<(r, i, j, s) -> (j, i)>],
    iterator_types = ["reduction", "parallel", "parallel", "reduction"]
  } ins(%A, %B : tensor<2x3x4x3xf32>, tensor<6x4x3xf32>) outs(%C : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %c, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4x3xf32>
  return %D : tensor<4x3xf32>
}

// -----

// A square, of one input.

// CHECK-LABEL: func.func @norms(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xbf16>
// CHECK: tc.contract [b, k], [b, k] -> [b] ins(%[[A]], %[[A]] : tensor<4x8xbf16>, tensor<4x8xbf16>) outs(%{{.*}} : tensor<4xf32>) beta
func.func @norms(%A: tensor<4x8xbf16>, %C: tensor<4xf32>) -> tensor<4xf32> {
  %D = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A : tensor<4x8xbf16>) outs(%C : tensor<4xf32>) {
  ^bb0(%a: bf16, %c: f32):
    %wide = arith.extf %a : bf16 to f32
    %product = arith.mulf %wide, %wide : f32
    %sum = arith.addf %c, %product : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  return %D : tensor<4xf32>
}

// -----

// Inputs have two types.

// CHECK-LABEL: func.func @mixed(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%{{.*}} : memref<4x4xf16>, memref<4x4xf32>) outs(%{{.*}} : memref<4x4xf32>) beta
func.func @mixed(%A: memref<4x4xf16>, %B: memref<4x4xf32>, %O: memref<4x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf16>, memref<4x4xf32>) outs(%O : memref<4x4xf32>) {
  ^bb0(%a: f16, %b: f32, %o: f32):
    %x = arith.extf %a : f16 to f32
    %product = arith.mulf %x, %b : f32
    %sum = arith.addf %o, %product : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

// Formats of 8 bits, too, which are multiplied in f16.

// CHECK-LABEL: func.func @eight_bits(
// CHECK: tc.contract [k], [k] -> [] ins(%{{.*}} : memref<4xf8E4M3FN>, memref<4xf8E5M2>) outs(%{{.*}} : memref<f32>) beta
func.func @eight_bits(%A: memref<4xf8E4M3FN>, %B: memref<4xf8E5M2>, %O: memref<f32>) {
  linalg.generic {
    indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>,
                     affine_map<(k) -> ()>],
    iterator_types = ["reduction"]
  } ins(%A, %B : memref<4xf8E4M3FN>, memref<4xf8E5M2>) outs(%O : memref<f32>) {
  ^bb0(%a: f8E4M3FN, %b: f8E5M2, %o: f32):
    %x = arith.extf %a : f8E4M3FN to f32
    %y = arith.extf %b : f8E5M2 to f32
    %product = arith.mulf %x, %y : f32
    %sum = arith.addf %o, %product : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

// Between other operations, in a region, all of which stay.

// CHECK-LABEL: func.func @in_a_loop(
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK: tc.contract
// CHECK: scf.yield
func.func @in_a_loop(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>, %n: index) -> tensor<4x4xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %R = scf.for %i = %zero to %n step %one iter_args(%X = %A) -> tensor<4x4xf64> {
    %E = linalg.exp ins(%X : tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %Y = linalg.matmul ins(%E, %A : tensor<4x4xf64>, tensor<4x4xf64>)
                       outs(%X : tensor<4x4xf64>) -> tensor<4x4xf64>
    scf.yield %Y : tensor<4x4xf64>
  }
  return %R : tensor<4x4xf64>
}
