// RUN: tc-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

// The loops are those of the output's labels, then of the summed ones.

// CHECK-LABEL: @tensors
// CHECK-SAME: %[[A:[^:]*]]: tensor<16x24x32xf64>, %[[B:[^:]*]]: tensor<32x40xf64>, %[[C:[^:]*]]: tensor<40x24x16xf64>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.0
// CHECK: scf.for %[[N:.*]] = %{{.*}} iter_args(%[[C0:.*]] = %[[C]])
// CHECK: scf.for %[[M:.*]] = %{{.*}} iter_args(%[[C1:.*]] = %[[C0]])
// CHECK: scf.for %[[K:.*]] = %{{.*}} iter_args(%[[C2:.*]] = %[[C1]])
// CHECK: %[[TA:.*]] = tensor.extract_slice %[[A]][0, %[[M]], %[[K]]] [16, 6, 8] [1, 1, 1]
// CHECK: %[[TB:.*]] = tensor.extract_slice %[[B]][%[[K]], %[[N]]] [8, 10] [1, 1]
// CHECK: %[[TC:.*]] = tensor.extract_slice %[[C2]][%[[N]], %[[M]], 0] [10, 6, 16] [1, 1, 1]
// CHECK: %[[TD:.*]] = tc.contract [l, m, k], [k, n] -> [n, m, l]
// CHECK-SAME: ins(%[[TA]], %[[TB]] : tensor<16x6x8xf64>, tensor<8x10xf64>) outs(%[[TC]] : tensor<10x6x16xf64>) alpha(%{{.*}} : f64) beta(%[[ONE]] : f64)
// CHECK: tensor.insert_slice %[[TD]] into %[[C2]][%[[N]], %[[M]], 0] [10, 6, 16] [1, 1, 1]
func.func @tensors(%A: tensor<16x24x32xf64>, %B: tensor<32x40xf64>, %C: tensor<40x24x16xf64>, %alpha: f64)
    -> tensor<40x24x16xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.contract [l, m, k], [k, n] -> [n, m, l]
         ins(%A, %B : tensor<16x24x32xf64>, tensor<32x40xf64>)
         outs(%C : tensor<40x24x16xf64>) alpha(%alpha : f64) beta(%one : f64)
         -> tensor<40x24x16xf64>
  return %D : tensor<40x24x16xf64>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:3 = transform.structured.tile_using_for %op tile_sizes [10, 6, 0, 8]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Tiles of the output alone do not need beta. The diagonal of A is cut along
// both of its dimensions, and the last tile is smaller.

// CHECK-LABEL: @memrefs
// CHECK: scf.for %[[I:.*]] = %c0 to %c10 step %c4
// CHECK: %[[S:.*]] = affine.min
// CHECK: %[[TA:.*]] = memref.subview %{{.*}}[%[[I]], %[[I]], 0] [%[[S]], %[[S]], 8] [1, 1, 1]
// CHECK: %[[TB:.*]] = memref.subview %{{.*}}[0, %[[I]]] [8, %[[S]]] [1, 1]
// CHECK: %[[TC:.*]] = memref.subview %{{.*}}[%[[I]]] [%[[S]]] [1]
// CHECK: tc.contract [i, i, k], [k, i] -> [i] ins(%[[TA]], %{{.*}} : memref<?x?x8xf32, strided<[80, 8, 1], offset: ?>>, memref<8x?xf32, strided<[10, 1], offset: ?>>)
func.func @memrefs(%A: memref<10x10x8xf32>, %B: memref<8x10xf32>, %C: memref<10xf32>) {
  tc.contract [i, i, k], [k, i] -> [i]
    ins(%A, %B : memref<10x10x8xf32>, memref<8x10xf32>) outs(%C : memref<10xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A summed index of unknown extent stays whole, so that beta does not matter.

// CHECK-LABEL: @dynamic
// CHECK: scf.for
// CHECK: tc.contract [m, k], [k] -> [m] ins(%{{.*}} : tensor<4x?xf32>, tensor<?xf32>) outs(%{{.*}} : tensor<4xf32>) ->
func.func @dynamic(%A: tensor<16x?xf32>, %B: tensor<?xf32>, %C: tensor<16xf32>) -> tensor<16xf32> {
  %D = tc.contract [m, k], [k] -> [m]
         ins(%A, %B : tensor<16x?xf32>, tensor<?xf32>)
         outs(%C : tensor<16xf32>) -> tensor<16xf32>
  return %D : tensor<16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Parallel loops over the tiles of the output, with a producer fused into them.

// CHECK-LABEL: @fuse
// CHECK: scf.forall (%[[M:.*]], %[[N:.*]]) in (4, 8)
// CHECK: %[[E:.*]] = tc.contract [m, j], [j, k] -> [m, k] ins(%{{.*}} : tensor<4x8xf32>, tensor<8x12xf32>) outs(%{{.*}} : tensor<4x12xf32>)
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%[[E]], %{{.*}} : tensor<4x12xf32>, tensor<12x5xf32>) outs(%{{.*}} : tensor<4x5xf32>)
func.func @fuse(%A: tensor<16x8xf32>, %B: tensor<8x12xf32>, %E: tensor<16x12xf32>,
                %F: tensor<12x40xf32>, %C: tensor<16x40xf32>) -> tensor<16x40xf32> {
  %0 = tc.contract [m, j], [j, k] -> [m, k]
         ins(%A, %B : tensor<16x8xf32>, tensor<8x12xf32>)
         outs(%E : tensor<16x12xf32>) {first} -> tensor<16x12xf32>
  %1 = tc.contract [m, k], [k, n] -> [m, n]
         ins(%0, %F : tensor<16x12xf32>, tensor<12x40xf32>)
         outs(%C : tensor<16x40xf32>) {second} -> tensor<16x40xf32>
  return %1 : tensor<16x40xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %first = transform.structured.match ops{["tc.contract"]} attributes {first} in %root : (!transform.any_op) -> !transform.any_op
    %second = transform.structured.match ops{["tc.contract"]} attributes {second} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %forall = transform.structured.tile_using_forall %second num_threads [4, 8]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused, %new = transform.structured.fuse_into_containing_op %first into %forall
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The precision stays.

// CHECK-LABEL: @precision
// CHECK: tc.contract {{.*}} outs(%{{.*}} : tensor<4x2xf32>) precision = tf32 ->
func.func @precision(%A: tensor<16x8xf32>, %B: tensor<8x2xf32>, %C: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<16x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<16x2xf32>) precision = tf32 -> tensor<16x2xf32>
  return %D : tensor<16x2xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [4, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
