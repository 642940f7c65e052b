// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-partial-sums,canonicalize,cse))" | FileCheck %s

// Three tiles of 4 x 4 by 4 threads of 2 x 2, each shared by 3 blocks: counters
// in 128 bytes, then 9 blocks' partial sums of 16 elements.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>
#least = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f64, beta = 0x7FF0000000000000 : f64, semiring = min_plus,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>
#any = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>

gpu.module @kernels {
  // A thread's vectors lie 4 threads apart, so that each is stored next to its
  // neighbours'.
  // CHECK-LABEL: gpu.func @publish
  // CHECK-SAME: %[[WORKSPACE:[a-z0-9]*]]: memref<1280xi8>, %[[C0:[a-z0-9]*]]: vector<2xf64>, %[[C1:[a-z0-9]*]]: vector<2xf64>
  // CHECK-DAG: %[[BEHIND:.*]] = arith.constant 128 : index
  // CHECK-DAG: %[[PARTIALS:.*]] = memref.view %[[WORKSPACE]][%[[BEHIND]]][] : memref<1280xi8> to memref<144xf64>
  // CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[OF_BLOCK:.*]] = arith.muli %[[BLOCK]], %c16
  // CHECK-DAG: %[[OF_THREAD:.*]] = arith.muli %[[THREAD]], %c2
  // CHECK: %[[AT:.*]] = arith.addi %[[OF_BLOCK]], %[[OF_THREAD]]
  // CHECK: vector.store %[[C0]], %[[PARTIALS]][%[[AT]]] {alignment = 16 : i64}
  // CHECK: %[[BEYOND:.*]] = arith.addi %[[AT]], %c8
  // CHECK: vector.store %[[C1]], %[[PARTIALS]][%[[BEYOND]]] {alignment = 16 : i64}
  // CHECK: %[[TILE:.*]] = arith.divui %[[BLOCK]], %c3
  // CHECK: gpu.barrier
  // CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
  // CHECK: %[[FLAG:.*]] = memref.view %[[SHARED]]
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0
  // CHECK: scf.if %[[IS_FIRST]] {
  // CHECK:   llvm.fence syncscope("device") acq_rel
  // CHECK:   %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[WORKSPACE]]
  // CHECK:   arith.muli %[[TILE]], %c4
  // CHECK:   %[[COUNTER:.*]] = llvm.inttoptr
  // CHECK:   %[[BEFORE:.*]] = llvm.atomicrmw uinc_wrap %[[COUNTER]], %c2_i32 syncscope("device") monotonic
  // CHECK:   %[[IS_LAST:.*]] = arith.cmpi eq, %[[BEFORE]], %c2_i32
  // CHECK:   llvm.fence syncscope("device") acq_rel
  // CHECK:   %[[WORD:.*]] = arith.extui %[[IS_LAST]]
  // CHECK:   memref.store %[[WORD]], %[[FLAG]]
  // CHECK: }
  // CHECK: gpu.barrier
  // CHECK: %[[SEEN:.*]] = memref.load %[[FLAG]]
  // CHECK: %[[LAST:.*]] = arith.cmpi ne, %[[SEEN]], %c0_i32
  // CHECK: scf.if %[[LAST]]
  // CHECK-NOT: tc.store_partial_sums
  gpu.func @publish(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>, %c0: vector<2xf64>, %c1: vector<2xf64>) kernel attributes {tc.kernel = #kernel} {
    %last = tc.store_partial_sums %c0, %c1 to %W : vector<2xf64>, vector<2xf64> to memref<1280xi8>
    scf.if %last {
      gpu.printf "last"
    }
    gpu.return
  }

  // The first part, and then the others in their order.
  // CHECK-LABEL: gpu.func @add
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[TILE:.*]] = arith.divui %[[BLOCK]], %c3
  // CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %c3
  // CHECK: %[[P0:.*]] = vector.load %{{.*}} {alignment = 16 : i64}
  // CHECK: %[[P1:.*]] = vector.load
  // CHECK: scf.for %[[PART:.*]] = %c1_i32 to %c3_i32 step %c1_i32 iter_args(%[[T0:.*]] = %[[P0]], %[[T1:.*]] = %[[P1]])
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[PART]]
  // CHECK: arith.addi %[[FIRST]], %[[INDEX]]
  // CHECK: %[[Q0:.*]] = vector.load
  // CHECK: %[[Q1:.*]] = vector.load
  // CHECK: %[[A0:.*]] = arith.addf %[[T0]], %[[Q0]]
  // CHECK: %[[A1:.*]] = arith.addf %[[T1]], %[[Q1]]
  // CHECK: scf.yield %[[A0]], %[[A1]]
  // CHECK-NOT: tc.add_partial_sums
  gpu.func @add(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>, %O: memref<2xf64>) kernel attributes {tc.kernel = #kernel} {
    %t:2 = tc.add_partial_sums of %W : memref<1280xi8> -> vector<2xf64>, vector<2xf64>
    %c0 = arith.constant 0 : index
    vector.store %t#0, %O[%c0] : memref<2xf64>, vector<2xf64>
    vector.store %t#1, %O[%c0] : memref<2xf64>, vector<2xf64>
    gpu.return
  }

  // Parts of another semiring's sums are combined by it.
  // CHECK-LABEL: gpu.func @least
  // CHECK: scf.for
  // CHECK: arith.minnumf
  // CHECK: arith.minnumf
  // CHECK-NOT: arith.addf
  gpu.func @least(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %W: memref<1280xi8>, %O: memref<2xf64>) kernel attributes {tc.kernel = #least} {
    %t:2 = tc.add_partial_sums of %W : memref<1280xi8> -> vector<2xf64>, vector<2xf64>
    %c0 = arith.constant 0 : index
    vector.store %t#0, %O[%c0] : memref<2xf64>, vector<2xf64>
    vector.store %t#1, %O[%c0] : memref<2xf64>, vector<2xf64>
    gpu.return
  }

  // With a dynamic shape, the number of blocks is dynamic, too: behind a
  // counter of 4 bytes for each 3 of them, in lines of 128, each has its
  // partial sums.
  // CHECK-LABEL: gpu.func @any_shape
  // CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK: %[[MORE:.*]] = arith.addi %[[BLOCKS]], %c95
  // CHECK: %[[LINES:.*]] = arith.divui %[[MORE]], %c96
  // CHECK: %[[BEHIND:.*]] = arith.muli %[[LINES]], %c128
  // CHECK: %[[SUMS:.*]] = arith.muli %[[BLOCKS]], %c16
  // CHECK: memref.view %{{.*}}[%[[BEHIND]]][%[[SUMS]]] : memref<1280xi8> to memref<?xf64>
  gpu.func @any_shape(%A: memref<12x14xf64>, %B: memref<14x4xf64>, %C: memref<12x4xf64>, %m: i32, %n: i32, %k: i32,
                      %am: i64, %ak: i64, %a: i64, %bn: i64, %bk: i64, %b: i64, %cm: i64, %cn: i64, %c: i64,
                      %steps: i32, %rows: i32, %by_rows: i64, %W: memref<1280xi8>, %c0: vector<2xf64>, %c1: vector<2xf64>) kernel attributes {tc.kernel = #any} {
    %last = tc.store_partial_sums %c0, %c1 to %W : vector<2xf64>, vector<2xf64> to memref<1280xi8>
    scf.if %last {
      gpu.printf "last"
    }
    gpu.return
  }
}
