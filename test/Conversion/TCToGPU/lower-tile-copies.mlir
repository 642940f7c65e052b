// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-tile-copies,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_75", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// A's stride-one index is k, and its shared tile has rows along k: a thread loads two
// values of k at once and stores them at once. Tiles of 4 don't divide m's
// extent of 10, so the load is guarded; they do divide n's.

// CHECK-LABEL: gpu.func @matmul
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<60xf64, #gpu.address_space<global>>, %[[B:[a-z0-9]*]]: memref<72xf64, #gpu.address_space<global>>, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32, %[[MORE:[a-z0-9]*]]: i1,
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2xf64>
// CHECK: %[[FETCHED:.*]] = scf.if %[[MORE]] -> (vector<2xf64>) {
// CHECK: %[[BLOCK:.*]] = arith.muli %[[M0]], %c6_i32
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[T:.*]] = arith.index_cast %[[THREAD]] : index to i32
// CHECK: %[[ROW:.*]] = arith.muli %[[T]], %c6_i32
// CHECK: %[[FIXED:.*]] = arith.addi %[[BLOCK]], %[[ROW]]
// CHECK: %[[M:.*]] = arith.addi %[[M0]], %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[M]], %c10_i32
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[FIXED]] : i32 to index
// CHECK: %[[ROW_OF_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[BEGIN]]], sizes: [60], strides: [1]
// CHECK: %[[AT:.*]] = arith.index_cast %[[K0]] : i32 to index
// CHECK: scf.if %[[INSIDE]]
// CHECK: vector.load %[[ROW_OF_A]][%[[AT]]] {alignment = 16 : i64} : memref<60xf64, {{.*}}>, vector<2xf64>
// CHECK: } else {
// CHECK: scf.yield %[[ZERO]]
// CHECK: } else {
// CHECK: scf.yield %[[ZERO]]

// CHECK-NOT: scf.if
// CHECK: %[[PART_OF_B:.*]] = memref.reinterpret_cast %[[B]] to offset
// CHECK: vector.load %[[PART_OF_B]]
// CHECK-NOT: scf.if

// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[PLACE:.*]] = arith.muli %{{.*}}, %c2_i32
// CHECK: %[[AT_PLACE:.*]] = arith.index_cast %[[PLACE]]
// CHECK: vector.store %[[FETCHED]], %[[FLAT]][%[[AT_PLACE]]] {alignment = 16 : i64} : memref<8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
// CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
// CHECK-NOT: tc.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @matmul(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>,
                   %A: memref<60xf64, #gpu.address_space<global>>, %B: memref<72xf64, #gpu.address_space<global>>,
                   %m0: i32, %n0: i32, %k0: i32, %more: i1,
                   %pa: memref<4x2xf64, #gpu.address_space<workgroup>>, %pb: memref<2x4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %a = tc.load_tile_from_global a of %A at [%m0, %k0] if %more : memref<60xf64, #gpu.address_space<global>>, i32, i32 -> vector<2xf64>
    %b = tc.load_tile_from_global b of %B at [%n0, %k0] : memref<72xf64, #gpu.address_space<global>>, i32, i32 -> vector<2xf64>
    tc.store_tile_to_shared a %a into %pa : vector<2xf64> into memref<4x2xf64, #gpu.address_space<workgroup>>
    tc.store_tile_to_shared b %b into %pb : vector<2xf64> into memref<2x4xf64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A's stride-one index is l, but the shared tile's rows are along m, and neighbouring
// values of l are two rows apart: the two of an access are stored one by one.

#kernel = #tc.kernel<a = [m, k, l], b = [k, l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_75", m = [m: 4], n = [n: 4], k = [l: 2, k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @transposed
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [16], strides: [1]
// CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK: %[[PLACE:.*]] = arith.addi %[[K]], %{{.*}} overflow<nsw> : i32
// CHECK: %[[E0:.*]] = vector.extract %{{.*}}[0]
// CHECK: %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK: memref.store %[[E0]], %[[FLAT]][%[[AT]]]
// CHECK: %[[E1:.*]] = vector.extract %{{.*}}[1]
// CHECK: %[[NEXT_L:.*]] = arith.addi %[[AT]], %c8 overflow<nsw> : index
// CHECK: memref.store %[[E1]], %[[FLAT]][%[[NEXT_L]]]
// CHECK: %[[NEXT_M:.*]] = arith.addi %[[AT]], %c2 overflow<nsw> : index
// CHECK: memref.store %{{.*}}, %[[FLAT]][%[[NEXT_M]]]
// CHECK: %[[NEXT_ML:.*]] = arith.addi %[[AT]], %c10 overflow<nsw> : index
// CHECK: memref.store %{{.*}}, %[[FLAT]][%[[NEXT_ML]]]
// CHECK-NOT: vector.store
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @transposed(%arg0: memref<10x6x4xf64>, %arg1: memref<6x4x12xf64>, %arg2: memref<10x12xf64>,
                       %r0: vector<2xf64>, %r1: vector<2xf64>, %pa: memref<4x4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile_to_shared a %r0, %r1 into %pa : vector<2xf64>, vector<2xf64> into memref<4x4xf64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// A spans more than 2^31 elements, so that its offsets take 64 bits; B's don't.

#kernel = #tc.kernel<a = [m, k], b = [k], c = [m], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [k: 4], register = [1, 1]>>

// CHECK-LABEL: gpu.func @wide
// CHECK-SAME: %[[M0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32)
// CHECK: %[[ROW:.*]] = arith.extsi %[[M0]] : i32 to i64
// CHECK: arith.muli %[[ROW]], %{{.*}} overflow<nsw> : i64
// CHECK: %[[BEGIN:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[BEGIN]]], sizes: [4900000000]
// CHECK: %[[COLUMN:.*]] = arith.index_cast %[[K0]] : i32 to index
// CHECK: vector.load %{{.*}}[%[[COLUMN]]] {{.*}} : memref<4900000000xf32
// CHECK-NOT: i64 to index
// CHECK: vector.load %{{.*}} : memref<70000xf32
gpu.module @kernels {
  gpu.func @wide(%arg0: memref<70000x70000xf32>, %arg1: memref<70000xf32>, %arg2: memref<70000xf32>,
                 %A: memref<4900000000xf32>, %B: memref<70000xf32>, %out: memref<4xf32>, %m0: i32, %k0: i32)
      kernel attributes {tc.kernel = #kernel} {
    %a = tc.load_tile_from_global a of %A at [%m0, %k0] : memref<4900000000xf32>, i32, i32 -> vector<4xf32>
    %b = tc.load_tile_from_global b of %B at [%k0] : memref<70000xf32>, i32 -> vector<4xf32>
    %c0 = arith.constant 0 : index
    vector.store %a, %out[%c0] : memref<4xf32>, vector<4xf32>
    vector.store %b, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

// The same tiles copied without registers in between: 16 bytes at once, past the
// L1 cache. Elements beyond the tensor are filled up with zeros: no element is
// read. Nothing at all happens if there is no tile.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @asynchronous
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<60xf64, #gpu.address_space<global>>, %[[B:[a-z0-9]*]]: memref<72xf64, #gpu.address_space<global>>, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32, %[[K0:[a-z0-9]*]]: i32, %[[MORE:[a-z0-9]*]]: i1, %[[PA:[a-z0-9]*]]: memref<4x2xf64, #gpu.address_space<workgroup>>
// CHECK: scf.if %[[MORE]] {
// CHECK-NEXT: %[[FLAT_A:.*]] = memref.reinterpret_cast %[[PA]] to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[BLOCK:.*]] = arith.muli %[[M0]], %c6_i32
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[ROW:.*]] = arith.muli %[[T]], %c6_i32
// CHECK: %[[FIXED:.*]] = arith.addi %[[BLOCK]], %[[ROW]]
// CHECK: %[[M:.*]] = arith.addi %[[M0]], %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[M]], %c10_i32
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[FIXED]]
// CHECK: %[[ROW_OF_A:.*]] = memref.reinterpret_cast %[[A]] to offset: [%[[BEGIN]]], sizes: [60], strides: [1]
// CHECK: %[[AT:.*]] = arith.index_cast %[[K0]]
// CHECK: %[[COUNT:.*]] = arith.select %[[INSIDE]], %c2, %c0 : index
// CHECK: %[[PLACE:.*]] = arith.muli %[[T]], %c2_i32
// CHECK: %[[AT_PLACE:.*]] = arith.index_cast %[[PLACE]]
// CHECK: nvgpu.device_async_copy %[[ROW_OF_A]][%[[AT]]], %[[FLAT_A]][%[[AT_PLACE]]], 2, %[[COUNT]] {bypassL1} :
// CHECK-NEXT: }
// CHECK-NOT: scf.if
// CHECK: %[[PART_OF_B:.*]] = memref.reinterpret_cast %[[B]] to offset
// CHECK: nvgpu.device_async_copy %[[PART_OF_B]][%{{.*}}], %{{.*}}[%{{.*}}], 2 {bypassL1} :
// A group has all copies before it.
// CHECK: %[[GROUP:.*]] = tc.group_copies[]
// CHECK: tc.wait_for_tiles %{{.*}} after %[[GROUP]]
// CHECK-NOT: nvgpu
// CHECK-NOT: tc.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @asynchronous(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>,
                   %A: memref<60xf64, #gpu.address_space<global>>, %B: memref<72xf64, #gpu.address_space<global>>,
                   %m0: i32, %n0: i32, %k0: i32, %more: i1,
                   %pa: memref<4x2xf64, #gpu.address_space<workgroup>>, %pb: memref<2x4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %copy0 = tc.copy_tile a of %A at [%m0, %k0] into %pa if %more : memref<60xf64, #gpu.address_space<global>>, i32, i32 into memref<4x2xf64, #gpu.address_space<workgroup>>
    %copy1 = tc.copy_tile b of %B at [%n0, %k0] into %pb : memref<72xf64, #gpu.address_space<global>>, i32, i32 into memref<2x4xf64, #gpu.address_space<workgroup>>
    %group = tc.group_copies [%copy1, %copy0, %copy1]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x2xf64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Eight bytes of A and four of B (whose rows of 13 allow no more) go through the
// L1 cache. There are sixteen threads, but only four and eight accesses.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_80", m = [m: 4], n = [n: 4], k = [k: 2], register = [1, 1]>>

// CHECK-LABEL: gpu.func @narrow
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<60xf32>, %[[B:[a-z0-9]*]]: memref<78xf32>
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[ROW_AT:.*]] = arith.addi %{{.*}}, %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW_AT]], %c10_i32
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[T]], %c4_i32
// CHECK-NEXT: scf.if %[[EXISTS]] {
// CHECK-NEXT: %[[COUNT:.*]] = arith.select %[[INSIDE]], %c2, %c0 : index
// The row of two is padded to 16 bytes.
// CHECK-NEXT: %[[PLACE:.*]] = arith.muli %[[T]], %c4_i32
// CHECK-NEXT: %[[AT_PLACE:.*]] = arith.index_cast %[[PLACE]]
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], %{{.*}}[%[[AT_PLACE]]], 2, %[[COUNT]] :
// CHECK-NEXT: }
// CHECK: %[[INSIDE_B:.*]] = arith.cmpi slt, %{{.*}}, %c13_i32
// CHECK: %[[EXISTS_B:.*]] = arith.cmpi slt, %[[T]], %c8_i32
// CHECK-NEXT: scf.if %[[EXISTS_B]] {
// CHECK-NEXT: %[[COUNT_B:.*]] = arith.select %[[INSIDE_B]], %c1, %c0 : index
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], 1, %[[COUNT_B]] :
gpu.module @kernels {
  gpu.func @narrow(%arg0: memref<10x6xf32>, %arg1: memref<6x13xf32>, %arg2: memref<10x13xf32>,
                   %A: memref<60xf32>, %B: memref<78xf32>, %m0: i32, %n0: i32, %k0: i32,
                   %pa: memref<4x4xf32, #gpu.address_space<workgroup>>, %pb: memref<2x4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %copy0 = tc.copy_tile a of %A at [%m0, %k0] into %pa : memref<60xf32>, i32, i32 into memref<4x4xf32, #gpu.address_space<workgroup>>
    %copy1 = tc.copy_tile b of %B at [%n0, %k0] into %pb : memref<78xf32>, i32, i32 into memref<2x4xf32, #gpu.address_space<workgroup>>
    %group = tc.group_copies [%copy0, %copy1]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Neighbours in the tensor that are none in the shared tile are copied one by one.

#kernel = #tc.kernel<a = [m, k, l], b = [k, l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 2, k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @scattered
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[L:.*]] = arith.remui %[[T]], %c2_i32
// CHECK: %[[K:.*]] = arith.divui %[[T]], %c2_i32
// CHECK: %[[K_ROWS:.*]] = arith.muli %[[K]], %c4_i32
// CHECK: memref.reinterpret_cast
// CHECK: %[[FROM:.*]] = arith.index_cast %{{.*}}
// CHECK: %[[L_ROWS:.*]] = arith.muli %[[L]], %c8_i32
// CHECK: %[[PLACE:.*]] = arith.addi %[[L_ROWS]], %[[K_ROWS]]
// CHECK: %[[TO:.*]] = arith.index_cast %[[PLACE]]
// CHECK: nvgpu.device_async_copy %{{.*}}[%[[FROM]]], %{{.*}}[%[[TO]]], 1 :
// CHECK: %[[FROM_1:.*]] = arith.addi %[[FROM]], %c24 overflow<nsw> : index
// CHECK: %[[TO_1:.*]] = arith.addi %[[TO]], %c1 overflow<nsw> : index
// CHECK: nvgpu.device_async_copy %{{.*}}[%[[FROM_1]]], %{{.*}}[%[[TO_1]]], 1 :
// CHECK-COUNT-2: nvgpu.device_async_copy
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @scattered(%arg0: memref<12x6x4xf64>, %arg1: memref<6x4x12xf64>, %arg2: memref<12x12xf64>,
                   %A: memref<288xf64>, %m0: i32, %k0: i32, %l0: i32, %pa: memref<4x4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %copy0 = tc.copy_tile a of %A at [%m0, %l0, %k0] into %pa : memref<288xf64>, i32, i32, i32 into memref<4x4xf64, #gpu.address_space<workgroup>>
    %group = tc.group_copies [%copy0]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x4xf64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Tiles of 4 do not divide k's extent of 6. The elements of A's shared tile beyond
// must not be the least of sums: they are infinite. Copies that fill with zeros cannot
// write it, those of B can: any number added to infinity is infinite.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f32, beta = 0x7F800000 : f32, semiring = min_plus,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>>

// CHECK-LABEL: gpu.func @filled
// CHECK: %[[FILL:.*]] = arith.constant dense<0x7F800000> : vector<2xf32>
// CHECK: scf.if %{{.*}} -> (vector<2xf32>) {
// CHECK: vector.load
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[FILL]]
// CHECK: nvgpu.device_async_copy
gpu.module @kernels {
  gpu.func @filled(%arg0: memref<8x6xf32>, %arg1: memref<6x8xf32>, %arg2: memref<8x8xf32>,
                   %A: memref<48xf32>, %B: memref<48xf32>, %m0: i32, %n0: i32, %k0: i32,
                   %pa: memref<4x4xf32, #gpu.address_space<workgroup>>, %pb: memref<4x4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %a:2 = tc.load_tile_from_global a of %A at [%m0, %k0] : memref<48xf32>, i32, i32 -> vector<2xf32>, vector<2xf32>
    tc.store_tile_to_shared a %a#0, %a#1 into %pa : vector<2xf32>, vector<2xf32> into memref<4x4xf32, #gpu.address_space<workgroup>>
    %copy0 = tc.copy_tile b of %B at [%n0, %k0] into %pb : memref<48xf32>, i32, i32 into memref<4x4xf32, #gpu.address_space<workgroup>>
    %group = tc.group_copies [%copy0]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// The least byte is not the least sum, but no sum of two bytes is less than
// twice it.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0 : i32, beta = -2147483648 : i32, semiring = max_plus,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>>

// CHECK-LABEL: gpu.func @bytes
// CHECK: %[[FILL:.*]] = arith.constant dense<-128> : vector<2xi8>
// CHECK-COUNT-2: scf.yield %[[FILL]]
// CHECK: vector.load {{.*}} vector<4xi8>
// CHECK: scf.yield %{{.*}} : vector<4xi8>
gpu.module @kernels {
  gpu.func @bytes(%arg0: memref<8x6xi8>, %arg1: memref<6x8xi8>, %arg2: memref<8x8xi32>,
                   %A: memref<48xi8>, %B: memref<48xi8>, %m0: i32, %n0: i32, %k0: i32,
                   %pa: memref<4x16xi8, #gpu.address_space<workgroup>>, %pb: memref<4x16xi8, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %a:2 = tc.load_tile_from_global a of %A at [%m0, %k0] : memref<48xi8>, i32, i32 -> vector<2xi8>, vector<2xi8>
    %b = tc.load_tile_from_global b of %B at [%n0, %k0] : memref<48xi8>, i32, i32 -> vector<4xi8>
    tc.store_tile_to_shared a %a#0, %a#1 into %pa : vector<2xi8>, vector<2xi8> into memref<4x16xi8, #gpu.address_space<workgroup>>
    tc.store_tile_to_shared b %b into %pb : vector<4xi8> into memref<4x16xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Prologues map loaded elements before they are stored. A's keeps zeros, so that the
// zeros beyond K's extent of 6 stay; B's does not, and its shared tile gets them
// afterwards.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, prologue_a = f32, prologue_b = f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>>

// CHECK-LABEL: gpu.func @prologues
// CHECK-SAME: %[[K0:[a-z0-9]*]]: i32, %[[A0:[a-z0-9]*]]: vector<2xf32>, %[[A1:[a-z0-9]*]]: vector<2xf32>, %[[B0:[a-z0-9]*]]: vector<4xi8>,
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG: %[[SLOPE:.*]] = arith.constant dense<1.000000e-01> : vector<2xf32>
// CHECK: %[[LEAK:.*]] = arith.mulf %[[A0]], %[[SLOPE]] : vector<2xf32>
// CHECK: %[[FACTOR:.*]] = arith.maximumf %[[A0]], %[[LEAK]] : vector<2xf32>
// CHECK-NOT: arith.select
// CHECK: vector.store %[[FACTOR]], %{{.*}} {alignment = 8 : i64}
// CHECK: arith.mulf %[[A1]], %[[SLOPE]]
// CHECK: %[[NUMBER:.*]] = arith.sitofp %[[B0]] : vector<4xi8> to vector<4xf32>
// CHECK: %[[MOVED:.*]] = arith.addf %[[NUMBER]], %{{.*}} : vector<4xf32>
// CHECK: %[[K:.*]] = arith.addi %[[K0]], %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %c6_i32 : i32
// CHECK: %[[FILLED:.*]] = arith.select %[[INSIDE]], %[[MOVED]], %[[ZEROS]] : vector<4xf32>
// CHECK: vector.store %[[FILLED]], %{{.*}} {alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @prologues(%arg0: memref<8x6xf32>, %arg1: memref<6x12xi8>, %arg2: memref<8x12xf32>,
                      %k0: i32, %a0: vector<2xf32>, %a1: vector<2xf32>, %b: vector<4xi8>,
                      %pa: memref<4x4xf32, #gpu.address_space<workgroup>>, %pb: memref<4x4xf32, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile_to_shared a %a0, %a1 into %pa at [%k0] prologue {
    ^bb0(%x: f32):
      %slope = arith.constant 0.1 : f32
      %leak = arith.mulf %x, %slope : f32
      %factor = arith.maximumf %x, %leak : f32
      tc.yield %factor : f32
    } : vector<2xf32>, vector<2xf32> into memref<4x4xf32, #gpu.address_space<workgroup>>, i32
    tc.store_tile_to_shared b %b into %pb at [%k0] prologue {
    ^bb0(%x: i8):
      %one = arith.constant 1.0 : f32
      %number = arith.sitofp %x : i8 to f32
      %factor = arith.addf %number, %one : f32
      tc.yield %factor : f32
    } : vector<4xi8> into memref<4x4xf32, #gpu.address_space<workgroup>>, i32
    gpu.return
  }
}

// -----

// 8-bit floats that are multiplied as halves become these.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [k: 16], register = [2, 2], instruction = mma_m16n8k16>>

// CHECK-LABEL: gpu.func @halves
// CHECK-SAME: %[[A:[a-z0-9]*]]: vector<8xf8E5M2>
// CHECK: %[[HALVES:.*]] = arith.extf %[[A]] : vector<8xf8E5M2> to vector<8xf16>
// CHECK: vector.store %[[HALVES]], {{.*}} {alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @halves(%arg0: memref<32x32xf8E5M2>, %arg1: memref<32x32xf8E5M2>, %arg2: memref<32x32xf32>,
                   %a: vector<8xf8E5M2>, %pa: memref<16x16xf16, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile_to_shared a %a into %pa : vector<8xf8E5M2> into memref<16x16xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Neighbours in A are rows of the shared tile apart, but all accesses of a thread are of
// neighbours there: it stores the four of each value of l together.

#kernel = #tc.kernel<a = [k, m, l], b = [k, l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [l: 4, k: 2], register = [4, 4]>>

// CHECK-LABEL: gpu.func @gathered
// CHECK-SAME: %[[R0:[a-z0-9]*]]: vector<4xf16>, %[[R1:[a-z0-9]*]]: vector<4xf16>
// CHECK: %[[E0:.*]] = vector.extract %[[R0]][0]
// CHECK: %[[E1:.*]] = vector.extract %[[R1]][0]
// CHECK: %[[FOUR:.*]] = vector.from_elements %[[E0]], %[[E1]], %{{.*}}, %{{.*}} : vector<4xf16>
// CHECK: vector.store %[[FOUR]], {{.*}} {alignment = 8 : i64}
// CHECK-COUNT-3: vector.store
// CHECK-NOT: store
gpu.module @kernels {
  gpu.func @gathered(%arg0: memref<8x32x8xf16>, %arg1: memref<8x8x32xf16>, %arg2: memref<32x32xf32>,
                     %r0: vector<4xf16>, %r1: vector<4xf16>, %r2: vector<4xf16>, %r3: vector<4xf16>, %pa: memref<8x16xf16, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile_to_shared a %r0, %r1, %r2, %r3 into %pa : vector<4xf16>, vector<4xf16>, vector<4xf16>, vector<4xf16> into memref<8x16xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}
