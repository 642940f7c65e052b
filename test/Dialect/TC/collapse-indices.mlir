// RUN: tc-opt %s --tc-collapse-indices --split-input-file | FileCheck %s

// CHECK-LABEL: @ccsd
// CHECK-SAME: %[[A:[^:]*]]: tensor<24x16x24x24xf64>, %[[B:[^:]*]]: tensor<24x16x16x16xf64>, %[[C:[^:]*]]: tensor<24x16x16x24x16x16xf64>
// CHECK-DAG: %[[A1:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0, 1], [2], [3]] : tensor<24x16x24x24xf64> into tensor<384x24x24xf64>
// CHECK-DAG: %[[B1:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0], [1], [2, 3]] : tensor<24x16x16x16xf64> into tensor<24x16x256xf64>
// CHECK: %[[D:.*]] = tc.contract [de, g, a], [g, f, bc] -> [a, bc, de, f] ins(%[[A1]], %[[B1]] :
// CHECK: %[[R:.*]] = tensor.expand_shape %[[D]] {{\[\[}}0], [1, 2], [3, 4], [5]] output_shape [24, 16, 16, 24, 16, 16]
// CHECK: return %[[R]]
func.func @ccsd(%A: tensor<24x16x24x24xf64>, %B: tensor<24x16x16x16xf64>,
                %C: tensor<24x16x16x24x16x16xf64>)
    -> tensor<24x16x16x24x16x16xf64> {
  %D = tc.contract [d, e, g, a], [g, f, b, c] -> [a, b, c, d, e, f]
         ins(%A, %B : tensor<24x16x24x24xf64>, tensor<24x16x16x16xf64>)
         outs(%C : tensor<24x16x16x24x16x16xf64>)
         -> tensor<24x16x16x24x16x16xf64>
  return %D : tensor<24x16x16x24x16x16xf64>
}

// -----

// Tensors of high rank become matrices.
// CHECK-LABEL: @qubits
// CHECK: tc.contract [abcd, efg], [efg, hij] -> [abcd, hij]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<8x8xf32>) outs(%{{.*}} : tensor<16x8xf32>)
func.func @qubits(%a: tensor<2x2x2x2x2x2x2xf32>,
                  %B: tensor<2x2x2x2x2x2xf32>, %C: tensor<2x2x2x2x2x2x2xf32>)
    -> tensor<2x2x2x2x2x2x2xf32> {
  %D = tc.contract [a, b, c, d, e, f, g], [e, f, g, h, i, j] -> [a, b, c, d, h, i, j]
         ins(%a, %B : tensor<2x2x2x2x2x2x2xf32>, tensor<2x2x2x2x2x2xf32>)
         outs(%C : tensor<2x2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2x2xf32>
  return %D : tensor<2x2x2x2x2x2x2xf32>
}

// -----

// Batch indices merge if they are together in all three operands.
// CHECK-LABEL: @batch
// CHECK: tc.contract [bc, m], [bc, n] -> [bc, m, n]
// CHECK: tc.contract [b, c, m], [c, b, n] -> [b, c, m, n]
func.func @batch(%A: tensor<2x3x4xf32>, %B: tensor<2x3x5xf32>, %Bt: tensor<3x2x5xf32>,
                 %C: tensor<2x3x4x5xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) {
  %0 = tc.contract [b, c, m], [b, c, n] -> [b, c, m, n]
         ins(%A, %B : tensor<2x3x4xf32>, tensor<2x3x5xf32>)
         outs(%C : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = tc.contract [b, c, m], [c, b, n] -> [b, c, m, n]
         ins(%A, %Bt : tensor<2x3x4xf32>, tensor<3x2x5xf32>)
         outs(%C : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0, %1 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>
}

// -----

// Longer names are joined by '_'; a name that is taken gets a number.
// CHECK-LABEL: @names
// CHECK: tc.contract [row_col, k], [k] -> [row_col]
// CHECK: tc.contract [a_b, ab], [ab] -> [a_b]
// CHECK: tc.contract [a_b_0, ab, a_b], [a_b, ab] -> [a_b_0]
func.func @names(%A: tensor<2x3x4xf32>, %B: tensor<4xf32>, %C: tensor<2x3xf32>,
                 %A4: tensor<2x3x4x5xf32>, %B2: tensor<5x4xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = tc.contract [row, col, k], [k] -> [row, col]
         ins(%A, %B : tensor<2x3x4xf32>, tensor<4xf32>)
         outs(%C : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tc.contract [a, b, ab], [ab] -> [a, b]
         ins(%A, %B : tensor<2x3x4xf32>, tensor<4xf32>)
         outs(%C : tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tc.contract [a, b, ab, a_b], [a_b, ab] -> [a, b]
         ins(%A4, %B2 : tensor<2x3x4x5xf32>, tensor<5x4xf32>)
         outs(%C : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Other orders, gaps and diagonals keep indices apart.
// CHECK-LABEL: @apart
// CHECK: tc.contract [m, n, k], [k] -> [n, m]
// CHECK: tc.contract [m, k, n], [k] -> [m, n]
// CHECK: tc.contract [i, j, i], [j] -> [i]
// CHECK: tc.contract [i, j, i, j], [k] -> [k]
func.func @apart(%A: tensor<2x2x2xf32>, %A4: tensor<2x2x2x2xf32>, %B: tensor<2xf32>, %C: tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = tc.contract [m, n, k], [k] -> [n, m]
         ins(%A, %B : tensor<2x2x2xf32>, tensor<2xf32>)
         outs(%C : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = tc.contract [m, k, n], [k] -> [m, n]
         ins(%A, %B : tensor<2x2x2xf32>, tensor<2xf32>)
         outs(%C : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = tc.contract [i, j, i], [j] -> [i]
         ins(%A, %B : tensor<2x2x2xf32>, tensor<2xf32>)
         outs(%B : tensor<2xf32>) -> tensor<2xf32>
  %3 = tc.contract [i, j, i, j], [k] -> [k]
         ins(%A4, %B : tensor<2x2x2x2xf32>, tensor<2xf32>)
         outs(%B : tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @units
// CHECK-DAG: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3]] : tensor<1x4x1x8xf32> into tensor<4x8xf32>
// CHECK-DAG: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<8x1xf32> into tensor<8xf32>
// CHECK: %[[D:.*]] = tc.contract [m, k], [k] -> [m]
// CHECK: tensor.expand_shape %[[D]] {{\[\[}}0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
func.func @units(%A: tensor<1x4x1x8xf32>, %B: tensor<8x1xf32>, %C: tensor<4x1x1xf32>)
    -> tensor<4x1x1xf32> {
  %D = tc.contract [u, m, v, k], [k, w] -> [m, w, u]
         ins(%A, %B : tensor<1x4x1x8xf32>, tensor<8x1xf32>)
         outs(%C : tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  return %D : tensor<4x1x1xf32>
}

// -----

// CHECK-LABEL: @all_units
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK: tc.contract [], [] -> []
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @all_units(%A: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %D = tc.contract [i, i], [k, n] -> [i, n]
         ins(%A, %A : tensor<1x1xf32>, tensor<1x1xf32>)
         outs(%A : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %D : tensor<1x1xf32>
}

// -----

// Contiguous memrefs collapse in place, with their offset.
// CHECK-LABEL: @memrefs
// CHECK-DAG: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<2x3x8xf32, strided<[30, 10, 1], offset: 5>> into memref<6x8xf32, strided<[10, 1], offset: 5>>
// CHECK-DAG: memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
// CHECK: tc.contract [ab, k], [k, n] -> [ab, n]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : memref<6x8xf32, strided<[10, 1], offset: 5>>, memref<8x4xf32>)
// CHECK-SAME: outs(%{{.*}} : memref<6x4xf32>) alpha(%{{.*}} : f32)
func.func @memrefs(%A: memref<2x3x8xf32, strided<[30, 10, 1], offset: 5>>,
                   %B: memref<8x4xf32>, %C: memref<2x3x4xf32>, %s: f32) {
  tc.contract [a, b, k], [k, n] -> [a, b, n]
    ins(%A, %B : memref<2x3x8xf32, strided<[30, 10, 1], offset: 5>>, memref<8x4xf32>)
    outs(%C : memref<2x3x4xf32>) alpha(%s : f32)
  return
}

// -----

// A gap in one memref keeps indices apart everywhere.
// CHECK-LABEL: @gap
// CHECK: tc.contract [a, b, k], [k, n] -> [a, b, n]
// CHECK: tc.contract [a, b, k], [k, n] -> [a, b, n]
func.func @gap(%A: memref<2x3x8xf32, strided<[31, 10, 1]>>,
               %U: memref<2x3x8xf32, strided<[?, 8, 1]>>,
               %B: memref<8x4xf32>, %C: memref<2x3x4xf32>) {
  tc.contract [a, b, k], [k, n] -> [a, b, n]
    ins(%A, %B : memref<2x3x8xf32, strided<[31, 10, 1]>>, memref<8x4xf32>)
    outs(%C : memref<2x3x4xf32>)
  tc.contract [a, b, k], [k, n] -> [a, b, n]
    ins(%U, %B : memref<2x3x8xf32, strided<[?, 8, 1]>>, memref<8x4xf32>)
    outs(%C : memref<2x3x4xf32>)
  return
}

// -----

// Extents of one vanish from memrefs whatever their strides.
// CHECK-LABEL: @memref_units
// CHECK-DAG: memref.subview %{{.*}}[0, 0] [1, 1] [1, 1] : memref<1x1xf32, strided<[7, 3], offset: 2>> to memref<f32, strided<[], offset: 2>>
// CHECK: tc.contract [], [n] -> [n]
func.func @memref_units(%A: memref<1x1xf32, strided<[7, 3], offset: 2>>, %B: memref<1x4x1xf32>,
                        %C: memref<1x4xf32, strided<[50, 2]>>) {
  tc.contract [m, k], [k, n, m] -> [m, n]
    ins(%A, %B : memref<1x1xf32, strided<[7, 3], offset: 2>>, memref<1x4x1xf32>)
    outs(%C : memref<1x4xf32, strided<[50, 2]>>)
  return
}

// -----

// CHECK-LABEL: @memref_all_units
// CHECK: memref.collapse_shape %{{.*}} [] : memref<1x1xf32, 1> into memref<f32, 1>
// CHECK: tc.contract [], [] -> [] ins(%{{.*}}, %{{.*}} : memref<f32, 1>, memref<f32, 1>) outs(%{{.*}} : memref<f32, 1>)
func.func @memref_all_units(%A: memref<1x1xf32, 1>, %C: memref<1x1xf32, 1>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : memref<1x1xf32, 1>, memref<1x1xf32, 1>) outs(%C : memref<1x1xf32, 1>)
  return
}

// -----

// Unknown extents merge where contiguity is certain.
// CHECK-LABEL: @dynamic
// CHECK-SAME: %{{.*}}: tensor<?x3x8xf32>, %{{.*}}: tensor<8xf32>, %[[C:[^:]*]]: tensor<?x3xf32>
// CHECK: %[[D:.*]] = tc.contract [ab, k], [k] -> [ab]
// CHECK: %[[N:.*]] = tensor.dim %[[C]]
// CHECK: tensor.expand_shape %[[D]] {{\[\[}}0, 1]] output_shape [%[[N]], 3] : tensor<?xf32> into tensor<?x3xf32>
func.func @dynamic(%A: tensor<?x3x8xf32>, %B: tensor<8xf32>, %C: tensor<?x3xf32>)
    -> tensor<?x3xf32> {
  %D = tc.contract [a, b, k], [k] -> [a, b]
         ins(%A, %B : tensor<?x3x8xf32>, tensor<8xf32>)
         outs(%C : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %D : tensor<?x3xf32>
}

// -----

// A schedule speaks of the indices that are there.
// CHECK-LABEL: @scheduled
// CHECK-NOT: collapse
// CHECK: tc.contract [a, b, k], [k] -> [a, b]
func.func @scheduled(%A: tensor<2x3x8xf32>, %B: tensor<8xf32>, %C: tensor<2x3xf32>)
    -> tensor<2x3xf32> {
  %D = tc.contract [a, b, k], [k] -> [a, b]
         ins(%A, %B : tensor<2x3x8xf32>, tensor<8xf32>)
         outs(%C : tensor<2x3xf32>)
         {schedule = #tc.schedule<target = "sm_90", m = [a: 2, b: 3], n = [],
                                  k = [k: 8], register = [1, 1]>}
         -> tensor<2x3xf32>
  return %D : tensor<2x3xf32>
}

// -----

// The product of broadcast extents would not fit 64 bits.
// CHECK-LABEL: @broadcast
// CHECK: tc.contract [i, j], [i, j] -> []
func.func @broadcast(%A: memref<4294967296x4294967296xf32, strided<[0, 0]>>, %C: memref<f32>) {
  tc.contract [i, j], [i, j] -> []
    ins(%A, %A : memref<4294967296x4294967296xf32, strided<[0, 0]>>, memref<4294967296x4294967296xf32, strided<[0, 0]>>)
    outs(%C : memref<f32>)
  return
}
