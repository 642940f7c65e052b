// RUN: tc-opt %s -split-input-file -tc-to-cpu -canonicalize -cse | FileCheck %s

// The rows' panels are copied by whole vectors, the columns' are transposed in
// registers. The micro-kernel multiplies outer products and, as C's rows are
// contiguous, stores them by vectors, or, where a tile is cut off, through a
// buffer.

// CHECK-LABEL: func.func @matmul
// CHECK: %[[SCRATCH:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf64>
// CHECK: %[[MEMORY:.*]] = memref.alloc() {alignment = 64 : i64}
// CHECK-NOT: memref.alloc()
// CHECK: %[[ROWS:.*]] = memref.view %[[MEMORY]]{{.*}} to memref<640xf64>
// CHECK: %[[COLUMNS:.*]] = memref.view %[[MEMORY]]{{.*}} to memref<448xf64>
// Copy of B:
// CHECK: vector.load %{{.*}} : memref<640xf64>, vector<4xf64>
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// Transposition of A:
// CHECK-COUNT-4: vector.load %{{.*}} : memref<432xf64>, vector<4xf64>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store %{{.*}}, %[[COLUMNS]]
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>)
// The panel of columns that comes next is fetched:
// CHECK: memref.prefetch %[[COLUMNS]]
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.load %[[ROWS]]
// CHECK: memref.load %[[COLUMNS]]
// CHECK: vector.broadcast
// Two steps stand in the loop, and none are left over:
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.if
// CHECK-COUNT-8: vector.store
// CHECK: } else {
// CHECK-COUNT-8: vector.store %{{.*}}, %[[SCRATCH]]
// CHECK: memref.dealloc %[[MEMORY]]
func.func @matmul(%A: memref<27x16xf64>, %B: memref<16x40xf64>,
                  %C: memref<27x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<27x16xf64>, memref<16x40xf64>)
    outs(%C : memref<27x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 27],
       n = [k: 40], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache>}
  return
}

// -----

// If all tiles are known to be whole, as here, nothing tests that, and there is
// no buffer.

// CHECK-LABEL: func.func @whole
// CHECK-NOT: memref.alloca()
// CHECK: vector.fma
// CHECK-NOT: scf.if
// CHECK-COUNT-8: vector.store
// CHECK-NOT: vector.store
// CHECK: memref.dealloc
func.func @whole(%A: memref<28x16xf64>, %B: memref<16x40xf64>,
                 %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf64>, memref<16x40xf64>)
    outs(%C : memref<28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 28],
       n = [k: 40], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = cache>}
  return
}

// -----

// Of several blocks along K, the first scales C with beta and the others add to
// it: one branch for all vectors of a tile. Packing stands in the outermost
// loop that it depends on: that of rows, inside of K.

// CHECK-LABEL: func.func @blocks
// CHECK-SAME: memref<16x16xf32>, %[[BETA:[a-z0-9]+]]: f32
// CHECK: scf.for %[[K:.*]] = %c0 to %c4
// CHECK: %[[FACTOR:.*]] = arith.select %{{.*}}, %[[BETA]], %{{.*}} : f32
// CHECK: vector.fma
// CHECK: scf.if
// CHECK: vector.broadcast %[[FACTOR]]
func.func @blocks(%A: memref<16x64xf32>, %B: memref<16x64xf32>,
                  %C: memref<16x16xf32>, %beta: f32) {
  tc.contract [i, j], [k, j] -> [i, k]
    ins(%A, %B : memref<16x64xf32>, memref<16x64xf32>)
    outs(%C : memref<16x16xf32>) beta(%beta : f32)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 16],
       n = [k: 16], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 8, store = cache>}
  return
}

// -----

// Stores that bypass the caches need C to be aligned, which is asked at run
// time, and a fence.

// CHECK-LABEL: func.func @stream
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true}
// CHECK: llvm.fence seq_cst
func.func @stream(%A: memref<28x16xf64>, %B: memref<16x40xf64>,
                  %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x16xf64>, memref<16x40xf64>)
    outs(%C : memref<28x40xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 28],
       n = [k: 40], k = [j: 16], order = [m, k, n], register = [8, 4],
       lanes = 4, store = stream>}
  return
}

// -----

// A run of 12 rows is a vector and a half: as C goes on with the next column
// where it ends, stores that bypass the caches hold halves of two columns.
// The seventeenth step of K is left over.

// CHECK-LABEL: func.func @stream_across_columns
// CHECK: scf.for {{.*}} to %c16 step %c2
// CHECK-COUNT-24: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-12: vector.fma
// CHECK-NOT: vector.fma
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<{{.*}}xf32>, vector<8xf32>
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<{{.*}}xf32>, vector<8xf32>
// CHECK: vector.shuffle {{.*}} [4, 5, 6, 7, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<{{.*}}xf32>, vector<8xf32>
func.func @stream_across_columns(
    %A: memref<6x17x12xf32>, %B: memref<17x8xf32>,
    %C: memref<6x8x12xf32>) {
  tc.contract [j, k, i], [k, n] -> [j, n, i]
    ins(%A, %B : memref<6x17x12xf32>, memref<17x8xf32>)
    outs(%C : memref<6x8x12xf32>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = m,
       m = [j: 6, i: 12], n = [n: 8], k = [k: 17], order = [n, k, m],
       register = [24, 4], lanes = 8, store = stream>}
  return
}

// -----

// The last chunk of a row of B holds three elements: zero is read for the fourth.
// The last panel lacks two chunks, which are filled with zeros.

// CHECK-LABEL: func.func @ragged
// CHECK: scf.for
// CHECK: vector.store %{{.*}} : memref<{{.*}}xf64>, vector<4xf64>
// CHECK: vector.create_mask
// CHECK: vector.maskedload
func.func @ragged(%A: memref<4x16xf64>, %B: memref<16x2x15xf64>,
                  %C: memref<4x2x15xf64>) {
  tc.contract [i, j], [j, l, k] -> [i, l, k]
    ins(%A, %B : memref<4x16xf64>, memref<16x2x15xf64>)
    outs(%C : memref<4x2x15xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [i: 4],
       n = [l: 1, k: 15], k = [j: 16], order = [m, k, n], register = [12, 4],
       lanes = 4, store = cache>}
  return
}

// -----

// A contraction without products only scales C.

// CHECK-LABEL: func.func @empty
// CHECK: linalg.fill
// CHECK-NOT: memref.alloc
func.func @empty(%A: memref<28x0xf64>, %B: memref<0x40xf64>,
                 %C: memref<28x40xf64>) {
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<28x0xf64>, memref<0x40xf64>)
    outs(%C : memref<28x40xf64>)
  return
}

// -----

// Loops over matrix products: one along k that sums, inside of one along i. The
// matrix product of the first slice scales C with beta, the others add to it.
// Tables are the same for all slices; panels are filled for each.

// CHECK-LABEL: func.func @loops
// CHECK-SAME: %[[BETA:[a-z0-9]+]]: f64
// CHECK: memref.store {{.*}} memref<{{[0-9]+}}xindex>
// CHECK: scf.for %[[I:.*]] = %c0 to %c5
// CHECK: scf.for %[[K:.*]] = %c0 to %c3
// CHECK-NOT: memref.store {{.*}}xindex>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: arith.select %[[FIRST]], %[[BETA]], %{{.*}} : f64
// CHECK: vector.fma
func.func @loops(%A: memref<5x3x16x8xf64>, %B: memref<3x16x40xf64>,
                 %C: memref<5x8x40xf64>, %beta: f64) {
  tc.contract [i, k, j, m], [k, j, n] -> [i, m, n]
    ins(%A, %B : memref<5x3x16x8xf64>, memref<3x16x40xf64>)
    outs(%C : memref<5x8x40xf64>) beta(%beta : f64)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = loop_over_gemm,
       loops = [i, k], rows = n, m = [m: 8], n = [n: 40], k = [j: 16],
       order = [m, k, n], register = [8, 4], lanes = 4, store = cache>}
  return
}

// -----

// Blocks hold eight elements of a row of 64, which are 32 bytes; the square that
// begins there fetches the elements at the next value of k, 4 rows of 64 away.

// CHECK-LABEL: func.func @short_runs
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c256
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]]], read, locality<2>, data : memref<8192xf32>
// CHECK: vector.load %{{.*}} : memref<8192xf32>, vector<4xf32>
func.func @short_runs(%A: memref<4x8x4x64xf32>, %B: memref<8x4xf32>,
                      %C: memref<4x4x64x4xf32>) {
  tc.contract [i, k, b, d], [k, n] -> [b, n, d, i]
    ins(%A, %B : memref<4x8x4x64xf32>, memref<8x4xf32>)
    outs(%C : memref<4x4x64x4xf32>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = m,
       m = [b: 1, d: 8, i: 4], n = [n: 4], k = [k: 8], order = [n, k, m],
       register = [8, 4], lanes = 4, store = cache>}
  return
}
