// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-partial-sums))" -split-input-file -verify-diagnostics

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @whole_sum(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.add_partial_sums' op doesn't fit the kernel's schedule: K is not split}}
    %t = tc.add_partial_sums of %W : memref<1280xi8> -> vector<4xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>
gpu.module @kernels {
  gpu.func @workspace(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1279xi8>, %c: vector<4xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_partial_sums' op doesn't fit the kernel's layout: expected a workspace of 1280 bytes, got 1279}}
    %last = tc.store_partial_sums %c to %W : vector<4xf64> to memref<1279xi8>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>
gpu.module @kernels {
  gpu.func @sums(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>, %c: vector<2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_partial_sums' op doesn't fit the kernel's layout: expected 4 partial sums of a thread, got 2}}
    %last = tc.store_partial_sums %c to %W : vector<2xf64> to memref<1280xi8>
    gpu.return
  }
}
