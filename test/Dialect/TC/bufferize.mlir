// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s

// The result takes the place of the destination, and the schedule stays.
// CHECK-LABEL: @in_place
// CHECK-SAME: %[[A:[^:]*]]: memref<4x8xf32>, %[[B:[^:]*]]: memref<8x2xf32>, %[[C:[^:]*]]: memref<4x2xf32>
// CHECK-NOT: memref.alloc
// CHECK: tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]] : memref<4x8xf32>, memref<8x2xf32>) outs(%[[C]] : memref<4x2xf32>) alpha(%{{.*}} : f32) beta(%{{.*}} : f32) {schedule = #tc.schedule<{{.*}}>, tc.note = "kept"}
// CHECK: return %[[C]]
func.func @in_place(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                    %C: tensor<4x2xf32> {bufferization.writable = true},
                    %alpha: f32, %beta: f32) -> tensor<4x2xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) alpha(%alpha : f32) beta(%beta : f32)
         {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 8], register = [1, 1]>,
          tc.note = "kept"}
         -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// -----

// A destination that is needed later is copied if its contents contribute.
// CHECK-LABEL: @destination_read_later
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %{{.*}}, %[[COPY]]
// CHECK: tc.contract {{.*}} outs(%[[COPY]] : memref<4x2xf32>) beta
func.func @destination_read_later(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                                  %C: tensor<4x2xf32> {bufferization.writable = true},
                                  %beta: f32) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) beta(%beta : f32) -> tensor<4x2xf32>
  return %C, %D : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// If they do not, memory is enough.
// CHECK-LABEL: @destination_unread
// CHECK: %[[NEW:.*]] = memref.alloc
// CHECK-NOT: memref.copy
// CHECK: tc.contract {{.*}} outs(%[[NEW]] : memref<4x2xf32>)
func.func @destination_unread(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                              %C: tensor<4x2xf32> {bufferization.writable = true})
    -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %C, %D : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// An input may not be overwritten while it is read.
// CHECK-LABEL: @input_as_destination
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>
// CHECK: %[[NEW:.*]] = memref.alloc
// CHECK: tc.contract {{.*}} ins(%[[A]], %[[A]] : {{.*}}) outs(%[[NEW]] :
func.func @input_as_destination(%A: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%A : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %D : tensor<4x4xf32>
}

// -----

// The precision stays.
// CHECK-LABEL: @precision
// CHECK: tc.contract {{.*}} outs(%{{.*}} : memref<4x2xf32>) precision = "3xtf32"
func.func @precision(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                     %C: tensor<4x2xf32> {bufferization.writable = true})
    -> tensor<4x2xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) precision = "3xtf32" -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}
