// RUN: tc-opt %s --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: tc-opt %s --tc-collapse-indices | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: tc-opt %s --transform-interpreter --canonicalize | FileCheck %s --check-prefixes=CHECK,TILE

// Attributes that say how a contraction is carried out belong to the operation,
// so that passes keep them: none may merge or drop the indices that they speak
// of, and an operation that is made anew on other operands has them, too.

// CHECK-LABEL: func.func @cpu_schedule
// WHOLE: tc.contract [a, b, u, k], [k] -> [a, b]
// TILE: scf.for
// TILE: tc.contract [a, b, u, k], [k] -> [a, b]
// CHECK-SAME: {cpu_schedule = #tc.cpu_schedule<target = "x", rows = m, m = [a: 2, b: 3], n = [], k = [u: 1, k: 8],
func.func @cpu_schedule(%A: tensor<4x3x1x8xf64>, %B: tensor<8xf64>, %C: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.contract [a, b, u, k], [k] -> [a, b]
         ins(%A, %B : tensor<4x3x1x8xf64>, tensor<8xf64>)
         outs(%C : tensor<4x3xf64>) alpha(%one : f64)
         {cpu_schedule = #tc.cpu_schedule<target = "x", rows = m, m = [a: 2, b: 3], n = [], k = [u: 1, k: 8],
            order = [n, k, m], register = [4, 1], lanes = 4, store = cache>}
         -> tensor<4x3xf64>
  return %D : tensor<4x3xf64>
}

// CHECK-LABEL: func.func @dynamic_shape
// WHOLE: tc.contract [a, b, u, k], [k] -> [a, b]
// TILE: scf.for
// TILE: tc.contract [a, b, u, k], [k] -> [a, b]
// CHECK-SAME: {dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 32>}
func.func @dynamic_shape(%A: tensor<4x3x1x8xf64>, %B: tensor<8xf64>, %C: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %one = arith.constant 1.0 : f64
  %D = tc.contract [a, b, u, k], [k] -> [a, b]
         ins(%A, %B : tensor<4x3x1x8xf64>, tensor<8xf64>)
         outs(%C : tensor<4x3xf64>) alpha(%one : f64)
         {dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 32>}
         -> tensor<4x3xf64>
  return %D : tensor<4x3xf64>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [2]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
