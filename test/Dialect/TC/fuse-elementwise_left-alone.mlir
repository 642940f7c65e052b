// RUN: tc-opt %s -split-input-file -tc-fuse-elementwise | FileCheck %s

// Operations that must not be fused, for one reason each.

// The result has another use.

// CHECK-LABEL: func.func @two_uses(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.exp
func.func @two_uses(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %E = linalg.exp ins(%D : tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %D, %E : tensor<8x8xf64>, tensor<8x8xf64>
}

// -----

// It is used twice by one operation, in two orders.

// CHECK-LABEL: func.func @both_orders(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @both_orders(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D, %D : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.addf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  return %E : tensor<8x8xf64>
}

// -----

// The consumer sums.

// CHECK-LABEL: func.func @reduction(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.reduce
func.func @reduction(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>, %R: tensor<8xf64>) -> tensor<8xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %E = linalg.reduce { arith.addf } ins(%D : tensor<8x8xf64>) outs(%R : tensor<8xf64>) dimensions = [1]
  return %E : tensor<8xf64>
}

// -----

// Another operand has a dimension that C has not.

// CHECK-LABEL: func.func @more_loops(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @more_loops(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>, %X: tensor<4x8xf64>, %O: tensor<4x8x8xf64>)
    -> tensor<4x8x8xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(p, i, j) -> (i, j)>, affine_map<(p, i, j) -> (p, j)>,
                     affine_map<(p, i, j) -> (p, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%D, %X : tensor<8x8xf64>, tensor<4x8xf64>) outs(%O : tensor<4x8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.addf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<4x8x8xf64>
  return %E : tensor<4x8x8xf64>
}

// -----

// Another operand is read along its diagonal.

// CHECK-LABEL: func.func @diagonal_side(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @diagonal_side(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>, %X: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, i)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%D, %X : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.addf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  return %E : tensor<8x8xf64>
}

// -----

// The payload asks where it is, or takes a value from outside.

// CHECK-LABEL: func.func @payloads(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @payloads(%A: tensor<8xi64>, %C: tensor<8xi64>, %v: i64) -> (tensor<8xi64>, tensor<8xi64>) {
  %D = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xi64>, tensor<8xi64>) outs(%C : tensor<8xi64>) -> tensor<8xi64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%D : tensor<8xi64>) outs(%C : tensor<8xi64>) {
  ^bb0(%x: i64, %o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %s = arith.addi %x, %n : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  %F = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xi64>, tensor<8xi64>) outs(%C : tensor<8xi64>) -> tensor<8xi64>
  %G = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%F : tensor<8xi64>) outs(%C : tensor<8xi64>) {
  ^bb0(%x: i64, %o: i64):
    %s = arith.addi %x, %v : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  return %E, %G : tensor<8xi64>, tensor<8xi64>
}

// -----

// The result has a type that tc.contract has not.

// CHECK-LABEL: func.func @type(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @type(%A: tensor<8xi64>, %C: tensor<8xi64>, %O: tensor<8xi1>) -> tensor<8xi1> {
  %D = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xi64>, tensor<8xi64>) outs(%C : tensor<8xi64>) -> tensor<8xi64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%D : tensor<8xi64>) outs(%O : tensor<8xi1>) {
  ^bb0(%x: i64, %o: i1):
    %s = arith.cmpi slt, %x, %x : i64
    linalg.yield %s : i1
  } -> tensor<8xi1>
  return %E : tensor<8xi1>
}

// -----

// The contraction adds to C, which the consumer would have it read in another
// order than it writes.

// CHECK-LABEL: func.func @transposed_sum(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.transpose
func.func @transposed_sum(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %one = arith.constant 1.0 : f64
  %init = tensor.empty() : tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>)
    beta(%one : f64) -> tensor<8x8xf64>
  %E = linalg.transpose ins(%D : tensor<8x8xf64>) outs(%init : tensor<8x8xf64>) permutation = [1, 0]
  return %E : tensor<8x8xf64>
}

// -----

// It adds to C, and the consumer reads its own destination.

// CHECK-LABEL: func.func @two_destinations(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.generic
func.func @two_destinations(%A: tensor<8xf64>, %C: tensor<8xf64>, %O: tensor<8xf64>) -> tensor<8xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xf64>, tensor<8xf64>) outs(%C : tensor<8xf64>)
    beta(%one : f64) -> tensor<8xf64>
  %E = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%D : tensor<8xf64>) outs(%O : tensor<8xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = arith.addf %x, %o : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %E : tensor<8xf64>
}

// -----

// The contraction is the destination of the next operation, no operand.

// CHECK-LABEL: func.func @as_destination(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.exp
func.func @as_destination(%A: tensor<8xf64>, %C: tensor<8xf64>) -> tensor<8xf64> {
  %D = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xf64>, tensor<8xf64>) outs(%C : tensor<8xf64>) -> tensor<8xf64>
  %E = linalg.exp ins(%A : tensor<8xf64>) outs(%D : tensor<8xf64>) -> tensor<8xf64>
  return %E : tensor<8xf64>
}

// -----

// A schedule speaks of the contraction as it is.

// CHECK-LABEL: func.func @scheduled(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: linalg.exp
func.func @scheduled(%A: tensor<8x8xf64>, %C: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 8], k = [k: 8], register = [2, 2]>}
    -> tensor<8x8xf64>
  %E = linalg.exp ins(%D : tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %E : tensor<8x8xf64>
}

// -----

// Producers: one with another use, one of two tensors, one that repeats its
// input along a dimension, and one that adds to its destination.

// CHECK-LABEL: func.func @producers(
// CHECK-NOT: prologue
// CHECK: return
func.func @producers(%A: tensor<8x8xf64>, %V: tensor<8xf64>, %C: tensor<8x8xf64>)
    -> (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>) {
  %E = linalg.exp ins(%A : tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%E, %E : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %F = linalg.add ins(%A, %D : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %G = tc.contract [m, k], [k, n] -> [m, n]
    ins(%F, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %H = linalg.broadcast ins(%V : tensor<8xf64>) outs(%C : tensor<8x8xf64>) dimensions = [0]
  %I = tc.contract [m, k], [k, n] -> [m, n]
    ins(%H, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %J = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%A : tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = arith.addf %x, %o : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  %K = tc.contract [m, k], [k, n] -> [m, n]
    ins(%J, %A : tensor<8x8xf64>, tensor<8x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %D, %G, %I, %K : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>
}

// -----

// An operation in a loop would take along one that is before it.

// CHECK-LABEL: func.func @loops(
// CHECK: tc.contract
// CHECK-NOT: epilogue
// CHECK: scf.for
// CHECK: linalg.add
// CHECK: linalg.exp
// CHECK: scf.for
// CHECK: tc.contract
// CHECK-NOT: prologue
// CHECK: return
func.func @loops(%A: tensor<8xf64>, %C: tensor<8xf64>, %n: index) -> (tensor<8xf64>, tensor<8xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %D = tc.contract [m], [m] -> [m]
    ins(%A, %A : tensor<8xf64>, tensor<8xf64>) outs(%C : tensor<8xf64>) -> tensor<8xf64>
  %E = scf.for %i = %zero to %n step %one iter_args(%x = %A) -> tensor<8xf64> {
    %y = linalg.add ins(%x, %D : tensor<8xf64>, tensor<8xf64>) outs(%C : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y : tensor<8xf64>
  }
  %F = linalg.exp ins(%A : tensor<8xf64>) outs(%C : tensor<8xf64>) -> tensor<8xf64>
  %G = scf.for %i = %zero to %n step %one iter_args(%x = %A) -> tensor<8xf64> {
    %y = tc.contract [m], [m] -> [m]
      ins(%x, %F : tensor<8xf64>, tensor<8xf64>) outs(%C : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %y : tensor<8xf64>
  }
  return %E, %G : tensor<8xf64>, tensor<8xf64>
}

// -----

// The other input is complex, and so has no place for code.

// CHECK-LABEL: func.func @by_complex(
// CHECK: linalg.exp
// CHECK: tc.contract
// CHECK-NOT: prologue
func.func @by_complex(%A: tensor<8x8xf64>, %B: tensor<8x8xcomplex<f64>>, %C: tensor<8x8xcomplex<f64>>) -> tensor<8x8xcomplex<f64>> {
  %E = linalg.exp ins(%A : tensor<8x8xf64>) outs(%A : tensor<8x8xf64>) -> tensor<8x8xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%E, %B : tensor<8x8xf64>, tensor<8x8xcomplex<f64>>) outs(%C : tensor<8x8xcomplex<f64>>) -> tensor<8x8xcomplex<f64>>
  return %D : tensor<8x8xcomplex<f64>>
}
