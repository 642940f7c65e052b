// RUN: tc-opt %s --tc-widen-inputs --split-input-file | FileCheck %s

// The narrower input is widened; all else stays.

// CHECK-LABEL: func.func @half_by_single(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%{{.*}} : tensor<4x5xf16>, tensor<5x6xf32>)
// CHECK-SAME: alpha(%{{.*}} : f32) precision = tf32 prologue_a {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: tc.yield %[[WIDE]] : f32
// CHECK-NEXT: } {schedule = #tc.schedule<{{.*}}>, tc.note = 1 : i32} -> tensor<4x6xf32>
func.func @half_by_single(%A: tensor<4x5xf16>, %B: tensor<5x6xf32>, %C: tensor<4x6xf32>, %alpha: f32) -> tensor<4x6xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<4x5xf16>, tensor<5x6xf32>)
    outs(%C : tensor<4x6xf32>) alpha(%alpha : f32) precision = tf32
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 1], register = [1, 1]>, tc.note = 1 : i32}
    -> tensor<4x6xf32>
  return %D : tensor<4x6xf32>
}

// -----

// Neither of f16 and bf16 holds the other: both are widened.

// CHECK-LABEL: func.func @halves(
// CHECK: prologue_a {
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: } prologue_b {
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @halves(%A: memref<4x5xf16>, %B: memref<5x6xbf16>, %C: memref<4x6xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x5xf16>, memref<5x6xbf16>) outs(%C : memref<4x6xf32>)
  return
}

// -----

// By way of f32.

// CHECK-LABEL: func.func @half_by_double(
// CHECK: prologue_b {
// CHECK: %[[SINGLE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK-NEXT: %[[DOUBLE:.*]] = arith.extf %[[SINGLE]] : f32 to f64
// CHECK-NEXT: tc.yield %[[DOUBLE]] : f64
func.func @half_by_double(%A: memref<4x5xf64>, %B: memref<5x6xbf16>, %C: memref<4x6xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x5xf64>, memref<5x6xbf16>) outs(%C : memref<4x6xf64>)
  return
}

// -----

// CHECK-LABEL: func.func @integers(
// CHECK: semiring = max_plus prologue_a {
// CHECK: arith.extsi %{{.*}} : i8 to i64
func.func @integers(%A: memref<4x5xi8>, %B: memref<5x6xi64>, %C: memref<4x6xi64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x5xi8>, memref<5x6xi64>) outs(%C : memref<4x6xi64>)
    semiring = max_plus
  return
}

// -----

// The value that a prologue yields is widened at its end; the epilogue stays.

// CHECK-LABEL: func.func @after_a_prologue(
// CHECK: prologue_a {
// CHECK: %[[Y:.*]] = math.absf %{{.*}} : f16
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[Y]] : f16 to f32
// CHECK-NEXT: tc.yield %[[WIDE]] : f32
// CHECK-NEXT: } epilogue {
// CHECK: arith.negf
func.func @after_a_prologue(%A: memref<4x5xf16>, %B: memref<5x6xf32>, %C: memref<4x6xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x5xf16>, memref<5x6xf32>) outs(%C : memref<4x6xf32>)
    prologue_a {
    ^bb0(%x: f16):
      %y = math.absf %x : f16
      tc.yield %y : f16
    }
    epilogue {
    ^bb0(%sum: f32, %old: f32):
      %negative = arith.negf %sum : f32
      tc.yield %negative : f32
    }
  return
}

// -----

// Factors of one type need nothing.

// CHECK-LABEL: func.func @alike(
// CHECK-NOT: prologue
func.func @alike(%A: memref<4x5xf16>, %B: memref<5x6xf16>, %C: memref<4x6xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x5xf16>, memref<5x6xf16>) outs(%C : memref<4x6xf32>)
  return
}
