// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-reduce-blocks,canonicalize,cse))" | FileCheck %s

// Three blocks of 6 threads of 2 x 2: a counter in 128 bytes, then the sums of
// three blocks.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 6], k = [k: 2], register = [2, 2]>>
#half = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 6], k = [k: 2], register = [2, 2]>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sum
  // CHECK-SAME: %[[C:[a-z0-9]*]]: memref<1xf64>, %[[STORAGE:[a-z0-9]*]]: memref<?xi8, #gpu.address_space<workgroup>>, %[[SUM:[a-z0-9]*]]: f64
  // CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK-DAG: %[[SHARED:.*]] = memref.view %[[STORAGE]][%c0][] : {{.*}} to memref<6xf64,
  // CHECK-DAG: %[[PARTS:.*]] = memref.view %{{.*}}[%c128][] : memref<152xi8> to memref<3xf64>
  // CHECK: gpu.barrier
  // CHECK: memref.store %[[SUM]], %[[SHARED]][%[[THREAD]]]
  // Two of six threads add those of the last two, then half as many each time.
  // CHECK: gpu.barrier
  // CHECK: %[[FOUR:.*]] = arith.cmpi {{.*}} %[[THREAD]], %c2
  // CHECK: scf.if %[[FOUR]]
  // CHECK:   %[[OTHER:.*]] = arith.addi %[[THREAD]], %c4
  // CHECK-DAG: %[[X:.*]] = memref.load %[[SHARED]][%[[THREAD]]]
  // CHECK-DAG: %[[Y:.*]] = memref.load %[[SHARED]][%[[OTHER]]]
  // CHECK:   %[[XY:.*]] = arith.addf %[[X]], %[[Y]]
  // CHECK:   memref.store %[[XY]], %[[SHARED]][%[[THREAD]]]
  // CHECK: gpu.barrier
  // CHECK: scf.if %[[FOUR]]
  // CHECK:   arith.addi %[[THREAD]], %c2
  // CHECK: gpu.barrier
  // CHECK: %[[ONE:.*]] = arith.cmpi {{.*}} %[[THREAD]], %c1
  // CHECK: scf.if %[[ONE]]
  // CHECK: gpu.barrier
  // The first thread leaves the block's sum and counts the block in.
  // CHECK: scf.if
  // CHECK:   %[[BLOCK:.*]] = gpu.block_id x
  // CHECK:   %[[OF_BLOCK:.*]] = memref.load %[[SHARED]][%c0]
  // CHECK:   memref.store %[[OF_BLOCK]], %[[PARTS]][%[[BLOCK]]]
  // CHECK:   llvm.fence syncscope("device") acq_rel
  // CHECK:   llvm.atomicrmw uinc_wrap %{{.*}}, %c2_i32 syncscope("device") monotonic
  // CHECK:   llvm.fence syncscope("device") acq_rel
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK:   scf.for %[[PART:.*]] = %[[THREAD]] to %c3 step %c6 iter_args
  // CHECK:     memref.load %[[PARTS]][%[[PART]]]
  // CHECK:   gpu.barrier
  // CHECK:   memref.store %{{.*}}, %[[SHARED]][%[[THREAD]]]
  // CHECK-COUNT-3: gpu.barrier
  // CHECK:   scf.if
  // CHECK:     %[[TOTAL:.*]] = memref.load %[[SHARED]][%c0]
  // CHECK:     memref.store %[[TOTAL]], %[[C]][%c0]
  // CHECK-NOT: tc.reduce_blocks
  gpu.func @sum(%A: memref<12x14xf64>, %B: memref<14x6xf64>, %C: memref<12x6xf64, strided<[0, 0]>>, %W: memref<152xi8>,
                %flat: memref<1xf64>, %storage: memref<?xi8, #gpu.address_space<workgroup>>, %sum: f64)
      kernel attributes {tc.kernel = #kernel} {
    tc.reduce_blocks %sum to %flat through %storage and %W
      : f64 to memref<1xf64> through memref<?xi8, #gpu.address_space<workgroup>> and memref<152xi8>
    gpu.return
  }

  // Halves are added up in f32, and the total is rounded.
  // CHECK-LABEL: gpu.func @half
  // CHECK: to memref<6xf32,
  // CHECK: to memref<3xf32>
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to f16
  // CHECK: memref.store %[[ROUNDED]]
  gpu.func @half(%A: memref<12x14xf16>, %B: memref<14x6xf16>, %C: memref<12x6xf16, strided<[0, 0]>>, %W: memref<140xi8>,
                 %flat: memref<1xf16>, %storage: memref<?xi8, #gpu.address_space<workgroup>>, %sum: f32)
      kernel attributes {tc.kernel = #half} {
    tc.reduce_blocks %sum to %flat through %storage and %W
      : f32 to memref<1xf16> through memref<?xi8, #gpu.address_space<workgroup>> and memref<140xi8>
    gpu.return
  }
}
