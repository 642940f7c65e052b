// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-accumulators))" -split-input-file -verify-diagnostics

// Threads that have no rows of matrix instructions multiply other elements than they have summed.

#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = write,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [l: 2], k = [k: 2], register = [2, 2]>>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [n: 2], k = [l: 2], register = [2, 2]>,
    edges = [C1 -> A : f16], terms = [#first]>

gpu.module @kernels {
  gpu.func @factors(%A: memref<2x2xf16>, %E: memref<2x2xf16>, %C: memref<2x2xf32>, %B: memref<2x2xf16>,
                    %s0: vector<2xf32>, %s1: vector<2xf32>, %k0: i32)
      attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.accumulators_to_factors' op doesn't fit its kernel: what a thread has summed in term 1 is not what it multiplies in term 0}}
    %f:2 = tc.accumulators_to_factors %s0, %s1 from 1 to a of 0 at [%k0] : vector<2xf32>, vector<2xf32> at i32 -> vector<2xf16>, vector<2xf16>
    gpu.return
  }
}

// -----

// Contraction 1 of a chain of three feeds contraction 2, and not contraction 0.
#s1 = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#s2 = #tc.schedule<target = "sm_90", m = [m: 4], n = [q: 4], k = [l: 4], register = [2, 2]>
#s0 = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [q: 4], register = [2, 2]>
#k1 = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s1>
#k2 = #tc.kernel<a = [m, l], b = [l, q], c = [m, q], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s2>
#main = #tc.kernel<a = [m, q], b = [q, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s0, edges = [C1 -> A2 : f32, C2 -> A : f32 softmax], terms = [#k1, #k2]>
gpu.module @kernels {
  gpu.func @no_edge(%A: memref<8x4xf32>, %E: memref<4x4xf32>, %C: memref<8x4xf32>,
                     %B: memref<4x4xf32>, %D: memref<4x4xf32>, %s: f32, %rows: memref<12xf32>,
                     %v: vector<2xf32>, %o: i32, %t: memref<4x4xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.store_accumulators_to_shared' op doesn't fit its kernel: term 1 computes no input of term 0}}
    tc.store_accumulators_to_shared %v, %v from 1 to a of 0 at [%o] into %t : vector<2xf32>, vector<2xf32> at i32 into memref<4x4xf32>
    gpu.return
  }
}
