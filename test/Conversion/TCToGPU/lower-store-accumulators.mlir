// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-accumulators,canonicalize,cse))" | FileCheck %s

// One thread has all of a tile of 2 x 2: alpha, then the epilogue, then rounding
// to the type of the tensor between the two, which is that of the shared tile.

#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 2.0 : f32, beta = 0.0 : f32, epilogue = write,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [l: 2], k = [k: 2], register = [2, 2]>>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [n: 2], k = [l: 2], register = [2, 2]>,
    edges = [C1 -> A : f16], terms = [#first]>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @rounded
  // CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf32>, %[[S1:[a-z0-9]*]]: vector<2xf32>
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[S0]], %cst{{.*}} : vector<2xf32>
  // CHECK: %[[POSITIVE:.*]] = math.absf %[[SCALED]] : vector<2xf32>
  // CHECK: %[[HALVES:.*]] = arith.truncf %[[POSITIVE]] : vector<2xf32> to vector<2xf16>
  // CHECK: %[[E:.*]] = vector.extract %[[HALVES]][0] : f16
  // CHECK: memref.store %[[E]], %[[FLAT:.*]][%c0]
  // CHECK: vector.extract %[[HALVES]][1] : f16
  // CHECK: memref.store {{.*}}, %[[FLAT]]
  // CHECK: arith.mulf %[[S1]]
  // CHECK-COUNT-2: memref.store {{.*}}, %[[FLAT]]
  // CHECK-NOT: memref.store
  gpu.func @rounded(%A: memref<2x2xf16>, %E: memref<2x2xf16>, %C: memref<2x2xf32>, %B: memref<2x2xf16>,
                    %s0: vector<2xf32>, %s1: vector<2xf32>, %k0: i32, %tile: memref<2x2xf16, #gpu.address_space<workgroup>>)
      attributes {tc.kernel = #main} {
    tc.store_accumulators_to_shared %s0, %s1 from 1 to a of 0 at [%k0] into %tile
        epilogue {
        ^bb0(%sum: f32, %old: f16):
          %positive = math.absf %sum : f32
          %stored = arith.truncf %positive : f32 to f16
          tc.yield %stored : f16
        }
        : vector<2xf32>, vector<2xf32> at i32 into memref<2x2xf16, #gpu.address_space<workgroup>>
    gpu.return
  }

  // The second contraction takes five columns in steps of two: in its last one, the
  // second column is beyond them. Its prologue comes after the epilogue.
  // CHECK-LABEL: gpu.func @step
  // CHECK-SAME: %[[K0:[a-z0-9]*]]: i32
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[K0]], %c5_i32 : i32
  // CHECK: %[[NEXT:.*]] = arith.cmpi slt, %[[K0]], %c4_i32 : i32
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: %[[WIDE:.*]] = math.absf %[[SUM]] : vector<2xf32>
  // CHECK: %[[HALF:.*]] = arith.truncf %[[WIDE]] : vector<2xf32> to vector<2xf16>
  // CHECK: vector.extract %[[HALF]][0] : f16
  // CHECK: arith.select %[[INSIDE]], %{{.*}}, %cst{{.*}} : f16
  // CHECK: arith.select %[[NEXT]], %{{.*}}, %cst{{.*}} : f16
  gpu.func @step(%A: memref<2x2xf16>, %E: memref<5x2xf16>, %C: memref<2x2xf32>, %B: memref<2x5xf16>,
                 %s0: vector<2xf32>, %s1: vector<2xf32>, %k0: i32, %tile: memref<2x2xf16, #gpu.address_space<workgroup>>)
      attributes {tc.kernel = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, prologue_a = f16,
          schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [n: 2], k = [l: 2], register = [2, 2]>,
          edges = [C1 -> A : f32], terms = [#tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = write,
              schedule = #tc.schedule<target = "sm_90", m = [m: 2], n = [l: 2], k = [k: 2], register = [2, 2]>>]>} {
    tc.store_accumulators_to_shared %s0, %s1 from 1 to a of 0 at [%k0] into %tile
        epilogue {
        ^bb0(%sum: f32, %old: f32):
          %more = arith.addf %sum, %sum : f32
          %wide = math.absf %more : f32
          %stored = arith.truncf %wide : f32 to f16
          tc.yield %stored : f16
        }
        : vector<2xf32>, vector<2xf32> at i32 into memref<2x2xf16, #gpu.address_space<workgroup>>
    gpu.return
  }
}
