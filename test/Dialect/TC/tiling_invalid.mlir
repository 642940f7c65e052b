// RUN: tc-opt %s --transform-interpreter --verify-diagnostics --split-input-file

// Each tile adds to C, so C may not be scaled by each.
func.func @no_beta(%A: tensor<16x8xf32>, %B: tensor<8xf32>, %C: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+3 {{cannot be tiled along the summed index 'k' unless beta is the constant one or there is accumulate, and there is no epilogue: every tile adds to C}}
  // expected-error @+2 {{tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %D = tc.contract [m, k], [k] -> [m]
         ins(%A, %B : tensor<16x8xf32>, tensor<8xf32>)
         outs(%C : tensor<16xf32>) -> tensor<16xf32>
  return %D : tensor<16xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %op tile_sizes [0, 4]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
