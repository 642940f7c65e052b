// RUN: tc-opt %s -split-input-file -tc-to-cpu -canonicalize -cse | FileCheck %s

// Rows are shared out, inside of the loop over K: all threads pack the panel of
// columns together, and each has a panel of rows of its own.

// CHECK-LABEL: func.func @rows
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[SHARED:.*]] = memref.alloc() {alignment = 64 : i64}
// CHECK: %[[COLUMNS:.*]] = memref.view %[[SHARED]]{{.*}} to memref<224xf64>
// CHECK: omp.parallel num_threads(%[[TWO]] : i32) {
// CHECK: %[[OWN:.*]] = memref.alloc() {alignment = 64 : i64}
// CHECK: %[[ROWS:.*]] = memref.view %[[OWN]]{{.*}} to memref<64xf64>
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: omp.wsloop schedule(static)
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[COLUMNS]] to offset
// CHECK: vector.store {{.*}}, %[[PART]][
// CHECK: omp.wsloop schedule(static) {
// CHECK-NEXT: omp.loop_nest (%[[THREAD:.*]]) : index = (%c0) to (%c2) step (%c1) {
// Two of five blocks, then three.
// CHECK: %[[FIRST:.*]] = arith.divui
// CHECK: %[[END:.*]] = arith.divui
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: vector.store {{.*}}, %[[ROWS]]
// CHECK: vector.fma
// CHECK: omp.yield
// CHECK: memref.dealloc %[[OWN]]
// CHECK: omp.terminator
// CHECK: memref.dealloc %[[SHARED]]
func.func @rows(%A: memref<28x16xf64>, %B: memref<16x40xf64>,
                %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf64>, memref<16x40xf64>)
    outs(%C : memref<28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 28],
       n = [k: 8], k = [j: 8], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache, threads = [n: 2]>}
  return
}

// -----

// The outermost loop and another one are shared out: a thread does all of its
// part by itself, and waits for the others where the region ends.

// CHECK-LABEL: func.func @both
// CHECK: omp.parallel
// CHECK: memref.view {{.*}} to memref<128xf64>
// CHECK: memref.view {{.*}} to memref<128xf64>
// CHECK: omp.wsloop nowait schedule(static) {
// CHECK-NEXT: omp.loop_nest (%[[THREAD:.*]]) : index = (%c0) to (%c4) step (%c1) {
// CHECK: %[[ROW_WAY:.*]] = arith.remui %[[THREAD]], %c2
// CHECK: %[[REST:.*]] = arith.divui %[[THREAD]], %c2
// CHECK: arith.remui %[[REST]], %c2
// CHECK-NOT: omp.wsloop
func.func @both(%A: memref<28x16xf64>, %B: memref<16x40xf64>,
                %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf64>, memref<16x40xf64>)
    outs(%C : memref<28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 7],
       n = [k: 8], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache, threads = [m: 2, n: 2]>}
  return
}

// -----

// The batch is one loop then, whatever its indices. Stores that bypass the
// caches are fenced by each thread.

// CHECK-LABEL: func.func @batch
// CHECK: omp.parallel
// CHECK: omp.wsloop nowait schedule(static) {
// CHECK-NEXT: omp.loop_nest (%[[THREAD:.*]]) : index = (%c0) to (%c3) step (%c1) {
// CHECK: scf.for %[[NUMBER:.*]] = %{{.*}} to %{{.*}} step %c1
// CHECK: arith.remui %[[NUMBER]], %c5
// CHECK: arith.divui %[[NUMBER]], %c5
// CHECK: llvm.fence seq_cst
// CHECK: omp.terminator
func.func @batch(%A: memref<2x5x28x16xf64>, %B: memref<2x5x16x40xf64>,
                 %C: memref<2x5x28x40xf64>) {
  tc.contract [b, c, i, j], [b, c, j, k] -> [b, c, i, k]
    ins(%A, %B : memref<2x5x28x16xf64>, memref<2x5x16x40xf64>)
    outs(%C : memref<2x5x28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 28],
       n = [k: 40], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = stream, threads = [batch: 3]>}
  return
}
