// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-tile,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// Pairs along n, rows two threads apart, for A's panel has rows along k; only m
// is cut off by the tensor. C is not loaded.

// CHECK-LABEL: gpu.func @overwrite
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>, %[[C:[a-z0-9]*]]: memref<120xf64>, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32
// CHECK-NOT: vector.load
// CHECK: %[[BASE_M:.*]] = arith.muli %[[M0]], %c12_i32
// CHECK: %[[BASE:.*]] = arith.addi %[[BASE_M]], %[[N0]]
// CHECK: %[[ROW:.*]] = arith.addi %[[M0]], %{{.*}}
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %c10_i32
// CHECK: %[[INSIDE_NEXT:.*]] = arith.cmpi slt, %[[ROW]], %c8_i32
// CHECK: scf.if %[[INSIDE]] {
// CHECK: vector.store %[[S0]], %[[C]][%[[AT:.*]]] {alignment = 16 : i64} : memref<120xf64>, vector<2xf64>
// CHECK: scf.if %[[INSIDE_NEXT]] {
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c24 overflow<nsw> : index
// CHECK: vector.store %[[S1]], %[[C]][%[[NEXT]]]
gpu.module @kernels {
  gpu.func @overwrite(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>,
                      %s0: vector<2xf64>, %s1: vector<2xf64>, %C: memref<120xf64>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1 to %C at [%m0, %n0] : vector<2xf64>, vector<2xf64> to memref<120xf64>, i32, i32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m], b = [], c = [m], beta = 2.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// A constant beta: C is always loaded. An alpha from outside scales.

// CHECK-LABEL: gpu.func @update
// CHECK-SAME: vector<1xf32>, %[[C:[a-z0-9]*]]: memref<8xf32>
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK: %[[BETA:.*]] = arith.constant dense<2.000000e+00> : vector<1xf32>
// CHECK-NOT: scf.if
// CHECK: %[[FACTOR:.*]] = vector.broadcast %[[ALPHA]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FACTOR]], %{{.*}} : vector<1xf32>
// CHECK: %[[OLD:.*]] = vector.load %[[C]]
// CHECK: %[[NEW:.*]] = vector.fma %[[BETA]], %[[OLD]], %[[SCALED]]
// CHECK: vector.store %[[NEW]], %[[C]]
gpu.module @kernels {
  gpu.func @update(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %a: f32,
                   %s: vector<1xf32>, %C: memref<8xf32>, %m0: i32, %alpha: f32)
      kernel attributes {tc.kernel = #kernel} {
    %beta = arith.constant 2.0 : f32
    tc.store_tile %s to %C at [%m0] alpha(%alpha : f32) beta(%beta : f32) : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// A beta from outside may be zero: then C is not loaded.

// CHECK-LABEL: gpu.func @maybe_update
// CHECK-SAME: %[[BETA:[a-z0-9]*]]: f32,
// CHECK: %[[CONTRIBUTES:.*]] = arith.cmpf une, %[[BETA]]
// CHECK: %[[OLD:.*]] = scf.if %[[CONTRIBUTES]] -> (vector<1xf32>) {
// CHECK: vector.load
// CHECK: } else {
// CHECK: vector.fma %{{.*}}, %[[OLD]]
gpu.module @kernels {
  gpu.func @maybe_update(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %beta: f32,
                         %s: vector<1xf32>, %C: memref<8xf32>, %m0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s to %C at [%m0] beta(%beta : f32) : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}
