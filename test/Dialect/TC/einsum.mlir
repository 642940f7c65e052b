// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --canonicalize --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFER

// tc.einsum through parsing, printing, canonicalisation and bufferization.

// The first example of the documentation. The result takes the place of the
// destination.
// CHECK-LABEL: @documented_product
// CHECK: tc.einsum [i, j], [j, k], [k, l] -> [i, l]
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<3x4xf64>, tensor<4x5xf64>, tensor<5x6xf64>)
// CHECK-SAME: outs(%{{.*}} : tensor<3x6xf64>) path = {{\[\[}}0, 1], [0, 1]] -> tensor<3x6xf64>
// CANON-LABEL: @documented_product
// CANON: tc.einsum [i, j], [j, k], [k, l] -> [i, l] {{.*}} path = {{\[\[}}0, 1], [0, 1]] ->
// BUFFER-LABEL: @documented_product
// BUFFER-SAME: %[[A:[^:]*]]: memref<3x4xf64>, %[[B:[^:]*]]: memref<4x5xf64>, %[[C:[^:]*]]: memref<5x6xf64>, %[[OUT:[^:]*]]: memref<3x6xf64>
// BUFFER-NOT: memref.alloc
// BUFFER: tc.einsum [i, j], [j, k], [k, l] -> [i, l] ins(%[[A]], %[[B]], %[[C]] : memref<3x4xf64>, memref<4x5xf64>, memref<5x6xf64>) outs(%[[OUT]] : memref<3x6xf64>) path = {{\[\[}}0, 1], [0, 1]]{{$}}
// BUFFER: return %[[OUT]]
func.func @documented_product(%A: tensor<3x4xf64>, %B: tensor<4x5xf64>, %C: tensor<5x6xf64>,
                              %out: tensor<3x6xf64> {bufferization.writable = true}) -> tensor<3x6xf64> {
  %D = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
         ins(%A, %B, %C : tensor<3x4xf64>, tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%out : tensor<3x6xf64>) path = [[0, 1], [0, 1]]
         -> tensor<3x6xf64>
  return %D : tensor<3x6xf64>
}

// The second one: a label in all inputs, which is summed.
// CHECK-LABEL: @documented_inner_product
// CHECK: tc.einsum [i], [i], [i] -> []
// CHECK-SAME: outs(%{{.*}} : tensor<complex<f64>>) alpha(%{{.*}} : complex<f64>) conjugate = [0] -> tensor<complex<f64>>
func.func @documented_inner_product(%x: tensor<8xcomplex<f64>>, %w: tensor<8xcomplex<f64>>, %y: tensor<8xcomplex<f64>>,
                                    %out: tensor<complex<f64>>, %s: complex<f64>) -> tensor<complex<f64>> {
  %D = tc.einsum [i], [i], [i] -> []
         ins(%x, %w, %y : tensor<8xcomplex<f64>>, tensor<8xcomplex<f64>>,
                          tensor<8xcomplex<f64>>)
         outs(%out : tensor<complex<f64>>) alpha(%s : complex<f64>)
         conjugate = [0] -> tensor<complex<f64>>
  return %D : tensor<complex<f64>>
}

// The third one: one input stays as it is.
// CHECK-LABEL: @documented_trace
// CHECK: tc.einsum [i, i] -> [] ins(%{{.*}} : memref<4x4xf32>) outs(%{{.*}} : memref<f32>) beta(%{{.*}} : f32){{$}}
// CANON-LABEL: @documented_trace
// CANON: tc.einsum [i, i] -> [] ins(%{{.*}} : memref<4x4xf32>) outs(%{{.*}} : memref<f32>) beta(%{{.*}} : f32){{$}}
func.func @documented_trace(%A: memref<4x4xf32>, %out: memref<f32>) {
  %one = arith.constant 1.0 : f32
  tc.einsum [i, i] -> [] ins(%A : memref<4x4xf32>) outs(%out : memref<f32>)
    beta(%one : f32)
  return
}

// The fourth one. One value may be several inputs.
// CHECK-LABEL: @documented_paths
// CHECK: tc.einsum [from, a], [a, b], [b, to] -> [from, to] {{.*}} semiring = min_plus ->
func.func @documented_paths(%paths: tensor<9x9xf32>, %edges: tensor<9x9xf32>, %out: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %D = tc.einsum [from, a], [a, b], [b, to] -> [from, to]
         ins(%paths, %edges, %edges : tensor<9x9xf32>, tensor<9x9xf32>,
                                      tensor<9x9xf32>)
         outs(%out : tensor<9x9xf32>) semiring = min_plus -> tensor<9x9xf32>
  return %D : tensor<9x9xf32>
}

// Labels in one input only, in all and in the output, and diagonals; steps of
// one operand; unknown extents; sums in f32.
// CHECK-LABEL: @forms
// CHECK: tc.einsum [b, i, x], [b, j, j], [], [b, i] -> [j, b]
// CHECK-SAME: outs(%{{.*}} : tensor<?x2xbf16>) alpha(%{{.*}} : f32) beta(%{{.*}} : f32) path = {{\[\[}}1], [3, 0], [0, 1], [1, 0]] {tc.note = 1 : i32} -> tensor<?x2xbf16>
// CHECK: tc.einsum [] -> [] ins(%{{.*}} : memref<i64>) outs(%{{.*}} : memref<i64>) semiring = xor_and path = []
// CHECK: tc.einsum [i] -> [i] ins(%{{.*}} : memref<?xf32, strided<[2], offset: ?>>) outs(%{{.*}} : memref<?xf32>) precision = "3xtf32"{{$}}
// CHECK: tc.einsum [k] -> [] ins(%{{.*}} : memref<0xcomplex<f32>>) outs(%{{.*}} : memref<complex<f32>>) conjugate = []{{$}}
func.func @forms(%A: tensor<2x?x5xf16>, %B: tensor<2x?x3xf16>, %C: tensor<f16>, %D: tensor<?x4xf16>, %out: tensor<?x2xbf16>,
                 %x: f32, %y: f32, %n: memref<i64>, %v: memref<?xf32, strided<[2], offset: ?>>, %w: memref<?xf32>,
                 %m: memref<i64>, %none: memref<0xcomplex<f32>>, %c: memref<complex<f32>>) -> tensor<?x2xbf16> {
  %E = tc.einsum [b, i, x], [b, j, j], [], [b, i] -> [j, b]
         ins(%A, %B, %C, %D : tensor<2x?x5xf16>, tensor<2x?x3xf16>, tensor<f16>, tensor<?x4xf16>)
         outs(%out : tensor<?x2xbf16>) alpha(%x : f32) beta(%y : f32)
         path = [[1], [3, 0], [0, 1], [1, 0]] {tc.note = 1 : i32} -> tensor<?x2xbf16>
  tc.einsum [] -> [] ins(%n : memref<i64>) outs(%m : memref<i64>) semiring = xor_and path = []
  tc.einsum [i] -> [i] ins(%v : memref<?xf32, strided<[2], offset: ?>>) outs(%w : memref<?xf32>) precision = "3xtf32"
  tc.einsum [k] -> [] ins(%none : memref<0xcomplex<f32>>) outs(%c : memref<complex<f32>>) conjugate = []
  return %E : tensor<?x2xbf16>
}

// Two inputs are a contraction, which has all that the operation says.
// CANON-LABEL: @two_inputs
// CANON-SAME: %[[A:[^:]*]]: tensor<3x4xcomplex<f32>>, %[[B:[^:]*]]: tensor<4x4xcomplex<f32>>, %[[OUT:[^:]*]]: tensor<3xcomplex<f32>>, %[[X:[^:]*]]: complex<f32>, %[[Y:[^:]*]]: complex<f32>
// CANON: %[[D:.*]] = tc.contract [i, k], [k, k] -> [i] ins(%[[A]], %[[B]] : {{.*}}) outs(%[[OUT]] : tensor<3xcomplex<f32>>) alpha(%[[X]] : complex<f32>) beta(%[[Y]] : complex<f32>) precision = tf32 conjugate_b {tc.note = 1 : i32} -> tensor<3xcomplex<f32>>
// CANON: return %[[D]]
func.func @two_inputs(%A: tensor<3x4xcomplex<f32>>, %B: tensor<4x4xcomplex<f32>>, %out: tensor<3xcomplex<f32>>,
                      %x: complex<f32>, %y: complex<f32>) -> tensor<3xcomplex<f32>> {
  %D = tc.einsum [i, k], [k, k] -> [i]
         ins(%A, %B : tensor<3x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
         outs(%out : tensor<3xcomplex<f32>>) alpha(%x : complex<f32>) beta(%y : complex<f32>)
         precision = tf32 conjugate = [1] path = [[0, 1]] {schedule = 1 : i32, tc.note = 1 : i32} -> tensor<3xcomplex<f32>>
  return %D : tensor<3xcomplex<f32>>
}

// CANON-LABEL: @two_memrefs
// CANON: tc.contract [i, k], [k, j] -> [i, j] {{.*}} outs(%{{.*}} : memref<3x3xf32>) semiring = max_min{{$}}
// CANON-NOT: tc.einsum
func.func @two_memrefs(%A: memref<3x3xf32>, %B: memref<3x3xf32>, %out: memref<3x3xf32>) {
  tc.einsum [i, k], [k, j] -> [i, j] ins(%A, %B : memref<3x3xf32>, memref<3x3xf32>)
    outs(%out : memref<3x3xf32>) semiring = max_min path = [[0], [0, 1]]
  return
}

// In a group, it would be one of the contractions that are one kernel.
// CANON-LABEL: @in_group
// CANON: tc.einsum [k], [k] -> []
func.func @in_group(%A: tensor<4xf64>, %C: tensor<f64>, %one: f64) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    %0 = tc.einsum [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    %1 = tc.contract [k], [] -> [] ins(%A, %0 : tensor<4xf64>, tensor<f64>) outs(%C : tensor<f64>) -> tensor<f64>
    %2 = tc.contract [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%1 : tensor<f64>) beta(%one : f64) -> tensor<f64>
    tc.fused_yield %2 : tensor<f64>
  }
  return %D : tensor<f64>
}

// Neutral scalars are dropped, and casts that hide extents.
// CANON-LABEL: @neutral
// CANON-SAME: %[[A:[^:]*]]: memref<4xf32>, %[[OUT:[^:]*]]: memref<4xf32>
// CANON: tc.einsum [i], [i], [i] -> [i] ins(%[[A]], %[[A]], %[[A]] : memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%[[OUT]] : memref<4xf32>) semiring = min_plus{{$}}
func.func @neutral(%A: memref<4xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %a = memref.cast %A : memref<4xf32> to memref<?xf32>
  tc.einsum [i], [i], [i] -> [i] ins(%a, %A, %a : memref<?xf32>, memref<4xf32>, memref<?xf32>)
    outs(%out : memref<4xf32>) alpha(%zero : f32) beta(%infinity : f32) semiring = min_plus
  return
}

// Extents of the result are those of the destination.
// CANON-LABEL: @dim
// CANON-SAME: %{{.*}}: tensor<?x8xf32>, %[[OUT:.*]]: tensor<?xf32>
// CANON-NOT: tc.einsum
// CANON: %[[EXTENT:.*]] = tensor.dim %[[OUT]]
// CANON: return %[[EXTENT]]
func.func @dim(%A: tensor<?x8xf32>, %out: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %D = tc.einsum [m, k] -> [m] ins(%A : tensor<?x8xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.dim %D, %c0 : tensor<?xf32>
  return %d : index
}

// Unused results on tensors disappear, unused writes to memrefs do not.
// CANON-LABEL: @unused
// CANON: tc.einsum {{.*}} memref<8xf32>
// CANON-NEXT: return
func.func @unused(%A: memref<8xf32>, %out: memref<f32>, %B: tensor<8xf32>, %C: tensor<f32>) {
  tc.einsum [k] -> [] ins(%A : memref<8xf32>) outs(%out : memref<f32>)
  %D = tc.einsum [k] -> [] ins(%B : tensor<8xf32>) outs(%C : tensor<f32>) -> tensor<f32>
  return
}

// A destination that is needed later is copied if its contents contribute.
// BUFFER-LABEL: @destination_read_later
// BUFFER: %[[COPY:.*]] = memref.alloc
// BUFFER: memref.copy %{{.*}}, %[[COPY]]
// BUFFER: tc.einsum {{.*}} outs(%[[COPY]] : memref<4xf32>) alpha(%{{.*}} : f32) beta(%{{.*}} : f32) {tc.note = 1 : i32}
func.func @destination_read_later(%A: tensor<4x8xf32>, %out: tensor<4xf32> {bufferization.writable = true},
                                  %x: f32, %y: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %D = tc.einsum [m, k] -> [m] ins(%A : tensor<4x8xf32>) outs(%out : tensor<4xf32>)
         alpha(%x : f32) beta(%y : f32) {tc.note = 1 : i32} -> tensor<4xf32>
  return %out, %D : tensor<4xf32>, tensor<4xf32>
}

// If they do not, memory is enough; an input is not overwritten.
// BUFFER-LABEL: @destination_unread
// BUFFER-SAME: %[[A:[^:]*]]: memref<4x4xf32>
// BUFFER: %[[NEW:.*]] = memref.alloc
// BUFFER-NOT: memref.copy
// BUFFER: tc.einsum {{.*}} ins(%[[A]], %[[A]], %[[A]] : {{.*}}) outs(%[[NEW]] : memref<4x4xf32>){{$}}
func.func @destination_unread(%A: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32> {
  %D = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
         ins(%A, %A, %A : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%A : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %D : tensor<4x4xf32>
}
