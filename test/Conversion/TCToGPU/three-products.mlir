// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest))" | FileCheck %s --check-prefix=LOOPS
// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-materialize-loop-nest,tc-lower-tile-copies,tc-lower-store-tile,canonicalize,cse))" | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n],
    alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, conjugate_b,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [re_im_3m: 1, k: 4], register = [2, 2]>>

// The sums of the first of three loops over K are where the other two begin.

// LOOPS-LABEL: gpu.func @matmul
// LOOPS: tc.load_tile_from_global a of %{{.*}} -> vector<2xf64>
// LOOPS: tc.store_tile_to_shared a %{{[^:]*}} into %{{[^ ]*}} : vector<2xf64>
// LOOPS: %[[BOTH:.*]]:6 = scf.for
// LOOPS: gpu.barrier
// LOOPS: tc.store_tile_to_shared a %{{[^:]*}} into %{{[^ ]*}} product 1 : vector<2xf64>
// LOOPS: tc.store_tile_to_shared b %{{[^:]*}} into %{{[^ ]*}} product 1 : vector<2xf64>
// LOOPS: %[[IMAGINARY:.*]]:6 = scf.for {{.*}} iter_args(%{{.*}} = %[[BOTH]]#0, %{{.*}} = %[[BOTH]]#1,
// LOOPS: gpu.barrier
// LOOPS: tc.store_tile_to_shared a %{{[^:]*}} into %{{[^ ]*}} product 2 : vector<2xf64>
// LOOPS: %[[REAL:.*]]:6 = scf.for {{.*}} iter_args(%{{.*}} = %[[BOTH]]#0, %{{.*}} = %[[BOTH]]#1,
// LOOPS: tc.store_tile %[[REAL]]#0, %[[REAL]]#1, %[[IMAGINARY]]#0, %[[IMAGINARY]]#1 to

// Factors of A: u + v, u and -v. Those of conjugates of B: x, -(x + y) and
// x - y. Sums are stored as pairs.

// CHECK-LABEL: gpu.func @matmul
// CHECK: %[[A:.*]] = vector.load %{{.*}}, vector<2xf64>
// CHECK: %[[B:.*]] = vector.load %[[FLAT_B:.*]][%c0]{{.*}}, vector<2xf64>
// CHECK: %[[U:.*]] = vector.shuffle %[[A]], %[[A]] [0]
// CHECK: %[[V:.*]] = vector.shuffle %[[A]], %[[A]] [1]
// CHECK: %[[SUM:.*]] = arith.addf %[[U]], %[[V]] : vector<1xf64>
// CHECK: vector.store %[[SUM]], %{{.*}} {alignment = 8 : i64}
// CHECK: %[[X:.*]] = vector.shuffle %[[B]], %[[B]] [0]
// CHECK: vector.store %[[X]], %{{.*}} {alignment = 8 : i64}
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[Y1:.*]] = vector.shuffle %{{.*}} [1]
// CHECK: %[[ADDED:.*]] = arith.addf %{{.*}}, %[[Y1]]
// CHECK: arith.negf %[[ADDED]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[V2:.*]] = vector.shuffle %{{.*}} [1]
// CHECK: arith.negf %[[V2]]
// CHECK: arith.subf
// CHECK: %[[NUMBER:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xf64>
// CHECK: vector.store %[[NUMBER]], %{{.*}} {alignment = 16 : i64} : memref<32xf64>
gpu.module @kernels {
  gpu.func @matmul(%A: memref<4x8xcomplex<f64>>, %B: memref<8x4xcomplex<f64>>, %C: memref<4x4xcomplex<f64>>)
      kernel attributes {tc.kernel = #kernel} {
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x8xcomplex<f64>>, memref<8x4xcomplex<f64>>)
      outs(%C : memref<4x4xcomplex<f64>>) conjugate_b allow_three_products
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [re_im_3m: 1, k: 4], register = [2, 2]>}
    gpu.return
  }
}
