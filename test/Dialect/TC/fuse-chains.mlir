// RUN: tc-opt %s --tc-fuse-chains="target=sm_90 find" --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-fuse-chains=target=sm_90 --split-input-file | FileCheck %s --check-prefix=GROUPS
// RUN: tc-opt %s --tc-fuse-chains="target=sm_90 find explain" --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN

// EXPLAIN: chain [e, l, j] -> [e, i, j]: one kernel is predicted to take {{[0-9.]+}} us, one for each {{[0-9.]+}} us: fused
// EXPLAIN-NEXT: chain [m, l] -> [m, n]: {{.*}} us: a group says so
// EXPLAIN-NEXT: chain [m, l] -> [m, n]: no kernel, no schedule for sm_90 keeps the tensors between contractions in shared memory
// EXPLAIN-NEXT: chain [h, q, k] -> [h, q, d]: {{.*}}: fused
// EXPLAIN-NEXT: chain [m, l] -> [m, n]: no kernel, its semiring is not plus_times

// Eight thousand small products by two matrices: three kernels would write and
// read the intermediate results.

// CHECK-LABEL: @operator
// CHECK: tc.fused dissolvable -> tensor<8000x8x8xf64> {
// CHECK: tc.contract {{.*}}schedule = #tc.schedule
// CHECK: tc.contract {{.*}}schedule = #tc.schedule
// CHECK: tc.fused_yield
// GROUPS-LABEL: @operator
// GROUPS-NOT: tc.fused
// GROUPS-NOT: schedule
// GROUPS: return
func.func @operator(%U: tensor<8000x8x8xf64>, %A: tensor<8x8xf64>,
                    %B: tensor<8x8xf64>) -> tensor<8000x8x8xf64> {
  %t = tensor.empty() : tensor<8000x8x8xf64>
  %0 = tc.contract [e, l, m], [m, j] -> [e, l, j]
    ins(%U, %A : tensor<8000x8x8xf64>, tensor<8x8xf64>)
    outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  %1 = tc.contract [e, l, j], [l, i] -> [e, i, j]
    ins(%0, %B : tensor<8000x8x8xf64>, tensor<8x8xf64>)
    outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  return %1 : tensor<8000x8x8xf64>
}

// -----

// A group that is said to be one kernel gets schedules, whatever is predicted.

// CHECK-LABEL: @said
// CHECK-COUNT-2: schedule = #tc.schedule
// GROUPS-LABEL: @said
// GROUPS-COUNT-2: schedule = #tc.schedule
func.func @said(%A: tensor<40x12xf32>, %B: tensor<12x7xf32>, %E: tensor<7x5xf32>) -> tensor<40x5xf32> {
  %t = tensor.empty() : tensor<40x7xf32>
  %c = tensor.empty() : tensor<40x5xf32>
  %D = tc.fused -> tensor<40x5xf32> {
    %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<40x12xf32>, tensor<12x7xf32>) outs(%t : tensor<40x7xf32>) -> tensor<40x7xf32>
    %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %E : tensor<40x7xf32>, tensor<7x5xf32>) outs(%c : tensor<40x5xf32>) -> tensor<40x5xf32>
    tc.fused_yield %1 : tensor<40x5xf32>
  }
  return %D : tensor<40x5xf32>
}

// -----

// Large matrices are multiplied one after the other: a tile would have to span
// 1000 columns.

// CHECK-LABEL: @large
// CHECK-NOT: tc.fused
// CHECK: return
func.func @large(%A: tensor<1000x1000xf64>, %B: tensor<1000x1000xf64>) -> tensor<1000x1000xf64> {
  %t = tensor.empty() : tensor<1000x1000xf64>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%t : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %B : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%t : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
  return %1 : tensor<1000x1000xf64>
}

// -----

// The second product sums over too many values for a tile, so it goes step by
// step; the first one's tile is as long. Scores and their softmax would be
// written and read.

// CHECK-LABEL: @attention
// CHECK: tc.fused dissolvable -> tensor<16x1024x64xf16> {
// CHECK: tc.contract {{.*}}n = [k: [[STEP:[0-9]+]]], k = [d: 64]
// CHECK: linalg.softmax
// CHECK: tc.contract {{.*}}k = [k: [[STEP]]]
// CHECK: tc.fused_yield
func.func @attention(%Q: tensor<16x1024x64xf16>, %K: tensor<16x1024x64xf16>,
                     %V: tensor<16x1024x64xf16>) -> tensor<16x1024x64xf16> {
  %s = tensor.empty() : tensor<16x1024x1024xf16>
  %o = tensor.empty() : tensor<16x1024x64xf16>
  %0 = tc.contract [h, q, d], [h, k, d] -> [h, q, k]
    ins(%Q, %K : tensor<16x1024x64xf16>, tensor<16x1024x64xf16>)
    outs(%s : tensor<16x1024x1024xf16>) -> tensor<16x1024x1024xf16>
  %1 = linalg.softmax dimension(2) ins(%0 : tensor<16x1024x1024xf16>)
    outs(%s : tensor<16x1024x1024xf16>) -> tensor<16x1024x1024xf16>
  %2 = tc.contract [h, q, k], [h, k, d] -> [h, q, d]
    ins(%1, %V : tensor<16x1024x1024xf16>, tensor<16x1024x64xf16>)
    outs(%o : tensor<16x1024x64xf16>) -> tensor<16x1024x64xf16>
  return %2 : tensor<16x1024x64xf16>
}

// -----

// CHECK-LABEL: @minima
// CHECK-NOT: tc.fused
// CHECK: return
func.func @minima(%A: tensor<64x8xf32>, %B: tensor<8x8xf32>) -> tensor<64x8xf32> {
  %t = tensor.empty() : tensor<64x8xf32>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<64x8xf32>, tensor<8x8xf32>) outs(%t : tensor<64x8xf32>) -> tensor<64x8xf32>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %B : tensor<64x8xf32>, tensor<8x8xf32>) outs(%t : tensor<64x8xf32>) semiring = min_plus -> tensor<64x8xf32>
  return %1 : tensor<64x8xf32>
}

// -----

// A sum's first term overwrites the buffer: nothing is left of the values that
// the chain kept in it between producer and consumer.

// CHECK-LABEL: @reused_by_a_sum
// CHECK-COUNT-2: schedule = #tc.schedule
// GROUPS-LABEL: @reused_by_a_sum
// GROUPS-COUNT-2: schedule = #tc.schedule
func.func @reused_by_a_sum(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>) {
  %one = arith.constant 1.0 : f64
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %C : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%C, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>) beta(%one : f64)
  }
  tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>)
  return
}

// -----

// Copies and returns read it then, too.

// CHECK-LABEL: @returned_by_a_sum
// CHECK-COUNT-2: schedule = #tc.schedule
// GROUPS-LABEL: @returned_by_a_sum
// GROUPS-COUNT-2: schedule = #tc.schedule
func.func @returned_by_a_sum(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>) -> memref<4x4xf64> {
  %one = arith.constant 1.0 : f64
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %C : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%C, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>) beta(%one : f64)
  }
  memref.copy %T, %D : memref<4x4xf64> to memref<4x4xf64>
  return %T : memref<4x4xf64>
}

// -----

// A view that nothing needs reads nothing.

// CHECK-LABEL: @dead_view
// CHECK-COUNT-2: schedule = #tc.schedule
// GROUPS-LABEL: @dead_view
// GROUPS-COUNT-2: schedule = #tc.schedule
func.func @dead_view(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  %view = memref.collapse_shape %T [[0, 1]] : memref<4x4xf64> into memref<16xf64>
  tc.fused {
    tc.contract [m, k], [k, l] -> [m, l] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    tc.contract [m, l], [l, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}
