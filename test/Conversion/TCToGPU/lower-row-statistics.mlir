// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-row-statistics,canonicalize,cse))" --split-input-file | FileCheck %s

// A block has 4 rows of 16 columns, of which a thread has 2 x 2: 2 x 8 threads, all of
// a row in one half of a warp. There is one number for each row behind the factors.

#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 2.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [l: 16], k = [k: 2], register = [2, 2]>>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [l: 16], register = [2, 1]>,
    edges = [C1 -> A : f32 softmax], terms = [#first]>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @exponentiate
  // CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf32>, %[[S1:[a-z0-9]*]]: vector<2xf32>
  // CHECK-SAME: %[[M0:[a-z0-9]*]]: f32, %[[M1:[a-z0-9]*]]: f32, %[[L0:[a-z0-9]*]]: f32
  // The factor of the sums is in that of the exponents: 2 times the logarithm of e.
  // CHECK-DAG: %[[LOG:.*]] = arith.constant 2.885390e+00 : f32
  // CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: %[[X0:.*]] = vector.extract %[[S0]][0]
  // 21 columns, which end in the second step.
  // CHECK: %[[E0:.*]] = arith.select %{{.*}}, %[[X0]], %[[LOWEST]] : f32
  // CHECK: arith.maxnumf %[[E0]]
  // Eight threads share a row.
  // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : f32
  // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : f32
  // CHECK-NOT: memref.store
  // CHECK: gpu.barrier
  // CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[LOG]] : f32
  // CHECK: %[[MAX:.*]] = arith.maxnumf %[[M0]], %[[SCALED]] : f32
  // CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[MAX]], %[[LOWEST]] : f32
  // CHECK: %[[REFERENCE:.*]] = arith.select %[[NONE]], %cst{{.*}}, %[[MAX]] : f32
  // CHECK: %[[CHANGE:.*]] = arith.subf %[[M0]], %[[REFERENCE]] : f32
  // CHECK: %[[FACTOR:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[CHANGE]])
  // CHECK: math.fma %[[E0]], %[[LOG]], %{{.*}} : f32
  // CHECK: scf.if
  // CHECK: memref.store %[[FACTOR]]
  gpu.func @exponentiate(%A: memref<8x2xf32>, %E: memref<21x8xf32>, %C: memref<8x8xf32>, %B: memref<2x21xf32>,
                         %s0: vector<2xf32>, %s1: vector<2xf32>, %m0: f32, %m1: f32, %l0: f32, %l1: f32, %k0: i32,
                         %rows: memref<16xf32, #gpu.address_space<workgroup>>, %out: memref<4xvector<2xf32>>)
      attributes {tc.kernel = #main} {
    %c0 = arith.constant 0 : index
    %e:2, %m:2, %l:2 = tc.exponentiate_accumulators %s0, %s1 maxima %m0, %m1 sums %l0, %l1 from 1 to a of 0 at [%k0] through %rows
        : vector<2xf32>, vector<2xf32> maxima f32, f32 sums f32, f32 at i32 through memref<16xf32, #gpu.address_space<workgroup>>
        -> vector<2xf32>, vector<2xf32> maxima f32, f32 sums f32, f32
    memref.store %e#0, %out[%c0] : memref<4xvector<2xf32>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @reciprocals
  // CHECK: gpu.shuffle
  // CHECK: arith.addf
  // CHECK: gpu.barrier
  // CHECK: %[[RECIPROCAL:.*]] = arith.divf %cst{{.*}}, %{{.*}} : f32
  // CHECK: scf.if
  // CHECK: memref.store %[[RECIPROCAL]]
  // CHECK: gpu.barrier
  gpu.func @reciprocals(%A: memref<8x2xf32>, %E: memref<21x8xf32>, %C: memref<8x8xf32>, %B: memref<2x21xf32>,
                        %l0: f32, %l1: f32, %rows: memref<16xf32, #gpu.address_space<workgroup>>)
      attributes {tc.kernel = #main} {
    tc.store_row_reciprocals %l0, %l1 from 1 to a of 0 into %rows : f32, f32 into memref<16xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rescale
  // CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<1xf32>, %[[S1:[a-z0-9]*]]: vector<1xf32>
  // CHECK: %[[FACTOR:.*]] = memref.load
  // CHECK: %[[FACTORS:.*]] = vector.broadcast %[[FACTOR]] : f32 to vector<1xf32>
  // CHECK: arith.mulf %[[S0]], %[[FACTORS]] : vector<1xf32>
  gpu.func @rescale(%A: memref<8x2xf32>, %E: memref<21x8xf32>, %C: memref<8x8xf32>, %B: memref<2x21xf32>,
                    %s0: vector<1xf32>, %s1: vector<1xf32>, %rows: memref<16xf32, #gpu.address_space<workgroup>>,
                    %out: memref<4xvector<1xf32>>)
      attributes {tc.kernel = #main} {
    %c0 = arith.constant 0 : index
    %r:2 = tc.rescale_accumulators %s0, %s1 from 1 to a of 0 by %rows
        : vector<1xf32>, vector<1xf32> by memref<16xf32, #gpu.address_space<workgroup>> -> vector<1xf32>, vector<1xf32>
    memref.store %r#0, %out[%c0] : memref<4xvector<1xf32>>
    gpu.return
  }
}
