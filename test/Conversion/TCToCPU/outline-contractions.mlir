// RUN: tc-opt %s -split-input-file -verify-diagnostics -tc-outline-contractions | FileCheck %s

// Factors that are no constants become arguments. Names that are none in C are
// mangled.

// CHECK-LABEL: func.func @two.of_them(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf64>, %[[B:.*]]: memref<8x4xf64>, %[[C:.*]]: memref<4x4xf64>, %[[ALPHA:.*]]: f64
// CHECK: call @[[NAME:tc_two_of_them_[0-9a-f]+_contraction]](%[[A]], %[[B]], %[[C]], %[[ALPHA]])
// CHECK: call @[[NAME]]_0(%[[A]], %[[B]], %[[C]])
// CHECK: tc.contract
// CHECK-LABEL: func.func @tc_two_of_them_{{[0-9a-f]+}}_contraction(
// CHECK-SAME: f64) -> i32 attributes {tc.contraction = "C[i,k] = alpha * A[i,j] * B[j,k] + 2 * C[i,k]", tc.contraction.arguments = ["A", "B", "C", "alpha"]}
// CHECK: %[[BETA:.*]] = arith.constant 2.0
// CHECK: alpha(%arg3 : f64) beta(%[[BETA]] : f64)
// CHECK-LABEL: func.func @tc_two_of_them_{{[0-9a-f]+}}_contraction_0(
func.func @two.of_them(%A: memref<4x8xf64>, %B: memref<8x4xf64>,
                       %C: memref<4x4xf64>, %alpha: f64,
                       %E: memref<4x0xf64>, %F: memref<0x4xf64>) {
  %two = arith.constant 2.0 : f64
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>) outs(%C : memref<4x4xf64>)
    alpha(%alpha : f64) beta(%two : f64)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>) outs(%C : memref<4x4xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%E, %F : memref<4x0xf64>, memref<0x4xf64>) outs(%C : memref<4x4xf64>)
  return
}

// -----

// Auxiliary tensors are arguments, too.

// CHECK-LABEL: func.func @fused_contraction(
// CHECK-SAME: memref<4xi32>, %{{.*}}: memref<i32>) -> i32 attributes {tc.contraction = "C[i,k] = epilogue(prologue_a(A[i,j]) * B[j,k] + -3 * C[i,k], side0[k], side1[]) in max_plus", tc.contraction.arguments = ["A", "B", "C", "side0", "side1"]}
func.func @fused(%A: memref<4x8xi32>, %B: memref<8x4xi32>, %C: memref<4x4xi32>,
                 %bias: memref<4xi32>, %scale: memref<i32>) {
  %beta = arith.constant -3 : i32
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<4x8xi32>, memref<8x4xi32>) outs(%C : memref<4x4xi32>)
    beta(%beta : i32) semiring = max_plus
    auxiliaries(%bias [k] : memref<4xi32>, %scale [] : memref<i32>)
    prologue_a {
    ^bb0(%a: i32):
      %x = math.absi %a : i32
      tc.yield %x : i32
    } epilogue {
    ^bb0(%sum: i32, %old: i32, %b: i32, %s: i32):
      %x = arith.addi %sum, %b : i32
      %y = arith.muli %x, %s : i32
      tc.yield %y : i32
    }
  return
}

// -----

func.func @tensors(%A: tensor<4x4xf64>) -> tensor<4x4xf64> {
  // expected-error@+1 {{works on tensors: bufferize it first}}
  %D = tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>)
    outs(%A : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %D : tensor<4x4xf64>
}

// -----

// A tile's function is not told where the tile begins.

// CHECK-LABEL: func.func @tile(
// CHECK: llvm.inttoptr
// CHECK: call @tile_contraction({{.*}}) : (memref<3x8xf64, strided<[10, 1]>>, memref<8x5xf64>, memref<3x5xf64>) -> i32
// CHECK: func.func @tile_contraction(
func.func @tile(%A: memref<6x10xf64>, %B: memref<8x5xf64>, %C: memref<3x5xf64>, %i: index) {
  %a = memref.subview %A[%i, 1] [3, 8] [1, 1] : memref<6x10xf64> to memref<3x8xf64, strided<[10, 1], offset: ?>>
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %B : memref<3x8xf64, strided<[10, 1], offset: ?>>, memref<8x5xf64>) outs(%C : memref<3x5xf64>)
  return
}

// -----

// A tensor that is contracted with itself is two arguments.

// CHECK-LABEL: func.func @gram(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf64>, %[[C:.*]]: memref<4x4xf64>
// CHECK: call @gram_contraction(%[[A]], %[[A]], %[[C]])
// CHECK: tc.contract [i, k], [j, k] -> [i, j] ins(%arg0, %arg1 : {{.*}}) outs(%arg2 :
func.func @gram(%A: memref<4x8xf64>, %C: memref<4x4xf64>) {
  tc.contract [i, k], [j, k] -> [i, j]
    ins(%A, %A : memref<4x8xf64>, memref<4x8xf64>) outs(%C : memref<4x4xf64>)
  return
}

// -----

// Of an unknown shape, the function takes the addresses of first elements, and
// then numbers: each extent that no type says, and strides of tensors that are
// not contiguous: of a diagonal two.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME: %[[A:.*]]: memref<?x?xf64, strided<[?, ?], offset: ?>>, %[[B:.*]]: memref<?x8xf64>, %[[C:.*]]: memref<?x8xf64>
// CHECK: memref.extract_strided_metadata %[[A]]
// CHECK: %[[FIRST:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64)> to memref<f64>
// CHECK: %[[STATUS:.*]] = call @shapes_contraction(%[[FIRST]],
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[STATUS]], %c2_i32
// CHECK: cf.assert %[[VALID]], "tc: a contraction is called with extents or addresses that cannot be"
// CHECK: %[[WORKS:.*]] = arith.cmpi ne, %[[STATUS]], %c3_i32
// CHECK: cf.assert %[[WORKS]], "tc: the library of contractions failed, which is an error in it"
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[STATUS]], %c0_i32
// CHECK: cf.assert %[[DONE]], "tc: there is no memory for a contraction"
// CHECK-LABEL: func.func @shapes_contraction(
// CHECK-SAME: %[[A:.*]]: memref<f64>, %[[B:.*]]: memref<f64>, %[[C:.*]]: memref<f64>, %[[I:.*]]: i64, %[[S0:.*]]: i64, %[[S1:.*]]: i64) -> i32
// CHECK-SAME: tc.contraction.arguments = ["A", "B", "C", "extent_i", "stride_a_i", "stride_a_i_second"]
// CHECK-SAME: tc.contraction.shapes = ["extents (extent_i, extent_i), strides in elements (stride_a_i, stride_a_i_second)", "extents (extent_i, 8), strides in elements (8, 1)", "extents (extent_i, 8), strides in elements (8, 1)"]
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, %{{.*}}] : memref<f64> to memref<?x?xf64, strided<[?, ?]>>
// CHECK: memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%{{.*}}, 8], strides: [8, 1]
// CHECK: tc.contract [i, i], [i, j] -> [i, j]
func.func @shapes(%A: memref<?x?xf64, strided<[?, ?], offset: ?>>, %B: memref<?x8xf64>, %C: memref<?x8xf64>) {
  tc.contract [i, i], [i, j] -> [i, j]
    ins(%A, %B : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x8xf64>) outs(%C : memref<?x8xf64>)
  return
}
