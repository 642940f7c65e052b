// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-accumulators,canonicalize,cse))" | FileCheck %s

// One thread has a tile of 2 x 1 complex numbers, (u0, v0) and (u1, v1), times i
// first: (-v, u).

#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = #complex.number<:f64 0.0, 1.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [l: 1, re_im: 2], k = [k: 2, re_im_k: 2], register = [2, 2]>>

#as_a = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [n: 2, re_im: 2], k = [l: 1, re_im_k: 2], register = [2, 4]>,
    edges = [C1 -> A : complex<f64>], terms = [#first]>

// The second link takes them as its B, [m, l] of [n, m] x [m, l], and multiplies
// conjugates of them by conjugates: each is a matrix of (x, -y) and -(y, x).
#as_b = #tc.kernel<a = [n, m], b = [m, l], c = [n, l], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>,
    conjugate_a, conjugate_b,
    schedule = #tc.schedule<target = "sm_90", m = [n: 2], n = [l: 1, re_im: 2], k = [m: 2, re_im_k: 2], register = [2, 2]>,
    edges = [C1 -> B : complex<f64>], terms = [#first]>

gpu.module @kernels {
  // Both parts lie side by side.
  // CHECK-LABEL: gpu.func @as_a
  // CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
  // CHECK: %[[TURNED:.*]] = vector.shuffle %[[S0]], %{{.*}} [3, 0]
  // CHECK: %[[SCALED:.*]] = math.fma %{{.*}}, %[[TURNED]]
  // CHECK: vector.store %[[SCALED]], %[[FLAT:.*]][%c0] {alignment = 16 : i64}
  // CHECK: vector.store %{{.*}}, %[[FLAT]][%c2] {alignment = 16 : i64}
  // CHECK-NOT: store
  // CHECK: gpu.return
  gpu.func @as_a(%A: memref<2x2xcomplex<f64>>, %E: memref<1x2xcomplex<f64>>, %C: memref<2x2xcomplex<f64>>, %B: memref<2x1xcomplex<f64>>,
                 %s0: vector<2xf64>, %s1: vector<2xf64>, %l: i32, %p: i32, %tile: memref<2x2xf64, #gpu.address_space<workgroup>>)
      attributes {tc.kernel = #as_a} {
    tc.store_accumulators_to_shared %s0, %s1 from 1 to a of 0 at [%l, %p] into %tile
        : vector<2xf64>, vector<2xf64> at i32, i32 into memref<2x2xf64, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @as_b
  // CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
  // CHECK: %[[SCALED:.*]] = math.fma
  // CHECK: %[[ROW:.*]] = vector.shuffle %[[SCALED]], %{{.*}} [0, 3]
  // CHECK: %[[TURNED:.*]] = vector.shuffle %[[ROW]], %{{.*}} [3, 0]
  // CHECK: %[[NEXT:.*]] = arith.negf %[[TURNED]]
  // CHECK: vector.store %[[ROW]], %[[FLAT:.*]][%c0] {alignment = 16 : i64}
  // CHECK: vector.store %[[NEXT]], %[[FLAT]][%c2] {alignment = 16 : i64}
  // CHECK: vector.store %{{.*}}, %[[FLAT]][%c4] {alignment = 16 : i64}
  // CHECK: vector.store %{{.*}}, %[[FLAT]][%c6] {alignment = 16 : i64}
  // CHECK-NOT: store
  // CHECK: gpu.return
  gpu.func @as_b(%A: memref<2x2xcomplex<f64>>, %E: memref<2x2xcomplex<f64>>, %C: memref<2x1xcomplex<f64>>, %B: memref<2x1xcomplex<f64>>,
                 %s0: vector<2xf64>, %s1: vector<2xf64>, %m: i32, %p: i32, %tile: memref<4x2xf64, #gpu.address_space<workgroup>>)
      attributes {tc.kernel = #as_b} {
    tc.store_accumulators_to_shared %s0, %s1 from 1 to b of 0 at [%m, %p] into %tile
        : vector<2xf64>, vector<2xf64> at i32, i32 into memref<4x2xf64, #gpu.address_space<workgroup>>
    gpu.return
  }
}
