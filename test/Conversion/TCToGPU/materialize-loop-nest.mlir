// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// Two pairs of shared tiles of 128 bytes. A's rows are along K, B's along N. While
// one pair is multiplied, the next tile is on its way to the other one; one
// barrier a step is enough.

// CHECK-LABEL: gpu.func @matmul
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<10x6xf64
// CHECK-DAG: %[[FLAT_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [60], strides: [1]
// CHECK-DAG: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// The first M index varies fastest among blocks.
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]] : index to i32
// CHECK-DAG: %[[M:.*]] = arith.remui %[[NUMBER]], %c3_i32
// CHECK-DAG: %[[N:.*]] = arith.divui %[[NUMBER]], %c3_i32
// CHECK-DAG: %[[M0:.*]] = arith.muli %[[M]], %c4_i32
// CHECK-DAG: %[[N0:.*]] = arith.muli %[[N]], %c4_i32
// CHECK: %[[FIRST_A:.*]] = memref.view %[[SHARED]][%c0][] : {{.*}} to memref<4x2xf64,
// CHECK: tc.copy_tile a of %[[FLAT_A]] at[%[[M0]], %c0_i32] into %[[FIRST_A]] :
// CHECK: %[[FIRST_B:.*]] = memref.view %[[SHARED]][%c64][] : {{.*}} to memref<2x4xf64,
// CHECK: tc.copy_tile b of %{{.*}} at[%[[N0]], %c0_i32] into %[[FIRST_B]] :
// CHECK-NEXT: %[[FIRST:.*]] = tc.group_copies
// CHECK-NEXT: %[[SUMS:.*]]:6 = scf.for %[[STEP:.*]] = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%[[S0:.*]] = %{{.*}}, %[[S1:.*]] = %{{.*}}, %[[K:.*]] = %c2_i32, %[[BUFFER:.*]] = %c0_i32, %[[FREE:.*]] = %c128_i32, %[[GROUP:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[STEP]], %c2_i32
// CHECK-NEXT: %[[AT_A:.*]] = arith.index_cast %[[BUFFER]] : i32 to index
// CHECK-NEXT: %[[PANEL_A:.*]] = memref.view %[[SHARED]][%[[AT_A]]][] : {{.*}} to memref<4x2xf64,
// CHECK-NEXT: %[[AT_B:.*]] = arith.addi %[[AT_A]], %c64
// CHECK-NEXT: %[[PANEL_B:.*]] = memref.view %[[SHARED]][%[[AT_B]]][] : {{.*}} to memref<2x4xf64,
// CHECK-NEXT: %[[TILES:.*]]:2 = tc.wait_for_tiles %[[PANEL_A]], %[[PANEL_B]] after %[[GROUP]] :
// CHECK-NEXT: %[[AT_NEXT_A:.*]] = arith.index_cast %[[FREE]] : i32 to index
// CHECK-NEXT: %[[NEXT_A:.*]] = memref.view %[[SHARED]][%[[AT_NEXT_A]]][] : {{.*}} to memref<4x2xf64,
// CHECK-NEXT: %[[COPY_A:.*]] = tc.copy_tile a of %[[FLAT_A]] at[%[[M0]], %[[K]]] into %[[NEXT_A]] if %[[MORE]]
// CHECK-NEXT: %[[AT_NEXT_B:.*]] = arith.addi %[[AT_NEXT_A]], %c64
// CHECK-NEXT: %[[NEXT_B:.*]] = memref.view %[[SHARED]][%[[AT_NEXT_B]]][] : {{.*}} to memref<2x4xf64,
// CHECK-NEXT: %[[COPY_B:.*]] = tc.copy_tile b of %{{.*}} at[%[[N0]], %[[K]]] into %[[NEXT_B]] if %[[MORE]]
// CHECK-NEXT: %[[NEXT:.*]] = tc.group_copies[%[[COPY_A]], %[[COPY_B]]]
// CHECK-NEXT: %[[P:.*]]:2 = tc.multiply_tiles %[[TILES]]#0, %[[TILES]]#1 into %[[S0]], %[[S1]]
// CHECK-NEXT: %[[K_NEXT:.*]] = arith.addi %[[K]], %c2_i32
// CHECK-NEXT: %[[STEPPED:.*]] = arith.addi %[[BUFFER]], %c128_i32
// CHECK-NEXT: %[[WITHIN:.*]] = arith.cmpi slt, %[[BUFFER]], %c128_i32
// CHECK-NEXT: %[[BUFFER_NEXT:.*]] = arith.select %[[WITHIN]], %[[STEPPED]], %c0_i32
// CHECK-NEXT: %[[FREE_STEPPED:.*]] = arith.addi %[[FREE]], %c128_i32
// CHECK-NEXT: %[[FREE_WITHIN:.*]] = arith.cmpi slt, %[[FREE]], %c128_i32
// CHECK-NEXT: %[[FREE_NEXT:.*]] = arith.select %[[FREE_WITHIN]], %[[FREE_STEPPED]], %c0_i32
// CHECK-NEXT: scf.yield %[[P]]#0, %[[P]]#1, %[[K_NEXT]], %[[BUFFER_NEXT]], %[[FREE_NEXT]], %[[NEXT]] :
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

// Three stages: two tiles are on their way when the loop begins, and of the
// groups that are open one may stay so when a step begins.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], stages = 3>>

// CHECK-LABEL: gpu.func @three_stages
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[A0:.*]] = memref.view %[[SHARED]][%c0][]
// CHECK: tc.copy_tile a of %{{.*}} at[%[[M0:.*]], %c0_i32] into %[[A0]] :
// CHECK: %[[B0:.*]] = memref.view %[[SHARED]][%c64][]
// CHECK: tc.copy_tile b of %{{.*}} at[%[[N0:.*]], %c0_i32] into %[[B0]] :
// CHECK-NEXT: %[[FIRST:.*]] = tc.group_copies
// CHECK-NEXT: %[[A1:.*]] = memref.view %[[SHARED]][%c128][]
// CHECK-NEXT: tc.copy_tile a of %{{.*}} at[%[[M0]], %c2_i32] into %[[A1]] :
// CHECK-NEXT: %[[B1:.*]] = memref.view %[[SHARED]][%c192][]
// CHECK-NEXT: tc.copy_tile b of %{{.*}} at[%[[N0]], %c2_i32] into %[[B1]] :
// CHECK-NEXT: %[[SECOND:.*]] = tc.group_copies
// CHECK-NEXT: scf.for %[[STEP:.*]] = %c0_i32 to %c5_i32 step %c1_i32 iter_args(%{{.*}}, %{{.*}}, %[[K:.*]] = %c4_i32, %[[BUFFER:.*]] = %c0_i32, %[[FREE:.*]] = %c256_i32, %[[OLDER:.*]] = %[[FIRST]], %[[NEWER:.*]] = %[[SECOND]])
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[STEP]], %c3_i32
// CHECK: tc.wait_for_tiles %{{.*}} after %[[OLDER]] later 1 :
// CHECK: tc.copy_tile a of %{{.*}} at[%[[M0]], %[[K]]] into %{{.*}} if %[[MORE]]
// CHECK: tc.copy_tile b of %{{.*}} at[%[[N0]], %[[K]]] into %{{.*}} if %[[MORE]]
// CHECK-NEXT: %[[NEWEST:.*]] = tc.group_copies
// CHECK: tc.multiply_tiles
// CHECK: %[[STEPPED:.*]] = arith.addi %[[BUFFER]], %c128_i32
// CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %[[BUFFER]], %c256_i32
// CHECK: arith.select %[[WITHIN]], %[[STEPPED]], %c0_i32
// CHECK: arith.cmpi slt, %[[FREE]], %c256_i32
// CHECK: scf.yield %{{.*}}, %[[NEWER]], %[[NEWEST]] :
// CHECK-NOT: gpu.barrier
// CHECK: tc.store_tile
gpu.module @kernels {
  gpu.func @three_stages(%A: memref<10x10xf64>, %B: memref<10x12xf64>, %C: memref<10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<10x10xf64>, memref<10x12xf64>) outs(%C : memref<10x12xf64>)
    gpu.return
  }
}

// -----

// No more buffers than tiles: of five stages, two tiles take two.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], stages = 5>>

// CHECK-LABEL: gpu.func @few_tiles
// CHECK-COUNT-1: tc.group_copies
// CHECK-NEXT: scf.for %[[STEP:.*]] = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%{{.*}}, %{{.*}}, %{{.*}} = %c2_i32, %{{.*}} = %c0_i32, %{{.*}} = %c128_i32, %[[GROUP:.*]] = %{{.*}})
// CHECK-NEXT: arith.cmpi slt, %[[STEP]], %c1_i32
// CHECK: tc.wait_for_tiles %{{.*}} after %[[GROUP]] :
gpu.module @kernels {
  gpu.func @few_tiles(%A: memref<10x4xf64>, %B: memref<4x12xf64>, %C: memref<10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<10x4xf64>, memref<4x12xf64>) outs(%C : memref<10x12xf64>)
    gpu.return
  }
}

// -----

// Before sm_80, tiles pass through registers: loaded before the product of the
// tile before them, stored after it.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_75", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @through_registers
// CHECK-NOT: tc.group_copies
// CHECK-NOT: tc.copy_tile
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[FIRST_A:.*]] = tc.load_tile_from_global a of %{{.*}} at[%[[M0:.*]], %c0_i32] :
// CHECK-NEXT: %[[FIRST_B:.*]] = tc.load_tile_from_global b of %{{.*}} at[%[[N0:.*]], %c0_i32] :
// CHECK-NEXT: %[[A0:.*]] = memref.view %[[SHARED]][%c0][] : {{.*}} to memref<4x2xf64,
// CHECK-NEXT: tc.store_tile_to_shared a %[[FIRST_A]] into %[[A0]]
// CHECK-NEXT: %[[B0:.*]] = memref.view %[[SHARED]][%c64][] : {{.*}} to memref<2x4xf64,
// CHECK-NEXT: tc.store_tile_to_shared b %[[FIRST_B]] into %[[B0]]
// CHECK-NEXT: scf.for %[[STEP:.*]] = %c0_i32 to %c5_i32 step %c1_i32 iter_args(%{{.*}}, %{{.*}}, %[[K:.*]] = %c2_i32, %[[BUFFER:.*]] = %c0_i32, %[[FREE:.*]] = %c128_i32)
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[STEP]], %c4_i32
// CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[BUFFER]]
// CHECK-NEXT: memref.view %[[SHARED]][%[[AT]]]
// CHECK: %[[TILES:.*]]:2 = tc.wait_for_tiles %{{[^ ]+}}, %{{[^ ]+}} : memref
// CHECK-NEXT: %[[TILE_A:.*]] = tc.load_tile_from_global a of %{{.*}} at[%[[M0]], %[[K]]] if %[[MORE]]
// CHECK-NEXT: %[[TILE_B:.*]] = tc.load_tile_from_global b of %{{.*}} at[%[[N0]], %[[K]]] if %[[MORE]]
// CHECK-NEXT: tc.multiply_tiles %[[TILES]]#0, %[[TILES]]#1 into
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: %[[AT_FREE:.*]] = arith.index_cast %[[FREE]]
// CHECK-NEXT: %[[FREE_A:.*]] = memref.view %[[SHARED]][%[[AT_FREE]]]
// CHECK-NEXT: tc.store_tile_to_shared a %[[TILE_A]] into %[[FREE_A]]
// CHECK: tc.store_tile_to_shared b %[[TILE_B]] into
// CHECK-NEXT: }
// CHECK-NOT: gpu.barrier
// CHECK-NOT: tc.group_copies
// CHECK: tc.store_tile
gpu.module @kernels {
  gpu.func @through_registers(%A: memref<10x10xf64>, %B: memref<10x12xf64>, %C: memref<10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<10x10xf64>, memref<10x12xf64>) outs(%C : memref<10x12xf64>)
    gpu.return
  }
}

// -----

// Accesses of two bytes are too narrow to be asynchronous: A passes through
// registers, B does not.

#kernel = #tc.kernel<a = [k, m, l], b = [l, k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 1, k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @one_of_both
// CHECK: %[[FIRST_A:.*]]:2 = tc.load_tile_from_global a of
// CHECK: tc.copy_tile b of
// CHECK-NEXT: tc.group_copies
// CHECK: tc.store_tile_to_shared a %[[FIRST_A]]#0, %[[FIRST_A]]#1 into
// CHECK-NEXT: scf.for
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi
// CHECK: tc.wait_for_tiles %{{.*}} after %{{[^ ]+}} :
// CHECK-NEXT: %[[TILE_A:.*]]:2 = tc.load_tile_from_global a of %{{.*}} if %[[MORE]]
// CHECK: tc.copy_tile b of %{{.*}} if %[[MORE]]
// CHECK-NEXT: tc.group_copies
// CHECK: tc.multiply_tiles
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: tc.store_tile_to_shared a %[[TILE_A]]#0, %[[TILE_A]]#1 into
// CHECK-NOT: tc.store_tile_to_shared b
// CHECK: tc.store_tile
gpu.module @kernels {
  gpu.func @one_of_both(%A: memref<10x10x3xf16>, %B: memref<3x10x12xf16>, %C: memref<10x12xf16>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [k, m, l], [l, k, n] -> [m, n] ins(%A, %B : memref<10x10x3xf16>, memref<3x10x12xf16>) outs(%C : memref<10x12xf16>)
    gpu.return
  }
}

// -----

// One tile that spans all of K needs no loop.

#kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [2, 2]>>

// CHECK-LABEL: gpu.func @outer_product
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%c0][] : {{.*}} to memref<1x4xf64,
// CHECK-NEXT: tc.copy_tile a of %{{.*}} at[%{{.*}}] into %[[A]] :
// CHECK-NEXT: %[[B:.*]] = memref.view %{{.*}}[%c32][] : {{.*}} to memref<1x4xf64,
// CHECK-NEXT: tc.copy_tile b of %{{.*}} at[%{{.*}}] into %[[B]] :
// CHECK-NEXT: %[[GROUP:.*]] = tc.group_copies
// CHECK-NEXT: %[[TILES:.*]]:2 = tc.wait_for_tiles %[[A]], %[[B]] after %[[GROUP]] :
// CHECK-NEXT: %[[P:.*]]:2 = tc.multiply_tiles %[[TILES]]#0, %[[TILES]]#1 into
// CHECK-NEXT: tc.store_tile %[[P]]#0, %[[P]]#1
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
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %[[M0:.*]], %c0_i32, %c0_i32]
// CHECK: scf.for %{{.*}} = %c0_i32 to %c15_i32 {{.*}}%[[K:[a-z0-9]*]] = %c0_i32, %[[L:[a-z0-9]*]] = %c2_i32, %{{.*}} = %c0_i32, %{{.*}} = %c128_i32, %{{.*}})
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %[[M0]], %[[K]], %[[L]]]
// CHECK: tc.multiply_tiles
// CHECK: %[[L_STEPPED:.*]] = arith.addi %[[L]], %c2_i32
// CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %[[L_STEPPED]], %c5_i32
// CHECK: %[[L_NEXT:.*]] = arith.select %[[WITHIN]], %[[L_STEPPED]], %c0_i32
// CHECK: %[[K_STEPPED:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: %[[K_NEXT:.*]] = arith.select %[[WITHIN]], %[[K]], %[[K_STEPPED]] :
// CHECK: scf.yield %{{.*}}#0, %{{.*}}#1, %[[K_NEXT]], %[[L_NEXT]],
gpu.module @kernels {
  gpu.func @batched(%A: memref<7x10x5x5xf64>, %B: memref<7x5x5x12xf64>, %C: memref<7x10x12xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [z, m, k, l], [z, k, l, n] -> [z, m, n] ins(%A, %B : memref<7x10x5x5xf64>, memref<7x5x5x12xf64>) outs(%C : memref<7x10x12xf64>)
    gpu.return
  }
}

// -----

// The epilogue goes to where tiles are stored, with its tensors as they lie in
// memory. Sums of other semirings begin with their zero.

#kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 0.0 : f32, beta = 0x7F800000 : f32, semiring = min_plus, epilogue = write, auxiliaries = [[n]],
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [2, 2]>>

// CHECK-LABEL: gpu.func @fused
// CHECK-SAME: %[[SIDE:[a-z0-9]*]]: memref<8xf32, strided<[1], offset: 2>>) kernel
// CHECK: %[[ZERO:.*]] = arith.constant dense<0x7F800000> : vector<2xf32>
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[SIDE]] to offset: [0], sizes: [10], strides: [1]
// CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %[[ZERO]], %[[ZERO]]
// CHECK: tc.store_tile {{.*}} auxiliaries(%[[FLAT]] : memref<10xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f32, %[[ELEMENT:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[ELEMENT]]
gpu.module @kernels {
  gpu.func @fused(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8x8xf32>, %bias: memref<8xf32, strided<[1], offset: 2>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.contract [m], [n] -> [m, n] ins(%A, %B : memref<8xf32>, memref<8xf32>) outs(%C : memref<8x8xf32>)
        semiring = min_plus auxiliaries(%bias [n] : memref<8xf32, strided<[1], offset: 2>>) epilogue {
        ^bb0(%sum: f32, %old: f32, %b: f32):
          %r = arith.addf %sum, %b : f32
          tc.yield %r : f32
        }
    gpu.return
  }
}

// -----

// With matrix instructions, each round takes as many steps as there are pairs of
// shared tiles, whose places are constants, and nothing in the loop is conditional: of
// eleven steps, the last two are after it, and wait for one group and for none.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k8, stages = 3>>

// CHECK-LABEL: gpu.func @rounds
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[A0:.*]] = memref.view %[[SHARED]][%c0][]
// CHECK: tc.copy_tile a of %{{.*}} at[%c0_i32, %c0_i32] into %[[A0]] :
// CHECK: %[[B0:.*]] = memref.view %[[SHARED]][%c1536][]
// CHECK: tc.copy_tile b of %{{.*}} at[%c0_i32, %c0_i32] into %[[B0]] :
// CHECK-NEXT: %[[G0:.*]] = tc.group_copies
// CHECK-NEXT: %[[A1:.*]] = memref.view %[[SHARED]][%c2048][]
// CHECK-NEXT: tc.copy_tile a of %{{.*}} at[%c0_i32, %c8_i32] into %[[A1]] :
// CHECK-NEXT: %[[B1:.*]] = memref.view %[[SHARED]][%c3584][]
// CHECK-NEXT: tc.copy_tile b of %{{.*}} at[%c0_i32, %c8_i32] into %[[B1]] :
// CHECK-NEXT: %[[G1:.*]] = tc.group_copies
// CHECK-NEXT: %[[LOOP:.*]]:5 = scf.for %{{.*}} = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%{{.*}}, %{{.*}}, %[[K:.*]] = %c16_i32, %[[OLDER:.*]] = %[[G0]], %[[NEWER:.*]] = %[[G1]])
// CHECK-NEXT: %[[T0:.*]]:2 = tc.wait_for_tiles %[[A0]], %[[B0]] after %[[OLDER]] later 1 :
// CHECK-NEXT: %[[A2:.*]] = memref.view %[[SHARED]][%c4096][]
// CHECK-NEXT: tc.copy_tile a of %{{.*}} at[%c0_i32, %[[K]]] into %[[A2]] :
// CHECK-NEXT: %[[B2:.*]] = memref.view %[[SHARED]][%c5632][]
// CHECK-NEXT: tc.copy_tile b of %{{.*}} at[%c0_i32, %[[K]]] into %[[B2]] :
// CHECK-NEXT: %[[G2:.*]] = tc.group_copies
// CHECK-NEXT: tc.multiply_tiles %[[T0]]#0, %[[T0]]#1 into
// CHECK: %[[T1:.*]]:2 = tc.wait_for_tiles %[[A1]], %[[B1]] after %[[NEWER]] later 1 :
// CHECK-NEXT: tc.copy_tile a of %{{.*}} into %[[A0]] :
// CHECK: %[[G3:.*]] = tc.group_copies
// CHECK: tc.multiply_tiles %[[T1]]#0, %[[T1]]#1 into
// CHECK: %[[T2:.*]]:2 = tc.wait_for_tiles %[[A2]], %[[B2]] after %[[G2]] later 1 :
// CHECK-NEXT: tc.copy_tile a of %{{.*}} into %[[A1]] :
// CHECK: %[[G4:.*]] = tc.group_copies
// CHECK: tc.multiply_tiles %[[T2]]#0, %[[T2]]#1 into
// CHECK: %[[K_NEXT:.*]] = arith.addi %[[K]], %c24_i32
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[K_NEXT]], %[[G3]], %[[G4]] :
// CHECK: %[[T3:.*]]:2 = tc.wait_for_tiles %[[A0]], %[[B0]] after %[[LOOP]]#3 later 1 :
// CHECK-NEXT: %[[P:.*]]:2 = tc.multiply_tiles %[[T3]]#0, %[[T3]]#1 into %[[LOOP]]#0, %[[LOOP]]#1
// CHECK-NEXT: %[[T4:.*]]:2 = tc.wait_for_tiles %[[A1]], %[[B1]] after %[[LOOP]]#4 :
// CHECK-NEXT: tc.multiply_tiles %[[T4]]#0, %[[T4]]#1 into %[[P]]#0, %[[P]]#1
// CHECK-NEXT: tc.store_tile
gpu.module @kernels {
  gpu.func @rounds(%A: memref<16x88xf64>, %B: memref<88x8xf64>, %C: memref<16x8xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<16x88xf64>, memref<88x8xf64>) outs(%C : memref<16x8xf64>)
    gpu.return
  }
}

// -----

// Two K indices step like the digits of a number; batch indices come from the
// block alone. A round takes as many steps as return the last index to where it
// was, so that no carry has to be worked out; the steps that are left do so.

#kernel = #tc.kernel<a = [z, m, k, l], b = [z, k, l, n], c = [z, m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 1, l: 8], register = [2, 2], instruction = mma_m16n8k8>>

// CHECK-LABEL: gpu.func @rounds_of_digits
// CHECK: %[[Z:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %c0_i32, %c0_i32]
// CHECK: %[[LOOP:.*]]:4 = scf.for %{{.*}} = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%{{.*}}, %{{.*}}, %[[K:[a-z0-9]*]] = %c0_i32, %{{.*}})
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K]], %c8_i32]
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K]], %c16_i32]
// CHECK: %[[K1:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K1]], %c0_i32]
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K1]], %c8_i32]
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K1]], %c16_i32]
// CHECK: %[[K2:.*]] = arith.addi %[[K]], %c2_i32
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K2]], %c0_i32]
// CHECK: scf.yield %{{.*}}#0, %{{.*}}#1, %[[K2]], %{{.*}} :
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32 {{.*}}%[[K:[a-z0-9]*]] = %[[LOOP]]#2, %[[L:[a-z0-9]*]] = %c8_i32, %[[BUFFER:.*]] = %c0_i32, %[[FREE:.*]] = %c2048_i32, %{{.*}} = %[[LOOP]]#3)
// CHECK: %[[AT_FREE:.*]] = arith.index_cast %[[FREE]] : i32 to index
// CHECK: %[[NEXT_A:.*]] = memref.view %{{.*}}[%[[AT_FREE]]][]
// CHECK: tc.copy_tile a of %{{.*}} at[%[[Z]], %c0_i32, %[[K]], %[[L]]] into %[[NEXT_A]]
// CHECK: tc.multiply_tiles
// CHECK: %[[L_STEPPED:.*]] = arith.addi %[[L]], %c8_i32
// CHECK: %[[L_WITHIN:.*]] = arith.cmpi slt, %[[L_STEPPED]], %c24_i32
// CHECK: %[[L_NEXT:.*]] = arith.select %[[L_WITHIN]], %[[L_STEPPED]], %c0_i32
// CHECK: %[[K_STEPPED:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: %[[K_NEXT:.*]] = arith.select %[[L_WITHIN]], %[[K]], %[[K_STEPPED]] :
// CHECK: %[[STEPPED:.*]] = arith.addi %[[BUFFER]], %c2048_i32
// CHECK: %[[WITHIN:.*]] = arith.cmpi slt, %[[BUFFER]], %c2048_i32
// CHECK: %[[BUFFER_NEXT:.*]] = arith.select %[[WITHIN]], %[[STEPPED]], %c0_i32
// CHECK: scf.yield %{{.*}}#0, %{{.*}}#1, %[[K_NEXT]], %[[L_NEXT]], %[[BUFFER_NEXT]], %{{.*}} :
gpu.module @kernels {
  gpu.func @rounds_of_digits(%A: memref<7x16x5x24xf64>, %B: memref<7x5x24x8xf64>, %C: memref<7x16x8xf64>) kernel attributes {tc.kernel = #kernel} {
    tc.contract [z, m, k, l], [z, k, l, n] -> [z, m, n] ins(%A, %B : memref<7x16x5x24xf64>, memref<7x5x24x8xf64>) outs(%C : memref<7x16x8xf64>)
    gpu.return
  }
}
