// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tc-opt %s --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFER

// Semirings, prologues, epilogues and auxiliary tensors through parsing, printing,
// canonicalisation and bufferization.

// CHECK-LABEL: @semiring
// CHECK: beta(%{{.*}} : f32) semiring = min_plus ->
// Zero is this semiring's one, and infinity its zero.
// CANON-LABEL: @semiring
// CANON: outs(%{{[^:]*}} : tensor<4x2xf32>) beta(%{{.*}} : f32) semiring = min_plus ->
func.func @semiring(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) alpha(%zero : f32) beta(%zero : f32)
         semiring = min_plus -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// CANON-LABEL: @zero_of_semiring
// CANON: outs(%{{[^:]*}} : tensor<4x2xf32>) semiring = min_plus ->
// BUFFER-LABEL: @zero_of_semiring
func.func @zero_of_semiring(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %infinity = arith.constant 0x7F800000 : f32
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) beta(%infinity : f32)
         semiring = min_plus -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// CANON-LABEL: @integers
// CANON: outs(%{{[^:]*}} : tensor<4x2xi32>) semiring = or_and ->
func.func @integers(%A: tensor<4x8xi8>, %B: tensor<8x2xi8>, %C: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %ones = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi8>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xi32>) alpha(%ones : i32) beta(%zero : i32)
         semiring = or_and -> tensor<4x2xi32>
  return %D : tensor<4x2xi32>
}

// Auxiliary tensors follow their indices: n and o merge, m1 and m2 do not, as an auxiliary
// tensor holds only one of them; the unit index u goes from all.
// CHECK-LABEL: @auxiliaries
// CHECK: auxiliaries(%{{.*}} [n, o] : tensor<3x5xf32>, %{{.*}} [m1, u] : tensor<4x1xf32>, %{{.*}} [] : tensor<f32>)
// CHECK-SAME: prologue_a {
// CHECK: ^bb0(%{{.*}}: f16):
// CHECK: } prologue_b {
// CHECK: } epilogue {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: i8, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: tc.yield %{{.*}} : i8
// CANON-LABEL: @auxiliaries
// CANON: tc.contract [m1, m2, k], [k, no] -> [m1, m2, no]
// CANON-SAME: auxiliaries(%{{.*}} [no] : tensor<15xf32>, %{{.*}} [m1] : tensor<4xf32>, %{{.*}} [] : tensor<f32>)
// BUFFER-LABEL: @auxiliaries
// BUFFER: tc.contract {{.*}} auxiliaries(%{{.*}} [n, o] : memref<3x5xf32,
func.func @auxiliaries(%A: tensor<4x2x8xf16>, %B: tensor<8x3x5xf16>, %C: tensor<4x2x1x3x5xi8>,
                 %bias: tensor<3x5xf32>, %shift: tensor<4x1xf32>, %scale: tensor<f32>) -> tensor<4x2x1x3x5xi8> {
  %A1 = tensor.expand_shape %A [[0], [1, 2], [3]] output_shape [4, 2, 1, 8]
        : tensor<4x2x8xf16> into tensor<4x2x1x8xf16>
  %D = tc.contract [m1, m2, u, k], [k, n, o] -> [m1, m2, u, n, o]
         ins(%A1, %B : tensor<4x2x1x8xf16>, tensor<8x3x5xf16>)
         outs(%C : tensor<4x2x1x3x5xi8>)
         auxiliaries(%bias [n, o] : tensor<3x5xf32>, %shift [m1, u] : tensor<4x1xf32>,
               %scale [] : tensor<f32>)
         prologue_a {
         ^bb0(%x: f16):
           %y = arith.negf %x : f16
           tc.yield %y : f16
         }
         prologue_b {
         ^bb0(%x: f16):
           %y = math.absf %x : f16
           tc.yield %y : f16
         }
         epilogue {
         ^bb0(%sum: f32, %old: i8, %b: f32, %s: f32, %f: f32):
           %0 = arith.addf %sum, %b : f32
           %1 = arith.addf %0, %s : f32
           %2 = arith.mulf %1, %f : f32
           %3 = arith.fptosi %2 : f32 to i8
           tc.yield %3 : i8
         } -> tensor<4x2x1x3x5xi8>
  return %D : tensor<4x2x1x3x5xi8>
}

// Factors have the types that prologues yield: weights of eight bits.
// CHECK-LABEL: @dequantize
func.func @dequantize(%A: tensor<4x8xf16>, %B: tensor<8x2xi8>, %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xf32>)
         prologue_b {
         ^bb0(%x: i8):
           %y = arith.sitofp %x : i8 to f16
           tc.yield %y : f16
         } -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// An epilogue that uses the old elements of C reads it: the destination is
// copied, as it is used later.
// BUFFER-LABEL: @residual
// BUFFER: memref.copy
// BUFFER-LABEL: @no_residual
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @residual(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32):
           %y = arith.maximumf %sum, %old : f32
           tc.yield %y : f32
         } -> tensor<4x2xf32>
  return %C, %D : tensor<4x2xf32>, tensor<4x2xf32>
}
func.func @no_residual(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32):
           %y = arith.negf %sum : f32
           tc.yield %y : f32
         } -> tensor<4x2xf32>
  return %C, %D : tensor<4x2xf32>, tensor<4x2xf32>
}
