// RUN: tc-opt %s --tc-fuse-accumulations --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-fuse-accumulations=most-terms=2 --split-input-file | FileCheck %s --check-prefix=TWO
// RUN: not tc-opt %s --tc-fuse-accumulations=most-terms=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: option 'most-terms': must be at least 1
// RUN: not tc-opt %s --tc-fuse-accumulations=target=sm_1 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: option 'target': {{.*}}sm_1

// Two terms of the same output, whose M and N are the other's N and M.

// CHECK-LABEL: @chain
// CHECK: %[[SUM:.*]] = tc.fused dissolvable -> tensor<64x64xf64> {
// CHECK: %[[FIRST:.*]] = tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: [[M:[0-9]+]]], n = [n: [[N:[0-9]+]]]
// CHECK: %[[SECOND:.*]] = tc.contract [x, k], [k, y] -> [y, x]
// CHECK-SAME: outs(%[[FIRST]] :
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [x: [[N]]], n = [y: [[M]]]
// CHECK: tc.fused_yield %[[SECOND]] : tensor<64x64xf64>
// CHECK: }
// CHECK: return %[[SUM]]
func.func @chain(%A: tensor<64x32xf64>, %B: tensor<32x64xf64>,
                 %E: tensor<64x24xf64>, %F: tensor<24x64xf64>,
                 %C: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %one = arith.constant 1.0 : f64
  %0 = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<64x32xf64>, tensor<32x64xf64>)
    outs(%C : tensor<64x64xf64>) -> tensor<64x64xf64>
  %1 = tc.contract [x, k], [k, y] -> [y, x]
    ins(%E, %F : tensor<64x24xf64>, tensor<24x64xf64>)
    outs(%0 : tensor<64x64xf64>) beta(%one : f64) -> tensor<64x64xf64>
  return %1 : tensor<64x64xf64>
}

// -----

// Each two of five terms on a buffer; the constants in between touch no memory.

// CHECK-LABEL: @many
// CHECK: tc.fused dissolvable {
// CHECK-COUNT-5: tc.contract {{.*}}schedule = {{.*$}}
// CHECK-NEXT: }
// TWO-LABEL: @many
// TWO-COUNT-2: tc.fused dissolvable {
// TWO: {{^ +}$}}
// TWO-NEXT: tc.contract {{.*}}beta(%{{[a-z0-9_]+}} : f32){{$}}
// TWO-NOT: tc.fused
// TWO-LABEL: @apart
func.func @many(%A: memref<64x32xf32>, %B: memref<32x64xf32>,
                %C: memref<64x64xf32>) {
  %one = arith.constant 1.0 : f32
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>)
  %half = arith.constant 0.5 : f32
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>) alpha(%half : f32) beta(%one : f32)
  tc.contract [m, k], [k, n] -> [n, m]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>) beta(%one : f32)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>) beta(%one : f32)
  tc.contract [m, k], [k, n] -> [n, m]
    ins(%A, %B : memref<64x32xf32>, memref<32x64xf32>) outs(%C : memref<64x64xf32>) beta(%one : f32)
  return
}

// -----

// On tensors, terms come together, whatever was between them.

// CHECK-LABEL: @apart
// CHECK: math.exp
// CHECK: tc.fused dissolvable -> tensor<8x8xf64> {
// CHECK-NEXT: tc.contract
// CHECK-NEXT: tc.contract
// CHECK-NEXT: tc.fused_yield
func.func @apart(%A: tensor<8x8xf64>, %x: f64, %C: tensor<8x8xf64>) -> (tensor<8x8xf64>, f64) {
  %one = arith.constant 1.0 : f64
  %0 = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>)
    outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %y = math.exp %x : f64
  %1 = tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>)
    outs(%0 : tensor<8x8xf64>) beta(%one : f64) -> tensor<8x8xf64>
  return %1, %y : tensor<8x8xf64>, f64
}

// -----

// Sums that cannot be one kernel: another beta than one, an alpha that is zero
// or not known, another use of the first result, a store in between, an
// epilogue in the middle, one at the end that uses C, a semiring, complex
// numbers, ratios of integers, and a contraction with a schedule.

// CHECK-NOT: tc.fused

func.func @beta(%A: memref<8x8xf64>, %C: memref<8x8xf64>) {
  %two = arith.constant 2.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) beta(%two : f64)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
  return
}

func.func @alpha(%A: memref<8x8xf64>, %C: memref<8x8xf64>, %alpha: f64) {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) alpha(%alpha : f64) beta(%one : f64)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) alpha(%zero : f64) beta(%one : f64)
  return
}

func.func @use(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%0 : tensor<8x8xf64>) beta(%one : f64) -> tensor<8x8xf64>
  return %0, %1 : tensor<8x8xf64>, tensor<8x8xf64>
}

func.func @store(%A: memref<8x8xf64>, %C: memref<8x8xf64>, %i: index) {
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
  memref.store %one, %A[%i, %i] : memref<8x8xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
  return
}

func.func @epilogues(%A: memref<8x8xf64>, %C: memref<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
    epilogue {
    ^bb0(%x: f64, %old: f64):
      %y = math.absf %x : f64
      tc.yield %y : f64
    }
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
    epilogue {
    ^bb0(%x: f64, %old: f64):
      %y = arith.mulf %x, %old : f64
      tc.yield %y : f64
    }
  return
}

func.func @semiring(%A: memref<8x8xf64>, %C: memref<8x8xf64>) {
  %zero = arith.constant 0.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) semiring = min_plus
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) beta(%zero : f64) semiring = min_plus
  return
}

func.func @complex(%A: memref<8x8xcomplex<f64>>, %C: memref<8x8xcomplex<f64>>) {
  %one = complex.constant [1.0, 0.0] : complex<f64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xcomplex<f64>>, memref<8x8xcomplex<f64>>) outs(%C : memref<8x8xcomplex<f64>>)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xcomplex<f64>>, memref<8x8xcomplex<f64>>) outs(%C : memref<8x8xcomplex<f64>>) beta(%one : complex<f64>)
  return
}

func.func @integers(%A: memref<8x8xi32>, %C: memref<8x8xi32>) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xi32>, memref<8x8xi32>) outs(%C : memref<8x8xi32>)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xi32>, memref<8x8xi32>) outs(%C : memref<8x8xi32>) alpha(%two : i32) beta(%one : i32)
  return
}

func.func @scheduled(%A: memref<8x8xf64>, %C: memref<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>)
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<8x8xf64>, memref<8x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 8], register = [2, 2]>}
  return
}

// -----

// A group that is there gets the schedules of one kernel, with the same tile of
// C, unless it has some, or cannot be one.

// CHECK-LABEL: @group
// CHECK: tc.fused {
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: [[M:[0-9]+]]], n = [n: [[N:[0-9]+]]]
// CHECK: tc.contract [n, k], [k, m] -> [m, n]
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [n: [[N]]], n = [m: [[M]]]
// CHECK: tc.fused {
// CHECK-NEXT: tc.contract
// CHECK-NOT: schedule
// CHECK: return
func.func @group(%A: memref<32x32xf64>, %C: memref<32x32xf64>) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<32x32xf64>, memref<32x32xf64>) outs(%C : memref<32x32xf64>)
    tc.contract [n, k], [k, m] -> [m, n] ins(%A, %A : memref<32x32xf64>, memref<32x32xf64>) outs(%C : memref<32x32xf64>) beta(%one : f64)
  }
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<32x32xf64>, memref<32x32xf64>) outs(%C : memref<32x32xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<32x32xf64>, memref<32x32xf64>) outs(%C : memref<32x32xf64>) beta(%two : f64)
  }
  return
}
