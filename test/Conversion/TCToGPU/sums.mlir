// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest))" -split-input-file | FileCheck %s
// RUN: tc-run %s --beta=0.5 --check | FileCheck %s --check-prefix=NUMBERS

// The numbers are right, too.
// NUMBERS-COUNT-7: check        passed

// Two contractions of a group make one kernel: the inputs of the
// first are arguments after C, and beta is the first one's. The sums of the
// first are multiplied by the ratio of the factors.

// CHECK-LABEL: gpu.func @same
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<8x5xf64, {{[^,]*}}>, %[[B:[a-z0-9]*]]: memref<5x8xf64, {{[^,]*}}>, %[[C:[a-z0-9]*]]: memref<8x8xf64, {{[^,]*}}>,
// CHECK-SAME: %[[A1:[a-z0-9]*]]: memref<8x6xf64, {{[^,]*}}>, %[[B1:[a-z0-9]*]]: memref<6x8xf64, {{[^,]*}}>, %[[BETA:[a-z0-9]*]]: f64)
// CHECK-SAME: tc.kernel = #tc.kernel<a = [p, k], b = [k, q], c = [p, q], alpha = 2.000000e+00 : f64, schedule
// CHECK-SAME: edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.000000e+00 : f64, beta = 0.000000e+00 : f64, schedule
// CHECK: tc.copy_tile a term 1 of
// CHECK: tc.copy_tile b term 1 of
// CHECK: %[[FIRST:.*]]:2 = tc.multiply_tiles term 1
// CHECK: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : vector<2xf64>
// CHECK: arith.mulf %[[HALF]], %[[FIRST]]#0
// CHECK: arith.mulf %{{.*}}, %[[FIRST]]#1
// CHECK-NOT: tc.convert_accumulators
// CHECK: gpu.barrier
// CHECK: tc.copy_tile a of
// CHECK: tc.multiply_tiles %
// CHECK: tc.store_tile %{{.*}} alpha(%{{.*}} : f64) beta(%[[BETA]] : f64)
// CHECK: gpu.launch_func @tc_kernels::@same
// CHECK-NOT: gpu.launch_func
func.func @same(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %E: memref<8x5xf64>, %F: memref<5x8xf64>, %C: memref<8x8xf64>, %beta: f64) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%beta : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
    tc.contract [p, k], [k, q] -> [p, q] ins(%E, %F : memref<8x5xf64>, memref<5x8xf64>) outs(%C : memref<8x8xf64>) alpha(%two : f64) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [p: 4], n = [q: 4], k = [k: 5], register = [2, 2]>}
  }
  return
}

// -----

// M is the other one's N: threads have the same sums, turned.

// CHECK-LABEL: gpu.func @transposed
// CHECK: %[[FIRST:.*]]:2 = tc.multiply_tiles term 1
// CHECK: %[[E00:.*]] = vector.extract %[[FIRST]]#0[0]
// CHECK: %[[E10:.*]] = vector.extract %[[FIRST]]#1[0]
// CHECK: %[[ROW0:.*]] = vector.from_elements %[[E00]], %[[E10]] : vector<2xf64>
// CHECK: %[[E01:.*]] = vector.extract %[[FIRST]]#0[1]
// CHECK: %[[E11:.*]] = vector.extract %[[FIRST]]#1[1]
// CHECK: %[[ROW1:.*]] = vector.from_elements %[[E01]], %[[E11]] : vector<2xf64>
// CHECK-NOT: tc.convert_accumulators
// CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %[[ROW0]], %[[ROW1]]
func.func @transposed(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
    tc.contract [k, n], [m, k] -> [m, n] ins(%B, %A : memref<6x8xf64>, memref<8x6xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [n: 4], n = [m: 4], k = [k: 6], register = [2, 2]>}
  }
  return
}

// -----

// Threads have others: the sums change hands, negated before.

// CHECK-LABEL: gpu.func @other
// CHECK: %[[FIRST:.*]]:2 = tc.multiply_tiles term 1
// CHECK: %[[N0:.*]] = arith.negf %[[FIRST]]#0
// CHECK: %[[N1:.*]] = arith.negf %[[FIRST]]#1
// CHECK: %[[MOVED:.*]]:4 = tc.convert_accumulators %[[N0]], %[[N1]] from 1 to 0 through
// CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %[[MOVED]]#0, %[[MOVED]]#1, %[[MOVED]]#2, %[[MOVED]]#3
func.func @other(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) alpha(%minus : f64) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [4, 1]>}
  }
  return
}

// -----

// Three terms: the one in the middle is computed first, for the sums of the first
// need not change hands before the last then.

// CHECK-LABEL: gpu.func @order
// CHECK: tc.multiply_tiles term 2
// CHECK: tc.convert_accumulators %{{.*}} from 2 to 1
// CHECK: tc.multiply_tiles term 1
// CHECK-NOT: tc.convert_accumulators
// CHECK: tc.multiply_tiles %
func.func @order(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>) {
  %one = arith.constant 1.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [4, 1]>}
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
  }
  return
}

// -----

// Another group, and one without: kernels of their own.

// CHECK-LABEL: func.func @apart
// CHECK-COUNT-3: gpu.launch_func
func.func @apart(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %i: index) {
  %one = arith.constant 1.0 : f64
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
  }
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
  }
  memref.store %one, %A[%i, %i] : memref<8x6xf64>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x6xf64>, memref<6x8xf64>) outs(%C : memref<8x8xf64>) beta(%one : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2]>}
  }
  return
}
