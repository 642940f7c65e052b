// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s

// The buffers that the contractions of one kernel store to: all of them run at
// once, so that none stores to a buffer that another one reads.

// The second product of an input would find the buffer free that the first one has
// read.
// CHECK-LABEL: @fan
// CHECK: tc.contract {{.*}} outs(%[[X:.*]] : memref<8x8xf64>)
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: tc.fused {
// CHECK-NEXT: tc.contract {{.*}} ins(%[[A:.*]], %[[X]] : {{.*}}) outs(%[[D:.*]] : memref<8x8xf64>)
// CHECK-NEXT: tc.contract {{.*}} ins(%[[A]], %{{.*}} : {{.*}}) outs(%[[OWN]] : memref<8x8xf64>)
// CHECK-NEXT: }
// CHECK-NEXT: return %[[D]], %[[OWN]]
func.func @fan(%A: tensor<8x8xf64>, %d: tensor<8x8xf64> {bufferization.writable = true}) -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %e = tensor.empty() : tensor<8x8xf64>
  %X = tc.contract [m, j], [k, j] -> [k, m] ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
  %D:2 = tc.fused -> tensor<8x8xf64>, tensor<8x8xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %X : tensor<8x8xf64>, tensor<8x8xf64>) outs(%d : tensor<8x8xf64>) -> tensor<8x8xf64>
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
    tc.fused_yield %0, %1 : tensor<8x8xf64>, tensor<8x8xf64>
  }
  return %D#0, %D#1 : tensor<8x8xf64>, tensor<8x8xf64>
}

// -----

// A block of a chain's kernel stores while others read the chain's first input.
// CHECK-LABEL: @chain
// CHECK: tc.contract {{.*}} outs(%[[X:.*]] : memref<64x64xf32>)
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK-NEXT: tc.fused {
// CHECK-NEXT: tc.contract {{.*}} ins(%[[X]], %{{.*}} : {{.*}}) outs(%[[T:.*]] : memref<64x64xf32>)
// CHECK-NEXT: tc.contract {{.*}} ins(%[[T]], %{{.*}} : {{.*}}) outs(%[[OWN]] : memref<64x64xf32>)
// CHECK-NEXT: }
// CHECK-NEXT: return %[[OWN]]
func.func @chain(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %t = tensor.empty() : tensor<64x64xf32>
  %X = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %D = tc.fused -> tensor<64x64xf32> {
    %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%X, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%t : tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tc.contract [i, k], [k, j] -> [i, j] ins(%0, %A : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    tc.fused_yield %1 : tensor<64x64xf32>
  }
  return %D : tensor<64x64xf32>
}

// -----

// If C is read as well, its own buffer begins as a copy.
// CHECK-LABEL: @chain_reads_c
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<64x64xf32>, %[[B:[a-z0-9]+]]: memref<64x64xf32>
// CHECK: memref.copy %[[A]], %[[OWN:.*]] :
// CHECK-NEXT: tc.fused {
// CHECK-NEXT: tc.contract {{.*}} ins(%[[A]], %[[B]] :
// CHECK-NEXT: tc.contract {{.*}} outs(%[[OWN]] : memref<64x64xf32>) beta
// CHECK-NEXT: }
// CHECK-NEXT: return %[[OWN]]
func.func @chain_reads_c(%A: tensor<64x64xf32> {bufferization.writable = true}, %B: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %t = tensor.empty() : tensor<64x64xf32>
  %one = arith.constant 1.0 : f32
  %D = tc.fused -> tensor<64x64xf32> {
    %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%t : tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tc.contract [i, k], [k, j] -> [i, j] ins(%0, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%A : tensor<64x64xf32>) beta(%one : f32) -> tensor<64x64xf32>
    tc.fused_yield %1 : tensor<64x64xf32>
  }
  return %D : tensor<64x64xf32>
}

// -----

// The copy of a C that is needed later is made before the kernel.
// CHECK-LABEL: @chain_copies_c
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<64x64xf32>)
// CHECK: memref.copy %[[C]], %[[OWN:.*]] :
// CHECK-NEXT: tc.fused {
// CHECK-NEXT: tc.contract
// CHECK-NEXT: tc.contract {{.*}} outs(%[[OWN]] : memref<64x64xf32>) beta
// CHECK-NEXT: }
// CHECK-NEXT: return %[[OWN]], %[[C]]
func.func @chain_copies_c(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>, %C: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %t = tensor.empty() : tensor<64x64xf32>
  %one = arith.constant 1.0 : f32
  %D = tc.fused -> tensor<64x64xf32> {
    %0 = tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%t : tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = tc.contract [i, k], [k, j] -> [i, j] ins(%0, %B : tensor<64x64xf32>, tensor<64x64xf32>) outs(%C : tensor<64x64xf32>) beta(%one : f32) -> tensor<64x64xf32>
    tc.fused_yield %1 : tensor<64x64xf32>
  }
  return %D, %C : tensor<64x64xf32>, tensor<64x64xf32>
}
