// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-accumulators))" -verify-diagnostics

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
