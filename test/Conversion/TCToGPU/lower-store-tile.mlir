// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-store-tile,canonicalize,cse))" -split-input-file | FileCheck %s

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// Pairs along n, rows two threads apart, for A's shared tile has rows along k; only m
// is cut off by the tensor. C is not loaded. A loop along K keeps the products
// where they are.

// CHECK-LABEL: gpu.func @overwrite
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>, %[[C:[a-z0-9]*]]: memref<120xf64>, %[[M0:[a-z0-9]*]]: i32, %[[N0:[a-z0-9]*]]: i32
// CHECK-NOT: vector.load
// CHECK-NOT: llvm.inline_asm
// CHECK: %[[BASE_M:.*]] = arith.muli %[[M0]], %c12_i32
// CHECK: %[[BASE:.*]] = arith.addi %[[BASE_M]], %[[N0]]
// CHECK: %[[ROW:.*]] = arith.addi %[[M0]], %{{.*}}
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %c10_i32
// CHECK: %[[INSIDE_NEXT:.*]] = arith.cmpi slt, %[[ROW]], %c8_i32
// CHECK: scf.if %[[INSIDE]] {
// CHECK: vector.store %[[S0]], %[[C]][%[[AT:.*]]] {alignment = 16 : i64} : memref<120xf64>, vector<2xf64>
// CHECK: scf.if %[[INSIDE_NEXT]] {
// CHECK: %[[NEXT:.*]] = arith.addi %{{.*}}, %c24 overflow<nsw> : index
// CHECK: vector.store %[[S1]], %[[C]][%[[NEXT]]]
gpu.module @kernels {
  gpu.func @overwrite(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>,
                      %s0: vector<2xf64>, %s1: vector<2xf64>, %C: memref<120xf64>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1 to %C at [%m0, %n0] : vector<2xf64>, vector<2xf64> to memref<120xf64>, i32, i32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m], b = [], c = [m], beta = 2.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// A constant beta: C is always loaded. An alpha from outside scales.

// CHECK-LABEL: gpu.func @update
// CHECK-SAME: vector<1xf32>, %[[C:[a-z0-9]*]]: memref<8xf32>
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f32)
// CHECK: %[[BETA:.*]] = arith.constant dense<2.000000e+00> : vector<1xf32>
// CHECK-NOT: scf.if
// CHECK: %[[FACTOR:.*]] = vector.broadcast %[[ALPHA]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[FACTOR]], %{{.*}} : vector<1xf32>
// CHECK: %[[OLD:.*]] = vector.load %[[C]]
// CHECK: %[[NEW:.*]] = math.fma %[[BETA]], %[[OLD]], %[[SCALED]]
// CHECK: vector.store %[[NEW]], %[[C]]
gpu.module @kernels {
  gpu.func @update(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %a: f32,
                   %s: vector<1xf32>, %C: memref<8xf32>, %m0: i32, %alpha: f32)
      kernel attributes {tc.kernel = #kernel} {
    %beta = arith.constant 2.0 : f32
    tc.store_tile %s to %C at [%m0] alpha(%alpha : f32) beta(%beta : f32) : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// A beta from outside may be zero: then C is not loaded.

// CHECK-LABEL: gpu.func @maybe_update
// CHECK-SAME: %[[BETA:[a-z0-9]*]]: f32,
// CHECK: %[[CONTRIBUTES:.*]] = arith.cmpf une, %[[BETA]]
// CHECK: %[[OLD:.*]] = scf.if %[[CONTRIBUTES]] -> (vector<1xf32>) {
// CHECK: vector.load
// CHECK: } else {
// CHECK: math.fma %{{.*}}, %[[OLD]]
gpu.module @kernels {
  gpu.func @maybe_update(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %beta: f32,
                         %s: vector<1xf32>, %C: memref<8xf32>, %m0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s to %C at [%m0] beta(%beta : f32) : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}

// -----

// Accumulators of a matrix instruction: eight lanes along m by four along n, and
// two warps along n, each lane with pairs of n at 16 from each other and two m at
// 8 from each other; neighbouring lanes swap every other group along n.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 32], k = [k: 8], register = [2, 4], instruction = mma_m8n8k4>>

// CHECK-LABEL: gpu.func @lanes
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>, %[[S2:[a-z0-9]*]]: vector<2xf64>, %[[S3:[a-z0-9]*]]: vector<2xf64>, %[[C:[a-z0-9]*]]: memref<512xf64>
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32_i32
// CHECK: %[[WARP:.*]] = arith.divui %[[T]], %c32_i32
// CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK: %[[COLUMN:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK: %[[COLUMNS:.*]] = arith.muli %[[WARP]], %c4_i32
// CHECK: %[[PAIR:.*]] = arith.addi %[[COLUMNS]], %[[COLUMN]]
// CHECK: %[[M:.*]] = arith.muli %[[ROW]], %c32_i32
// CHECK: %[[N:.*]] = arith.muli %[[PAIR]], %c2_i32
// CHECK: %[[OTHER:.*]] = arith.xori %[[PAIR]], %c1_i32
// CHECK: %[[N_NEXT:.*]] = arith.muli %[[OTHER]], %c2_i32
// CHECK: %[[AT_M:.*]] = arith.addi %{{.*}}, %[[M]]
// CHECK: %[[AT:.*]] = arith.addi %[[AT_M]], %[[N]]
// CHECK: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK: vector.store %[[S0]], %[[C]][%[[I]]] {alignment = 16 : i64} : memref<512xf64>, vector<2xf64>
// CHECK: %[[I_NEXT:.*]] = arith.addi %[[AT_M]], %[[N_NEXT]]
// CHECK: %[[I1:.*]] = arith.index_cast %[[I_NEXT]]
// CHECK: %[[NEXT_N:.*]] = arith.addi %[[I1]], %c16 overflow<nsw> : index
// CHECK: vector.store %[[S1]], %[[C]][%[[NEXT_N]]]
// CHECK: %[[NEXT_M:.*]] = arith.addi %[[I]], %c256 overflow<nsw> : index
// CHECK: vector.store %[[S2]], %[[C]][%[[NEXT_M]]]
// CHECK: %[[LAST:.*]] = arith.addi %[[I1]], %c272 overflow<nsw> : index
// CHECK: vector.store %[[S3]], %[[C]][%[[LAST]]]
gpu.module @kernels {
  gpu.func @lanes(%arg0: memref<16x32xf64>, %arg1: memref<32x32xf64>, %arg2: memref<16x32xf64>,
                      %s0: vector<2xf64>, %s1: vector<2xf64>, %s2: vector<2xf64>, %s3: vector<2xf64>, %C: memref<512xf64>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1, %s2, %s3 to %C at [%m0, %n0] : vector<2xf64>, vector<2xf64>, vector<2xf64>, vector<2xf64> to memref<512xf64>, i32, i32
    gpu.return
  }
}

// -----

// The rows are along n where C's stride-one index is m: pairs of m are stored,
// whose elements come from two vectors along n.

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [n, m], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 16], k = [k: 4], register = [2, 2], instruction = mma_m16n8k4>>

// CHECK-LABEL: gpu.func @rows_along_n
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>, %[[C:[a-z0-9]*]]: memref<1024xf64>
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
// CHECK: %[[ROW:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK: %[[COLUMN:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK: %[[M:.*]] = arith.muli %[[COLUMN]], %c2_i32
// CHECK: %[[N:.*]] = arith.muli %[[ROW]], %c64_i32
// CHECK: %[[S00:.*]] = vector.extract %[[S0]][0]
// CHECK: %[[S10:.*]] = vector.extract %[[S1]][0]
// CHECK: %[[PAIR:.*]] = vector.from_elements %[[S00]], %[[S10]]
// CHECK: %[[AT_M:.*]] = arith.addi %{{.*}}, %[[M]]
// CHECK: %[[AT:.*]] = arith.addi %[[AT_M]], %[[N]]
// CHECK: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK: vector.store %[[PAIR]], %[[C]][%[[I]]] {alignment = 16 : i64} : memref<1024xf64>, vector<2xf64>
// CHECK: %[[S01:.*]] = vector.extract %[[S0]][1]
// CHECK: %[[S11:.*]] = vector.extract %[[S1]][1]
// CHECK: %[[NEXT:.*]] = vector.from_elements %[[S01]], %[[S11]]
// CHECK: %[[NEXT_N:.*]] = arith.addi %[[I]], %c32 overflow<nsw> : index
// CHECK: vector.store %[[NEXT]], %[[C]][%[[NEXT_N]]]
gpu.module @kernels {
  gpu.func @rows_along_n(%A: memref<32x32xf64>, %B: memref<32x32xf64>, %C0: memref<32x32xf64>,
                  %s0: vector<2xf64>, %s1: vector<2xf64>, %C: memref<1024xf64>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1 to %C at [%m0, %n0] : vector<2xf64>, vector<2xf64> to memref<1024xf64>, i32, i32
    gpu.return
  }
}

// -----

// Sums of halves are f32: the old element of C is extended, and the new one
// rounded.

#kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f32, beta = 2.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @halves
// CHECK-SAME: %[[S:[a-z0-9]*]]: vector<1xf32>, %[[C:[a-z0-9]*]]: memref<8xf16>
// CHECK: %[[LOAD:.*]] = vector.load %[[C]][%[[AT:.*]]] {alignment = 2 : i64} : memref<8xf16>, vector<1xf16>
// CHECK: %[[OLD:.*]] = arith.extf %[[LOAD]] : vector<1xf16> to vector<1xf32>
// CHECK: %[[NEW:.*]] = math.fma %{{.*}}, %[[OLD]], %{{.*}} : vector<1xf32>
// CHECK: %[[NARROW:.*]] = arith.truncf %[[NEW]] : vector<1xf32> to vector<1xf16>
// CHECK: vector.store %[[NARROW]], %[[C]][%[[AT]]] {alignment = 2 : i64} : memref<8xf16>, vector<1xf16>
gpu.module @kernels {
  gpu.func @halves(%arg0: memref<8xf16>, %arg1: memref<f16>, %arg2: memref<8xf16>,
                   %s: vector<1xf32>, %C: memref<8xf16>, %m0: i32)
      kernel attributes {tc.kernel = #kernel} {
    %beta = arith.constant 2.0 : f32
    tc.store_tile %s to %C at [%m0] beta(%beta : f32) : vector<1xf32> to memref<8xf16>, i32
    gpu.return
  }
}

// -----

// In a semiring whose products are sums and whose sums are maxima, alpha and
// beta are added. Its zero, with which C must not be read, is minus infinity.

#kernel = #tc.kernel<a = [m], b = [], c = [m], semiring = max_plus,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @longest
// CHECK-SAME: vector<1xf32>, %[[C:[a-z0-9]*]]: memref<8xf32>
// CHECK-SAME: %[[ALPHA:[a-z0-9]*]]: f32, %[[BETA:[a-z0-9]*]]: f32)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<0.000000e+00> : vector<1xf32>
// CHECK: %[[A:.*]] = vector.broadcast %[[ALPHA]]
// CHECK: %[[SCALED:.*]] = arith.addf %[[A]], %{{.*}}
// CHECK: %[[B:.*]] = vector.broadcast %[[BETA]]
// CHECK: %[[USES:.*]] = arith.cmpf une, %[[BETA]], %[[ZERO]]
// CHECK: %[[OLD:.*]] = scf.if %[[USES]]
// CHECK: vector.load %[[C]]
// CHECK: scf.yield %[[ONE]]
// CHECK: %[[TERM:.*]] = arith.addf %[[B]], %[[OLD]]
// CHECK: arith.maxnumf %[[TERM]], %[[SCALED]]
gpu.module @kernels {
  gpu.func @longest(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %arg3: f32, %arg4: f32,
                   %s: vector<1xf32>, %C: memref<8xf32>, %m0: i32, %alpha: f32, %beta: f32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s to %C at [%m0] alpha(%alpha : f32) beta(%beta : f32) : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}

// -----

// Sums of bytes may be stored as bytes: of each sum, the lowest bits.

#kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1 : i32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @bytes
// CHECK-SAME: vector<1xi32>, %[[C:[a-z0-9]*]]: memref<8xi8>, %{{.*}}: i32, %[[BETA:[a-z0-9]*]]: i32)
// CHECK: arith.cmpi ne, %[[BETA]], %c0_i32
// CHECK: %[[LOAD:.*]] = vector.load %[[C]][%{{.*}}] {alignment = 1 : i64} : memref<8xi8>, vector<1xi8>
// CHECK: arith.extsi %[[LOAD]] : vector<1xi8> to vector<1xi32>
// CHECK: %[[TERM:.*]] = arith.muli
// CHECK: %[[NEW:.*]] = arith.addi %[[TERM]], %{{.*}}
// CHECK: %[[NARROW:.*]] = arith.trunci %[[NEW]] : vector<1xi32> to vector<1xi8>
// CHECK: vector.store %[[NARROW]], %[[C]]
gpu.module @kernels {
  gpu.func @bytes(%arg0: memref<8xi8>, %arg1: memref<i8>, %arg2: memref<8xi8>, %arg3: i32,
                   %s: vector<1xi32>, %C: memref<8xi8>, %m0: i32, %beta: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s to %C at [%m0] beta(%beta : i32) : vector<1xi32> to memref<8xi8>, i32
    gpu.return
  }
}

// -----

// An epilogue works on vectors as they are stored. Of its tensors, one load has
// as many elements as adjoin where C's do: four of the bias along n, one for all
// along m, and single ones down the columns of the transposed matrix. All are
// guarded like C.

#kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = read_write, auxiliaries = [[n], [m], [n, m]],
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [], register = [1, 4]>>

// CHECK-LABEL: gpu.func @fused
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<80xf32>, %[[S0:[a-z0-9]*]]: memref<8xf32>, %[[S1:[a-z0-9]*]]: memref<10xf32>, %[[S2:[a-z0-9]*]]: memref<80xf32>
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = vector.load %[[C]][%[[AT:.*]]] {alignment = 16 : i64} : memref<80xf32>, vector<4xf32>
// CHECK: %[[N:.*]] = vector.load %[[S0]][%{{.*}}] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>
// CHECK: %[[ONE:.*]] = vector.load %[[S1]][%{{.*}}] {alignment = 4 : i64} : memref<10xf32>, vector<1xf32>
// CHECK: %[[M:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK-COUNT-4: vector.load %[[S2]][%{{.*}}] {alignment = 4 : i64} : memref<80xf32>, vector<1xf32>
// CHECK: %[[NM:.*]] = vector.from_elements
// CHECK: %[[R0:.*]] = arith.addf %{{.*}}, %[[OLD]] : vector<4xf32>
// CHECK: %[[R1:.*]] = arith.addf %[[R0]], %[[N]] : vector<4xf32>
// CHECK: %[[R2:.*]] = arith.mulf %[[R1]], %[[M]] : vector<4xf32>
// CHECK: %[[R3:.*]] = arith.addf %[[R2]], %[[NM]] : vector<4xf32>
// CHECK: vector.store %[[R3]], %[[C]][%[[AT]]] {alignment = 16 : i64}
gpu.module @kernels {
  gpu.func @fused(%arg0: memref<10xf32>, %arg1: memref<8xf32>, %arg2: memref<10x8xf32>,
                  %arg3: memref<8xf32>, %arg4: memref<10xf32>, %arg5: memref<8x10xf32>,
                  %r: vector<4xf32>, %C: memref<80xf32>, %s0: memref<8xf32>, %s1: memref<10xf32>, %s2: memref<80xf32>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %r to %C at [%m0, %n0] auxiliaries(%s0, %s1, %s2 : memref<8xf32>, memref<10xf32>, memref<80xf32>) epilogue {
    ^bb0(%sum: f32, %old: f32, %n: f32, %m: f32, %nm: f32):
      %0 = arith.addf %sum, %old : f32
      %1 = arith.addf %0, %n : f32
      %2 = arith.mulf %1, %m : f32
      %3 = arith.addf %2, %nm : f32
      tc.yield %3 : f32
    } : vector<4xf32> to memref<80xf32>, i32, i32
    gpu.return
  }
}

// -----

// If the epilogue reads C anyway, a beta that turns out to be zero does not
// keep C from being loaded, but from being added. An auxiliary tensor that is
// not used is not loaded.

#kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f32, epilogue = read_write, auxiliaries = [[m]],
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @beta
// CHECK-SAME: vector<1xf32>, %[[C:[a-z0-9]*]]: memref<8xf32>, %{{[a-z0-9]*}}: memref<8xf32>, %{{[a-z0-9]*}}: i32, %[[BETA:[a-z0-9]*]]: f32)
// CHECK: %[[OLD:.*]] = vector.load %[[C]]
// CHECK-NOT: vector.load
// CHECK: %[[ADDED:.*]] = math.fma %{{.*}}, %[[OLD]], %[[SUM:.*]] : vector<1xf32>
// CHECK: %[[USES:.*]] = arith.cmpf une, %[[BETA]]
// CHECK: %[[RESULT:.*]] = arith.select %[[USES]], %[[ADDED]], %[[SUM]]
// CHECK: arith.mulf %[[RESULT]], %[[OLD]]
gpu.module @kernels {
  gpu.func @beta(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %arg3: memref<8xf32>, %arg4: f32,
                 %s: vector<1xf32>, %C: memref<8xf32>, %side: memref<8xf32>, %m0: i32, %beta: f32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s to %C at [%m0] beta(%beta : f32) auxiliaries(%side : memref<8xf32>) epilogue {
    ^bb0(%sum: f32, %old: f32, %unused: f32):
      %0 = arith.mulf %sum, %old : f32
      tc.yield %0 : f32
    } : vector<1xf32> to memref<8xf32>, i32
    gpu.return
  }
}

// -----

// The sum of C's elements, row after row, leaves out those beyond the tensor.
// The epilogue maps an element before.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, epilogue = write, auxiliaries = [[n]], reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// CHECK-LABEL: gpu.func @reduce
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %{{[a-z0-9]*}}: vector<2xf64>, %[[W:[a-z0-9]*]]: memref<12xf64>
// CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f64
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK:   %[[WEIGHT:.*]] = vector.load %[[W]]
// CHECK:   %[[WEIGHTED:.*]] = arith.mulf %{{.*}}, %[[WEIGHT]] : vector<1xf64>
// CHECK:   %[[ELEMENT:.*]] = vector.extract %[[WEIGHTED]][0]
// CHECK:   %[[ADDED:.*]] = arith.addf %[[ELEMENT]], %[[ZERO]]
// CHECK:   scf.yield %[[ADDED]]
// CHECK: } else {
// CHECK:   scf.yield %[[ZERO]]
// CHECK: %[[SECOND:.*]] = scf.if %{{.*}} -> (f64) {
// CHECK:   arith.addf %[[FIRST]], %{{.*}}
// CHECK:   scf.yield %[[FIRST]]
// CHECK-COUNT-2: scf.if
// CHECK-NOT: vector.store
// CHECK: gpu.return
gpu.module @kernels {
  gpu.func @reduce(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %arg3: memref<12xf64>, %arg4: memref<200xi8>,
                   %s0: vector<2xf64>, %s1: vector<2xf64>, %weights: memref<12xf64>, %m0: i32, %n0: i32, %E: memref<f64>)
      kernel attributes {tc.kernel = #kernel} {
    %sum = tc.reduce_tile %s0, %s1 at [%m0, %n0] auxiliaries(%weights : memref<12xf64>) epilogue {
    ^bb0(%x: f64, %old: f64, %w: f64):
      %0 = arith.mulf %x, %w : f64
      tc.yield %0 : f64
    } : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
    memref.store %sum, %E[] : memref<f64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// All of K in one tile is no loop that keeps the products where they are, so the
// sums are kept before stores under a condition.

// CHECK-LABEL: gpu.func @kept_in_place
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>
// CHECK: %[[E:.*]] = vector.extract %[[S0]][0]
// CHECK: %[[KEPT:.*]] = llvm.inline_asm has_side_effects "", "=d,0" %[[E]] : (f64) -> f64
// CHECK-COUNT-3: llvm.inline_asm has_side_effects
// CHECK: %[[VECTOR:.*]] = vector.from_elements %[[KEPT]],
// CHECK: scf.if
// CHECK: vector.store %[[VECTOR]]
gpu.module @kernels {
  gpu.func @kept_in_place(%arg0: memref<10x2xf64>, %arg1: memref<2x12xf64>, %arg2: memref<10x12xf64>,
                          %s0: vector<2xf64>, %s1: vector<2xf64>, %C: memref<120xf64>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1 to %C at [%m0, %n0] : vector<2xf64>, vector<2xf64> to memref<120xf64>, i32, i32
    gpu.return
  }
}

// -----

// Four lanes exchange the columns of four products of halves, so that each
// stores eight neighbours: two stages of two shuffles for each row.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 32], k = [k: 16],
                            register = [2, 8], instruction = mma_m16n8k16>>

// CHECK-LABEL: gpu.func @exchange
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c4_i32
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: vector.bitcast %{{.*}} : vector<8xf16> to vector<4xi32>
// CHECK: arith.andi %[[LANE]]
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: arith.andi %[[LANE]]
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<512xf16>, vector<8xf16>
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<512xf16>, vector<8xf16>
// CHECK-NOT: vector.store
gpu.module @kernels {
  gpu.func @exchange(%arg0: memref<16x16xf16>, %arg1: memref<16x32xf16>, %arg2: memref<16x32xf16>,
                     %s0: vector<2xf32>, %s1: vector<2xf32>, %s2: vector<2xf32>, %s3: vector<2xf32>,
                     %s4: vector<2xf32>, %s5: vector<2xf32>, %s6: vector<2xf32>, %s7: vector<2xf32>,
                     %C: memref<512xf16>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 to %C at [%m0, %n0]
      : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>,
        vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> to memref<512xf16>, i32, i32
    gpu.return
  }
}

// -----

// With dynamic extents, strides and offsets of auxiliary tensors are dynamic,
// too.

#kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = write, auxiliaries = [[n], [n, m]],
    dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @strided
// CHECK-SAME: %[[N0:[a-z0-9]*]]: i64, %[[O0:[a-z0-9]*]]: i64, %[[N1:[a-z0-9]*]]: i64, %[[M1:[a-z0-9]*]]: i64, %[[O1:[a-z0-9]*]]: i64, %{{[a-z0-9]*}}: i32
// CHECK-SAME: memref<2048xf32>, %[[S0:[a-z0-9]*]]: memref<64xf32>, %[[S1:[a-z0-9]*]]: memref<2048xf32>
// CHECK: arith.muli %{{.*}}, %[[N0]] overflow<nsw> : i64
// CHECK: arith.addi %[[O0]], %{{.*}} : i64
// CHECK: arith.addi %[[O1]], %{{.*}} : i64
// CHECK: arith.muli %{{.*}}, %[[N1]] overflow<nsw> : i64
// CHECK: scf.if
// CHECK: vector.load %[[S0]]
// CHECK: vector.load %[[S1]]
gpu.module @kernels {
  gpu.func @strided(%arg0: memref<32xf32>, %arg1: memref<64xf32>, %arg2: memref<32x64xf32>, %arg3: memref<64xf32>, %arg4: memref<64x32xf32>,
                       %m: i32, %n: i32, %am: i64, %a: i64, %bn: i64, %b: i64, %cm: i64, %cn: i64, %c: i64,
                       %s0n: i64, %s0o: i64, %s1n: i64, %s1m: i64, %s1o: i64, %steps: i32, %rows: i32, %by_rows: i64,
                       %r: vector<1xf32>, %C: memref<2048xf32>, %s0: memref<64xf32>, %s1: memref<2048xf32>, %m0: i32, %n0: i32)
      kernel attributes {tc.kernel = #kernel} {
    tc.store_tile %r to %C at [%m0, %n0] auxiliaries(%s0, %s1 : memref<64xf32>, memref<2048xf32>) epilogue {
    ^bb0(%sum: f32, %old: f32, %x: f32, %y: f32):
      %0 = arith.addf %sum, %x : f32
      %1 = arith.mulf %0, %y : f32
      tc.yield %1 : f32
    } : vector<1xf32> to memref<2048xf32>, i32, i32
    gpu.return
  }
}
