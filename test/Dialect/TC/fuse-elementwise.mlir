// RUN: tc-opt %s -split-input-file -tc-fuse-elementwise | FileCheck %s

// A bias along n and a rectifier become the epilogue.

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf32>, %[[B:.*]]: tensor<32x48xf32>, %[[BIAS:.*]]: tensor<48xf32>
// CHECK: %[[INIT:.*]] = tensor.empty() : tensor<64x48xf32>
// CHECK-NOT: linalg
// CHECK: %[[D:.*]] = tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]] : tensor<64x32xf32>, tensor<32x48xf32>) outs(%[[INIT]] : tensor<64x48xf32>)
// CHECK-SAME: auxiliaries(%[[BIAS]] [n] : tensor<48xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f32, %[[SIDE:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[SIDE]] : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[S]], %[[ZERO]] : f32
// CHECK-NEXT: tc.yield %[[R]] : f32
// CHECK-NEXT: } -> tensor<64x48xf32>
// CHECK-NEXT: return %[[D]]
#rows = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
func.func @layer(%A: tensor<64x32xf32>, %B: tensor<32x48xf32>, %bias: tensor<48xf32>)
    -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x48xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<64x32xf32>, tensor<32x48xf32>)
    outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
  %E = linalg.generic {
    indexing_maps = [#rows, #bias, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%D, %bias : tensor<64x48xf32>, tensor<48xf32>) outs(%init : tensor<64x48xf32>) {
  ^bb0(%d: f32, %b: f32, %o: f32):
    %s = arith.addf %d, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  %F = linalg.generic {
    indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]
  } ins(%E : tensor<64x48xf32>) outs(%init : tensor<64x48xf32>) {
  ^bb0(%e: f32, %o: f32):
    %r = arith.maximumf %e, %zero : f32
    linalg.yield %r : f32
  } -> tensor<64x48xf32>
  return %F : tensor<64x48xf32>
}

// -----

// Another type, a permutation, a scalar, and old elements of the destination:
// values between the operations are rounded as before.

// CHECK-LABEL: func.func @convert(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[OLD:.*]]: tensor<48x64xbf16>, %[[SCALE:.*]]: f32
// CHECK: %[[SIDE:.*]] = tensor.from_elements %[[SCALE]] : tensor<f32>
// CHECK-NEXT: tc.contract [m, k], [k, n] -> [n, m]
// CHECK-SAME: outs(%[[OLD]] : tensor<48x64xbf16>) auxiliaries(%[[SIDE]] [] : tensor<f32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[O:.*]]: bf16, %[[S:.*]]: f32):
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : f16 to f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[WIDE]], %[[S]] : f32
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[SCALED]] : f32 to bf16
// CHECK-NEXT: %[[ADDED:.*]] = arith.addf %[[NARROW]], %[[O]] : bf16
// CHECK-NEXT: tc.yield %[[ADDED]] : bf16
func.func @convert(%A: tensor<64x32xf16>, %B: tensor<32x48xf16>,
                   %old: tensor<48x64xbf16>, %scale: f32) -> tensor<48x64xbf16> {
  %init = tensor.empty() : tensor<64x48xf16>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<64x32xf16>, tensor<32x48xf16>)
    outs(%init : tensor<64x48xf16>) -> tensor<64x48xf16>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> ()>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D, %scale : tensor<64x48xf16>, f32) outs(%old : tensor<48x64xbf16>) {
  ^bb0(%d: f16, %s: f32, %o: bf16):
    %wide = arith.extf %d : f16 to f32
    %scaled = arith.mulf %wide, %s : f32
    %narrow = arith.truncf %scaled : f32 to bf16
    %added = arith.addf %narrow, %o : bf16
    linalg.yield %added : bf16
  } -> tensor<48x64xbf16>
  return %E : tensor<48x64xbf16>
}

// -----

// Constants as scalars, as tensors of one number and as tensors filled with it,
// the destination too, are no tensors that the contraction reads.

// CHECK-LABEL: func.func @constants(
// CHECK: tc.contract
// CHECK-NOT: auxiliaries
// CHECK: epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3.0
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4.0
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5.0
// CHECK: %[[X:.*]] = arith.mulf %[[SUM]], %[[TWO]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[THREE]] : f32
// CHECK-NEXT: %[[Z:.*]] = arith.divf %[[Y]], %[[FOUR]] : f32
// CHECK-NEXT: %[[W:.*]] = arith.subf %[[Z]], %[[FIVE]] : f32
// CHECK-NEXT: tc.yield %[[W]]
func.func @constants(%A: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %two = arith.constant 2.0 : f32
  %three = arith.constant dense<3.0> : tensor<8xf32>
  %four = arith.constant 4.0 : f32
  %five = arith.constant 5.0 : f32
  %init = tensor.empty() : tensor<8x8xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>)
    -> tensor<8x8xf32>
  %fours = linalg.fill ins(%four : f32) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fives = linalg.fill ins(%five : f32) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (j)>,
                     affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D, %two, %three, %fours : tensor<8x8xf32>, f32, tensor<8xf32>, tensor<8x8xf32>)
    outs(%fives : tensor<8x8xf32>) {
  ^bb0(%d: f32, %a: f32, %b: f32, %c: f32, %o: f32):
    %x = arith.mulf %d, %a : f32
    %y = arith.addf %x, %b : f32
    %z = arith.divf %y, %c : f32
    %w = arith.subf %z, %o : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  return %E : tensor<8x8xf32>
}

// -----

// Numbers that differ, and those of which only the caller knows, are read.

// CHECK-LABEL: func.func @no_constants(
// CHECK: tc.contract
// CHECK-SAME: auxiliaries(%{{.*}} [n] : tensor<2xf32>, %{{.*}} [m, n] : tensor<2x2xf32>)
func.func @no_constants(%A: tensor<2x2xf32>, %number: f32) -> tensor<2x2xf32> {
  %numbers = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %init = tensor.empty() : tensor<2x2xf32>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>)
    -> tensor<2x2xf32>
  %filled = linalg.fill ins(%number : f32) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                     affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D, %numbers, %filled : tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>)
    outs(%init : tensor<2x2xf32>) {
  ^bb0(%d: f32, %a: f32, %b: f32, %o: f32):
    %x = arith.mulf %d, %a : f32
    %y = arith.addf %x, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x2xf32>
  return %E : tensor<2x2xf32>
}

// -----

// Named operations; the term that is added in place is the destination's old
// element.

// CHECK-LABEL: func.func @residual(
// CHECK-SAME: %{{.*}}: tensor<8x8xf64>, %[[X:.*]]: tensor<8x8xf64>
// CHECK: tc.contract
// CHECK-SAME: outs(%[[X]] : tensor<8x8xf64>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f64, %[[O:.*]]: f64):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[O]] : f64
// CHECK-NEXT: tc.yield %[[S]]
func.func @residual(%A: tensor<8x8xf64>, %X: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %init = tensor.empty() : tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%init : tensor<8x8xf64>)
    -> tensor<8x8xf64>
  %E = linalg.add ins(%D, %X : tensor<8x8xf64>, tensor<8x8xf64>)
                  outs(%X : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %E : tensor<8x8xf64>
}

// -----

// The destination stays if the contraction adds to C.

// CHECK-LABEL: func.func @accumulated(
// CHECK-SAME: %{{.*}}: tensor<8x8xf64>, %[[C:.*]]: tensor<8x8xf64>
// CHECK: tc.contract
// CHECK-SAME: outs(%[[C]] : tensor<8x8xf64>) beta(%{{.*}} : f64) epilogue {
// CHECK: math.tanh
// CHECK-NOT: linalg
func.func @accumulated(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %one = arith.constant 1.0 : f64
  %init = tensor.empty() : tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>)
    beta(%one : f64) -> tensor<8x8xf64>
  %E = linalg.map { math.tanh } ins(%D : tensor<8x8xf64>) outs(%init : tensor<8x8xf64>)
  return %E : tensor<8x8xf64>
}

// -----

// Producers, one after the other, and a transposition, which needs no code.

// CHECK-LABEL: func.func @producers(
// CHECK-SAME: %[[A:.*]]: tensor<32x64xi8>, %[[B:.*]]: tensor<48x32xf32>
// CHECK-NOT: linalg
// CHECK: tc.contract [k, m], [n, k] -> [m, n] ins(%[[A]], %[[B]] : tensor<32x64xi8>, tensor<48x32xf32>)
// CHECK-SAME: prologue_a {
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8):
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[X]] : i8 to f32
// CHECK-NEXT: %[[SCALE:.*]] = arith.constant 5.0
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[F]], %[[SCALE]] : f32
// CHECK-NEXT: tc.yield %[[Y]] : f32
// CHECK-NEXT: } -> tensor<64x48xf32>
func.func @producers(%A: tensor<32x64xi8>, %B: tensor<48x32xf32>, %C: tensor<64x48xf32>)
    -> tensor<64x48xf32> {
  %scale = arith.constant 0.5 : f32
  %init = tensor.empty() : tensor<32x64xf32>
  %transposed = tensor.empty() : tensor<64x32xf32>
  %columns = tensor.empty() : tensor<32x48xf32>
  %X = linalg.map ins(%A : tensor<32x64xi8>) outs(%init : tensor<32x64xf32>)
    (%a: i8, %o: f32) {
      %f = arith.sitofp %a : i8 to f32
      linalg.yield %f : f32
    }
  %Y = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%X : tensor<32x64xf32>) outs(%transposed : tensor<64x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<64x32xf32>
  %Z = linalg.transpose ins(%B : tensor<48x32xf32>) outs(%columns : tensor<32x48xf32>)
    permutation = [1, 0]
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%Y, %Z : tensor<64x32xf32>, tensor<32x48xf32>)
    outs(%C : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %D : tensor<64x48xf32>
}

// -----

// Between two contractions it becomes the epilogue of the first.

// CHECK-LABEL: func.func @between(
// CHECK: tc.contract
// CHECK-SAME: epilogue {
// CHECK: math.exp
// CHECK: tc.contract
// CHECK-NOT: prologue
// CHECK: return
func.func @between(%A: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %init = tensor.empty() : tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%init : tensor<8x8xf64>)
    -> tensor<8x8xf64>
  %E = linalg.exp ins(%D : tensor<8x8xf64>) outs(%init : tensor<8x8xf64>) -> tensor<8x8xf64>
  %F = tc.contract [m, k], [k, n] -> [m, n]
    ins(%E, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%init : tensor<8x8xf64>)
    -> tensor<8x8xf64>
  return %F : tensor<8x8xf64>
}
