// RUN: tc-opt %s --canonicalize --resolve-ranked-shaped-type-result-dims --canonicalize --split-input-file | FileCheck %s

// Absence says the same as an alpha of one and a beta of zero.
// CHECK-LABEL: @neutral_scalars
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: outs(%{{[^)]*}}) ->
func.func @neutral_scalars(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                           %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant -0.0 : f32
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) alpha(%one : f32) beta(%zero : f32)
         -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @other_scalars
// CHECK: alpha(%{{.*}} : f32) beta(%{{.*}} : f32)
func.func @other_scalars(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                         %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) alpha(%zero : f32) beta(%one : f32)
         -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: @memref_casts
// CHECK-SAME: %[[A:[^:]*]]: memref<4x8xf32>, %[[B:[^:]*]]: memref<8x2xf32, strided<[1, 8]>>, %[[C:[^:]*]]: memref<4x2xf32>
// CHECK-NOT: memref.cast
// CHECK: ins(%[[A]], %[[B]] : memref<4x8xf32>, memref<8x2xf32, strided<[1, 8]>>)
// CHECK-SAME: outs(%[[C]] : memref<4x2xf32>)
func.func @memref_casts(%A: memref<4x8xf32>, %B: memref<8x2xf32, strided<[1, 8]>>,
                        %C: memref<4x2xf32>) {
  %a = memref.cast %A : memref<4x8xf32> to memref<?x?xf32>
  %b = memref.cast %B : memref<8x2xf32, strided<[1, 8]>>
                     to memref<8x2xf32, strided<[?, ?], offset: ?>>
  %c = memref.cast %C : memref<4x2xf32> to memref<4x?xf32>
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %b : memref<?x?xf32>, memref<8x2xf32, strided<[?, ?], offset: ?>>)
    outs(%c : memref<4x?xf32>)
  return
}

// -----

// A cast that adds knowledge stays.
// CHECK-LABEL: @memref_cast_to_static
// CHECK: memref.cast
func.func @memref_cast_to_static(%A: memref<?x8xf32>, %B: memref<8x2xf32>,
                                 %C: memref<?x2xf32>) {
  %a = memref.cast %A : memref<?x8xf32> to memref<4x8xf32>
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %B : memref<4x8xf32>, memref<8x2xf32>) outs(%C : memref<?x2xf32>)
  return
}

// -----

// CHECK-LABEL: @tensor_casts
// CHECK: %[[D:.*]] = tc.contract
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x2xf32>)
// CHECK-SAME: outs(%{{.*}} : tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK: tensor.cast %[[D]] : tensor<4x2xf32> to tensor<?x2xf32>
func.func @tensor_casts(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>,
                        %C: tensor<4x2xf32>) -> tensor<?x2xf32> {
  %a = tensor.cast %A : tensor<4x8xf32> to tensor<?x?xf32>
  %c = tensor.cast %C : tensor<4x2xf32> to tensor<?x2xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%a, %B : tensor<?x?xf32>, tensor<8x2xf32>)
         outs(%c : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %D : tensor<?x2xf32>
}

// -----

// Indices collapse as by --tc-collapse-indices.
// CHECK-LABEL: @collapse
// CHECK: tc.contract [mn, k], [k] -> [mn]
func.func @collapse(%A: tensor<4x2x8xf32>, %B: tensor<8x1xf32>,
                    %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %D = tc.contract [m, n, k], [k, u] -> [m, n]
         ins(%A, %B : tensor<4x2x8xf32>, tensor<8x1xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// -----

// Unused results on tensors disappear, unused writes to memrefs do not.
// CHECK-LABEL: @dead
// CHECK-NOT: tensor<
// CHECK: tc.contract
// CHECK-SAME: memref<4x2xf32>
// CHECK-NOT: tc.contract
func.func @dead(%a: memref<4x8xf32>, %b: memref<8x2xf32>, %c: memref<4x2xf32>) {
  %A = tensor.empty() : tensor<4x8xf32>
  %B = tensor.empty() : tensor<8x2xf32>
  %C = tensor.empty() : tensor<4x2xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %b : memref<4x8xf32>, memref<8x2xf32>) outs(%c : memref<4x2xf32>)
  return
}

// -----

// Extents of tensors are those of the destination.
// CHECK-LABEL: @dim
// CHECK-SAME: %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<8x2xf32>, %[[C:.*]]: tensor<?x2xf32>
// CHECK: %[[D:.*]] = tensor.dim %[[C]]
// CHECK: return %[[D]]
func.func @dim(%A: tensor<?x8xf32>, %B: tensor<8x2xf32>, %C: tensor<?x2xf32>) -> index {
  %c0 = arith.constant 0 : index
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<?x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<?x2xf32>) -> tensor<?x2xf32>
  %d = tensor.dim %D, %c0 : tensor<?x2xf32>
  return %d : index
}

// -----

// The precision stays.
// CHECK-LABEL: @precision
// CHECK: tc.contract [mn], [] -> [mn] {{.*}} precision = tf32 ->
func.func @precision(%A: tensor<4x8x1xf32>, %B: tensor<1xf32>,
                     %C: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %D = tc.contract [m, n, k], [k] -> [m, n]
         ins(%A, %B : tensor<4x8x1xf32>, tensor<1xf32>)
         outs(%C : tensor<4x8xf32>) alpha(%one : f32) precision = tf32
         -> tensor<4x8xf32>
  return %D : tensor<4x8xf32>
}

// -----

// Groups yield what contractions compute, of which a cast is after the group.
// CHECK-LABEL: @cast_of_group
// CHECK: %[[R:.*]] = tc.fused -> tensor<9x2xf32> {
// CHECK: %[[SECOND:.*]] = tc.contract {{.*}} -> tensor<9x2xf32>
// CHECK-NEXT: tc.fused_yield %[[SECOND]] : tensor<9x2xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[R]] : tensor<9x2xf32> to tensor<?x2xf32>
// CHECK: return %[[CAST]]
func.func @cast_of_group(%a: tensor<9x8xf32>, %B: tensor<8x4xf32>, %e: tensor<9x4xf32>,
                         %D: tensor<4x2xf32>, %c: tensor<9x2xf32>) -> tensor<?x2xf32> {
  %A = tensor.cast %a : tensor<9x8xf32> to tensor<?x8xf32>
  %E = tensor.cast %e : tensor<9x4xf32> to tensor<?x4xf32>
  %C = tensor.cast %c : tensor<9x2xf32> to tensor<?x2xf32>
  %r = tc.fused -> tensor<?x2xf32> {
    %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<?x8xf32>, tensor<8x4xf32>) outs(%E : tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %D : tensor<?x4xf32>, tensor<4x2xf32>) outs(%C : tensor<?x2xf32>) -> tensor<?x2xf32>
    tc.fused_yield %1 : tensor<?x2xf32>
  }
  return %r : tensor<?x2xf32>
}
