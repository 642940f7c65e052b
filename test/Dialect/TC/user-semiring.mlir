// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFER
// RUN: tc-opt %s --tc-widen-inputs | FileCheck %s --check-prefix=WIDE
// RUN: tc-opt %s --convert-tc-to-linalg | FileCheck %s --check-prefix=LINALG

// User-defined semirings through parsing, printing, bufferization and to linalg.

// CHECK-LABEL: @manhattan
// CHECK: outs(%{{[^)]*}}) semiring = user_defined(0.000000e+00 : f32) product {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.subf
// CHECK: } combine {
// CHECK: arith.addf
// CHECK: } -> tensor<4x2xf32>

// BUFFER-LABEL: @manhattan
// BUFFER: semiring = user_defined(0.000000e+00 : f32) product {
// BUFFER: } combine {
// BUFFER: }
// BUFFER-NEXT: return

// LINALG-LABEL: @manhattan
// LINALG: %[[IDENTITY:.*]] = arith.constant 0.000000e+00 : f32
// LINALG: %[[SUMS:.*]] = linalg.fill ins(%[[IDENTITY]] : f32)
// LINALG: linalg.generic
// LINALG-SAME: outs(%[[SUMS]] : tensor<4x2xf32>)
// LINALG-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[SUM:.*]]: f32):
// LINALG: %[[D:.*]] = arith.subf %[[X]], %[[Y]]
// LINALG: %[[P:.*]] = math.absf %[[D]]
// LINALG: %[[S:.*]] = arith.addf %[[SUM]], %[[P]]
// LINALG: linalg.yield %[[S]]
func.func @manhattan(%A: tensor<4x8xf32>, %B: tensor<2x8xf32>, %C: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %D = tc.contract [m, k], [n, k] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<2x8xf32>)
         outs(%C : tensor<4x2xf32>) semiring = user_defined(0.0 : f32)
         product {
         ^bb0(%x: f32, %y: f32):
           %difference = arith.subf %x, %y : f32
           %distance = math.absf %difference : f32
           tc.yield %distance : f32
         } combine {
         ^bb0(%x: f32, %y: f32):
           %sum = arith.addf %x, %y : f32
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return %D : tensor<4x2xf32>
}

// All regions there can be, in their order, on inputs of two types.
// CHECK-LABEL: @all
// CHECK: semiring = user_defined(0xFF800000 : f32) accumulate prologue_a {
// CHECK: } prologue_b {
// CHECK: } product {
// CHECK: } combine {
// CHECK: } epilogue {

// WIDE-LABEL: @all
// WIDE: accumulate prologue_a {
// WIDE-NEXT: ^bb0(%{{.*}}: f32):
// WIDE: } prologue_b {
// WIDE-NEXT: ^bb0(%{{.*}}: f16):
// WIDE: arith.extf
// WIDE: } product {
// WIDE: arith.mulf
// WIDE: } combine {
// WIDE: arith.maxnumf
// WIDE: } epilogue {

// The old elements are combined with the sums before the epilogue.
// LINALG-LABEL: @all
// LINALG: linalg.fill
// LINALG: linalg.generic
// LINALG: arith.maxnumf
// LINALG: linalg.generic
// LINALG: ^bb0(%[[SUM:.*]]: f32, %[[OLD:.*]]: f32):
// LINALG-NEXT: %[[BOTH:.*]] = arith.maxnumf %[[SUM]], %[[OLD]]
// LINALG-NEXT: %[[STORED:.*]] = math.absf %[[BOTH]]
// LINALG-NEXT: linalg.yield %[[STORED]]
func.func @all(%A: memref<4x8xf32>, %B: memref<2x8xf16>, %C: memref<4x2xf32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf16>)
    outs(%C : memref<4x2xf32>) semiring = user_defined(0xFF800000 : f32) accumulate
    prologue_a {
    ^bb0(%x: f32):
      %y = math.absf %x : f32
      tc.yield %y : f32
    } prologue_b {
    ^bb0(%x: f16):
      %y = arith.negf %x : f16
      tc.yield %y : f16
    } product {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %y : f32
      tc.yield %z : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tc.yield %z : f32
    } epilogue {
    ^bb0(%x: f32, %old: f32):
      %y = math.absf %x : f32
      tc.yield %y : f32
    }
  return
}

// Sums begin with the contents of C.
// LINALG-LABEL: @accumulates
// LINALG-NOT: linalg.fill
// LINALG: linalg.generic
// LINALG-SAME: outs(%arg2 : memref<4x2xi32>)
// LINALG: arith.extsi
// LINALG: arith.extsi
// LINALG: arith.minsi
func.func @accumulates(%A: memref<4x8xi8>, %B: memref<2x8xi8>, %C: memref<4x2xi32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xi8>, memref<2x8xi8>)
    outs(%C : memref<4x2xi32>) semiring = user_defined(2147483647 : i32) accumulate
    product {
    ^bb0(%x: i32, %y: i32):
      %z = arith.xori %x, %y : i32
      tc.yield %z : i32
    } combine {
    ^bb0(%x: i32, %y: i32):
      %z = arith.minsi %x, %y : i32
      tc.yield %z : i32
    }
  return
}
