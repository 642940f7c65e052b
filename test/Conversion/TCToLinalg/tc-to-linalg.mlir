// RUN: tc-opt %s -split-input-file -convert-tc-to-linalg | FileCheck %s

// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>
// CHECK: #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x4xf64>, %[[Y:.*]]: tensor<8x5x?xf64>, %[[Z:.*]]: tensor<4x5x?xf64>
// CHECK-NEXT: arith.constant
// CHECK-NEXT: %[[D:.*]] = linalg.contract indexing_maps = [#[[A]], #[[B]], #[[C]]] ins(%[[X]], %[[Y]] : tensor<?x8x4xf64>, tensor<8x5x?xf64>) outs(%[[Z]] : tensor<4x5x?xf64>)
// CHECK-NEXT: return %[[D]]
func.func @accumulate(%A: tensor<?x8x4xf64>, %B: tensor<8x5x?xf64>,
                      %C: tensor<4x5x?xf64>) -> tensor<4x5x?xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.contract [b, k, m], [k, n, b] -> [m, n, b]
    ins(%A, %B : tensor<?x8x4xf64>, tensor<8x5x?xf64>)
    outs(%C : tensor<4x5x?xf64>) beta(%one : f64) -> tensor<4x5x?xf64>
  return %D : tensor<4x5x?xf64>
}

// -----

// Without beta C is filled with zeros first; schedule and precision go.

// CHECK-LABEL: func.func @overwrite(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8x4xf32>, %[[C:.*]]: memref<4x4xf32, strided<[1, 4]>>
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: linalg.fill ins(%[[ZERO]] : f32) outs(%[[C]] :
// CHECK-NEXT: linalg.contract indexing_maps = [{{.*}}] ins(%[[A]], %[[B]] : memref<4x8xf32>, memref<8x4xf32>) outs(%[[C]] : memref<4x4xf32, strided<[1, 4]>>)
// CHECK-NEXT: return
func.func @overwrite(%A: memref<4x8xf32>, %B: memref<8x4xf32>,
                     %C: memref<4x4xf32, strided<[1, 4]>>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<8x4xf32>)
    outs(%C : memref<4x4xf32, strided<[1, 4]>>) precision = tf32
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4],
                             k = [k: 8], register = [4, 4]>}
  return
}

// -----

// Contractions beyond linalg.contract: diagonals and sums within one input.

// CHECK: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d0)>
// CHECK: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: func.func @generic(
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<3x2x3xbf16>, tensor<3x4xbf16>) outs(%{{.*}} : tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: bf16, %[[Y:.*]]: bf16, %[[Z:.*]]: f32):
// CHECK-NEXT: %[[X32:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[Y32:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: %[[XY:.*]] = arith.mulf %[[X32]], %[[Y32]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[Z]], %[[XY]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]]
func.func @generic(%A: tensor<3x2x3xbf16>, %B: tensor<3x4xbf16>, %C: tensor<3xf32>)
    -> tensor<3xf32> {
  %D = tc.contract [i, r, i], [i, s] -> [i]
    ins(%A, %B : tensor<3x2x3xbf16>, tensor<3x4xbf16>)
    outs(%C : tensor<3xf32>) -> tensor<3xf32>
  return %D : tensor<3xf32>
}

// -----

// Factors: sums go to a tensor of their own, then alpha * sum + beta * C.

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %[[A:.*]]: tensor<?x8xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[C:.*]]: tensor<?x4xf16>, %[[ALPHA:.*]]: f32, %[[BETA:.*]]: f32
// CHECK: %[[EXTENT:.*]] = tensor.dim %[[C]]
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[EXTENT]]) : tensor<?x4xf32>
// CHECK: %[[INIT:.*]] = linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK: %[[SUMS:.*]] = linalg.contract {{.*}} ins(%[[A]], %[[B]] {{.*}} outs(%[[INIT]]
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : tensor<?x4xf32>) outs(%[[C]] : tensor<?x4xf16>)
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[OLD:.*]]: f16):
// CHECK-NEXT: %[[LEFT:.*]] = arith.mulf %[[ALPHA]], %[[SUM]] : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[OLD]]
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[BETA]], %[[WIDE]] : f32
// CHECK-NEXT: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[BETA]], %[[ZERO]] : f32
// CHECK-NEXT: %[[RIGHT:.*]] = arith.select %[[IS_ZERO]], %[[ZERO]], %[[PRODUCT]] : f32
// CHECK-NEXT: %[[RESULT:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : f32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[RESULT]]
// CHECK-NEXT: linalg.yield %[[ROUNDED]]
// CHECK: return %[[D]]
func.func @scaled(%A: tensor<?x8xf16>, %B: tensor<8x4xf16>, %C: tensor<?x4xf16>,
                  %alpha: f32, %beta: f32) -> tensor<?x4xf16> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<?x8xf16>, tensor<8x4xf16>) outs(%C : tensor<?x4xf16>)
    alpha(%alpha : f32) beta(%beta : f32) -> tensor<?x4xf16>
  return %D : tensor<?x4xf16>
}

// -----

// On buffers the sums' memory is freed. C's old contents do not matter here.

// CHECK-LABEL: func.func @scaled_buffer(
// CHECK-SAME: %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8x?xf64>, %[[C:.*]]: memref<?xf64>
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: %[[EXTENT:.*]] = memref.dim %[[C]]
// CHECK: %[[SUMS:.*]] = memref.alloc(%[[EXTENT]]) : memref<?xf64>
// CHECK: linalg.fill {{.*}} outs(%[[SUMS]]
// CHECK: linalg.contract {{.*}} outs(%[[SUMS]]
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : memref<?xf64>) outs(%[[C]] : memref<?xf64>)
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: %[[RESULT:.*]] = arith.mulf %[[TWO]], %[[SUM]]
// CHECK-NEXT: linalg.yield %[[RESULT]]
// CHECK: memref.dealloc %[[SUMS]]
func.func @scaled_buffer(%A: memref<8xf64>, %B: memref<8x?xf64>, %C: memref<?xf64>) {
  %two = arith.constant 2.0 : f64
  tc.contract [k], [k, n] -> [n]
    ins(%A, %B : memref<8xf64>, memref<8x?xf64>) outs(%C : memref<?xf64>)
    alpha(%two : f64)
  return
}

// -----

// Nor does linalg.contract know outer products.

// CHECK-LABEL: func.func @outer(
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-NOT: linalg.contract
func.func @outer(%A: memref<3xf64>, %B: memref<4xf64>, %C: memref<3x4xf64>) {
  tc.contract [p], [q] -> [p, q]
    ins(%A, %B : memref<3xf64>, memref<4xf64>) outs(%C : memref<3x4xf64>)
  return
}

// -----

// Other semirings: the fill is with their zero, the payload theirs.

// CHECK-LABEL: func.func @paths(
// CHECK: %[[ZERO:.*]] = arith.constant 0x7F800000 : f32
// CHECK: linalg.fill ins(%[[ZERO]] : f32)
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
// CHECK-NEXT: %[[XY:.*]] = arith.addf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[LEAST:.*]] = arith.minnumf %[[Z]], %[[XY]] : f32
// CHECK-NEXT: linalg.yield %[[LEAST]]
func.func @paths(%A: tensor<4x8xf32>, %B: tensor<8x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<4x8xf32>, tensor<8x4xf32>) outs(%C : tensor<4x4xf32>)
    semiring = min_plus -> tensor<4x4xf32>
  return %D : tensor<4x4xf32>
}

// -----

// Integers are extended with their sign, by linalg.contract itself.

// CHECK-LABEL: func.func @integers(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: linalg.fill ins(%[[ZERO]] : i32)
// CHECK: linalg.contract {{.*}} ins(%{{.*}}, %{{.*}} : memref<4x8xi8>, memref<8x4xi8>) outs(%{{.*}} : memref<4x4xi32>)
func.func @integers(%A: memref<4x8xi8>, %B: memref<8x4xi8>, %C: memref<4x4xi32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xi8>, memref<8x4xi8>) outs(%C : memref<4x4xi32>)
  return
}

// -----

// Prologues go into the payload of the sums, the epilogue into one of its own,
// to which auxiliary tensors go, too.

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x6xf32>, %[[C:.*]]: tensor<4x6xf16>, %[[SIDE:.*]]: tensor<6xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]] : f32
// CHECK-NEXT: %[[EY:.*]] = arith.mulf %[[E]], %[[Y]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[Z]], %[[EY]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]]
// CHECK: linalg.generic {indexing_maps = [#[[BIAS]], #[[ROWS]], #[[ROWS]]], {{.*}} ins(%[[SIDE]], %[[SUMS]] : tensor<6xf32>, tensor<4x6xf32>) outs(%[[C]]
// CHECK-NEXT: ^bb0(%[[T:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[ST:.*]] = arith.addf %[[S]], %[[T]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[ST]]
// CHECK-NEXT: linalg.yield %[[R]]
func.func @fused(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>, %C: tensor<4x6xf16>,
                 %bias: tensor<6xf32>) -> tensor<4x6xf16> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<4x8xf32>, tensor<8x6xf32>) outs(%C : tensor<4x6xf16>)
    auxiliaries(%bias [n] : tensor<6xf32>)
    prologue_a {
    ^bb0(%a: f32):
      %e = math.exp %a : f32
      tc.yield %e : f32
    }
    epilogue {
    ^bb0(%s: f32, %o: f16, %b: f32):
      %t = arith.addf %s, %b : f32
      %r = arith.truncf %t : f32 to f16
      tc.yield %r : f16
    } -> tensor<4x6xf16>
  return %D : tensor<4x6xf16>
}
