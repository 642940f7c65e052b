// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-row-statistics,tc-lower-store-accumulators))" -split-input-file -verify-diagnostics

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2]>
#t = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #t, edges = [C1 -> A : f32], terms = [#first]>
gpu.module @kernels {
  gpu.func @no_softmax(%A: memref<8x2xf32>, %E: memref<4x2xf32>, %C: memref<8x2xf32>, %B: memref<2x4xf32>, %s: f32, %rows: memref<12xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.store_row_reciprocals' op doesn't fit its kernel: term 0 takes no softmax as that input}}
    tc.store_row_reciprocals %s, %s from 1 to a of 0 into %rows : f32, f32 into memref<12xf32>
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2]>
#t = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #t, edges = [C1 -> A : f32 softmax], terms = [#first]>
gpu.module @kernels {
  gpu.func @numbers(%A: memref<8x2xf32>, %E: memref<4x2xf32>, %C: memref<8x2xf32>, %B: memref<2x4xf32>, %s: f32, %rows: memref<5xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.store_row_reciprocals' op doesn't fit its kernel: it needs 12 numbers for rows, but there are 5}}
    tc.store_row_reciprocals %s, %s from 1 to a of 0 into %rows : f32, f32 into memref<5xf32>
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2]>
#t = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #t, edges = [C1 -> A : f32 softmax], terms = [#first]>
gpu.module @kernels {
  gpu.func @rows(%A: memref<8x2xf32>, %E: memref<4x2xf32>, %C: memref<8x2xf32>, %B: memref<2x4xf32>, %s: f32, %rows: memref<12xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.store_row_reciprocals' op doesn't fit its kernel: a thread has 2 rows, but there are numbers of 1}}
    tc.store_row_reciprocals %s from 1 to a of 0 into %rows : f32 into memref<12xf32>
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2]>
#t = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #t, edges = [C1 -> A : f32 softmax], terms = [#first]>
gpu.module @kernels {
  gpu.func @vectors(%A: memref<8x2xf32>, %E: memref<4x2xf32>, %C: memref<8x2xf32>, %B: memref<2x4xf32>, %s: vector<1xf32>, %rows: memref<12xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.rescale_accumulators' op doesn't fit its kernel: expected 2 vectors of sums, got 1}}
    %r = tc.rescale_accumulators %s from 1 to a of 0 by %rows : vector<1xf32> by memref<12xf32> -> vector<1xf32>
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2]>
#t = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [l: 4], register = [2, 1]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, schedule = #t, edges = [C1 -> A : f32 softmax], terms = [#first]>
gpu.module @kernels {
  gpu.func @origins(%A: memref<8x2xf32>, %E: memref<4x2xf32>, %C: memref<8x2xf32>, %B: memref<2x4xf32>, %v: vector<2xf32>, %s: f32, %rows: memref<12xf32>) attributes {tc.kernel = #main} {
    // expected-error @below {{'tc.exponentiate_accumulators' op doesn't fit its kernel: term 0 sums over 1 indices, but there are 0 origins}}
    %e:2, %m:2, %l:2 = tc.exponentiate_accumulators %v, %v maxima %s, %s sums %s, %s from 1 to a of 0 through %rows
        : vector<2xf32>, vector<2xf32> maxima f32, f32 sums f32, f32 through memref<12xf32>
        -> vector<2xf32>, vector<2xf32> maxima f32, f32 sums f32, f32
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
    // expected-error @below {{'tc.store_row_reciprocals' op doesn't fit its kernel: term 1 computes no input of term 0}}
    tc.store_row_reciprocals %s, %s from 1 to a of 0 into %rows : f32, f32 into memref<12xf32>
    gpu.return
  }
}
