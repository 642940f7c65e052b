// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-tile-copies,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// A's stride-one index is k: a thread loads two values of k at once and writes
// them to two rows of the panel. Tiles of 4 don't divide m's extent of 10, so
// the load is guarded; they do divide n's.

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
// CHECK: %[[OFFSET:.*]] = arith.addi %[[FIXED]], %[[K0]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[OFFSET]] : i32 to index
// CHECK: vector.load %[[A]][%[[AT]]] {alignment = 16 : i64} : memref<60xf64, #gpu.address_space<global>>, vector<2xf64>
// CHECK: } else {
// CHECK: scf.yield %[[ZERO]]
// CHECK: } else {
// CHECK: scf.yield %[[ZERO]]

// CHECK-NOT: scf.if
// CHECK: vector.load %[[B]]
// CHECK-NOT: scf.if

// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [12], strides: [1]
// CHECK: %[[E0:.*]] = vector.extract %[[FETCHED]][0]
// CHECK: memref.store %[[E0]], %[[FLAT]][%{{.*}}]
// CHECK: %[[E1:.*]] = vector.extract %[[FETCHED]][1]
// CHECK: %[[NEXT_ROW:.*]] = arith.addi %{{.*}}, %c6 overflow<nsw> : index
// CHECK: memref.store %[[E1]], %[[FLAT]][%[[NEXT_ROW]]]

// CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}] {alignment = 16 : i64} : memref<8xf64, #gpu.address_space<workgroup>>, vector<2xf64>
// CHECK-NOT: tc.
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @matmul(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>,
                   %A: memref<60xf64, #gpu.address_space<global>>, %B: memref<72xf64, #gpu.address_space<global>>,
                   %m0: i32, %n0: i32, %k0: i32, %more: i1,
                   %pa: memref<2x6xf64, #gpu.address_space<workgroup>>, %pb: memref<2x4xf64, #gpu.address_space<workgroup>>)
      kernel attributes {tc.kernel = #kernel} {
    %a = tc.fetch_tile a of %A at [%m0, %k0] if %more : memref<60xf64, #gpu.address_space<global>>, i32, i32 -> vector<2xf64>
    %b = tc.fetch_tile b of %B at [%n0, %k0] : memref<72xf64, #gpu.address_space<global>>, i32, i32 -> vector<2xf64>
    tc.deposit_tile a %a into %pa : vector<2xf64> into memref<2x6xf64, #gpu.address_space<workgroup>>
    tc.deposit_tile b %b into %pb : vector<2xf64> into memref<2x4xf64, #gpu.address_space<workgroup>>
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
// CHECK: %[[COLUMN:.*]] = arith.extsi %[[K0]] : i32 to i64
// CHECK: arith.addi %{{.*}}, %[[COLUMN]] overflow<nsw> : i64
// CHECK: arith.index_cast %{{.*}} : i64 to index
// CHECK: vector.load %{{.*}} : memref<4900000000xf32>
// CHECK-NOT: i64 to index
// CHECK: vector.load %{{.*}} : memref<70000xf32>
gpu.module @kernels {
  gpu.func @wide(%arg0: memref<70000x70000xf32>, %arg1: memref<70000xf32>, %arg2: memref<70000xf32>,
                 %A: memref<4900000000xf32>, %B: memref<70000xf32>, %out: memref<4xf32>, %m0: i32, %k0: i32)
      kernel attributes {tc.kernel = #kernel} {
    %a = tc.fetch_tile a of %A at [%m0, %k0] : memref<4900000000xf32>, i32, i32 -> vector<4xf32>
    %b = tc.fetch_tile b of %B at [%k0] : memref<70000xf32>, i32 -> vector<4xf32>
    %c0 = arith.constant 0 : index
    vector.store %a, %out[%c0] : memref<4xf32>, vector<4xf32>
    vector.store %b, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}
