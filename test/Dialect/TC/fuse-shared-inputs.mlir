// RUN: tc-opt %s --tc-fuse-chains="target=sm_90 find" | FileCheck %s
// RUN: tc-opt %s --tc-fuse-chains=target=sm_90 | FileCheck %s --check-prefix=GROUPS
// RUN: tc-opt %s --tc-fuse-chains="target=sm_90 find explain" 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN

// EXPLAIN: products of one input [e, k, i], [e, i, l]: one kernel is predicted to take {{[0-9.]+}} us, one for each {{[0-9.]+}} us: a group says so
// EXPLAIN: products of one input [e, k, i], [e, i, l]: one kernel is predicted to take {{[0-9.]+}} us, one for each {{[0-9.]+}} us: fused
// EXPLAIN: products of one input [e, k, i], [e, k, n], [e, i, l]: no kernel,
// EXPLAIN: products of one input [e, k, i], [e, k, n]: no kernel,
// EXPLAIN: products of one input [e, k, i], [e, i, l]: one kernel is predicted to take {{[0-9.]+}} us, one for each {{[0-9.]+}} us: fused
// EXPLAIN: products of one input [m, n], [k, n]: no kernel, no schedule for sm_90 has the same tile of what the contractions have in common, and all else of their outputs

// Two kernels would read a field of eight thousand matrices twice.

// CHECK-LABEL: @found
// CHECK: %[[D:.*]]:2 = tc.fused dissolvable -> tensor<8000x8x8xf64>, tensor<8000x8x8xf64> {
// CHECK: tc.contract {{.*}}schedule = #tc.schedule
// CHECK: tc.contract {{.*}}schedule = #tc.schedule
// CHECK: tc.fused_yield
// CHECK: return %[[D]]#0, %[[D]]#1
// GROUPS-LABEL: @found
// GROUPS-NOT: tc.fused
// GROUPS: return
func.func @found(%U: tensor<8000x8x8xf64>, %A: tensor<8x8xf64>) -> (tensor<8000x8x8xf64>, tensor<8000x8x8xf64>) {
  %t = tensor.empty() : tensor<8000x8x8xf64>
  %0 = tc.contract [e, k, l], [i, l] -> [e, k, i] ins(%U, %A : tensor<8000x8x8xf64>, tensor<8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  %1 = tc.contract [i, k], [e, k, l] -> [e, i, l] ins(%A, %U : tensor<8x8xf64>, tensor<8000x8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  return %0, %1 : tensor<8000x8x8xf64>, tensor<8000x8x8xf64>
}

// CHECK-LABEL: @said
// CHECK-COUNT-2: schedule = #tc.schedule
// GROUPS-LABEL: @said
// GROUPS-COUNT-2: schedule = #tc.schedule
func.func @said(%U: tensor<50x8x8xf32>, %A: tensor<8x8xf32>) -> (tensor<50x8x8xf32>, tensor<50x8x8xf32>) {
  %t = tensor.empty() : tensor<50x8x8xf32>
  %D:2 = tc.fused -> tensor<50x8x8xf32>, tensor<50x8x8xf32> {
    %0 = tc.contract [e, k, l], [i, l] -> [e, k, i] ins(%U, %A : tensor<50x8x8xf32>, tensor<8x8xf32>) outs(%t : tensor<50x8x8xf32>) -> tensor<50x8x8xf32>
    %1 = tc.contract [i, k], [e, k, l] -> [e, i, l] ins(%A, %U : tensor<8x8xf32>, tensor<50x8x8xf32>) outs(%t : tensor<50x8x8xf32>) -> tensor<50x8x8xf32>
    tc.fused_yield %0, %1 : tensor<50x8x8xf32>, tensor<50x8x8xf32>
  }
  return %D#0, %D#1 : tensor<50x8x8xf32>, tensor<50x8x8xf32>
}

// One that one block cannot compute with the others is no obstacle to these.

// CHECK-LABEL: @some
// CHECK: %[[WIDE:.*]] = tc.contract
// CHECK: %[[D:.*]]:2 = tc.fused dissolvable -> tensor<8000x8x8xf64>, tensor<8000x8x8xf64> {
// CHECK: return %[[D]]#0, %[[WIDE]], %[[D]]#1
func.func @some(%U: tensor<8000x8x8xf64>, %A: tensor<8x8xf64>, %B: tensor<2000x8xf64>) -> (tensor<8000x8x8xf64>, tensor<8000x8x2000xf64>, tensor<8000x8x8xf64>) {
  %t = tensor.empty() : tensor<8000x8x8xf64>
  %w = tensor.empty() : tensor<8000x8x2000xf64>
  %0 = tc.contract [e, k, l], [i, l] -> [e, k, i] ins(%U, %A : tensor<8000x8x8xf64>, tensor<8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  %1 = tc.contract [e, k, l], [n, l] -> [e, k, n] ins(%U, %B : tensor<8000x8x8xf64>, tensor<2000x8xf64>) outs(%w : tensor<8000x8x2000xf64>) -> tensor<8000x8x2000xf64>
  %2 = tc.contract [i, k], [e, k, l] -> [e, i, l] ins(%A, %U : tensor<8x8xf64>, tensor<8000x8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  return %0, %1, %2 : tensor<8000x8x8xf64>, tensor<8000x8x2000xf64>, tensor<8000x8x8xf64>
}

// Large matrices stay apart, and so do those whose results are used before the
// last one.

// CHECK-LABEL: @large
// CHECK-NOT: tc.fused
// CHECK: return
func.func @large(%A: tensor<1000x1000xf64>, %B: tensor<1000x1000xf64>) -> (tensor<1000x1000xf64>, tensor<1000x1000xf64>) {
  %t = tensor.empty() : tensor<1000x1000xf64>
  %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%t : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
  %1 = tc.contract [m, k], [m, n] -> [k, n] ins(%A, %B : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%t : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
  return %0, %1 : tensor<1000x1000xf64>, tensor<1000x1000xf64>
}

// CHECK-LABEL: @between
// CHECK-NOT: tc.fused
// CHECK: return
func.func @between(%U: tensor<8000x8x8xf64>, %A: tensor<8x8xf64>) -> (tensor<8000x8x8xf64>, tensor<8000x8x8xf64>) {
  %t = tensor.empty() : tensor<8000x8x8xf64>
  %0 = tc.contract [e, k, l], [i, l] -> [e, k, i] ins(%U, %A : tensor<8000x8x8xf64>, tensor<8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  %c0 = arith.constant 0 : index
  %x = tensor.extract %0[%c0, %c0, %c0] : tensor<8000x8x8xf64>
  %B = tensor.insert %x into %A[%c0, %c0] : tensor<8x8xf64>
  %1 = tc.contract [i, k], [e, k, l] -> [e, i, l] ins(%B, %U : tensor<8x8xf64>, tensor<8000x8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  return %0, %1 : tensor<8000x8x8xf64>, tensor<8000x8x8xf64>
}

// Of a diagonal, the tile does not follow from that of the whole.

// CHECK-LABEL: @diagonal
// CHECK-NOT: tc.fused
// CHECK: return
func.func @diagonal(%U: tensor<8000x8x8xf64>, %A: tensor<8x8xf64>, %v: tensor<8xf64>) -> (tensor<8000x8x8xf64>, tensor<8000x8xf64>) {
  %t = tensor.empty() : tensor<8000x8x8xf64>
  %d = tensor.empty() : tensor<8000x8xf64>
  %0 = tc.contract [e, k, l], [i, l] -> [e, k, i] ins(%U, %A : tensor<8000x8x8xf64>, tensor<8x8xf64>) outs(%t : tensor<8000x8x8xf64>) -> tensor<8000x8x8xf64>
  %1 = tc.contract [e, k, k], [k] -> [e, k] ins(%U, %v : tensor<8000x8x8xf64>, tensor<8xf64>) outs(%d : tensor<8000x8xf64>) -> tensor<8000x8xf64>
  return %0, %1 : tensor<8000x8x8xf64>, tensor<8000x8xf64>
}
