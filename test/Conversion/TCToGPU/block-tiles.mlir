// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,canonicalize,cse))" -split-input-file | FileCheck %s

// Three rows of blocks in groups of two: the last group has one row.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2], raster = 2>>

// CHECK-LABEL: gpu.func @ragged_raster
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[GROUP:.*]] = arith.divui %[[NUMBER]], %c10_i32
// CHECK: %[[IN_GROUP:.*]] = arith.remui %[[NUMBER]], %c10_i32
// CHECK: %[[M_FULL:.*]] = arith.remui %[[IN_GROUP]], %c2_i32
// CHECK: %[[N_FULL:.*]] = arith.divui %[[IN_GROUP]], %c2_i32
// CHECK: %[[IS_FULL:.*]] = arith.cmpi slt, %[[GROUP]], %c1_i32
// CHECK: %[[M_IN:.*]] = arith.select %[[IS_FULL]], %[[M_FULL]], %c0_i32
// CHECK: %[[N:.*]] = arith.select %[[IS_FULL]], %[[N_FULL]], %[[IN_GROUP]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[GROUP]], %c2_i32
// CHECK: %[[M:.*]] = arith.addi %[[ROWS]], %[[M_IN]]
// CHECK: %[[M0:.*]] = arith.muli %[[M]], %c4_i32
// CHECK: %[[N0:.*]] = arith.muli %[[N]], %c4_i32
// CHECK: tc.copy_tile a of %{{.*}} at[%[[M0]], %c0_i32]
// CHECK: tc.copy_tile b of %{{.*}} at[%[[N0]], %c0_i32]
gpu.module @kernels {
  gpu.func @ragged_raster(%A: memref<12x6xf64>, %B: memref<6x20xf64>, %C: memref<12x20xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<12x6xf64>, memref<6x20xf64>)
        outs(%C : memref<12x20xf64>)
    gpu.return
  }
}
