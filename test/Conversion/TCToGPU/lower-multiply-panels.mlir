// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-multiply-panels,canonicalize,cse))" | FileCheck %s
// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-multiply-panels{max-unrolled=4},canonicalize,cse))" | FileCheck %s --check-prefix=LOOP

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// C's stride-one index is n, so consecutive threads walk along n. For each of
// the two rows of the panels: a pair of A, a pair of B, an outer product.

// CHECK-LABEL: gpu.func @matmul
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
// CHECK-DAG: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [12], strides: [1]
// CHECK-DAG: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[T:.*]] = arith.index_cast %[[THREAD]] : index to i32
// CHECK: %[[TN:.*]] = arith.remui %[[T]], %c2_i32
// CHECK: %[[TM:.*]] = arith.divui %[[T]], %c2_i32
// CHECK-DAG: %[[M:.*]] = arith.muli %[[TM]], %c2_i32
// CHECK-DAG: %[[N:.*]] = arith.muli %[[TN]], %c2_i32
// CHECK: %[[AT_A:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK: %[[A:.*]] = vector.load %[[FLAT_A]][%[[AT_A]]] {alignment = 16 : i64}
// CHECK: %[[AT_B:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[B:.*]] = vector.load %[[FLAT_B]][%[[AT_B]]] {alignment = 16 : i64}
// CHECK: %[[A0:.*]] = vector.extract %[[A]][0]
// CHECK: %[[F0:.*]] = vector.broadcast %[[A0]]
// CHECK: %[[P0:.*]] = vector.fma %[[F0]], %[[B]], %[[S0]]
// CHECK: %[[A1:.*]] = vector.extract %[[A]][1]
// CHECK: %[[F1:.*]] = vector.broadcast %[[A1]]
// CHECK: %[[P1:.*]] = vector.fma %[[F1]], %[[B]], %[[S1]]
// CHECK: %[[NEXT_A:.*]] = arith.addi %[[AT_A]], %c6
// CHECK: vector.load %[[FLAT_A]][%[[NEXT_A]]]
// CHECK: %[[NEXT_B:.*]] = arith.addi %[[AT_B]], %c4
// CHECK: vector.load %[[FLAT_B]][%[[NEXT_B]]]
// CHECK: %[[Q0:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[P0]]
// CHECK: %[[Q1:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[P1]]
// CHECK-NOT: vector.fma
// CHECK: vector.store %[[Q0]]
// CHECK: vector.store %[[Q1]]
gpu.module @kernels {
  gpu.func @matmul(%A: memref<10x6xf64>, %B: memref<6x12xf64>, %C: memref<10x12xf64>,
                   %pa: memref<2x6xf64>, %pb: memref<2x4xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_panels %pa, %pb into %s0, %s1 : memref<2x6xf64>, memref<2x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<10x12xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<10x12xf64>, vector<2xf64>
    gpu.return
  }
}

// Beyond the limit, rows are trips of a loop.

// LOOP-LABEL: gpu.func @matmul
// LOOP: %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// LOOP: %[[ROW_A:.*]] = arith.muli %[[K]], %c6_i32
// LOOP: %[[ROW_B:.*]] = arith.muli %[[K]], %c4_i32
// LOOP-COUNT-2: vector.fma
// LOOP-NOT: vector.fma
// LOOP: scf.yield
