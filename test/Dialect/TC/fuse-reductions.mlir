// RUN: tc-opt %s --allow-unregistered-dialect --tc-fuse-reductions | FileCheck %s

// The squared norm of a product. The operation that makes the output zero is
// moved before the contraction, with which the sum makes one group.
// CHECK-LABEL: func.func @norm
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<f64>
// CHECK: %[[BEGIN:.*]] = linalg.fill ins(%{{.*}} : f64) outs(%[[EMPTY]] : tensor<f64>)
// CHECK: %[[NORM:.*]] = tc.fused dissolvable -> tensor<f64> {
// CHECK-NEXT: %[[D:.*]] = tc.contract
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[D]] : tensor<8x6xf64>) outs(%[[BEGIN]] : tensor<f64>)
// CHECK-NEXT: tc.fused_yield %[[SUM]] : tensor<f64>
// CHECK-NEXT: }
// CHECK: "test.other"
// CHECK: return %[[NORM]]
func.func @norm(%A: tensor<8x4xf64>, %B: tensor<4x6xf64>) -> tensor<f64> {
  %C = tensor.empty() : tensor<8x6xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) epilogue {
    ^bb0(%x: f64, %old: f64):
      %square = arith.mulf %x, %x : f64
      tc.yield %square : f64
    } -> tensor<8x6xf64>
  "test.other"() : () -> ()
  %f0 = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %norm = linalg.reduce { arith.addf } ins(%D : tensor<8x6xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %norm : tensor<f64>
}

// A generic operation is as good, and so are integers; the buffer that the
// caller gives is kept.
#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> ()>
// CHECK-LABEL: func.func @generic
// CHECK-SAME: %[[E:[a-z0-9]*]]: tensor<i32>
// CHECK: linalg.fill ins(%{{.*}} : i32) outs(%[[E]] : tensor<i32>)
// CHECK: tc.fused dissolvable -> tensor<i32> {
// CHECK-NEXT: tc.contract
// CHECK-NEXT: linalg.generic
func.func @generic(%A: tensor<8x4xi8>, %B: tensor<4x6xi8>, %E: tensor<i32>) -> tensor<i32> {
  %C = tensor.empty() : tensor<8x6xi32>
  %D = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xi8>, tensor<4x6xi8>)
    outs(%C : tensor<8x6xi32>) -> tensor<8x6xi32>
  %i0 = arith.constant 0 : i32
  %zero = linalg.fill ins(%i0 : i32) outs(%E : tensor<i32>) -> tensor<i32>
  %sum = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction", "reduction"]}
      ins(%D : tensor<8x6xi32>) outs(%zero : tensor<i32>) {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %y, %x : i32
      linalg.yield %s : i32
    } -> tensor<i32>
  return %sum : tensor<i32>
}

// Both terms of a sum that is one kernel.
// CHECK-LABEL: func.func @sum
// CHECK: linalg.fill
// CHECK: %[[RESULT:.*]] = tc.fused -> tensor<f64> attributes {kept} {
// CHECK-NEXT: %[[FIRST:.*]] = tc.contract
// CHECK-NEXT: %[[SECOND:.*]] = tc.contract {{.*}} outs(%[[FIRST]] :
// CHECK-NEXT: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[SECOND]] :
// CHECK-NEXT: tc.fused_yield %[[SUM]]
// CHECK-NEXT: }
// CHECK: return %[[RESULT]]
func.func @sum(%A: tensor<8x4xf64>, %B: tensor<4x8xf64>) -> tensor<f64> {
  %f1 = arith.constant 1.0 : f64
  %C = tensor.empty() : tensor<8x8xf64>
  %F = tc.fused -> tensor<8x8xf64> attributes {kept} {
    %D = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>)
      outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
    %G = tc.contract [n, k], [k, m] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>)
      outs(%D : tensor<8x8xf64>) beta(%f1 : f64) -> tensor<8x8xf64>
    tc.fused_yield %G : tensor<8x8xf64>
  }
  %f0 = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%F : tensor<8x8xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %sum : tensor<f64>
}

// Buffers that are there for that only, right before the reduction.
// CHECK-LABEL: func.func @buffers
// CHECK: tc.fused dissolvable {
// CHECK-NEXT: tc.contract
// CHECK-NEXT: linalg.reduce {{.*}}dimensions = [0, 1]
// CHECK-NEXT: }
// CHECK: tc.contract
// CHECK-NOT: tc.fused
// CHECK: return
func.func @buffers(%A: memref<8x4xf64>, %B: memref<4x6xf64>, %E: memref<f64>, %F: memref<f64>) {
  %f0 = arith.constant 0.0 : f64
  linalg.fill ins(%f0 : f64) outs(%E : memref<f64>)
  %C = memref.alloc() : memref<8x6xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x6xf64>) outs(%C : memref<8x6xf64>)
  linalg.reduce { arith.addf } ins(%C : memref<8x6xf64>) outs(%E : memref<f64>) dimensions = [0, 1]
  memref.dealloc %C : memref<8x6xf64>
  linalg.fill ins(%f0 : f64) outs(%F : memref<f64>)
  %D = memref.alloc() : memref<8x6xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf64>, memref<4x6xf64>) outs(%D : memref<8x6xf64>)
  linalg.fill ins(%f0 : f64) outs(%B : memref<4x6xf64>)
  linalg.reduce { arith.addf } ins(%D : memref<8x6xf64>) outs(%F : memref<f64>) dimensions = [0, 1]
  return
}

// Results that are stored: one that is used besides; one that is not added to
// zero, not wholly added up, or not added; one that C contributes to; one whose
// schedule shares sums.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: tc.fused
func.func @stored(%A: tensor<8x4xf64>, %B: tensor<4x6xf64>, %C: tensor<8x6xf64>, %E: tensor<f64>, %R: tensor<8xf64>)
    -> (tensor<f64>, tensor<8x6xf64>, tensor<f64>, tensor<8xf64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<f64>
  %r = tensor.empty() : tensor<8xf64>
  %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %zeros = linalg.fill ins(%f0 : f64) outs(%r : tensor<8xf64>) -> tensor<8xf64>
  %D1 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) -> tensor<8x6xf64>
  %1 = linalg.reduce { arith.addf } ins(%D1 : tensor<8x6xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  %D2 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) -> tensor<8x6xf64>
  %2 = linalg.reduce { arith.addf } ins(%D2 : tensor<8x6xf64>) outs(%E : tensor<f64>) dimensions = [0, 1]
  %D3 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) -> tensor<8x6xf64>
  %3 = linalg.reduce { arith.addf } ins(%D3 : tensor<8x6xf64>) outs(%zeros : tensor<8xf64>) dimensions = [1]
  %D4 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) -> tensor<8x6xf64>
  %4 = linalg.reduce { arith.maximumf } ins(%D4 : tensor<8x6xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  %D5 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) beta(%f1 : f64) -> tensor<8x6xf64>
  %5 = linalg.reduce { arith.addf } ins(%D5 : tensor<8x6xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  %D6 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x6xf64>)
    outs(%C : tensor<8x6xf64>) {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 2],
                                                        register = [1, 1], split_k = 2>} -> tensor<8x6xf64>
  %6 = linalg.reduce { arith.addf } ins(%D6 : tensor<8x6xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %1, %D1, %2, %3, %4, %5, %6
    : tensor<f64>, tensor<8x6xf64>, tensor<f64>, tensor<8xf64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// Code for CPUs stores the elements all the same, and adds it up after that.
// RUN: tc-opt %s --allow-unregistered-dialect --tc-fuse-reductions --tc-cpu-pipeline | FileCheck %s --check-prefix=CPU
// CPU-LABEL: func.func @norm
// CPU: %[[C:.*]] = memref.alloc() {{.*}} : memref<8x6xf64>
// CPU: memref.reinterpret_cast %[[C]] to offset: [0], sizes: [48]
// CPU: linalg.reduce { arith.addf } ins(%[[C]] : memref<8x6xf64>)
