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

// -----

// Three blocks share seven K tiles: the first adds up three of them, the others
// two. The last one to arrive stores.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>

// CHECK-LABEL: gpu.func @split
// CHECK-SAME: %[[WORKSPACE:[a-z0-9]*]]: memref<1280xi8>
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[PART:.*]] = arith.remui %[[NUMBER]], %c3_i32
// CHECK: %[[TILE:.*]] = arith.divui %[[NUMBER]], %c3_i32
// CHECK: %[[M0:.*]] = arith.muli %[[TILE]], %c4_i32
// CHECK: %[[TWO_EACH:.*]] = arith.muli %[[PART]], %c2_i32
// CHECK: %[[IS_LONGER:.*]] = arith.cmpi slt, %[[PART]], %c1_i32
// CHECK: %[[SHIFT:.*]] = arith.select %[[IS_LONGER]], %[[PART]], %c1_i32
// CHECK: %[[FIRST:.*]] = arith.addi %[[TWO_EACH]], %[[SHIFT]]
// CHECK: %[[COUNT:.*]] = arith.select %[[IS_LONGER]], %c3_i32, %c2_i32
// CHECK: %[[K0:.*]] = arith.muli %[[FIRST]], %c2_i32
// CHECK: tc.copy_tile a of %{{.*}} at[%[[M0]], %[[K0]]]
// CHECK: %[[SUMS:.*]]:6 = scf.for %{{.*}} = %c0_i32 to %[[COUNT]] step %c1_i32
// CHECK: %[[LAST:.*]] = tc.store_partial_sums %[[SUMS]]#0, %[[SUMS]]#1 to %[[WORKSPACE]]
// CHECK: scf.if %[[LAST]] {
// CHECK:   %[[TOTAL:.*]]:2 = tc.add_partial_sums of %[[WORKSPACE]]
// CHECK:   tc.store_tile %[[TOTAL]]#0, %[[TOTAL]]#1
// CHECK: }
gpu.module @kernels {
  gpu.func @split(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<12x14xf64>, memref<14x4xf64>)
        outs(%C : memref<12x4xf64>)
    gpu.return
  }
}

// -----

// A's shared tile stays, and the block walks along three of the five tiles of N, or
// along the two that are left.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2], stationary = a, tiles_per_block = 3>>

// CHECK-LABEL: gpu.func @walk
// CHECK-DAG: %[[M:.*]] = arith.remui %{{.*}}, %c3_i32
// CHECK-DAG: %[[N:.*]] = arith.divui %{{.*}}, %c3_i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[N]], %c3_i32
// CHECK: %[[IS_FULL:.*]] = arith.cmpi slt, %[[N]], %c1_i32
// CHECK: %[[COUNT:.*]] = arith.select %[[IS_FULL]], %c3_i32, %c2_i32
// CHECK: tc.copy_tile a
// CHECK: tc.copy_tile b
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[COUNT]] step %c1_i32 iter_args(%[[GROUP:.*]] = %{{.*}})
// CHECK:   tc.wait_for_tiles %{{.*}} after %[[GROUP]] :
// CHECK:   %[[AFTER:.*]] = arith.addi %[[I]], %c1_i32
// CHECK:   %[[MORE:.*]] = arith.cmpi slt, %[[AFTER]], %[[COUNT]]
// CHECK:   tc.multiply_tiles
// CHECK:   gpu.barrier
// CHECK:   tc.copy_tile b of %{{.*}} at[%{{.*}}, %c0_i32] into %{{.*}} if %[[MORE]]
// CHECK:   %[[NEXT:.*]] = tc.group_copies
// CHECK:   %[[NUMBER:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:   %[[N0:.*]] = arith.muli %[[NUMBER]], %c4_i32
// CHECK:   tc.store_tile {{.*}} at[%{{.*}}, %[[N0]]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: }
gpu.module @kernels {
  gpu.func @walk(%A: memref<12x6xf64>, %B: memref<6x20xf64>, %C: memref<12x20xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<12x6xf64>, memref<6x20xf64>)
        outs(%C : memref<12x20xf64>)
    gpu.return
  }
}

// -----

// With one tile to walk along, nothing waits for the group that the loop makes for
// the next one, which is no fault.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2], stationary = a, tiles_per_block = 2>>

// CHECK-LABEL: gpu.func @one_tile
// CHECK-NOT: scf.for
// CHECK: tc.wait_for_tiles
// CHECK: tc.group_copies
// CHECK-NOT: tc.wait_for_tiles
gpu.module @kernels {
  gpu.func @one_tile(%A: memref<12x6xf64>, %B: memref<6x4xf64>, %C: memref<12x4xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<12x6xf64>, memref<6x4xf64>) outs(%C : memref<12x4xf64>)
    gpu.return
  }
}
