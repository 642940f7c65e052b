// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @matmul
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<10x6xf64
// CHECK-DAG: %[[FLAT_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [60], strides: [1]
// CHECK-DAG: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[PANEL_A:.*]] = memref.view %[[SHARED]][%[[ZERO]]][] : {{.*}} to memref<2x6xf64,
// CHECK-DAG: %[[BEHIND_A:.*]] = arith.constant 96 : index
// CHECK-DAG: %[[PANEL_B:.*]] = memref.view %[[SHARED]][%[[BEHIND_A]]][] : {{.*}} to memref<2x4xf64,
// The first M index varies fastest among blocks.
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]] : index to i32
// CHECK-DAG: %[[M:.*]] = arith.remui %[[NUMBER]], %c3_i32
// CHECK-DAG: %[[N:.*]] = arith.divui %[[NUMBER]], %c3_i32
// CHECK-DAG: %[[M0:.*]] = arith.muli %[[M]], %c4_i32
// CHECK-DAG: %[[N0:.*]] = arith.muli %[[N]], %c4_i32
// CHECK: %[[FIRST_A:.*]] = tc.fetch_tile a of %[[FLAT_A]] at[%[[M0]], %c0_i32] :
// CHECK: %[[FIRST_B:.*]] = tc.fetch_tile b of %{{.*}} at[%[[N0]], %c0_i32] :
// CHECK: %[[SUMS:.*]]:5 = scf.for %[[STEP:.*]] = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[TILE_A:.*]] = %[[FIRST_A]], %[[TILE_B:.*]] = %[[FIRST_B]], %[[K0:.*]] = %c0_i32)
// CHECK: gpu.barrier
// CHECK: tc.deposit_tile a %[[TILE_A]] into %[[PANEL_A]]
// CHECK: tc.deposit_tile b %[[TILE_B]] into %[[PANEL_B]]
// CHECK: gpu.barrier
// CHECK: %[[K1:.*]] = arith.addi %[[K0]], %c2_i32
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[STEP]], %c2_i32
// CHECK: %[[NEXT_A:.*]] = tc.fetch_tile a of %[[FLAT_A]] at[%[[M0]], %[[K1]]] if %[[MORE]]
// CHECK: %[[NEXT_B:.*]] = tc.fetch_tile b of %{{.*}} at[%[[N0]], %[[K1]]] if %[[MORE]]
// CHECK: %[[P:.*]]:2 = tc.multiply_panels %[[PANEL_A]], %[[PANEL_B]] into %[[S0]], %[[S1]]
// CHECK: scf.yield %[[P]]#0, %[[P]]#1, %[[NEXT_A]], %[[NEXT_B]], %[[K1]]
// CHECK: tc.store_tile %[[SUMS]]#0, %[[SUMS]]#1 to %{{.*}} at[%[[M0]], %[[N0]]]
// CHECK-NOT: tc.contract
gpu.module @kernels {
  gpu.func @matmul(%A: memref<10x6xf64, #gpu.address_space<global>>, %B: memref<6x12xf64, #gpu.address_space<global>>, %C: memref<10x12xf64, #gpu.address_space<global>>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%A, %B : memref<10x6xf64, #gpu.address_space<global>>, memref<6x12xf64, #gpu.address_space<global>>)
        outs(%C : memref<10x12xf64, #gpu.address_space<global>>)
    gpu.return
  }
}

// -----

// One tile that spans all of K needs no loop.

#kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [2, 2]>>

// CHECK-LABEL: gpu.func @outer_product
// CHECK-NOT: scf.for
// CHECK: tc.fetch_tile a of %{{.*}} at[%{{.*}}] :
// CHECK: tc.deposit_tile b
// CHECK: gpu.barrier
// CHECK: tc.multiply_panels
// CHECK: tc.store_tile
gpu.module @kernels {
  gpu.func @outer_product(%A: memref<10xf64>, %B: memref<12xf64>, %C: memref<10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m], [n] -> [m, n] ins(%A, %B : memref<10xf64>, memref<12xf64>) outs(%C : memref<10x12xf64>)
    gpu.return
  }
}

// -----

// Two K indices step like the digits of a number; batch indices come from the
// block alone.

#kernel = #tc.kernel<a = [z, m, k, l], b = [z, k, l, n], c = [z, m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 1, l: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @batched
// CHECK: %[[Z:.*]] = arith.divui %{{.*}}, %c9_i32
// CHECK: tc.fetch_tile a of %{{.*}} at[%[[Z]], %[[M0:.*]], %c0_i32, %c0_i32]
// CHECK: scf.for %{{.*}} = %c0_i32 to %c15_i32 {{.*}}%[[K:[a-z0-9]*]] = %c0_i32, %[[L:[a-z0-9]*]] = %c0_i32)
// CHECK: %[[L_STEPPED:.*]] = arith.addi %[[L]], %c2_i32
// CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %[[L_STEPPED]], %c5_i32
// CHECK: %[[L_NEXT:.*]] = arith.select %[[WITHIN]], %[[L_STEPPED]], %c0_i32
// CHECK: %[[K_STEPPED:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: %[[K_NEXT:.*]] = arith.select %{{.*}}, %[[K_STEPPED]], %[[K]] :
// CHECK: tc.fetch_tile a of %{{.*}} at[%[[Z]], %[[M0]], %[[K_NEXT]], %[[L_NEXT]]]
gpu.module @kernels {
  gpu.func @batched(%A: memref<7x10x5x5xf64>, %B: memref<7x5x5x12xf64>, %C: memref<7x10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [z, m, k, l], [z, k, l, n] -> [z, m, n] ins(%A, %B : memref<7x10x5x5xf64>, memref<7x5x5x12xf64>) outs(%C : memref<7x10x12xf64>)
    gpu.return
  }
}
